# SPDX-License-Identifier: Apache-2.0
"""horus simulate: its figures, its determinism, and what it refuses."""
import csv
import gzip
import unittest

from harness import SHARED_DATA, CliTest

POLICIES = ["fifo", "fifo-skip", "pack-blind", "horus", "horus+"]
KEYS = {"policy", "jobs_finished", "makespan_s", "jct_mean_s", "jct_p50_s", "jct_p99_s",
        "wait_mean_s", "wait_p99_s", "first_start_mean_s", "gpu_utilization", "slowdown_mean",
        "slowdown_p99", "beyond_tolerance", "oom_deaths", "preemptions", "lost_work_gpu_s",
        "jobs_rejected"}
GENERATE = ("simulate", "--generate", "philly-like")
CLUSTER = ("--cluster", "2x4xV100-16GB")
PHILLY_HEADER = "timestamp,duration,num_gpus,gpu_time,cluster\n"
TIRESIAS_HEADER = "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"


class Generated(CliTest):
    def test_all_policies_by_default_with_every_key(self):
        report = self.ok_json(*GENERATE, "--jobs", "300", "--load", "1.1", *CLUSTER)
        self.assertEqual([row["policy"] for row in report["policies"]], POLICIES)
        self.assertEqual(report["schema_version"], 1)
        self.assertAlmostEqual(report["load"], 1.1, places=3)
        for row in report["policies"]:
            self.assertEqual(KEYS - set(row), set())
            self.assertEqual(row["jobs_finished"] + row["jobs_rejected"], 300)
            self.assertGreaterEqual(row["slowdown_mean"], 1.0 - 1e-9)
            self.assertTrue(0.0 < row["gpu_utilization"] <= 1.0)
            self.assertTrue(0.0 <= row["beyond_tolerance"] <= 1.0)
            self.assertGreaterEqual(row["jct_mean_s"], row["wait_mean_s"])

    def test_exclusive_policies_slow_nobody_down(self):
        report = self.ok_json(*GENERATE, "--jobs", "300", "--load", "1.1", *CLUSTER,
                              "--policy", "fifo,fifo-skip")
        for row in report["policies"]:
            self.assertAlmostEqual(row["slowdown_mean"], 1.0, places=9)
            self.assertEqual((row["oom_deaths"], row["beyond_tolerance"]), (0, 0))

    def test_same_seed_same_bytes_other_seed_others(self):
        arguments = (*GENERATE, "--jobs", "200", "--load", "1.2", *CLUSTER, "--json")
        first = self.ok(*arguments, "--seed", "5", "--events", "first.csv")
        again = self.ok(*arguments, "--seed", "5", "--events", "again.csv")
        other = self.ok(*arguments, "--seed", "6")
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual((self.folder / "first.csv").read_bytes(),
                         (self.folder / "again.csv").read_bytes())

    def test_numbers_are_decimal(self):
        arguments = (*GENERATE, "--jobs", "20", *CLUSTER, "--policy", "fifo", "--json")
        self.assertEqual(self.ok(*arguments, "--seed", "010"), self.ok(*arguments, "--seed", "10"))

    def test_a_mix_that_cannot_be_built_names_its_file(self):
        header = ("name,model,batch,sequence,precision,optimizer,attention,samples_per_second,weight,"
                  "true_utilization,true_memory_mib,true_compute_share\n")
        self.write("mix.csv", header + "a,bert-base,1,1000000,fp32,adam,,,1,0.5,2000,0.5\n")
        self.refused(*GENERATE, "--jobs", "10", *CLUSTER, "--mix", "mix.csv", code=1,
                     says=["mix.csv", "'a'"])

    def test_closed_puts_every_arrival_at_zero(self):
        self.ok(*GENERATE, "--jobs", "50", "--closed", *CLUSTER, "--policy", "fifo,horus",
                "--events", "events.csv")
        with open(self.folder / "events.csv", newline="", encoding="ascii") as file:
            events = list(csv.DictReader(file))
        arrivals = [event for event in events if event["event"] == "arrival"]
        self.assertEqual(len(arrivals), 2 * 50)
        self.assertEqual({event["time_us"] for event in arrivals}, {"0"})
        self.assertEqual({event["policy"] for event in events}, {"fifo", "horus"})
        finished = [event["job"] for event in events
                    if event["event"] == "completion" and event["policy"] == "horus"]
        self.assertEqual(len(finished), len(set(finished)))

    def test_wrong_words_are_usage(self):
        self.refused("simulate", code=2)
        self.refused(*GENERATE, "--jobs", "10", code=2, says="--cluster")
        self.refused("simulate", "--generate", "filly-like", *CLUSTER, code=2, says="philly-like")
        self.refused(*GENERATE, "--jobs", "10", "--cluster", "2x4", code=2, says="NODESxGPUSxTYPE")
        self.refused(*GENERATE, "--jobs", "10", "--cluster", "2x4xV101-16GB", code=2, says="V100")
        self.refused(*GENERATE, "--jobs", "10", *CLUSTER, "--policy", "fifo,horrus", code=2,
                     says="horus")
        for jobs in ("0", "-5", "1e99", "x"):
            self.refused(*GENERATE, "--jobs", jobs, *CLUSTER, code=2)
        for load in ("0", "-1", "nan", "inf"):
            self.refused(*GENERATE, "--jobs", "10", "--load", load, *CLUSTER, code=2)
        for seed in ("-1", "18446744073709551616", "", "0x10", "1.5"):
            self.refused(*GENERATE, "--jobs", "10", *CLUSTER, "--seed", seed, code=2, says="--seed")
        self.refused(*GENERATE, "--jobs", "10", *CLUSTER, "--max-residents", "0", code=2)
        self.refused(*GENERATE, "--jobs", "10", *CLUSTER, "--gangs", "maybe", code=2)
        self.refused(*GENERATE, "--trace", "x.csv", *CLUSTER, code=2)

    def test_a_full_disk_or_a_missing_folder_is_no_success(self):
        self.refused(*GENERATE, "--jobs", "10", *CLUSTER, "--events", "no/folder/e.csv", code=1)
        self.refused(*GENERATE, "--jobs", "10", *CLUSTER, "--events", "/dev/full", code=1,
                     says="No space left")
        self.assertEqual(list(self.folder.iterdir()), [])


