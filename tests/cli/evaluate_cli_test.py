# SPDX-License-Identifier: Apache-2.0
"""horus evaluate: protocols, figures and files, on small data sets made here."""
import csv
import gzip
import io
import os
import shutil
import struct
import unittest
import xml.etree.ElementTree as ElementTree

from harness import CliTest

FIGURES = ["rmsle_utilization_percent", "mae_utilization_points", "mape_memory_percent",
           "bound_violations", "bound_violations_10pct", "bound_excess_mean_percent", "oom_recall",
           "oom_refused_good", "mape_step_percent", "slowdown_mape_percent", "good_pair_auc",
           "pack_rule_good", "pack_rule_share"]
COUNTS = ["n_rows", "n_models", "unmapped"]

# model, batch, mixed precision, steps/s, utilization, memory utilization, memory: all invented
SOLO = [("VGG", 32, 0, 2000, 40, 20, 2300), ("VGG", 128, 0, 6000, 70, 35, 2500),
        ("ResNet18", 32, 0, 1500, 50, 25, 2400), ("ResNet18", 128, 0, 4000, 80, 40, 2900),
        ("MobileNetV2", 64, 0, 1400, 40, 20, 2500), ("MobileNetV2", 128, 0, 3000, 60, 30, 3000),
        ("PointNet", 32, 0, 130, 10, 5, 2300), ("PointNet", 64, 0, 140, 9, 4, 2500)]


class EvaluateTest(CliTest):
    def lucid(self, solo=None, folder="lucid"):
        """Eight jobs of four models alone, and each with each."""
        solo = solo or SOLO
        rows = ["model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,label"]
        rows += [f"{m},D,{b},{a},{s},{u},{v},{g},0" for m, b, a, s, u, v, g in solo]
        pairs = [",model1,dataset1,gpu_num1,batchsize1,amp1,speed1,"
                 "model2,dataset2,gpu_num2,batchsize2,amp2,speed2,gpu_util,gmem_util,gmem"]
        for i, (m1, b1, a1, _, u1, _, g1) in enumerate(solo):
            for m2, b2, a2, _, u2, _, g2 in solo[i:]:
                slow = 1 / (1 + max(0, u1 + u2 - 90) / 100)
                pairs.append(f"{len(pairs)},{m1},D,1,{b1},{a1},{slow:.3f},{m2},D,1,{b2},{a2},"
                             f"{slow:.3f},{min(100, u1 + u2)},30,{g1 + g2}")
        (self.folder / folder).mkdir(parents=True, exist_ok=True)
        self.write(f"{folder}/single_profile.csv", "\n".join(rows) + "\n")
        self.write(f"{folder}/colocate_pairs.csv", "\n".join(pairs) + "\n")
        return self.folder / folder

    def evaluate(self, *arguments):
        return self.ok_json("evaluate", "--dataset", "lucid", "--resamples", "50", *arguments)


