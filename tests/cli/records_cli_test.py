# SPDX-License-Identifier: Apache-2.0
"""From records of runs to a predictor of one's own machine, and what becomes of files that are none."""
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import unittest

import harness

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/how-to/calibrate-your-machine.md"

# model, batch, ms a step, MiB: invented, and of the right size.
JOBS = [("resnet18", 32, 30, 3300), ("resnet50", 32, 90, 5200), ("vgg16", 16, 70, 5400),
        ("mobilenet_v2", 64, 75, 6200), ("densenet121", 32, 95, 6800)]


def record(run_id, network, batch, step_ms, memory_mib, **changes):
    """A line as horus profile writes it, without what readers do not look at."""
    line = {"schema_version": 1, "run_id": run_id, "status": "ok", "shared_with_others": False,
            "host": {"cpu": "Some CPU", "framework": "pytorch", "framework_version": "2.4"},
            "gpu": {"name": "Tesla T4", "mig": False},
            "model": {"name": network, "batch": batch, "precision": "fp32", "optimizer": "momentum"},
            "solo": {"step_ms_mean": step_ms, "util_mean": 97, "mem_peak_mib": memory_mib}}
    return json.dumps(line | changes)


class RecordsTest(harness.CliTest):
    def runs(self, name="runs.jsonl", jobs=JOBS):
        return self.write(name, "".join(record(f"run{i}", *job) + "\n"
                                        for i, job in enumerate(jobs)))

    def train(self, *data):
        self.ok("train", *data, "-o", "machine.json")
        return json.loads((self.folder / "machine.json").read_text())

    def judge(self, path, *words):
        return self.ok_json("evaluate", *words, "--dataset", "profile", "--path", path,
                            "--protocol", "shipped", "--resamples", "50")


class OneFile(RecordsTest):
    def test_five_jobs_make_a_predictor_of_their_machine(self):
        self.runs()
        before = self.judge("runs.jsonl")
        self.assertEqual(before["n_rows"], 5)
        machine = self.train("runs.jsonl")
        self.assertEqual([(s["gpu"], s["jobs"]) for s in machine["sites"]], [("T4", 5)])
        after = self.judge("runs.jsonl", "machine.json")
        self.assertLess(after["mape_step_percent"], before["mape_step_percent"])
        predict = ("predict", "zoo:resnet34", "--gpu", "T4", "--batch", "32")
        own = self.ok_json(*predict, "--model-file", "machine.json")
        self.assertNotEqual(own["predictions"], self.ok_json(*predict)["predictions"])

    def test_other_files_of_the_folder_do_not_count(self):
        self.runs()
        self.write("other.jsonl", "no record\n")
        self.write("unrelated.onnx", "no ONNX")
        self.assertEqual(self.train("runs.jsonl")["data"][0]["rows"], 5)
        self.assertEqual(self.judge("runs.jsonl")["n_rows"], 5)
        self.refused("train", ".", "-o", "m.json", code=1, says="other.jsonl:1")

    def test_a_file_or_its_folder_or_its_packed_form_is_the_same(self):
        (self.folder / "records").mkdir()
        plain = self.runs("records/runs.jsonl")
        first = self.train("records/runs.jsonl")
        self.assertEqual(self.train("records")["constants"], first["constants"])
        self.assertEqual(self.train(plain)["sites"], first["sites"])
        self.write("packed.jsonl.gz", gzip.compress(plain.read_bytes()))
        self.assertEqual(self.train("packed.jsonl.gz")["sites"], first["sites"])

    def test_onnx_files_beside_it_that_it_names_are_read(self):
        words = harness.model([harness.node("Relu", ["x"], ["y"])],
                              [harness.value_info("x", [4, 8])], [harness.value_info("y", [4, 8])])
        net = self.write("net.onnx", words)
        digest = hashlib.sha256(net.read_bytes()).hexdigest()
        self.write("runs.jsonl", "".join(
            record(f"r{i}", None, 4, 1 + i, 900,
                   model={"onnx_sha256": digest, "batch": 4, "name": "mine"}) + "\n"
            for i in range(3)))
        self.assertEqual(self.judge("runs.jsonl")["n_rows"], 3)
        net.write_bytes(b"changed")
        self.refused("evaluate", "--dataset", "profile", "--path", "runs.jsonl", code=1,
                     says="no row that an architecture stands for")


