# SPDX-License-Identifier: Apache-2.0
"""horus train and horus model: from measured jobs to a file, its card, and back."""
import json
import unittest

import harness

PGB = "batch_time_bs12.csv"
PGB_HEADER = "set,gpu,n_gpus,precision,mode,model,n,median_ms,mean_ms,p10_ms,p90_ms"
# Milliseconds that are not measurements: the right size for each model, and a pattern.
MODELS = {"resnet18": 40, "resnet50": 100, "vgg16": 150, "squeezenet1_0": 30, "densenet121": 90,
          "mobilenet_v2": 45}
LUCID_HEADER = "model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,label"


def pgb(models, machines, precisions):
    rows = [f"{machine},GPU,1,{precision},train,{model},50,{MODELS[model] * scale},0,0,0"
            for machine, scale in machines.items() for precision in precisions for model in models]
    return "\n".join([PGB_HEADER, *rows]) + "\n"


class Folder(harness.CliTest):
    def few(self):
        """Three jobs of one machine."""
        (self.folder / "few").mkdir(exist_ok=True)
        self.write(f"few/{PGB}", pgb(["resnet18", "resnet50", "vgg16"], {"1080TI": 1}, ["float"]))
        return "few"

    def many(self):
        """24 jobs: enough for all constants."""
        (self.folder / "many").mkdir(exist_ok=True)
        self.write(f"many/{PGB}", pgb(MODELS, {"1080TI": 1, "TitanV": 0.5}, ["float", "half"]))
        return "many"

    def trained(self, *arguments):
        self.ok("train", *arguments, "-o", "model.json")
        return json.loads((self.folder / "model.json").read_text())


class Train(Folder):
    def test_few_jobs_set_the_factors_of_their_machine_only(self):
        model = self.trained(self.few())
        shipped = self.ok_json("model", "show", "shipped")
        time = {k: v for k, v in shipped["constants"].items() if not k.startswith("memory.")}
        self.assertEqual({k: model["constants"][k] for k in time}, time)
        self.assertEqual([(s["gpu"], s["jobs"]) for s in model["sites"]], [("GTX1080Ti", 3)])
        self.assertIn("constants of time are fitted from 20 on", " ".join(model["notes"]))
        self.assertEqual(model["residuals"], [])

    def test_many_jobs_move_the_constants(self):
        model = self.trained(self.many())
        shipped = self.ok_json("model", "show", "shipped")
        self.assertNotEqual(model["constants"]["convolution.bandwidth"],
                            shipped["constants"]["convolution.bandwidth"])
        self.assertEqual({s["gpu"] for s in model["sites"]}, {"GTX1080Ti", "TitanV"})

    def test_the_papers_say_where_the_numbers_come_from(self):
        self.many()
        model = self.trained("many", "--date", "2024-02-29")
        self.assertEqual(model["schema_version"], 1)
        self.assertEqual(model["date"], "2024-02-29")
        self.assertEqual(model["licence"], "permissive")
        self.assertEqual(model["command"], "horus train many --seed 1 -o model.json")
        (data,) = model["data"]
        self.assertEqual((data["dataset"], data["rows"], data["models"]), ("pgb", 24, 6))
        self.assertIn(PGB, data["files"][0]["file"])
        self.assertRegex(data["files"][0]["sha256"], "^[0-9a-f]{64}$")
        held_out = {(m["protocol"], m["name"]) for m in model["metrics"]}
        for protocol in ("lomo", "family-out", "gpu-out", "random"):
            self.assertIn((protocol, "mape_step_percent"), held_out)

    def test_the_same_data_give_the_same_bytes(self):
        self.many()
        self.ok("train", "many", "-o", "model.json")
        once = (self.folder / "model.json").read_bytes()
        self.ok("train", "many", "-o", "model.json")
        self.assertEqual((self.folder / "model.json").read_bytes(), once)

    def test_what_ships_does_not_depend_on_where_data_lie(self):
        self.many()
        (self.folder / "elsewhere").mkdir()
        (self.folder / "many").rename(self.folder / "elsewhere" / "many")
        self.many()
        files = []
        for folder in ("many", "elsewhere/many", "elsewhere/many/"):
            self.ok("train", "--shipped", folder, "-o", "shipped.json")
            files.append((self.folder / "shipped.json").read_bytes())
        self.assertEqual(len(set(files)), 1)
        self.assertIn("horus train DATA/many --shipped", json.loads(files[0])["command"])
        self.assertTrue(all(s["host_factor"] == 1 for s in json.loads(files[0])["sites"]))