class Figures(EvaluateTest):
    def test_every_protocol_has_every_key_with_its_bounds(self):
        self.lucid()
        report = self.evaluate("--path", "lucid")
        self.assertEqual(set(report["protocols"]), {"shipped", "zero-shot", "calibrated-5",
                                                    "family-out", "gpu-out", "lomo", "random"})
        # One GPU, and no permissive data beside it.
        for name in ("zero-shot", "calibrated-5", "gpu-out"):
            self.assertIn("skipped", report["protocols"][name])
        for name in ("shipped", "family-out", "lomo", "random"):
            protocol = report["protocols"][name]
            for key in FIGURES:
                for spelling in (key, key + "_low", key + "_high"):
                    self.assertIn(spelling, protocol, name)
            for key in COUNTS:
                self.assertIsInstance(protocol[key], int)
            self.assertEqual((protocol["n_rows"], protocol["n_models"]), (8, 4))
            self.assertGreater(protocol["rmsle_utilization_percent"], 0)
            self.assertLessEqual(protocol["mape_memory_percent_low"],
                                 protocol["mape_memory_percent_high"])
            self.assertIsNone(protocol["oom_recall"])
            self.assertTrue(0 <= protocol["pack_rule_share"] <= 100)

    def test_one_protocol_is_the_document_itself(self):
        self.lucid()
        report = self.evaluate("--path", "lucid", "--protocol", "shipped")
        self.assertNotIn("protocols", report)
        self.assertEqual(report["protocol"], "shipped")
        self.assertEqual(report["n_rows"], 8)

    def test_the_same_twice_and_another_seed_moves_the_intervals_only(self):
        self.lucid()
        words = ("evaluate", "--dataset", "lucid", "--path", "lucid", "--protocol", "shipped",
                 "--json", "--resamples", "50")
        first, second = self.ok(*words), self.ok(*words)
        self.assertEqual(first, second)
        one = self.evaluate("--path", "lucid", "--protocol", "shipped")
        two = self.evaluate("--path", "lucid", "--protocol", "shipped", "--seed", "2")
        self.assertEqual(one["mape_memory_percent"], two["mape_memory_percent"])
        self.assertNotEqual(one["mape_memory_percent_low"], two["mape_memory_percent_low"])

    def test_a_given_model_is_judged_by_protocol_shipped_and_else_said_not_to_be(self):
        self.lucid()
        self.write("own.json", self.ok("model", "show", "priors", "--json"))
        judged = self.evaluate("own.json", "--path", "lucid", "--protocol", "shipped")
        self.assertEqual((judged["model"], judged["notes"]), ("own.json", []))
        fitted = self.evaluate("own.json", "--path", "lucid", "--protocol", "random")
        self.assertIn("own.json is not judged", fitted["notes"][-1])

    def test_rates_of_input_pipelines_can_be_withheld(self):
        self.lucid()
        given = self.evaluate("--path", "lucid", "--protocol", "shipped")
        withheld = self.evaluate("--path", "lucid", "--protocol", "shipped", "--no-loader-rates")
        self.assertEqual(withheld["loader_rates"], "withheld")
        self.assertNotEqual(given["rmsle_utilization_percent"],
                            withheld["rmsle_utilization_percent"])
        self.assertEqual(given["mape_memory_percent"], withheld["mape_memory_percent"])

    def test_unmapped_rows_are_listed(self):
        self.lucid(SOLO + [("WaveNet", 32, 0, 10, 50, 20, 3000)])
        report = self.evaluate("--path", "lucid", "--protocol", "shipped")
        self.assertEqual(report["unmapped"], 1)
        self.assertEqual(report["unmapped_models"][0]["model"], "WaveNet")
        self.assertIn("WaveNet", self.ok("evaluate", "--dataset", "lucid", "--path", "lucid",
                                         "--protocol", "shipped"))


