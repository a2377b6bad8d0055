#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of gpu_campaign on its fake GPU: workers, pipes, files and signals are real ones."""
import contextlib
import ctypes
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

PROGRAM = pathlib.Path(__file__).resolve().with_name("gpu_campaign")


def loaded(name, without_torch):
    """The program as a module; as on a machine without torch, or as it is."""
    loader = importlib.machinery.SourceFileLoader(name, str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    absent = mock.patch.dict(sys.modules, {"torch": None})
    with absent if without_torch else contextlib.nullcontext():
        loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
campaign = loaded("gpu_campaign", without_torch=True)
PREFIX = "fake-gpu"
NANO, RESNET, MLP = (campaign.CONFIGS[key].name for key in ("nano", "resnet18", "mlp"))
TRIO = rf"(solo|timeslice)/({NANO}|{RESNET}|{MLP}|\+)+$"
EMPTY, SOLO, SLICED = f"{PREFIX}/empty", f"{PREFIX}/solo", f"{PREFIX}/timeslice"


class Run:
    """One run of the program in this process, and the records of its folder."""

    def __init__(self, folder, *arguments):
        self.path = pathlib.Path(folder) / "records.jsonl"
        said = io.StringIO()
        handler = signal.getsignal(signal.SIGTERM)
        try:
            with contextlib.redirect_stdout(said):
                self.code = campaign.main(["--fake-gpu", "--out", str(folder), *arguments])
        finally:
            signal.signal(signal.SIGTERM, handler)
        self.said = said.getvalue()
        self.records = {}
        for line in self.path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            assert record["run_id"] not in self.records, record["run_id"]
            self.records[record["run_id"]] = record


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Plan(unittest.TestCase):
    def runs(self):
        return [run for item in campaign.PLAN for run in campaign.runs_of(item, "gpu")]

    def test_run_ids_are_unique(self):
        identities = [identity for _, identity in self.runs()]
        self.assertEqual(len(identities), len(set(identities)))
        sets = [(item.mode, item.repeat, kind, tuple(sorted(item.keys[p] for p in places)))
                for item in campaign.PLAN if item.kind == "group"
                for kind, places in campaign.sets_of(item)]
        self.assertEqual(len(sets), len(set(sets)))  # In whatever order.

    def test_half_of_the_jobs_are_transformers(self):
        configs = list(campaign.CONFIGS.values())
        self.assertGreaterEqual(len(configs), 20)
        self.assertGreaterEqual(2 * sum(bool(c.attention) for c in configs), len(configs))
        self.assertEqual(len(configs), len({config.name for config in configs}))

    def test_has_fifty_pairs_and_ten_triples_in_two_modes(self):
        kinds = [kind for kind, _ in self.runs()]
        self.assertGreaterEqual(kinds.count("pair"), 50)
        self.assertGreaterEqual(kinds.count("triple"), 10)
        pairs = [identity for kind, identity in self.runs() if kind == "pair"]
        for mode in ("timeslice", "mps"):
            self.assertGreaterEqual(sum(f"/{mode}/" in pair for pair in pairs), 20)

    def test_without_mps_there_are_as_many_pairs(self):
        sliced = [run for item in campaign.PLAN if item.mode != "mps"
                  for run in campaign.runs_of(item, "gpu")]
        kinds = [kind for kind, _ in sliced]
        self.assertGreaterEqual(kinds.count("pair"), 50)
        self.assertGreaterEqual(kinds.count("triple"), 10)

    def test_solo_runs_come_before_sets(self):
        kinds = [item.kind for item in campaign.PLAN]
        self.assertLess(kinds.index("solo"), kinds.index("group"))

    def test_a_set_of_equal_jobs_is_one_pair(self):
        item = campaign.group("timeslice", "nano", "nano")
        self.assertEqual(campaign.sets_of(item), [("pair", (0, 1))])

    def test_split_is_the_hash_of_the_name(self):
        # printf gpt2 | sha256sum, as a number, modulo 5; likewise the others.
        rest = {"gpt2": 1, "resnet50": 4, "transformer-base": 0}
        for name, modulo in rest.items():
            self.assertEqual(campaign.is_test([name]), modulo == 0, name)
        self.assertTrue(campaign.is_test(["gpt2", "transformer-base"]))
        split = {campaign.is_test([name]) for name in campaign.NETWORKS}
        self.assertEqual(split, {True, False})

    def test_is_printed_and_nothing_is_done(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(campaign.main(["--list", "--plan", "triples"]), 0)
        lines = said.getvalue().splitlines()
        self.assertTrue(all(line.startswith("triple ") for line in lines[:-1]))
        self.assertGreater(len(lines), 10)


class Numbers(unittest.TestCase):
    def test_percentiles_lie_between_neighbours(self):
        self.assertEqual(campaign.percentile([3, 1, 2, 5, 4], 0.5), 3)
        self.assertAlmostEqual(campaign.percentile([1, 2, 3, 4, 5], 0.95), 4.8)
        self.assertEqual(campaign.percentile([7], 0.95), 7)

    def test_readings_before_the_window_has_settled_are_no_utilization(self):
        def reading(at, util, used):
            return {"time": at, "util": util, "used_mib": used, "memutil": None, "power_w": 100,
                    "sm_mhz": 1000}
        found = campaign.reading_statistics(
            [reading(0, 0, 900), reading(1, 80, 800), reading(2, 90, 700)], 0.5, {}, 100)
        self.assertEqual((found["util_mean"], found["samples"]), (85, 2))
        self.assertEqual(found["mem_peak_mib"], 800)  # 900 - 100: memory is no average.
        self.assertIsNone(found["memutil_mean"])
        self.assertEqual(found["sample_ms"], 1000)

    def test_nothing_read_is_null_and_not_zero(self):
        found = campaign.reading_statistics([], 0, {}, 0)
        self.assertEqual({v for k, v in found.items() if k != "samples"}, {None})

    def test_a_pipeline_holds_two_batches_and_no_more(self):
        pipeline = campaign.Pipeline(1000)
        began = time.monotonic()
        for _ in range(4):
            pipeline.take(20)  # The first is there; each further one takes 20 ms.
        self.assertGreater(time.monotonic() - began, 0.055)
        time.sleep(0.2)
        began = time.monotonic()
        pipeline.take(20)
        pipeline.take(20)
        self.assertLess(time.monotonic() - began, 0.03)
        for _ in range(3):
            pipeline.take(20)
        self.assertGreater(time.monotonic() - began, 0.03)


class JournalTest(InFolder):
    def test_a_line_that_was_cut_off_is_dropped_and_the_rest_stays(self):
        path = self.folder / "records.jsonl"
        path.write_text('{"run_id": "a"}\n{"run_id": "b"', encoding="utf-8")
        journal = campaign.Journal(path)
        self.assertEqual(list(journal.done), ["a"])
        journal.append({"run_id": "c"})
        self.assertEqual(path.read_text(encoding="utf-8"), '{"run_id": "a"}\n{"run_id": "c"}\n')

    def test_a_foreign_line_is_refused_with_its_place(self):
        path = self.folder / "records.jsonl"
        path.write_text('{"run_id": "a"}\n[]\n', encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "records.jsonl:2: no record"):
            campaign.Journal(path)
        self.assertEqual(path.read_text(encoding="utf-8"), '{"run_id": "a"}\n[]\n')

    def test_no_number_that_json_lacks_is_written(self):
        journal = campaign.Journal(self.folder / "records.jsonl")
        with self.assertRaises(ValueError):
            journal.append({"run_id": "a", "x": float("nan")})


class Records(InFolder):
    def test_of_jobs_alone_and_together(self):
        run = Run(self.folder, "--only", f"empty|{TRIO}", "--plan", "solo", "pairs", "triples")
        self.assertEqual(run.code, 0)
        names = {NANO, RESNET, MLP}
        self.assertEqual(set(run.records), {EMPTY, *(f"{SOLO}/{name}" for name in names),
                                            f"{SLICED}/{NANO}+{RESNET}", f"{SLICED}/{NANO}+{MLP}",
                                            f"{SLICED}/{RESNET}+{MLP}", f"{SLICED}/{NANO}+{NANO}",
                                            f"{SLICED}/{NANO}+{RESNET}+{MLP}"})
        self.assertEqual(run.records[EMPTY]["solo"], {"mem_context_mib": 500})
        self.check_solo(run.records[f"{SOLO}/{MLP}"])
        self.check_set(run.records[f"{SLICED}/{RESNET}+{MLP}"], [RESNET, MLP], [NANO])
        self.check_set(run.records[f"{SLICED}/{NANO}+{RESNET}+{MLP}"], [NANO, RESNET, MLP], [])

    def fake_of(self, name):
        config = next(c for c in campaign.CONFIGS.values() if c.name == name)
        return campaign.FakeTrainer(config, None, 0)

    def check_solo(self, record):
        self.assertEqual(record["schema_version"], 1)
        self.assertEqual(record["gpu"]["mode"], "exclusive")
        self.assertEqual((record["other_processes"], record["set_id"]), (0, None))
        self.assertEqual((record["status"], record["features"]), ("ok", None))
        self.assertEqual(record["model"]["name"], "mlp")
        self.assertEqual(record["model"]["batch"], 256)
        self.assertEqual(record["input"]["samples_per_s"], None)
        solo, fake = record["solo"], self.fake_of(MLP)
        self.assertEqual(solo["mem_context_mib"], 500)
        self.assertEqual(solo["mem_peak_mib"], 500 + 100 + 10 * 256)
        self.assertAlmostEqual(solo["util_mean"], 100 * fake.utilization, delta=1)
        self.assertAlmostEqual(solo["step_ms_mean"], 1e3 * fake.step_s, delta=0.001)
        for key in ("steps", "step_ms_p95", "util_p50", "util_p95", "memutil_mean", "sm_active",
                    "sm_occ", "dram_active", "power_w", "samples", "sample_ms",
                    "warmup_dropped_s"):
            self.assertIn(key, solo)

    def check_set(self, record, names, idle):
        self.assertEqual(record["status"], "ok", record)
        self.assertEqual(record["members"], [f"{SOLO}/{name}" for name in names])
        self.assertEqual(record["resident"], [f"{SOLO}/{name}" for name in idle])
        self.assertEqual(record["gpu"]["mode"], "timeslice")
        fakes = [self.fake_of(name) for name in names]
        idle_share = 1.0
        for fake in fakes:
            idle_share *= 1 - fake.utilization
        own = sum(500 + 100 + 10 * fake.config.batch for fake in fakes)
        self.assertEqual(record["joint"]["mem_peak_mib"], own)
        self.assertAlmostEqual(record["joint"]["util_mean"], 100 * (1 - idle_share), delta=5)
        for fake, member in zip(fakes, record["co"]):
            others = 1 - idle_share / (1 - fake.utilization)
            slowdown = 1 + fake.utilization * others
            # Medians: on a busy machine the others may begin some steps late.
            medians = [member[when]["step_ms_p50"] for when in ("together", "solo")]
            self.assertAlmostEqual(medians[0] / medians[1], slowdown, delta=0.01)
            self.assertGreater(member["slowdown"], 1)
            self.assertLess(member["slowdown"], slowdown + 0.01)
            self.assertEqual(member["model"]["name"], fake.config.network)
            self.assertLess(member["solo_age_s"], 3)
            self.assertGreater(member["together"]["steps"], 2)

    def test_of_batches_around_what_fits(self):
        run = Run(self.folder, "--only", "edge/resnet50")
        tries = {r["model"]["batch"]: r["status"] for r in run.records.values()}
        # 40960 MiB hold 500 + 100 + 10 b MiB up to b = 4036.
        self.assertEqual({status for b, status in tries.items() if b > 4036}, {"oom"})
        self.assertEqual({status for b, status in tries.items() if b <= 4036}, {"ok"})
        self.assertGreater(max(b for b, status in tries.items() if status == "ok"), 3800)
        self.assertLess(min(b for b, status in tries.items() if status == "oom"), 4300)
        self.assertEqual(Run(self.folder, "--only", "edge/resnet50").records, run.records)

    def test_resume_where_they_end(self):
        arguments = ("--only", TRIO, "--plan", "solo")
        first = Run(self.folder, *arguments)
        self.assertEqual(len(first.records), 3)
        lines = first.path.read_text(encoding="utf-8").splitlines(keepends=True)
        first.path.write_text("".join(lines[:2]) + lines[2][:40], encoding="utf-8")
        second = Run(self.folder, *arguments)
        self.assertEqual(list(second.records), list(first.records))
        self.assertEqual(second.path.read_text(encoding="utf-8").splitlines(keepends=True)[:2],
                         lines[:2])

    def test_of_repeats_are_runs_of_their_own(self):
        run = Run(self.folder, "--only", rf"solo/{RESNET}", "--plan", "solo")
        self.assertEqual(list(run.records), [f"{SOLO}/{RESNET}{n}" for n in ("", "#2", "#3")])


class Faults(InFolder):
    def test_cost_one_record_each(self):
        run = Run(self.folder, "--only", TRIO, "--plan", "solo", "--fake-fault", "nano=die",
                  "--fake-fault", "mlp=fail", "--fake-fault", "resnet18=oom")
        self.assertEqual(run.code, 1)
        told = {name: run.records[f"{SOLO}/{name}"] for name in (NANO, MLP, RESNET)}
        self.assertEqual(told[NANO]["status"], "failed")
        self.assertIn("ended with -9", told[NANO]["error"])
        self.assertEqual((told[MLP]["status"], told[MLP]["error"]),
                         ("failed", "ValueError: made to fail"))
        self.assertEqual(told[RESNET]["status"], "oom")
        self.assertEqual({record["solo"] for record in told.values()}, {None})

    def test_a_job_that_failed_alone_is_in_no_set(self):
        run = Run(self.folder, "--only", TRIO, "--fake-fault", "nano=fail")
        self.assertFalse(any("timeslice" in identity for identity in run.records))

    def test_a_job_without_a_context_is_a_record(self):
        with mock.patch.object(campaign.FakeTrainer, "open_context",
                               side_effect=RuntimeError("no context")):
            run = Run(self.folder, "--only", "(solo|edge)/resnet50:b64")
        identity = campaign.CONFIGS["resnet50"].name
        self.assertEqual({name: record["status"] for name, record in run.records.items()},
                         {f"{SOLO}/{identity}": "failed"})

    def test_a_batch_that_has_no_context_fits_nowhere(self):
        with mock.patch.object(campaign.FakeTrainer, "open_context",
                               side_effect=RuntimeError("no context")):
            run = Run(self.folder, "--only", "edge/resnet50")
        record = run.records[f"{PREFIX}/edge/{campaign.CONFIGS['resnet50'].name}/b64"]
        self.assertEqual((record["status"], record["solo"]), ("failed", None))

    def test_a_hang_ends(self):
        pace = campaign.dataclasses.replace(campaign.FAKE_PACE, answer=0.3)
        with mock.patch.object(campaign.FakeMachine, "pace", pace):
            began = time.monotonic()
            run = Run(self.folder, "--only", f"solo/{MLP}", "--fake-fault", "mlp=hang")
        self.assertIn("hangs", run.records[f"{SOLO}/{MLP}"]["error"])
        self.assertLess(time.monotonic() - began, 10)

    def test_a_crash_in_a_set_leaves_the_other_sets(self):
        run = Run(self.folder, "--only", f"{TRIO}", "--plan", "pairs", "triples",
                  "--fake-fault", "mlp=die-later")
        statuses = {name: run.records[f"{SLICED}/{name}"]["status"]
                    for name in (f"{NANO}+{RESNET}", f"{NANO}+{MLP}", f"{RESNET}+{MLP}")}
        self.assertEqual(list(statuses.values()), ["ok", "failed", "failed"])

    def test_a_group_that_does_not_fit_is_measured_in_pairs(self):
        sizes = {name: 600 + 10 * config.batch for name, config in campaign.CONFIGS.items()}
        room = sizes["nano"] + sizes["resnet18"] + sizes["mlp"] - 1
        with mock.patch.object(campaign.FakeGpu, "CAPACITY_MIB", room):
            run = Run(self.folder, "--only", TRIO, "--plan", "pairs", "triples")
        self.assertEqual(run.records[f"{SLICED}/{NANO}+{RESNET}+{MLP}"]["status"], "oom")
        self.assertEqual(run.records[f"{SLICED}/{RESNET}+{MLP}"]["status"], "ok")
        self.assertEqual(run.records[f"{SLICED}/{RESNET}+{MLP}"]["resident"], [])


class Ends(InFolder):
    def test_in_time(self):
        began = time.monotonic()
        run = Run(self.folder, "--minutes", "0.03")
        self.assertLess(time.monotonic() - began, 0.03 * 60 + 1.5)
        self.assertIn("run it again", run.said)
        self.assertLess(len(run.records), 40)
        self.assertGreater(len(run.records), 1)

    def test_when_told_to_and_leaves_no_worker(self):
        with subprocess.Popen([sys.executable, str(PROGRAM), "--fake-gpu", "--out",
                               str(self.folder)], stdout=subprocess.PIPE, text=True,
                              start_new_session=True) as process:
            for _ in range(3):
                self.assertIn(" ok ", process.stdout.readline())
            process.send_signal(signal.SIGTERM)
            process.stdout.read()
            self.assertEqual(process.wait(10), 143)
        with self.assertRaises(ProcessLookupError):
            os.killpg(process.pid, 0)
        lines = (self.folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertGreaterEqual(len([json.loads(line) for line in lines]), 3)

    def test_when_told_to_while_python_drops_what_is_raised(self):
        """An exit out of a finalizer is ignored: the campaign must end all the same."""
        run_item, told = campaign.Campaign.run_item, []

        def run_and_tell(self, *arguments):
            run_item(self, *arguments)
            told.append(self)
            with contextlib.suppress(SystemExit):
                self.end_now()

        with mock.patch.object(campaign.Campaign, "run_item", run_and_tell), \
                contextlib.redirect_stdout(io.StringIO()):
            code = campaign.main(["--fake-gpu", "--out", str(self.folder)])
        self.assertEqual((code, len(told)), (143, 1))

    def test_kill_takes_the_workers_along(self):
        with subprocess.Popen([sys.executable, str(PROGRAM), "--fake-gpu", "--out",
                               str(self.folder), "--only", MLP, "--fake-fault", "mlp=hang"],
                              stdout=subprocess.DEVNULL, start_new_session=True) as process:
            time.sleep(1)  # It waits for the answer of the worker that hangs.
            process.kill()
        for _ in range(100):
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.05)
        self.fail("a worker outlives the campaign")

    def test_options_that_make_no_sense_are_refused(self):
        for arguments, words in ((["--minutes", "0"], "must be above 0"),
                                 (["--only", "("], "no regular expression"),
                                 (["--plan", "quartets"], "invalid choice")):
            said = io.StringIO()
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(said):
                campaign.main(arguments)
            self.assertIn(words, said.getvalue())
        with self.assertRaisesRegex(SystemExit, "no configuration is called bort"):
            Run(self.folder, "--fake-fault", "bort=die")

    def test_without_torch_says_so(self):
        with self.assertRaisesRegex(SystemExit, "PyTorch is not installed"):
            campaign.main(["--out", str(self.folder)])


CONTROL = """#!/bin/sh
echo "$CUDA_MPS_PIPE_DIRECTORY $*" >> {log}
if [ "$1" = -d ]; then exit {starts}; fi
read words
echo "$words" >> {log}
case $words in get_server_list*) echo {servers};; esac
"""


class MpsDaemon(InFolder):
    """A stand-in for nvidia-cuda-mps-control that writes down what it is told."""

    def run_with(self, starts="0", servers="4711"):
        control = self.folder / "nvidia-cuda-mps-control"
        self.log = self.folder / "log"
        control.write_text(CONTROL.format(log=self.log, starts=starts, servers=servers),
                           encoding="utf-8")
        control.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"):
            return Run(self.folder / "out", "--only", rf"mps/{NANO}\+{RESNET}$",
                       "--plan", "pairs")

    def test_starts_in_a_private_folder_and_stops(self):
        run = self.run_with()
        record = run.records[f"{PREFIX}/mps/{NANO}+{RESNET}"]
        self.assertEqual((record["status"], record["gpu"]["mode"]), ("ok", "mps"))
        log = self.log.read_text(encoding="utf-8").splitlines()
        self.assertTrue(log[0].endswith(" -d"), log)
        self.assertIn("quit -t 5", log)
        folder = pathlib.Path(log[0].split()[0])
        self.assertTrue(folder.parent.name.startswith("campaign-mps-"))
        self.assertFalse(folder.parent.exists())

    def test_a_daemon_without_a_server_measures_nothing(self):
        with self.assertRaises(FileNotFoundError):  # Not one record.
            self.run_with(servers="")
        self.assertIn("quit -t 5", self.log.read_text(encoding="utf-8"))

    def test_a_daemon_whose_clients_get_no_context_is_given_up(self):
        with mock.patch.object(campaign.FakeTrainer, "open_context",
                               side_effect=RuntimeError("MPS client failed to connect")):
            with self.assertRaises(FileNotFoundError):
                self.run_with()
        log = self.log.read_text(encoding="utf-8")
        self.assertEqual(log.count(" -d"), 1)
        self.assertIn("quit -t 5", log)

    def test_a_daemon_that_does_not_start_is_not_asked_again(self):
        with self.assertRaises(FileNotFoundError):
            self.run_with(starts="1")
        self.assertEqual(self.log.read_text(encoding="utf-8").count(" -d"), 1)


class FakeLibrary:
    """What a driver answers; a function that is not here is one that the driver lacks."""
    NOT_SUPPORTED = 3

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetCount_v2(self, count):
        count._obj.value = 1
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index, device):
        device._obj.value = 4096 + index
        return 0

    def nvmlDeviceGetMemoryInfo(self, _, info):
        info._obj.total, info._obj.used = 1 << 40, 3 << 20
        return 0

    def nvmlDeviceGetUtilizationRates(self, _, rates):
        rates._obj.gpu, rates._obj.memory = 70, 20
        return 0

    def nvmlDeviceGetPowerUsage(self, *_):
        return self.NOT_SUPPORTED

    def nvmlDeviceGetName(self, _, buffer, size):
        buffer.value = b"NVIDIA Test"
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, _, count, infos):
        count._obj.value = 2
        return 7  # The buffer is too small, which is how one asks for the number.


