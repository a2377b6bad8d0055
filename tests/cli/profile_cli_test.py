# SPDX-License-Identifier: Apache-2.0
"""horus profile: runs and records jobs, against an acted library of the driver (tests/fake_nvml)."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from harness import HORUS, CliTest, is_sanitized

BIN = pathlib.Path(HORUS).resolve().parent
PROFILE = BIN / "horus-profile"
FAKE = BIN.parent / "fake_nvml"
USAGE, NO_RECORD, CANNOT_RUN, NOT_FOUND = 2, 125, 126, 127

GPU = "gpu GPU-0a NVIDIA A100\ntotal 40960\nused 500 500 2500\nutil 80\nmemutil 40\npower 250\n"
ALONE = f"driver 550.54\ncuda 12040\n{GPU}energy 1000 1250\nmig 0\nprocess job 1024\nsm job 60\n"
# A step for each line: 5 marks are 4 steps.
STEPS = "for i in 1 2 3 4 5; do echo horus-step; sleep 0.05; done"


class ProfileTest(CliTest):
    """A test with an acted driver."""

    def environment(self, script=ALONE, age="new"):
        path = self.folder / "fake"
        # As a whole: another run may be reading it.
        self.write("fake.new", script).rename(path)
        return dict(os.environ, LD_LIBRARY_PATH=str(FAKE / age), HORUS_FAKE_NVML=str(path))

    def start(self, *words, script=ALONE, age="new", **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen([HORUS, "profile", *map(str, words)], cwd=self.folder,
                                env=self.environment(script, age), **options)

    def profile(self, *words, code=0, **options):
        """Runs to the end; returns the program's stdout and stderr."""
        child = self.start(*words, **options)
        out, err = child.communicate(timeout=120)
        self.assertEqual(child.returncode, code, err.decode(errors="replace"))
        return out.decode(errors="replace"), err.decode(errors="replace")

    def records(self, name="horus-profile.jsonl"):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def record(self, *words, **options):
        """The one record of a run without a warm-up."""
        (self.folder / "horus-profile.jsonl").unlink(missing_ok=True)
        self.profile("--warmup", "0", *words, **options)
        records = self.records()
        self.assertEqual(len(records), 1)
        return records[0]

    def refuses(self, *words, code, says, **options):
        _, err = self.profile(*words, code=code, **options)
        lines = [line for line in err.splitlines() if line.startswith("horus: error:")]
        self.assertEqual(len(lines), 1, err)
        self.assertIn(says, lines[0])


