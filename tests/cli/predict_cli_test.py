# SPDX-License-Identifier: Apache-2.0
"""horus predict and horus zoo."""
import subprocess
import unittest

from harness import HORUS, CliTest, model, node, value_info

INTERVALS = ("gpu_utilization", "memory_bandwidth_utilization", "step_time_s", "memory_bytes")


class Predict(CliTest):
    def predictions(self, *arguments):
        return self.ok_json("predict", *arguments)["predictions"]

    def test_every_quantity_is_an_ordered_interval(self):
        rows = self.predictions("zoo:resnet50", "--gpu", "V100-16GB,T4,A100-40GB", "--batch", "32")
        self.assertEqual([row["gpu"] for row in rows], ["V100-16GB", "T4", "A100-40GB"])
        for row in rows:
            for key in INTERVALS:
                with self.subTest(gpu=row["gpu"], key=key):
                    self.assertLessEqual(row[key]["low"], row[key]["expected"])
                    self.assertLessEqual(row[key]["expected"], row[key]["high"])
            self.assertLessEqual(row["memory_bytes"]["high"], row["memory_bytes"]["bound"])
            self.assertLessEqual(row["gpu_utilization"]["high"], 1.0)
            self.assertIn(row["origin"], ("analytic", "learned"))
            self.assertNotIn("slowdowns", row)

    def test_resnet50_on_a_v100_is_near_what_is_published(self):
        # About 340 to 400 images/s in FP32 (TensorFlow and PyTorch benchmarks of NVIDIA, 2018-19).
        row = self.predictions("zoo:resnet50", "--gpu", "V100-16GB", "--batch", "64")[0]
        self.assertLess(row["step_time_s"]["low"], 64 / 340)
        self.assertGreater(row["step_time_s"]["high"], 64 / 400)

    def test_fits_uses_the_bound(self):
        row = self.predictions("zoo:resnet50", "--gpu", "T4", "--batch", "2048")[0]
        self.assertFalse(row["fits"])
        row = self.predictions("zoo:resnet18-cifar", "--gpu", "T4", "--batch", "32")[0]
        self.assertTrue(row["fits"])

    def test_sharing_gives_one_slowdown_a_job(self):
        row = self.predictions("zoo:resnet50", "--gpu", "V100-16GB", "--batch", "32",
                               "--with", "zoo:vgg16@16", "zoo:lstm-lm@20")[0]
        self.assertEqual(len(row["slowdowns"]), 3)
        self.assertEqual(len(row["others"]), 2)
        self.assertNotEqual(row["others"][0]["step_time_s"], row["others"][1]["step_time_s"])
        for slowdown in row["slowdowns"]:
            self.assertGreaterEqual(slowdown["low"], 1.0)
            self.assertLessEqual(slowdown["low"], slowdown["high"])
        self.assertIn("fits_together", row)

    def test_modes_are_compared_and_one_is_recommended(self):
        jobs = ("zoo:resnet18-cifar@64", "zoo:neumf@256")
        row = self.predictions(*jobs, "--gpu", "A100-40GB", "--mode", "all")[0]
        modes = {mode["mode"]: mode for mode in row["modes"]}
        self.assertEqual(list(modes), ["exclusive", "timeslice", "mps", "mig"])
        self.assertEqual(modes["exclusive"]["throughput"], 1)
        self.assertEqual(len(modes["mig"]["instances"]), 2)
        self.assertEqual(modes["timeslice"]["slowdowns"], row["slowdowns"])
        self.assertNotIn("chance_tolerated", modes["exclusive"])
        self.assertTrue(0 <= modes["timeslice"]["chance_tolerated"] <= 1)
        self.assertIn(row["recommendation"]["mode"], modes)
        page = self.ok("predict", *jobs, "--gpu", "A100-40GB,T4", "--mode", "all")
        self.assertIn("Recommended: ", page)
        self.assertIn("T4 cannot be partitioned", page)

    def test_one_mode_and_one_law_can_be_asked_for(self):
        pair = ("zoo:vgg16@16", "zoo:vgg16@16", "--gpu", "V100-16GB")
        paper = self.predictions(*pair, "--interference", "paper")[0]
        alone = paper["gpu_utilization"]["expected"]
        for slowdown in paper["slowdowns"]:
            self.assertAlmostEqual(slowdown["expected"], max(1, 2 * alone))
        conservation = self.predictions(*pair, "--interference", "conservation")[0]
        self.assertAlmostEqual(conservation["slowdowns"][0]["expected"], 1 + alone)
        row = self.predictions(*pair, "--mode", "mps")[0]
        self.assertEqual([mode["mode"] for mode in row["modes"]], ["mps"])
        row = self.predictions(*pair, "--mode", "mig")[0]
        self.assertIn("cannot be partitioned", row["modes"][0]["obstacle"])
        self.assertNotIn("shared_memory_bytes", row)

    def test_a_job_alone_gets_the_smallest_instance(self):
        row = self.predictions("zoo:neumf@256", "--gpu", "A100-40GB", "--mode", "all")[0]
        self.assertEqual([mode["mode"] for mode in row["modes"]], ["exclusive", "mig"])
        self.assertEqual(row["recommendation"]["mode"], "mig")

    def test_an_instance_is_a_gpu(self):
        whole, half = self.predictions("zoo:resnet50@64", "--gpu", "A100-40GB,A100-40GB MIG 3g.20gb")
        self.assertEqual(half["gpu"], "A100-40GB MIG 3g.20gb")
        self.assertGreater(half["step_time_s"]["expected"], 2 * whole["step_time_s"]["expected"])
        self.refused("predict", "zoo:resnet50", "--gpu", "A100-40GB MIG 9g.99gb", code=2,
                     says="3g.20gb")

    def test_sharing_is_refused_where_it_makes_no_sense(self):
        common = ("predict", "zoo:alexnet", "--gpu", "T4")
        self.refused(*common, "--mode", "slices", code=2, says=["--mode", "timeslice"])
        self.refused(*common, "--interference", "guess", code=2, says="conservation")
        self.refused(*common, "--tolerance", "0.5", code=2)

    def test_the_setup_says_how_a_job_is_trained(self):
        setup = self.ok_json("predict", "zoo:alexnet", "--gpu", "T4", "--accumulate", "4",
                             "--checkpointing", "blocks", "--passes", "2", "--loader-workers", "0",
                             "--update", "per-tensor", "--step-end", "waits",
                             "--input-place", "gpu")["setup"]
        self.assertEqual((setup["accumulation_steps"], setup["checkpointing"],
                          setup["passes_per_step"], setup["loader_workers"], setup["update"],
                          setup["step_end"], setup["input_place"]),
                         (4, "blocks", 2, 0, "per-tensor", "waits", "gpu"))
        for bad in (("--accumulate", "0"), ("--passes", "0.5"), ("--loader-workers", "-1"),
                    ("--checkpointing", "some"), ("--update", "twice"), ("--step-end", "never"),
                    ("--input-place", "moon")):
            self.refused("predict", "zoo:alexnet", "--gpu", "T4", *bad, code=2)

    def test_a_slow_input_pipeline_leaves_the_gpu_idle(self):
        fast = self.predictions("zoo:resnet50", "--gpu", "T4", "--batch", "32")[0]
        slow = self.predictions("zoo:resnet50", "--gpu", "T4", "--batch", "32",
                                "--samples-per-second", "10")[0]
        self.assertLess(slow["gpu_utilization"]["expected"],
                        0.5 * fast["gpu_utilization"]["expected"])

    def test_fused_attention_saves_memory_and_amp_does_too(self):
        common = ("zoo:bert-base", "--gpu", "A100-40GB", "--batch", "16")
        memory = {name: self.predictions(*common, *more)[0]["memory_bytes"]["expected"]
                  for name, more in {"eager": (), "fused": ("--attention", "fused"),
                                     "amp": ("--precision", "amp")}.items()}
        self.assertLess(memory["fused"], memory["eager"])
        self.assertLess(memory["amp"], memory["eager"])

    def test_a_bare_a100_is_the_smaller_and_says_so(self):
        report = self.ok_json("predict", "zoo:alexnet", "--gpu", "A100")
        self.assertEqual(report["predictions"][0]["gpu"], "A100-40GB")
        self.assertTrue(any("A100-80GB" in warning for warning in report["warnings"]))

    def test_wrong_names_are_usage_and_suggest_the_nearest(self):
        self.refused("predict", "zoo:alexnet", "--gpu", "V100-16GBB", code=2, says="V100-16GB")
        self.refused("predict", "zoo:alexnet", "--gpu", "T4", "--precision", "fp8", code=2,
                     says="bf16")
        self.refused("predict", "zoo:alexnet", "--gpu", "T4", "--optimizer", "lion", code=2)
        self.refused("predict", "zoo:alexnet", code=2, says="--gpu")
        self.refused("predict", "zoo:alexnet", "--gpu", "T4", "--samples-per-second", "-1", code=2)
        self.refused("predict", "zoo:alexnet", "--gpu", "T4", "--samples-per-second", "nan", code=2)
        self.refused("predict", "zoo:alexnet", "--gpu", "T4", "--with", "nothing.onnx", code=1,
                     says="nothing.onnx")

    def test_jobs_of_with_have_their_own_batch_and_input(self):
        row = self.predictions("zoo:alexnet", "--gpu", "V100-16GB", "--batch", "128",
                               "--samples-per-second", "400", "--with", "zoo:pointnet@32:100")[0]
        self.assertLess(row["slowdowns"][0]["expected"], 1.1)
        busy = self.predictions("zoo:alexnet", "--gpu", "V100-16GB", "--batch", "128",
                                "--samples-per-second", "400", "--with", "zoo:pointnet@32")[0]
        self.assertGreater(busy["slowdowns"][1]["expected"], row["slowdowns"][1]["expected"])
        for bad in ("zoo:pointnet@32:", "zoo:pointnet@32:0", "zoo:pointnet@32:1:1", "zoo:pointnet@0"):
            self.refused("predict", "zoo:alexnet", "--gpu", "T4", "--with", bad, code=2, says="--with")

    def test_precisions_without_units_are_said(self):
        for gpu, precision, words in (("T4", "tf32", "no TF32"), ("V100-16GB", "bf16", "no BF16"),
                                      ("K80", "amp", "no tensor cores")):
            report = self.ok_json("predict", "zoo:alexnet", "--gpu", gpu, "--precision", precision)
            self.assertTrue(any(words in warning for warning in report["warnings"]), gpu)

    def test_a_graph_of_which_nothing_is_known_predicts_nothing(self):
        self.write("odd.onnx", model([node("Warp", ["x"], ["y"], "odd", "my.ops")],
                                     [value_info("x", [1, 3])], [value_info("y", [1, 3])]))
        self.refused("predict", "odd.onnx", "--gpu", "T4", code=1, says=["odd.onnx", "Warp"])

    def test_a_lower_bound_is_called_one(self):
        self.write("odd.onnx", model([node("Relu", ["x"], ["h"], "r"),
                                      node("Warp", ["h"], ["y"], "odd", "my.ops")],
                                     [value_info("x", [1, 3])], [value_info("y", [1, 3])]))
        page = self.ok("predict", "odd.onnx", "--gpu", "T4")
        self.assertIn("step time (lower bound)", page)
        self.assertIn("Lower bounds: 1 of 2 nodes without cost", page)
        self.assertEqual(self.ok_json("predict", "odd.onnx", "--gpu", "T4")["nodes_without_cost"], 1)
        self.assertNotIn("ower bound", self.ok("predict", "zoo:alexnet", "--gpu", "T4"))

    def test_the_sequence_length_of_a_zoo_architecture_is_a_dimension(self):
        short, long = (self.ok_json("inspect", "zoo:gpt2", "--dim", f"sequence={n}")["macs"]
                       for n in (128, 1024))
        self.assertAlmostEqual(long / 145.82e9, 1.0, delta=0.005)
        self.assertLess(short, long / 7)

    def test_typing_mistakes_are_met_with_the_nearest_word(self):
        self.refused("predict", "zoo:alexnet", "--gpu", "T4", "--presicion", "amp", code=2,
                     says="--precision")
        self.refused("predict", "alexnet", "--gpu", "T4", code=1, says="zoo:alexnet")

    def test_the_catalogue_is_listed(self):
        text = self.ok("predict", "--list-gpus")
        for name in ("V100-16GB", "A100-40GB", "RTX3090", "H200"):
            self.assertIn(name, text)
        gpus = {row["name"]: row for row in self.ok_json("predict", "--list-gpus")["gpus"]}
        self.assertGreaterEqual(len(gpus), 20)
        self.assertEqual(gpus["V100-16GB"]["memory_bytes"], 16 << 30)