class Hopper(FakeLibrary):
    def nvmlGpmQueryDeviceSupport(self, _, support):
        support._obj.supported = 1
        return 0

    def nvmlGpmSampleAlloc(self, sample):
        sample._obj.value = 1 << 20
        return 0

    def nvmlGpmSampleGet(self, *_):
        return 0

    def nvmlGpmMetricsGet(self, request):
        for metric in request._obj.metrics[:request._obj.count]:
            metric.value = 10.0 * metric.id
            metric.status = 3 if metric.id == 5 else 0
        return 0


class NvmlTest(unittest.TestCase):
    def nvml(self, library):
        with mock.patch.object(ctypes, "CDLL", return_value=library):
            return campaign.Nvml(0)

    def test_structures_have_the_layout_of_nvml_h(self):
        # 4 + 4 + 8 bytes and three pointers; 4 + 4 bytes and two pointers before the array.
        self.assertEqual(ctypes.sizeof(campaign.GpmMetric), 40)
        self.assertEqual(campaign.GpmRequest.metrics.offset, 24)
        self.assertEqual(ctypes.sizeof(campaign.MemoryInfo), 24)

    def test_what_the_driver_lacks_is_none(self):
        nvml = self.nvml(FakeLibrary())
        reading = nvml.read()
        self.assertEqual((reading["util"], reading["memutil"], reading["used_mib"]), (70, 20, 3))
        self.assertIsNone(reading["power_w"])   # Not supported.
        self.assertIsNone(reading["sm_mhz"])    # No such function.
        self.assertEqual(nvml.describe(), {"name": "NVIDIA Test", "uuid": None,
                                           "mem_mib": 1 << 20, "mig": None})
        self.assertEqual(nvml.active(), dict.fromkeys(campaign.GPM_METRICS))

    def test_zero_is_a_reading(self):
        class Idle(FakeLibrary):
            def nvmlDeviceGetPowerUsage(self, _, milliwatts):
                milliwatts._obj.value = 0
                return 0

            def nvmlDeviceGetMigMode(self, _, now, after_reset):
                now._obj.value, after_reset._obj.value = 0, 1
                return 0
        nvml = self.nvml(Idle())
        self.assertEqual((nvml.read()["power_w"], nvml.mig()), (0.0, False))
        self.assertIs(type(nvml.read()["power_w"]), float)

    def test_counts_other_processes(self):
        self.assertEqual(self.nvml(FakeLibrary()).others(), 2)

    def test_counters_of_newer_gpus_are_shares(self):
        nvml = self.nvml(Hopper())
        nvml.sample_counters(0)
        nvml.sample_counters(1)
        self.assertEqual(nvml.active(), {"sm_active": 0.2, "sm_occ": 0.3, "tensor_active": None,
                                         "dram_active": 1.0})

    def test_no_driver_is_said(self):
        with mock.patch.object(ctypes, "CDLL", side_effect=OSError("not found")):
            with self.assertRaisesRegex(campaign.NvmlError, "no NVIDIA driver"):
                campaign.Nvml(0)


HAS_TORCH = importlib.util.find_spec("torch") is not None


@unittest.skipUnless(HAS_TORCH, "this Python has no PyTorch")
class Torch(InFolder):
    def test_a_job_of_each_kind_trains_on_a_cpu(self):
        real = loaded("gpu_campaign_with_torch", without_torch=False)
        real.torch.set_num_threads(1)
        # Published counts of parameters; a language model's by hand.
        width, layers, words = 384, 6, 8192
        block = 12 * width * width + 13 * width
        nano = words * width + 512 * width + layers * block + 2 * width
        for key, count in (("nano", nano), ("resnet18", 11_173_962), ("mobilenet", 3_504_872)):
            config = real.dataclasses.replace(real.CONFIGS[key], batch=2,
                                              length=min(real.CONFIGS[key].length, 8))
            trainer = real.TorchTrainer(config, "cpu")
            trainer.build()
            self.assertEqual(trainer.parameters(), (count, count), key)
            trained = next(trainer.module.parameters())
            before = trained.detach().clone()
            trainer.step()
            self.assertFalse(real.torch.equal(before, trained), key)


if __name__ == "__main__":
    unittest.main()