class Records(ProfileTest):
    def test_what_the_driver_says(self):
        record = self.record("--interval", "50ms", "--", "sh", "-c", "sleep 0.6")
        self.assertEqual(record["schema_version"], 1)
        self.assertRegex(record["run_id"], "^[0-9a-f]{32}$")
        self.assertRegex(record["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual((record["host"]["driver"], record["host"]["cuda"]), ("550.54", "12.4"))
        self.assertEqual(record["host"]["cores"], len(os.sched_getaffinity(0)))
        self.assertEqual(record["gpu"], {"name": "NVIDIA A100", "uuid": "GPU-0a", "mem_mib": 40960,
                                         "mig": False, "mode": "exclusive"})
        solo = record["solo"]
        self.assertEqual((solo["util_mean"], solo["util_p50"], solo["util_p95"]), (80, 80, 80))
        self.assertEqual((solo["util_source"], solo["util_device_mean"]), ("device", 80))
        self.assertEqual((solo["memutil_mean"], solo["power_w"], solo["energy_j"]), (40, 250, 250))
        # sh and sleep, with 1024 MiB each.
        self.assertEqual((solo["mem_peak_mib"], solo["mem_source"]), (2048, "process"))
        self.assertEqual((solo["sample_ms"], solo["window"]), (50, "gpu_use"))
        self.assertGreaterEqual(solo["samples"], 2)
        self.assertLessEqual(solo["samples"], 13)
        self.assertGreaterEqual(record["duration_s"], 0.6)
        self.assertEqual((record["status"], record["exit_code"], record["signal"]), ("ok", 0, None))
        self.assertEqual((record["shared_with_others"], record["other_processes"]), (False, 0))
        self.assertEqual(record["notes"], [])

    def test_activity_where_the_gpu_counts_it(self):
        hopper = ALONE + "gpm 70 30.5 25\n"
        record = self.record("--interval", "50ms", "--", "sh", "-c", "sleep 0.4", script=hopper)
        for figures in (record["solo"], record["gpus"][0]):
            self.assertEqual((figures["sm_active"], figures["sm_occ"], figures["dram_active"]),
                             (0.7, 0.305, 0.25))
        for script in (ALONE, hopper.replace("mig 0", "mig 1")):
            record = self.record("--interval", "50ms", "--", "sh", "-c", "sleep 0.2", script=script)
            self.assertEqual((record["solo"]["sm_active"], record["gpus"][0]["sm_occ"],
                              record["solo"]["dram_active"]), (None, None, None))
            self.assertNotIn("activity", " ".join(record["notes"]))

    def test_what_the_user_says(self):
        onnx = self.write("net.onnx", b"not read, only named")
        record = self.record(
            "--model-name", 'a "b"', "--family", "c", "--batch", "64", "--precision", "amp",
            "--optimizer", "adamw", "--attention", "fused", "--seq", "128",
            "--accumulate", "2", "--checkpointing", "blocks", "--passes", "1",
            "--samples-per-second", "512.5", "--loader-workers", "0", "--framework", "pytorch",
            "--framework-version", "2.4", "--run-id", "r", "--set-id", "s", "--onnx", onnx, "true")
        self.assertEqual(record["model"], {
            "onnx_sha256": hashlib.sha256(onnx.read_bytes()).hexdigest(), "name": 'a "b"',
            "family": "c", "batch": 64, "precision": "amp", "optimizer": "adamw",
            "attention": "fused", "checkpointing": "blocks", "accumulation_steps": 2,
            "passes_per_step": 1, "seq_len": 128})
        self.assertEqual(record["input"], {"samples_per_s": 512.5, "workers": 0})
        self.assertEqual((record["run_id"], record["set_id"]), ("r", "s"))
        self.assertEqual(record["host"]["framework_version"], "2.4")

    def test_documented_keys_are_those_of_a_record(self):
        page = pathlib.Path(__file__).parents[2] / "docs" / "reference" / "profile-record.md"
        documented = set(re.findall(r"^\| `([a-z0-9_.\[\]]+)` \|", page.read_text(), re.M))

        def keys(value, path=""):
            if isinstance(value, dict):
                return {key for name, inner in value.items()
                        for key in keys(inner, f"{path}.{name}" if path else name)}
            if isinstance(value, list) and value and isinstance(value[0], dict):
                return keys(value[0], f"{path}[]")
            return {path}

        self.assertEqual(keys(self.record("true")), documented)

    def test_records_are_appended_whole(self):
        self.write("horus-profile.jsonl", '{"torn":')
        for _ in range(2):
            self.profile("-q", "--", "true")
        lines = (self.folder / "horus-profile.jsonl").read_text().split("\n")
        self.assertEqual((len(lines), lines[0], lines[3]), (4, '{"torn":', ""))
        self.assertEqual([json.loads(line)["status"] for line in lines[1:3]], ["ok", "ok"])

    def test_many_writers_tear_no_line(self):
        children = [self.start("-q", "-o", "runs", "--", "true") for _ in range(8)]
        for child in children:
            child.communicate(timeout=60)
            self.assertEqual(child.returncode, 0)
        self.assertEqual(len({record["run_id"] for record in self.records("runs")}), 8)

    def test_a_record_on_standard_output(self):
        out, err = self.profile("-q", "-o", "-", "--", "echo", "hello")
        self.assertEqual(out.splitlines()[0], "hello")
        self.assertEqual(json.loads(out.splitlines()[1])["status"], "ok")
        self.assertEqual(err, "")


class Steps(ProfileTest):
    def check_steps(self, record, steps, low, high):
        self.assertEqual((record["solo"]["steps"], record["solo"]["window"]), (steps, "steps"))
        # A busy machine stretches steps and delivers lines in bursts: only the magnitude is checked.
        for key in ("step_ms_mean", "step_ms_p50"):
            self.assertGreaterEqual(record["solo"][key], low / 4)
            self.assertLessEqual(record["solo"][key], high * 20)

    def test_by_lines(self):
        record = self.record("--interval", "10ms", "--", "sh", "-c", STEPS)
        self.check_steps(record, 4, 50, 200)

    def test_by_a_pattern_with_numbers(self):
        script = "for i in 10 20 30 40 50; do echo \"epoch 1 step $i loss 0.1\"; sleep 0.05; done"
        record = self.record("--interval", "10ms", "--step-pattern", "step ([0-9]+)", "--",
                             "sh", "-c", script)
        self.check_steps(record, 40, 5, 20)

    def test_by_a_descriptor(self):
        program = ("import os, time\n"
                   "for i in range(5):\n"
                   "    os.write(int(os.environ['HORUS_STEP_FD']), b'\\n')\n"
                   "    time.sleep(0.05)\n")
        for options in ([], ["--direct"]):
            record = self.record("--interval", "10ms", *options, "--", sys.executable, "-c", program)
            self.check_steps(record, 4, 50, 200)

    def test_lines_that_python_would_keep_back(self):
        program = "import time\nfor i in range(5):\n    print('done'); time.sleep(0.05)\n"
        record = self.record("--interval", "10ms", "--step-pattern", "done", "--",
                             sys.executable, "-c", program)
        self.check_steps(record, 4, 50, 200)

    def test_of_the_warm_up_do_not_count(self):
        self.profile("--warmup", "60s", "--", "sh", "-c", STEPS)
        record = self.records()[0]
        self.assertIsNone(record["solo"]["step_ms_mean"])
        self.assertIsNone(record["solo"]["util_mean"])
        self.assertIn("all 4 steps were in the warm-up", record["notes"])

    def test_a_group_that_is_no_number_is_noted(self):
        record = self.record("--step-pattern", "step (.*)", "--", "echo", "step one")
        self.assertIn("1 lines matched --step-pattern without a number in its group",
                      record["notes"])

    def test_a_pattern_that_is_none(self):
        self.refuses("--step-pattern", "(", "true", code=USAGE, says="--step-pattern")

    def test_without_a_gpu(self):
        record = self.record("--gpu", "none", "--", "sh", "-c", STEPS, age="absent")
        self.assertEqual(record["solo"]["steps"], 4)
        self.assertIsNone(record["gpu"])
        self.assertEqual(record["gpus"], [])


class Endings(ProfileTest):
    def test_the_exit_code_is_the_commands(self):
        record = self.record("--", "sh", "-c", "exit 7", code=7)
        self.assertEqual((record["status"], record["exit_code"]), ("failed", 7))

    def test_a_signal_is_told_as_shells_do(self):
        record = self.record("--", "sh", "-c", "kill -9 $$", code=137)
        self.assertEqual((record["status"], record["exit_code"], record["signal"]),
                         ("failed", None, 9))

    def test_out_of_memory_is_recognised(self):
        torch = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
        record = self.record("--", "sh", "-c", f"echo '{torch}' >&2; exit 1", code=1)
        self.assertEqual(record["status"], "oom")
        record = self.record("--", "sh", "-c", f"printf '{torch}' >&2; exit 1", code=1)
        self.assertEqual(record["status"], "oom")  # The last line has no end.
        record = self.record("--", "sh", "-c", f"echo '{torch}'; exit 0")
        self.assertEqual(record["status"], "ok")
        self.assertIn("the program said that memory ran out, and went on", record["notes"])

    def test_a_command_that_cannot_be_run(self):
        self.refuses("--", "no-such-program", code=NOT_FOUND, says="no-such-program")
        self.refuses("--", self.folder, code=CANNOT_RUN, says="cannot be run")
        self.assertEqual((self.folder / "horus-profile.jsonl").read_text(), "")

    def test_signals_are_handed_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            child = self.start("-q", "-o", "runs", "--", "sh", "-c",
                               f"trap 'echo caught; exit 5' {number.name[3:]}; echo ready; "
                               "while :; do sleep 0.05; done")
            self.assertEqual(child.stdout.readline(), b"ready\n")
            child.send_signal(number)
            out, _ = child.communicate(timeout=60)
            self.assertEqual((out, child.returncode), (b"caught\n", 5))
        self.assertEqual([record["exit_code"] for record in self.records("runs")], [5, 5, 5])

    def test_a_typed_interrupt_arrives_once(self):
        """A terminal sends it to the whole group: the command must not get it twice."""
        program = ("import signal, sys, time\n"
                   "count = 0\n"
                   "def caught(*_):\n"
                   "    global count\n"
                   "    count += 1\n"
                   "signal.signal(signal.SIGINT, caught)\n"
                   "print('ready', flush=True)\n"
                   "end = time.time() + 1\n"
                   "while time.time() < end:\n"
                   "    time.sleep(0.05)\n"
                   "print('interrupts', count, flush=True)\n")
        pid, terminal = os.forkpty()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(PROFILE, [str(PROFILE), "-q", "--", sys.executable, "-c", program],
                      self.environment())
        said = b""
        while b"interrupts" not in said or not said.endswith(b"\n"):
            try:
                said += os.read(terminal, 1000)
            except OSError:
                break
            if b"ready" in said and b"^C" not in said:
                os.write(terminal, b"\x03")
                time.sleep(0.2)
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertIn(b"interrupts 1", said)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_orphans_stay_with_the_job_and_stop_nothing(self):
        # The middle one ends; the grandchild's parent is then horus-profile.
        script = "sh -c 'sleep 0.5 & ' ; sleep 0.3"
        began = time.time()
        record = self.record("--interval", "20ms", "--", "sh", "-c", script)
        self.assertLess(time.time() - began, 20)
        self.assertEqual(record["solo"]["mem_peak_mib"], 3 * 1024)  # sh, sleep and the orphan

    def test_a_background_process_is_not_waited_for(self):
        began = time.time()
        self.profile("-q", "--", "sh", "-c", "sleep 30 >/dev/null 2>&1 & exit 0")
        self.assertLess(time.time() - began, 20)


class Output(ProfileTest):
    def test_bytes_pass_through(self):
        data = bytes(range(256)) * 4000
        blob = self.write("blob", data)
        child = self.start("-q", "--", "sh", "-c", f"cat {blob}; cat {blob} >&2")
        out, err = child.communicate(timeout=60)
        self.assertEqual((out, err), (data, data))

    def test_a_flood_neither_fills_memory_nor_stops_samples(self):
        limit = 700 if is_sanitized() else 100  # its quarantine alone takes 256
        child = self.start("-q", "--warmup", "0", "--", "sh", "-c",
                           "head -c 300000000 /dev/zero | tr '\\0' x",
                           stdout=subprocess.DEVNULL)
        peak = 0
        while child.poll() is None:
            status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
            if found := re.search(r"VmRSS:\s+(\d+)", status):
                peak = max(peak, int(found[1]) // 1024)
            time.sleep(0.02)
        child.communicate()
        self.assertEqual(child.returncode, 0)
        self.assertLess(peak, limit)
        record = self.records()[0]
        expected = record["duration_s"] * 10
        self.assertGreaterEqual(record["solo"]["samples"], 0.1 * expected - 2)

    def test_a_reader_that_leaves_ends_the_command_as_it_would_alone(self):
        child = self.start("-q", "--", "yes", stdout=subprocess.PIPE)
        child.stdout.read(10)
        child.stdout.close()
        child.wait(timeout=60)
        child.stderr.close()
        self.assertEqual(child.returncode, 128 + signal.SIGPIPE)
        self.assertIn("standard output took no more: Broken pipe", self.records()[0]["notes"])

    def test_a_reader_that_waits_stops_no_sample(self):
        child = self.start("-q", "--warmup", "0", "--", "sh", "-c",
                           "head -c 1000000 /dev/zero; exit 4")
        time.sleep(1)
        out, _ = child.communicate(timeout=60)
        self.assertEqual((len(out), child.returncode), (1_000_000, 4))
        self.assertGreaterEqual(self.records()[0]["solo"]["samples"], 1)

    def test_direct_leaves_the_command_its_streams(self):
        out, _ = self.profile("-q", "--direct", "--", "readlink", "/proc/self/fd/1")
        self.assertTrue(out.startswith("pipe:"), out)
        file = self.folder / "out"
        with file.open("wb") as stream:
            child = self.start("-q", "--direct", "--", "readlink", "/proc/self/fd/1", stdout=stream)
            child.communicate(timeout=60)
        self.assertEqual(file.read_text().strip(), str(file))

    def test_a_full_disk_takes_the_record_to_standard_error(self):
        for command, code in (("exit 0", NO_RECORD), ("exit 3", 3)):
            _, err = self.profile("-o", "/dev/full", "--", "sh", "-c", command, code=code)
            self.assertIn("No space left", err)
            line = re.search(r"this is the record: (.*)", err)[1]
            self.assertEqual(json.loads(line)["schema_version"], 1)

    def test_a_record_that_cannot_be_written_is_known_before_the_run(self):
        self.refuses("-o", "no/folder/x", "--", "touch", "ran", code=NO_RECORD, says="no/folder/x")
        self.refuses("-o", self.folder, "--", "touch", "ran", code=NO_RECORD, says="directory")
        self.assertFalse((self.folder / "ran").exists())

    def test_closed_streams_never_end_up_in_a_file(self):
        command = f"exec '{PROFILE}' -q -o runs -- sh -c 'echo out; echo err >&2' <&- >&- 2>&-"
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment(),
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.records("runs")[0]["status"], "ok")


class Drivers(ProfileTest):
    def test_none(self):
        self.refuses("--", "touch", "ran", code=NO_RECORD, says="comes with the driver",
                     age="absent")
        self.assertFalse((self.folder / "ran").exists())

    def test_that_do_not_start(self):
        for status, says in ((9, "kernel module loaded"), (18, "another version"),
                             (999, "Unknown Error")):
            self.refuses("true", code=NO_RECORD, says=says, script=f"init {status}\n{ALONE}")

    def test_without_a_gpu(self):
        self.refuses("true", code=NO_RECORD, says="sees no GPU", script="driver 1\n")

    def test_that_support_little(self):
        script = "gpu GPU-0 GeForce\nfail memory 3\nfail utilization 3\nfail processes 4\n"
        record = self.record("--", "sleep", "0.3", script=script)
        self.assertEqual(record["gpu"], {"name": "GeForce", "uuid": "GPU-0", "mem_mib": None,
                                         "mig": None, "mode": None})
        for key in ("util_mean", "util_p50", "util_source", "memutil_mean", "mem_peak_mib",
                    "mem_source", "power_w", "energy_j"):
            self.assertIsNone(record["solo"][key], key)
        self.assertIsNone(record["shared_with_others"])
        self.assertEqual(record["solo"]["window"], "run")
        self.assertGreater(record["solo"]["samples"], 0)
        notes = "\n".join(record["notes"])
        self.assertIn("GPU 0: utilization: Not Supported (NVML status 3)", notes)
        self.assertIn("GPU 0: processes: Insufficient Permissions (NVML status 4)", notes)
        self.assertEqual(len(record["notes"]), len(set(record["notes"])))

    def test_of_old(self):
        record = self.record("--", "sleep", "0.3", age="old")
        self.assertEqual((record["solo"]["util_mean"], record["solo"]["mem_peak_mib"]), (80, 1024))
        self.assertIsNone(record["solo"]["energy_j"])
        self.assertIsNone(record["gpu"]["mig"])
        self.assertIsNone(record["host"]["cuda"])

    def test_that_lose_a_gpu(self):
        record = self.record("--interval", "20ms", "--", "sleep", "0.6",
                             script=ALONE + "fail utilization 15 6\n")
        self.assertEqual((record["status"], record["solo"]["util_mean"]), ("ok", 80))
        self.assertIn("GPU 0: utilization: GPU is lost (NVML status 15)", record["notes"])

    def test_that_stumble_once(self):
        record = self.record("--interval", "20ms", "--", "sleep", "0.4",
                             script=ALONE + "fail power 10 1\n")
        self.assertIsNone(record["solo"]["power_w"])
        self.assertEqual(record["solo"]["util_mean"], 80)

    def test_that_hang(self):
        began = time.time()
        record = self.record("--", "sh", "-c", "sleep 0.3; exit 3", code=3,
                             script=ALONE + "hang utilization 3\n")
        self.assertLess(time.time() - began, 60)
        self.assertIn("the driver did not answer any more", record["notes"])

    def test_lists_longer_than_expected(self):
        record = self.record("--", "sleep", "0.3", script=ALONE + "crowd 500\n")
        self.assertEqual((record["other_processes"], record["solo"]["mem_peak_mib"]), (500, 1024))

    def test_memory_of_a_process_that_nobody_knows(self):
        script = ALONE.replace("process job 1024", "process job 0")
        record = self.record("--", "sleep", "0.3", script=script)
        # The driver is asked twice before the job, and says 500 MiB; then 2500.
        self.assertEqual((record["solo"]["mem_peak_mib"], record["solo"]["mem_source"]),
                         (2000, "device"))


class Sharing(ProfileTest):
    def test_with_others_is_marked(self):
        record = self.record("--", "sleep", "0.3",
                             script=ALONE + "process stranger 512\nsm stranger 30\n")
        self.assertEqual((record["shared_with_others"], record["other_processes"]), (True, 1))
        self.assertEqual(record["gpu"]["mode"], "timeslice")
        self.assertEqual(record["solo"]["mem_peak_mib"], 1024)
        # The job's own share, not that of the device.
        self.assertEqual((record["solo"]["util_mean"], record["solo"]["util_source"]),
                         (60, "process"))
        self.assertEqual(record["solo"]["util_device_mean"], 80)

    def test_a_process_of_the_job_that_has_just_ended_is_no_stranger(self):
        # The driver goes on naming it.
        command = 'sleep 0.4 & echo "process $! 1024" >> $HORUS_FAKE_NVML; wait; sleep 0.4'
        record = self.record("--interval", "20ms", "--", "sh", "-c", command,
                             script=f"driver 1\n{GPU}")
        self.assertEqual((record["shared_with_others"], record["other_processes"]), (False, 0))
        self.assertEqual((record["solo"]["mem_peak_mib"], record["solo"]["mem_source"]),
                         (1024, "process"))

    def test_through_mps(self):
        record = self.record("--", "sleep", "0.3", script=ALONE + "mps job\n")
        self.assertEqual(record["gpu"]["mode"], "mps")

    def test_a_partitioned_gpu_is_noticed(self):
        script = ALONE.replace("mig 0", "mig 1\nfail utilization 3")
        record = self.record("--", "sleep", "0.3", script=script)
        self.assertIs(record["gpu"]["mig"], True)
        self.assertIsNone(record["solo"]["util_device_mean"])


class Containers(ProfileTest):
    """The driver names processes by numbers of the host, which mean nothing inside."""

    def setUp(self):
        super().setUp()
        probe = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "true"],
                               capture_output=True, check=False)
        if probe.returncode != 0:
            self.skipTest("no right to make a name space of processes")

    def inside(self, before, later):
        """The record of a job during which the driver also lists the process `later`."""
        # The acted driver's script is read anew at each look.
        command = f"echo '{later}' >> $HORUS_FAKE_NVML; sleep 0.5"
        done = subprocess.run(
            ["unshare", "--pid", "--fork", "--mount-proc", PROFILE, "-q", "--warmup", "0",
             "--interval", "50ms", "--", "sh", "-c", command],
            cwd=self.folder, env=self.environment(f"driver 1\n{GPU}{before}"), timeout=60,
            capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.records()[0]

    def test_a_process_that_came_later_may_be_the_jobs(self):
        record = self.inside("", "process 3999999 700")
        self.assertIsNone(record["shared_with_others"])
        self.assertIsNone(record["gpu"]["mode"])
        self.assertEqual(record["solo"]["window"], "run")
        self.assertEqual((record["solo"]["mem_peak_mib"], record["solo"]["mem_source"]),
                         (2000, "device"))
        self.assertEqual(record["solo"]["util_mean"], 80)

    def test_a_process_that_was_there_before_is_a_stranger(self):
        record = self.inside("process 3999998 700\n", "process 3999999 700")
        self.assertEqual((record["shared_with_others"], record["other_processes"]), (True, 1))
        self.assertIsNone(record["solo"]["mem_peak_mib"])


class ManyGpus(ProfileTest):
    SIXTEEN = "".join(f"gpu GPU-{i:02} G{i}\ntotal 1000\nused 10\nutil {i}\nmemutil 1\n"
                      + ("process job 100\n" if i in (3, 7) else "process stranger 5\n")
                      for i in range(16))

    def test_those_of_the_job_are_found(self):
        record = self.record("--", "sleep", "0.3", script=self.SIXTEEN)
        self.assertEqual([gpu["index"] for gpu in record["gpus"]], [3, 7])
        self.assertEqual([gpu["util_mean"] for gpu in record["gpus"]], [3, 7])
        self.assertEqual((record["solo"]["util_mean"], record["solo"]["mem_peak_mib"]), (5, 100))
        self.assertEqual(record["gpu"]["name"], "G3")
        self.assertIs(record["shared_with_others"], False)

    def test_those_chosen_are_watched(self):
        record = self.record("--gpu", "1,gpu-15", "--", "true", script=self.SIXTEEN)
        self.assertEqual([gpu["uuid"] for gpu in record["gpus"]], ["GPU-01", "GPU-15"])
        self.assertIn("no process of the job was seen on a GPU", record["notes"])
        self.refuses("--gpu", "MIG-0b", "true", code=NO_RECORD, says="cannot be watched alone")
        self.refuses("--gpu", "16", "true", code=NO_RECORD, says="there is no GPU '16'",
                     script=self.SIXTEEN)


class Watching(ProfileTest):
    def test_a_process_that_runs(self):
        job = subprocess.Popen(["sleep", "0.8"])
        script = ALONE.replace("job", str(job.pid))
        # It is our child: until we ask for it, its number stays.
        child = self.start("-q", "--warmup", "0", "--pid", job.pid, script=script)
        job.wait()
        child.communicate(timeout=60)
        self.assertEqual(child.returncode, 0)
        record = self.records()[0]
        self.assertEqual((record["status"], record["exit_code"]), (None, None))
        self.assertEqual((record["solo"]["util_mean"], record["solo"]["mem_peak_mib"]), (80, 1024))

    def test_for_a_while_or_until_interrupted(self):
        job = subprocess.Popen(["sleep", "60"])
        try:
            self.profile("-q", "--pid", job.pid, "--duration", "300ms")
            self.assertGreaterEqual(self.records()[0]["duration_s"], 0.3)
            child = self.start("-q", "--pid", job.pid)
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=60)
            self.assertEqual(child.returncode, 0)
            self.assertEqual(len(self.records()), 2)
            self.assertIsNone(job.poll(), "the job goes on")
        finally:
            job.kill()
            job.wait()

    def test_a_process_that_is_not_there(self):
        self.refuses("--pid", "999999999", code=NO_RECORD, says="999999999")