class Files(EvaluateTest):
    def test_the_folder_or_the_one_above_it_packed_or_not(self):
        folder = self.lucid(folder="data/lucid")
        own = self.evaluate("--path", "data/lucid", "--protocol", "shipped")
        above = self.evaluate("--path", "data", "--protocol", "shipped")
        self.assertEqual(own, above)
        plain = folder / "single_profile.csv"
        (folder / "single_profile.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        packed = self.evaluate("--path", "data/lucid", "--protocol", "shipped")
        self.assertEqual(own["mape_memory_percent"], packed["mape_memory_percent"])
        self.assertNotEqual(own["sources"], packed["sources"])  # the hash of the file as it lies

    def test_predictions_can_be_written_and_compared_with(self):
        self.lucid()
        self.evaluate("--path", "lucid", "--protocol", "shipped", "--rows", "rows.csv")
        text = (self.folder / "rows.csv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(io.StringIO(text)))
        quantities = {row["quantity"] for row in rows}
        self.assertEqual(quantities, {"utilization", "step time", "memory", "slowdown"})
        ours = {row["id"]: float(row["expected"]) for row in rows if row["quantity"] == "memory"}
        self.assertEqual(len(ours), 8)
        lines = ["id,memory_mib"] + [f"{key},{value}" for key, value in ours.items()]
        self.write("same.csv", "\n".join(lines) + "\n")
        report = self.evaluate("--path", "lucid", "--protocol", "shipped", "--against", "same.csv")
        self.assertEqual([row["figure"] for row in report["against"]], ["mape_memory_percent"])
        self.assertAlmostEqual(report["against"][0]["difference"], 0, places=3)
        self.assertEqual(report["against"][0]["count"], 8)

    def test_a_picture_is_well_formed(self):
        self.lucid()
        self.ok("evaluate", "--dataset", "lucid", "--path", "lucid", "--protocol", "shipped",
                "--plot", "plot.svg")
        root = ElementTree.parse(self.folder / "plot.svg").getroot()
        self.assertTrue(root.tag.endswith("svg"))
        circles = [e for e in root.iter() if e.tag.endswith("circle")]
        self.assertGreater(len(circles), 8 * 3)

    @unittest.skipUnless(shutil.which("rsvg-convert"), "rsvg-convert (librsvg2-bin) is not here")
    def test_a_picture_for_slides_is_twice_as_large(self):
        self.lucid()
        words = ("evaluate", "--dataset", "lucid", "--path", "lucid", "--protocol", "shipped",
                 "--resamples", "50", "--plot")
        self.ok(*words, "plot.svg")
        self.ok(*words, "plot.PNG")
        root = ElementTree.parse(self.folder / "plot.svg").getroot()
        size = [float(n) for n in root.get("viewBox").split()[2:]]
        png = (self.folder / "plot.PNG").read_bytes()
        self.assertEqual((png[:8], png[12:16]), (b"\x89PNG\r\n\x1a\n", b"IHDR"))
        self.assertEqual(struct.unpack(">2I", png[16:24]), tuple(2 * n for n in size))

    def test_without_its_tool_a_png_is_refused_and_the_package_named(self):
        self.lucid()
        done = self.run_horus("evaluate", "--dataset", "lucid", "--path", "lucid", "--protocol",
                              "shipped", "--resamples", "50", "--plot", "plot.png",
                              env=dict(os.environ, PATH="/nowhere"))
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"librsvg2-bin", done.stderr)
        self.assertFalse((self.folder / "plot.png").exists())

    def test_every_form(self):
        self.lucid()
        words = ("evaluate", "--dataset", "lucid", "--path", "lucid", "--protocol", "shipped",
                 "--resamples", "50", "--format")
        table = list(csv.DictReader(io.StringIO(self.ok(*words, "csv"))))
        self.assertIn("mape_memory_percent", {row["figure"] for row in table})
        self.assertIn("| memory, mean error", self.ok(*words, "md"))
        self.assertIn("<svg", self.ok(*words, "html"))
        self.assertIn("memory, mean error", self.ok(*words, "page"))


class Refusals(EvaluateTest):
    def test_names_are_checked_and_the_nearest_is_told(self):
        self.lucid()
        self.refused("evaluate", "--dataset", "lucit", "--path", "lucid", code=2, says="lucid")
        self.refused("evaluate", "--dataset", "lucid", "--path", "lucid", "--protocol", "family-of",
                     code=2, says="'family-out'")
        self.refused("evaluate", "--dataset", "lucid", code=2, says="--path")
        self.refused("evaluate", "--dataset", "lucid", "--path", "lucid", "--plot", "x.pdf", code=2,
                     says=".svg")

    def test_folders_and_files_that_are_missing(self):
        self.refused("evaluate", "--dataset", "lucid", "--path", "nowhere", code=1, says="nowhere")
        (self.folder / "empty").mkdir()
        self.refused("evaluate", "--dataset", "lucid", "--path", "empty", code=1,
                     says="single_profile.csv")
        folder = self.lucid()
        (folder / "colocate_pairs.csv").unlink()
        self.refused("evaluate", "--dataset", "lucid", "--path", "lucid", code=1,
                     says="colocate_pairs.csv")

    def test_a_protocol_that_the_data_do_not_allow(self):
        self.lucid()
        self.refused("evaluate", "--dataset", "lucid", "--path", "lucid", "--protocol", "gpu-out",
                     code=2, says="gpu-out")
        self.refused("evaluate", "--dataset", "lucid", "--path", "lucid", "--protocol", "zero-shot",
                     code=2, says="--pool")

    def test_a_file_of_other_predictions_that_is_none(self):
        self.lucid()
        self.write("bad.csv", "id,utilization\nx,55\n")
        self.refused("evaluate", "--dataset", "lucid", "--path", "lucid", "--against", "bad.csv",
                     code=1, says="bad.csv:2")
        self.write("none.csv", "id\nx\n")
        self.refused("evaluate", "--dataset", "lucid", "--path", "lucid", "--against", "none.csv",
                     code=1, says=("none.csv", "none of the columns"))
        self.write("foreign.csv", "id,utilization\nx,0.5\n")
        self.refused("evaluate", "--dataset", "lucid", "--path", "lucid", "--against",
                     "foreign.csv", code=1, says=("foreign.csv", "none of the 8 rows"))

    def test_a_model_that_is_none(self):
        self.lucid()
        self.write("model.json", "{}")
        self.refused("evaluate", "model.json", "--dataset", "lucid", "--path", "lucid",
                     says="model.json")


if __name__ == "__main__":
    unittest.main()