class Zoo(CliTest):
    SIXTEEN = ("alexnet", "vgg16", "resnet18", "resnet50", "resnet18-cifar", "resnet50-cifar",
               "densenet121", "mobilenet-v2", "efficientnet-b0", "inception-v3", "vit-b-16",
               "bert-base", "gpt2", "transformer", "lstm-lm", "dcgan", "neumf", "pointnet")

    def test_every_architecture_is_small_and_fully_costed(self):
        listed = {row["name"] for row in self.ok_json("zoo")["architectures"]}
        for name in self.SIXTEEN:
            with self.subTest(name):
                self.assertIn(name, listed)
                self.ok("zoo", name, "-o", "net.onnx")
                self.assertLess((self.folder / "net.onnx").stat().st_size, 400_000)
                self.assertEqual(self.ok_json("inspect", "net.onnx", "--batch", "3")
                                 ["nodes_without_cost"], [])

    def test_writes_the_same_bytes_twice(self):
        self.ok("zoo", "bert-base", "-o", "a.onnx")
        self.ok("zoo", "bert-base", "-o", "b.onnx")
        self.assertEqual((self.folder / "a.onnx").read_bytes(),
                         (self.folder / "b.onnx").read_bytes())

    def test_sequence_length_changes_the_work(self):
        short = self.ok("zoo", "bert-base", "--seq", "128", "-o", "short.onnx")
        self.assertEqual(short, "")
        self.ok("zoo", "bert-base", "--seq", "512", "-o", "long.onnx")
        macs = [self.ok_json("inspect", f"{name}.onnx")["macs"] for name in ("short", "long")]
        self.assertAlmostEqual(macs[0] / 11.174e9, 1.0, delta=0.005)
        self.assertAlmostEqual(macs[1] / 48.318e9, 1.0, delta=0.005)

    def test_refuses_and_leaves_nothing_behind(self):
        self.refused("zoo", "resnet51", code=2, says="resnet50")
        self.refused("zoo", "resnet50", "--seq", "5", code=2)
        self.refused("zoo", "resnet50", "--batch", "-3", code=2)
        self.refused("zoo", "resnet50", "-o", "no/such/folder/x.onnx", code=1, says="folder")
        self.refused("zoo", "resnet50", "-o", "/dev/full", code=1, says="No space left")
        self.assertEqual(list(self.folder.iterdir()), [])


class Completion(CliTest):
    def test_scripts_know_commands_options_and_names(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.ok("completion", shell)
            for word in ("inspect", "simulate", "samples-per-second", "resnet50", "V100-16GB"):
                self.assertIn(word, text, shell)
        self.refused("completion", "tcsh", code=2, says="bash")

    def test_words_of_options_are_offered_where_the_option_is(self):
        script = self.ok("completion", "bash")
        self.assertIn("'evaluate --dataset'|'train --dataset'", script)
        self.assertIn("'train --licence') COMPREPLY=($(compgen -W \"permissive any\"", script)
        self.assertIn("-W \"exclusive timeslice mps mig all\"", script)
        self.assertIn("-W \"per-tensor multi-tensor\"", script)

    def test_help_has_examples(self):
        for command in ("inspect", "predict", "zoo", "simulate", "completion"):
            self.assertIn("Example", self.ok(command, "--help"), command)
        self.assertIn("Example", self.ok("--help"))
        self.assertIn("horus", self.ok("--version"))

    def test_help_that_cannot_be_written_is_no_success(self):
        for words in (["--help"], ["--version"], ["inspect", "--help"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([HORUS, *words], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1, words)


if __name__ == "__main__":
    unittest.main()