class Program(ProfileTest):
    def test_needs_the_run_time_libraries_alone(self):
        if is_sanitized():
            self.skipTest("sanitizers bring libraries of their own")
        noted = subprocess.run(["readelf", "-d", PROFILE], capture_output=True, text=True,
                               check=True).stdout
        needed = set(re.findall(r"NEEDED.*\[(.*?)\]", noted))
        allowed = {"libc.so.6", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1"}
        loaders = {name for name in needed if name.startswith("ld-linux")}
        self.assertEqual(needed - allowed - loaders, set())
        self.assertIn("libc.so.6", needed)

    def test_help_and_usage(self):
        out, _ = self.profile("--help")
        self.assertIn("Examples:", out)
        self.assertEqual(out, subprocess.run([PROFILE, "-h"], capture_output=True, text=True,
                                             check=True).stdout)
        self.refuses(code=USAGE, says="no command given")
        self.refuses("--bacth", "3", "true", code=USAGE, says="--batch")
        self.assertIn("horus-profile 0.1.0", self.profile("--version")[0])

    def test_is_told_where_it_is_missing(self):
        alone = self.folder / "bin" / "horus"
        alone.parent.mkdir()
        shutil.copy(HORUS, alone)
        done = subprocess.run([alone, "profile", "--help"], capture_output=True, text=True,
                              env=dict(os.environ, PATH="/usr/bin:/bin"), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither beside horus nor in PATH", done.stderr)
        there = subprocess.run([alone, "profile", "--version"], capture_output=True, text=True,
                               env=dict(os.environ, PATH=f"/usr/bin:{BIN}"), check=False)
        self.assertEqual((there.returncode, there.stdout), (0, "horus-profile 0.1.0\n"))

    def test_completion_offers_its_options(self):
        script = self.ok("completion", "bash")
        self.assertIn("--step-pattern", script)
        self.assertIn("'profile --gpu') COMPREPLY=($(compgen -W \"none\"", script)


if __name__ == "__main__":
    unittest.main()