class Licence(Folder):
    def lucid(self):
        (self.folder / "lab").mkdir()
        self.write("lab/single_profile.csv", "\n".join([LUCID_HEADER] + [
            f"ResNet50,ImageNet,{batch},0,{speed},90,50,{5000 + 50 * batch},0"
            for batch, speed in ((32, 5.0), (64, 2.7), (128, 1.4))]) + "\n")
        self.write("lab/colocate_pairs.csv", ",model1,dataset1,gpu_num1,batchsize1,amp1,speed1,"
                   "model2,dataset2,gpu_num2,batchsize2,amp2,speed2,gpu_util,gmem_util,gmem\n")
        return "lab"

    def test_non_commercial_data_are_refused_unless_accepted(self):
        self.lucid()
        self.refused("train", "lab", "-o", "m.json", code=2,
                     says=("non-commercial", "'--licence any'"))
        self.refused("train", "lab", "--licence", "permissive", "-o", "m.json", code=2,
                     says="no data are left")
        self.refused("train", "--shipped", "lab", "-o", "m.json", code=2, says="no data are left")
        self.assertFalse((self.folder / "m.json").exists())

    def test_the_file_and_its_card_say_so(self):
        self.lucid()
        model = self.trained("lab", "--licence", "any")
        self.assertEqual(model["licence"], "non-commercial")
        self.assertFalse(model["data"][0]["permissive"])
        self.assertIn("non-commercial use only", self.ok("model", "show", "model.json"))

    def test_they_can_be_left_out(self):
        self.lucid()
        self.few()
        done = self.run_horus("train", "few", "lab", "--licence", "permissive", "-o", "m.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"lucid is licensed for non-commercial use only", done.stderr)
        self.assertEqual([d["dataset"] for d in json.loads(
            (self.folder / "m.json").read_text())["data"]], ["pgb"])


class Refused(Folder):
    def test_what_is_missing(self):
        self.refused("train", code=2, says="expected data and -o FILE")
        self.refused("train", self.few(), code=2, says="expected data and -o FILE")
        self.refused("train", "nowhere", "-o", "m.json", code=1, says="nowhere")
        (self.folder / "empty").mkdir()
        self.refused("train", "empty", "-o", "m.json", code=1, says="no data set lies here")

    def test_too_few_jobs(self):
        (self.folder / "two").mkdir()
        self.write(f"two/{PGB}", pgb(["resnet18", "vgg16"], {"1080TI": 1}, ["float"]))
        self.refused("train", "two", "-o", "m.json", code=2,
                     says=("found 2 jobs", "expected at least 3"))

    def test_words_that_mean_nothing(self):
        self.few()
        self.refused("train", "few", "-o", "m.json", "--licence", "free", code=2,
                     says="unknown word 'free'")
        self.refused("train", "few", "-o", "m.json", "--date", "today", code=2, says="YYYY-MM-DD")
        self.refused("train", "few", "-o", "m.json", "--dataset", "pgp", code=2,
                     says="Did you mean 'pgb'?")
        self.refused("train", "few", "few", "-o", "m.json", code=2, says="given twice")
        self.refused("train", "--shipped", "few", "--licence", "any", "-o", "m.json", code=2,
                     says="permissive data only")

    def test_a_place_that_cannot_be_written(self):
        self.few()
        self.refused("train", "few", "-o", "none/m.json", code=1, says="none/m.json")


class Model(Folder):
    def test_the_card_of_what_is_compiled_in(self):
        card = self.ok("model", "show")
        self.assertIn("Predictor shipped", card)
        self.assertIn("host.step_s", card)

    def test_what_is_compiled_in_is_the_committed_file(self):
        committed = harness.pathlib.Path(__file__).parents[2] / "data/constants/shipped.json"
        self.assertEqual(self.ok("model", "show", "shipped", "--json"), committed.read_text())

    def test_a_trained_file_is_shown_as_it_is(self):
        self.trained(self.few())
        self.assertEqual(self.ok("model", "show", "model.json", "--json"),
                         (self.folder / "model.json").read_text())
        self.assertIn("GTX1080Ti", self.ok("model", "show", "model.json"))

    def test_a_changed_or_foreign_file_is_refused_with_the_reason(self):
        text = self.ok("model", "show", "priors", "--json")
        self.refused("model", "show", "none.json", code=1, says="none.json")
        self.refused("model", "show", self.write("a.json", "{}"), code=1, says="is no predictor")
        self.refused("model", "show", self.write("b.json", text[:-50]), code=1, says="is no JSON")
        self.refused("model", "show", code=1, says="content_sha256",
                     *[self.write("c.json", text.replace('"host.step_s": 0.001', '"host.step_s": 1'))])
        self.refused("model", "show", self.write("d.json", b"\0\xff" * 100), code=1,
                     says="is no JSON")
        self.refused("model", "forget", code=2, says="unknown action 'forget'")

    def test_predictions_follow_the_file(self):
        self.trained(self.few())
        job = ("predict", "zoo:resnet50", "--gpu", "GTX1080Ti", "--batch", "12")
        shipped = self.ok_json(*job)["predictions"][0]["step_time_s"]["expected"]
        own = self.ok_json(*job, "--model-file", "model.json")["predictions"][0]
        self.assertNotEqual(own["step_time_s"]["expected"], shipped)
        self.refused(*job, "--model-file", "none.json", code=1, says="none.json")


if __name__ == "__main__":
    unittest.main()
