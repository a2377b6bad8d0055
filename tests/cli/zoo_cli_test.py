# SPDX-License-Identifier: Apache-2.0
"""horus zoo: lists, selections, costs and sizes."""
import csv
import io
import subprocess
import unittest

from harness import HORUS, CliTest


class Lists(CliTest):
    def names(self, *arguments):
        return [row["name"] for row in self.ok_json("zoo", *arguments)["architectures"]]

    def test_families_group_the_list(self):
        rows = self.ok_json("zoo")["architectures"]
        families = {row["family"] for row in rows}
        page = self.ok("zoo")
        for family in families:
            self.assertIn(f"\n{family} ", page)
        self.assertIn(f"{len(rows):,} architectures of {len(families)} families", page)

    def test_a_family_or_a_pattern_selects(self):
        vgg = self.names("--family", "vgg")
        self.assertIn("vgg16", vgg)
        self.assertTrue(all(name.startswith("vgg") for name in vgg))
        self.assertIn("resnet50", self.names("ResNet*"))
        self.assertEqual(self.names("resnet?8"), ["resnet18"])
        self.assertEqual(self.names("vgg*", "--family", "vgg"),
                         [name for name in vgg if name.startswith("vgg")])
        self.refused("zoo", "--family", "vggg", code=2, says="vgg")
        self.refused("zoo", "warp*", code=2, says="warp*")
        self.refused("zoo", "resnet*", "-o", "x.onnx", code=2)
        self.refused("zoo", "resnet18", "--family", "resnet", code=2)

    def test_every_form(self):
        rows = list(csv.DictReader(io.StringIO(self.ok("zoo", "resnet50*", "--format", "csv"))))
        resnet = next(row for row in rows if row["name"] == "resnet50")
        self.assertEqual((resnet["family"], resnet["input"], resnet["parameters"]),
                         ("resnet", "3x224x224", ""))
        self.assertIn("| `resnet50` |", self.ok("zoo", "--format", "md"))
        self.assertIn("resnet50</td>", self.ok("zoo", "--format", "html"))


class Costs(CliTest):
    def costs(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.ok("zoo", *arguments, "--costs", "--format",
                                                       "csv"))))

    def test_are_those_of_inspect(self):
        for row in self.costs("--family", "resnet")[:5]:
            report = self.ok_json("inspect", f"zoo:{row['name']}", "--batch", "1")
            self.assertEqual((int(row["parameters"]), int(row["macs"])),
                             (report["parameters"], report["macs"]))

    def test_of_one_architecture_at_another_size(self):
        small, large = (self.costs("resnet50", "--image", size)[0] for size in ("224", "448"))
        self.assertEqual(small["parameters"], "25557032")
        self.assertGreater(int(large["macs"]), 3.9 * int(small["macs"]))
        self.refused("zoo", "resnet50", "--costs", "-o", "x.onnx", code=2)
        self.refused("zoo", "resnet51", "--costs", code=2, says="resnet5")
        self.assertEqual((large["input"], large["image"]), ("3x448x448", "448"))
        self.assertEqual(self.costs("bert-base", "--seq", "64")[0]["input"], "64 tokens")


class Writes(CliTest):
    def test_nothing_where_a_form_is_asked_for(self):
        row = self.ok_json("zoo", "resnet50")["architectures"][0]
        self.assertEqual((row["name"], row["input"]), ("resnet50", "3x224x224"))
        self.assertIn("| `resnet50` |", self.ok("zoo", "resnet50", "--format", "md"))
        self.refused("zoo", "resnet50", "--json", "-o", "net.onnx", code=2, says="--json")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_over_a_file_only_where_it_is_named(self):
        self.write("resnet18.onnx", b"mine")
        self.refused("zoo", "resnet18", code=1, says="-o")
        self.assertEqual((self.folder / "resnet18.onnx").read_bytes(), b"mine")
        self.ok("zoo", "resnet18", "-o", "resnet18.onnx")
        self.ok("zoo", "vgg11")
        self.assertEqual(len(list(self.folder.iterdir())), 2)


class Sizes(CliTest):
    def test_an_image_side_can_be_chosen(self):
        self.ok("zoo", "resnet50", "--image", "384", "-o", "net.onnx")
        report = self.ok_json("inspect", "net.onnx")
        self.assertEqual(report["inputs"][0]["shape"], [1, 3, 384, 384])
        self.assertEqual(report["macs"],
                         self.ok_json("inspect", "zoo:resnet50", "--dim", "image=384")["macs"])

    def test_one_that_does_not_fit_is_refused(self):
        self.refused("zoo", "bert-base", "--image", "224", code=2, says="image")
        self.refused("zoo", "resnet50", "--image", "0", code=2)
        self.refused("inspect", "zoo:bert-base", "--dim", "image=224", code=2, says="image")


class Completion(CliTest):
    def complete(self, *words):
        """What bash offers behind these words."""
        line = ("source <('" + HORUS + "' completion bash); COMP_WORDS=(" +
                " ".join(f"'{word}'" for word in words) + f"); COMP_CWORD={len(words) - 1}; "
                "_horus; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True,
                              check=True)
        return done.stdout.split()

    def test_formats_depend_on_the_command(self):
        self.assertEqual(self.complete("horus", "inspect", "--format", "h"), ["html"])
        self.assertEqual(self.complete("horus", "simulate", "--format", "ph"), ["philly"])
        self.assertEqual(self.complete("horus", "zoo", "--family", "vg"), ["vgg"])
        self.assertIn("--diff", self.complete("horus", "inspect", "--d"))
        self.assertIn("resnet50", self.complete("horus", "zoo", "resnet5"))
        self.assertIn("T4", self.complete("horus", "predict", "x", "--gpu", "T"))

    def test_behind_a_colon_and_a_comma(self):
        # bash hands "zoo:x" over as three words and replaces only the last one.
        for before in (("inspect",), ("predict", "x", "--gpu", "T4", "--with")):
            self.assertEqual(self.complete("horus", *before, "zoo", ":", "resnet50-"),
                             ["resnet50-cifar"])
        self.assertIn("resnet50", self.complete("horus", "inspect", "zoo", ":"))
        self.assertEqual(self.complete("horus", "predict", "x", "--gpu", "T4,K8"), ["T4,K80"])
        self.assertEqual(self.complete("horus", "predict", "x", "--gpu", "=", "K8"), ["K80"])

    def test_zsh_and_fish_know_the_new_options(self):
        for shell in ("zsh", "fish"):
            text = self.ok("completion", shell)
            for word in ("plot", "shapes", "strict", "family", "html"):
                self.assertIn(word, text, shell)


if __name__ == "__main__":
    unittest.main()