class Traces(CliTest):
    def philly(self, *rows):
        self.write("trace.csv", PHILLY_HEADER + "".join(row + "\n" for row in rows))
        return ("simulate", "--trace", "trace.csv", "--format", "philly")

    def test_two_jobs_by_hand(self):
        command = self.philly("2017-10-09 00:00:10,100,1,100,a", "2017-10-09 00:00:00,50,1,50,b", "")
        row = self.ok_json(*command, "--cluster", "1x1xV100-16GB", "--policy", "fifo")["policies"][0]
        self.assertEqual(row["makespan_s"], 150)
        self.assertEqual(row["jct_mean_s"], (50 + 140) / 2)
        self.assertEqual(row["wait_mean_s"], 20)
        self.assertEqual(row["first_start_mean_s"], 20)

    def test_gzip_and_partition(self):
        plain = self.philly("2017-10-09 00:00:00,50,1,50,b", "2017-10-09 00:00:10,100,1,100,a")
        packed = gzip.compress((self.folder / "trace.csv").read_bytes())
        self.write("trace.csv.gz", packed)
        both = [self.ok(*plain[:1], "--trace", name, "--format", "philly", *CLUSTER, "--json")
                .replace(name, "") for name in ("trace.csv", "trace.csv.gz")]
        self.assertEqual(*both)
        one = self.ok_json(*plain, *CLUSTER, "--partition", "a", "--policy", "fifo")
        self.assertEqual(one["policies"][0]["jobs_finished"], 1)
        self.refused(*plain, *CLUSTER, "--partition", "c", says="c")

    def test_a_job_wider_than_the_cluster_is_rejected_and_the_rest_goes_on(self):
        command = self.philly("2017-10-09 00:00:00,50,9,450,b", "2017-10-09 00:00:10,100,1,100,a")
        for row in self.ok_json(*command, *CLUSTER)["policies"]:
            self.assertEqual((row["jobs_finished"], row["jobs_rejected"]), (1, 1))

    def test_bad_rows_name_their_line_or_are_counted(self):
        good = "2017-10-09 00:00:00,50,1,50,b"
        for bad in ("2017-10-09 00:00:00,nan,1,50,b", "2017-10-09 00:00:00,-5,1,50,b",
                    "2017-10-09 00:00:00,1e300,1,50,b", "2017-10-09 00:00:00,50,0,50,b",
                    "2017-10-09 00:00:00,50,-1,50,b", "2017-10-09 00:00:00,50,99999999999,50,b",
                    "2017-99-09 00:00:00,50,1,50,b", "yesterday,50,1,50,b",
                    "2017-10-09 00:00:00,50", "2017-10-09 00:00:00,fifty,1,50,b"):
            with self.subTest(bad):
                command = self.philly(good, bad, good)
                self.refused(*command, *CLUSTER, code=1, says="trace.csv:3")
                report = self.ok_json(*command, *CLUSTER, "--policy", "fifo", "--skip-bad-rows")
                self.assertEqual(report["policies"][0]["jobs_finished"], 2)
                self.assertTrue(any("1" in note and "skipped" in note for note in report["notes"]))

    def test_files_that_are_no_traces(self):
        for name, content in {"empty": b"", "header": PHILLY_HEADER.encode(), "binary": bytes(999),
                              "gz": b"\x1f\x8b\x08\x00broken", "other": b"a,b\n1,2\n"}.items():
            with self.subTest(name):
                self.write(name, content)
                self.refused("simulate", "--trace", name, "--format", "philly", *CLUSTER, code=1,
                             says=name)
        self.refused("simulate", "--trace", "absent", "--format", "philly", *CLUSTER, code=1)
        self.refused("simulate", "--trace", "empty", "--format", "phily", *CLUSTER, code=2,
                     says="philly")

    def test_tiresias_by_hand(self):
        self.write("t.csv", TIRESIAS_HEADER + "7,1,5,10,vgg19,20,1\n3,2,0,10,vgg11,30,1\n")
        row = self.ok_json("simulate", "--trace", "t.csv", "--format", "tiresias", "--policy", "fifo",
                           "--cluster", "1x2xV100-16GB")["policies"][0]
        self.assertEqual(row["makespan_s"], 50)

    @unittest.skipUnless((SHARED_DATA / "tiresias").is_dir(), "the Tiresias trace is not here")
    def test_the_numbers_of_the_tiresias_simulator(self):
        # Its own FIFO and FIFO with skipping on 60 jobs and 16 interchangeable GPUs.
        rows = self.ok_json("simulate", "--trace", (SHARED_DATA / "tiresias/60_job.csv").resolve(),
                            "--format", "tiresias", "--cluster", "4x4xV100-16GB",
                            "--policy", "fifo,fifo-skip")["policies"]
        self.assertAlmostEqual(rows[0]["jct_mean_s"], 200.817, places=3)
        self.assertEqual(rows[0]["makespan_s"], 3335)
        self.assertAlmostEqual(rows[0]["first_start_mean_s"], 22.400, places=3)
        self.assertAlmostEqual(rows[1]["jct_mean_s"], 190.683, places=3)
        self.assertEqual(rows[1]["makespan_s"], 3271)
        self.assertAlmostEqual(rows[1]["first_start_mean_s"], 12.267, places=3)

    @unittest.skipUnless((SHARED_DATA / "philly").is_dir(), "the Philly trace is not here")
    def test_the_whole_of_philly_as_it_lies_there(self):
        report = self.ok_json("simulate", "--trace",
                              (SHARED_DATA / "philly/philly_jobs.csv.gz").resolve(), "--format",
                              "philly", "--cluster", "48x8xV100-16GB", "--policy", "fifo")
        row = report["policies"][0]
        self.assertEqual(row["jobs_finished"] + row["jobs_rejected"], 82247)
        self.assertAlmostEqual(report["load"], 0.97, delta=0.005)


if __name__ == "__main__":
    unittest.main()