class Places(RecordsTest):
    def test_what_is_no_file_of_records(self):
        text = self.runs().read_text()
        self.write("runs.txt", text)
        os.mkfifo(self.folder / "pipe.jsonl")
        (self.folder / "folder.jsonl").mkdir()
        for path, words in (("runs.txt", "not called *.jsonl"),
                            ("pipe.jsonl", "neither a file nor a folder"),
                            ("folder.jsonl", "expected *.jsonl here"),
                            ("none.jsonl", "no such file or folder"),
                            ("/dev/null", "neither a file nor a folder")):
            with self.subTest(path):
                self.refused("evaluate", "--dataset", "profile", "--path", path, code=1, says=words)
                self.refused("train", path, "--dataset", "profile", "-o", "m.json", code=1,
                             says=words)
                self.refused("train", path, "-o", "m.json", code=1, says="a file *.jsonl")

    def test_only_records_may_be_one_file(self):
        self.runs()
        self.refused("evaluate", "--dataset", "pgb", "--path", "runs.jsonl", code=1,
                     says="expected the folder of data set pgb")

    def test_records_in_two_places_belong_into_one(self):
        self.runs()
        self.refused("train", "runs.jsonl", "runs.jsonl", "-o", "m.json", code=2,
                     says="put its files into one folder")


class Lines(RecordsTest):
    def refused_line(self, line, says):
        """Behind good ones, and by its number."""
        self.runs()
        with open(self.folder / "runs.jsonl", "ab") as file:
            file.write(line if isinstance(line, bytes) else line.encode())
        for words in (("evaluate", "--dataset", "profile", "--path", "runs.jsonl"),
                      ("train", "runs.jsonl", "-o", "m.json")):
            self.refused(*words, code=1, says=("runs.jsonl:6", *says))
        self.assertFalse((self.folder / "m.json").exists())

    def test_what_no_record_says(self):
        good = record("x", "resnet18", 32, 30, 3300)
        for changes, says in (
                ({"solo": {"step_ms_mean": -1}}, "solo.step_ms_mean"),
                ({"solo": {"step_ms_mean": "30"}}, "solo.step_ms_mean"),
                ({"solo": {"util_mean": 101}}, "solo.util_mean"),
                ({"solo": {"mem_peak_mib": 1e300}}, "solo.mem_peak_mib"),
                ({"gpu": {"name": 7}}, "gpu.name"),
                ({"status": "fine"}, "expected ok, oom, failed"),
                ({"schema_version": 2}, "version 2"),
                ({"schema_version": None}, "schema_version"),
                ({"run_id": None}, "run_id"),
                ({"model": {"name": "resnet18", "batch": 0}}, "model.batch"),
                ({"model": {"name": "resnet18", "batch": 1.5}}, "model.batch"),
                ({"model": {"name": "resnet18", "batch": 8, "precision": "fp8"}}, "fp8"),
                ({"run_id": "run0"}, "run0")):
            with self.subTest(says):
                self.refused_line(json.dumps(json.loads(good) | changes), [says])

    def test_what_is_no_line_of_json(self):
        good = record("x", "resnet18", 32, 30, 3300)
        for line in (good[:-20], good + good, "[" * 100_000, '{"a":' * 50 + "1" + "}" * 50, "[]",
                     "null", b"\xff\xfe\0", good.replace("97", "NaN"), good.replace("97", "1e999"),
                     good.replace("Tesla", "\\ud800"), " " * (2 << 20) + "x"):
            with self.subTest(line[:40]):
                self.refused_line(line, [])

    def test_a_line_without_an_end(self):
        self.refused_line(b'{"run_id":"' + b"x" * (100 << 20), [])

    def test_what_cannot_be_learned_from_is_named(self):
        self.write("runs.jsonl", "\n".join([
            record("a", "resnet18", 32, 30, 3300),
            record("b", "no-such-network", 32, 30, 3300),
            record("c", "resnet18", 32, 30, 3300, gpu={"name": "Abacus 3"}),
            record("d", "resnet18", 32, 30, 3300, shared_with_others=True)]) + "\n")
        report = self.judge("runs.jsonl")
        self.assertEqual((report["n_rows"], report["unmapped"]), (1, 1))
        page = self.ok("evaluate", "--dataset", "profile", "--path", "runs.jsonl", "--protocol",
                       "shipped", "--resamples", "50")
        for words in ("no-such-network", "Abacus 3", "others were on the GPU"):
            self.assertIn(words, page)

    def test_no_line_at_all(self):
        self.write("runs.jsonl", "\n\n")
        self.refused("evaluate", "--dataset", "profile", "--path", "runs.jsonl", code=1,
                     says="no row that an architecture stands for")
        self.refused("train", "runs.jsonl", "-o", "m.json", code=2)


class HowTo(RecordsTest):
    def test_the_page_does_what_it_says_on_a_machine_without_a_gpu(self):
        block = re.search(r"```\n(.*?)```", PAGE.read_text().split("## Try it without a GPU")[1], re.S)
        programs = pathlib.Path(harness.HORUS).resolve().parent
        script = block[1].replace("$PWD/build/dev", str(programs.parent))
        self.assertIn(f"{programs.parent}/fake_nvml/new", script)
        done = subprocess.run(
            ["bash", "-eu"], input=script.encode(), cwd=self.folder, capture_output=True,
            timeout=300, check=False,
            env=dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}"))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        records = [json.loads(line) for line in (self.folder / "runs.jsonl").read_text().splitlines()]
        self.assertEqual([record["model"]["name"] for record in records],
                         ["resnet18", "resnet50", "vgg16", "mobilenet_v2", "densenet121"])
        for record in records:
            self.assertEqual(record["solo"]["steps"], 8)
            # The shell and what it waits for, where a look saw both.
            self.assertIn(record["solo"]["mem_peak_mib"], (2575, 5150))
        machine = json.loads((self.folder / "machine.json").read_text())
        self.assertEqual([(s["gpu"], s["jobs"]) for s in machine["sites"]], [("V100-16GB", 5)])
        printed = done.stdout.decode()
        for words in ("Predictor machine.json", "zoo:resnet34", "profile  1 row "):
            self.assertIn(words, printed)


class Written(RecordsTest):
    def test_no_output_replaces_what_it_is_made_from(self):
        self.runs()
        before = (self.folder / "runs.jsonl").read_bytes()
        (self.folder / "link.jsonl").symlink_to("runs.jsonl")
        for output in ("runs.jsonl", "./runs.jsonl", "link.jsonl"):
            self.refused("train", "runs.jsonl", "-o", output, code=2, says="would be lost")
            self.refused("evaluate", "--dataset", "profile", "--path", "runs.jsonl", "--protocol",
                         "shipped", "--rows", output, code=2, says="would be lost")
        self.refused("evaluate", "--dataset", "profile", "--path", "runs.jsonl", "--protocol",
                     "shipped", "--rows", "a.svg", "--plot", "a.svg", code=2, says="written by")
        self.assertEqual((self.folder / "runs.jsonl").read_bytes(), before)

    def test_what_is_written_can_be_read(self):
        # Steps of which every second takes a hundred times as long; long names of machines.
        lines = [record(f"r{i}", "resnet18", 8 + i, 50 * (100 if i % 2 else 1), 3300)
                 for i in range(24)]
        self.write("wild.jsonl", "\n".join(lines) + "\n")
        self.ok("train", "wild.jsonl", "-o", "wild.json")
        self.ok("model", "show", "wild.json")
        lines = [record(f"r{i}", "resnet18", 8 + i, 50, 3300, host={"cpu": "c" * 900})
                 for i in range(5)]
        self.write("f" * 240 + ".jsonl", "\n".join(lines) + "\n")
        self.ok("train", "f" * 240 + ".jsonl", "-o", "long.json")
        self.ok("model", "show", "long.json")

    def test_many_machines_of_one_job_each_take_no_time(self):
        lines = [record(f"r{i}", "resnet18", 8 + i, 5 + i, 3300, host={"cpu": f"c{i}"})
                 for i in range(100)]
        self.write("hosts.jsonl", "\n".join(lines) + "\n")
        self.ok("train", "hosts.jsonl", "-o", "hosts.json")

    def test_a_full_disk_is_no_predictor(self):
        self.runs()
        self.refused("train", "runs.jsonl", "-o", "/dev/full", code=1, says="/dev/full")

    def test_what_was_there_stays_where_training_fails(self):
        self.write("m.json", "mine")
        self.write("runs.jsonl", "[]\n")
        self.refused("train", "runs.jsonl", "-o", "m.json", code=1)
        self.assertEqual((self.folder / "m.json").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
