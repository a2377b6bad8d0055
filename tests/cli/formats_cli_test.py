# SPDX-License-Identifier: Apache-2.0
"""horus inspect in every form: several models, comparison, Markdown, CSV, HTML, pictures, values."""
import csv
import io
import json
import unittest
import xml.etree.ElementTree as ElementTree

from harness import CliTest, model, node, tensor, value_info

SVG = "{http://www.w3.org/2000/svg}"


def linear_model(name="fc", width=8, op="Relu", domain=""):
    """x -> MatMul -> an activation."""
    return model([node("MatMul", ["x", "w"], ["h"], name),
                  node(op, ["h"], ["y"], "act", domain)],
                 [value_info("x", [1, 4])], [value_info("y", [1, width])],
                 [tensor("w", [4, width])])


class Several(CliTest):
    def test_one_bad_file_does_not_stop_the_others(self):
        self.write("a.onnx", linear_model())
        self.write("bad.onnx", b"this is no model")
        self.write("b.onnx", linear_model(width=16))
        done = self.run_horus("inspect", "a.onnx", "bad.onnx", "b.onnx", "missing.onnx", "--json")
        self.assertEqual(done.returncode, 1)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([row["model"] for row in rows],
                         ["a.onnx", "bad.onnx", "b.onnx", "missing.onnx"])
        self.assertEqual([row.get("macs") for row in rows], [32, None, 64, None])
        self.assertIn("No such file", rows[3]["error"]["message"])
        self.assertIn(b"2 of 4 models", done.stderr)

    def test_pages_follow_each_other(self):
        text = self.ok("inspect", "zoo:alexnet", "zoo:vgg11")
        self.assertLess(text.index("zoo:alexnet"), text.index("zoo:vgg11"))
        self.assertEqual(text.count("parameters (trainable)"), 2)

    def test_a_single_model_stays_one_document(self):
        self.assertEqual(self.ok_json("inspect", "zoo:alexnet")["model"], "zoo:alexnet")

    def test_strict_turns_a_gap_into_an_exit_code(self):
        self.write("odd.onnx", linear_model(op="Warp", domain="my.ops"))
        self.write("good.onnx", linear_model())
        self.ok("inspect", "odd.onnx")
        self.ok("inspect", "good.onnx", "--strict")
        for options in ((), ("--json",), ("--format", "csv"), ("--plot", "-")):
            done = self.run_horus("inspect", "odd.onnx", "--strict", *options)
            self.assertEqual(done.returncode, 1, options)
            self.assertNotEqual(done.stdout, b"", options)
            self.assertIn(b"nodes without cost: 1", done.stderr)
        done = self.run_horus("inspect", "--diff", "good.onnx", "odd.onnx", "--strict")
        self.assertEqual(done.returncode, 1)


class Diff(CliTest):
    def test_deeper_means_more_layers_and_says_which(self):
        self.ok("zoo", "resnet18", "-o", "a.onnx")
        self.ok("zoo", "resnet34", "-o", "b.onnx")
        diff = self.ok_json("inspect", "--diff", "a.onnx", "b.onnx")
        # torchvision's published parameters.
        self.assertEqual(diff["totals"]["parameters"]["before"], 11689512)
        self.assertEqual(diff["totals"]["parameters"]["difference"], 21797672 - 11689512)
        added = {layer["after"]["name"] for layer in diff["layers"] if layer["change"] == "added"}
        self.assertIn("layer3.5.conv2", added)
        self.assertEqual({layer["change"] for layer in diff["layers"]}, {"added"})
        convolutions = next(row for row in diff["operators"] if row["op_type"] == "Conv")
        self.assertEqual((convolutions["before"]["nodes"], convolutions["after"]["nodes"]), (20, 36))

    def test_a_model_and_itself_are_the_same(self):
        diff = self.ok_json("inspect", "--diff", "zoo:alexnet", "zoo:alexnet")
        self.assertEqual((diff["layers"], diff["operators"]), ([], []))
        self.assertTrue(all(t["difference"] == 0 for t in diff["totals"].values()))
        self.assertIn("same", self.ok("inspect", "--diff", "zoo:alexnet", "zoo:alexnet"))

    def test_a_node_without_cost_is_in_the_comparison(self):
        self.write("a.onnx", linear_model())
        self.write("b.onnx", linear_model(op="Warp", domain="my.ops"))
        page = self.ok("inspect", "--diff", "a.onnx", "b.onnx")
        self.assertIn("cost unknown  act", page)
        self.assertIn("after (lower bound)", page)
        self.assertNotIn("before (lower bound)", page)
        self.assertIn("1 layer of equal cost", page)

    def test_changed_and_renamed_layers(self):
        self.write("a.onnx", linear_model("MatMul_0"))
        self.write("b.onnx", linear_model("fc"))
        self.write("c.onnx", linear_model("fc", width=16))
        renamed = self.ok_json("inspect", "--diff", "a.onnx", "b.onnx")
        self.assertEqual((renamed["layers"], renamed["layers_renamed"]), ([], 1))
        changed = self.ok_json("inspect", "--diff", "b.onnx", "c.onnx")["layers"]
        self.assertEqual([row["change"] for row in changed], ["changed", "changed"])
        self.assertEqual((changed[0]["before"]["shape"], changed[0]["after"]["shape"]),
                         ([1, 8], [1, 16]))
        page = self.ok("inspect", "b.onnx", "c.onnx", "--diff")
        self.assertIn("1x8 -> 1x16", page)
        self.assertIn("+100.0 %", page)

    def test_every_form(self):
        pair = ("inspect", "--diff", "zoo:resnet18", "zoo:resnet34")
        self.assertIn("| added | `layer1.2.conv1` | `Conv` |", self.ok(*pair, "--format", "md"))
        rows = list(csv.DictReader(io.StringIO(self.ok(*pair, "--format", "csv"))))
        self.assertTrue(all(row["change"] == "added" and row["name_before"] == "" for row in rows))
        self.assertIn("<td>+86.5 %</td>", self.ok(*pair, "--format", "html"))

    def test_needs_exactly_two(self):
        for models in ((), ("zoo:alexnet",), ("zoo:alexnet",) * 3):
            self.refused("inspect", "--diff", *models, code=2)
        self.refused("inspect", "--diff", "zoo:alexnet", "missing.onnx", code=1, says="missing.onnx")


class Formats(CliTest):
    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.ok("inspect", *arguments, "--format", "csv"))))

    def test_csv_adds_up_to_the_totals(self):
        # Tied embeddings, weights used twice a step, parameters that no operator reads.
        for name in ("zoo:resnet50", "zoo:gpt2", "zoo:cyclegan", "zoo:transformer-xl",
                     "zoo:xlnet-base"):
            rows = self.rows(name, "--batch", "2")
            report = self.ok_json("inspect", name, "--batch", "2")
            for column, total in {"parameters": "parameters", "macs": "macs",
                                  "flops_forward": "flops_forward", "kernels": "kernels",
                                  "activation_bytes": "activation_bytes"}.items():
                self.assertEqual(sum(float(row[column]) for row in rows), report[total], column)
            self.assertEqual(sum(row["parameters"] for row in report["by_operator"])
                             + report["parameters_unread"], report["parameters"], name)

    def test_csv_tells_kind_and_output(self):
        first = self.rows("zoo:resnet50")[0]
        self.assertEqual((first["model"], first["name"], first["op_type"], first["kind"],
                          first["output_shape"], first["parameters"], first["macs"]),
                         ("zoo:resnet50", "conv1", "Conv", "convolution", "1x64x112x112", "9408",
                          "118013952"))

    def test_csv_of_several_models_is_one_table_with_gaps_in_it(self):
        self.write("odd.onnx", linear_model(op="Warp", domain="my.ops"))
        rows = self.rows("odd.onnx", "zoo:alexnet")
        self.assertEqual({row["model"] for row in rows}, {"odd.onnx", "zoo:alexnet"})
        gaps = [row for row in rows if row["gap"]]
        self.assertEqual([(row["name"], row["macs"]) for row in gaps], [("act", "")])

    def test_markdown_is_a_report_for_a_pull_request(self):
        text = self.ok("inspect", "zoo:resnet50", "--format", "md")
        self.assertTrue(text.startswith("## `zoo:resnet50`\n"))
        self.assertIn("| parameters (trainable) | 25,557,032 |", text)
        self.assertIn("| :--- | ---: |", text)
        self.assertIn("| `layer1.0.conv2` | `Conv` |", text)

    def test_html_holds_the_picture_and_needs_nothing_else(self):
        text = self.ok("inspect", "zoo:resnet18", "zoo:alexnet", "--format", "html")
        self.assertTrue(text.startswith("<!doctype html>"))
        self.assertEqual((text.count("<svg "), text.count("<h1>"), text.count("</html>")), (2, 2, 1))
        for word in ("<script", "src=", "<link", "@import", "url("):
            self.assertNotIn(word, text)

    def test_hostile_names_stay_names(self):
        evil = "=cmd|'/c calc'!A1</td><script>alert(1)</script>`@everyone`"
        self.write("evil.onnx", linear_model(evil))
        self.assertEqual(self.rows("evil.onnx")[0]["name"], "'" + evil)
        html = self.ok("inspect", "evil.onnx", "--format", "html")
        self.assertNotIn("<script", html)
        markdown = self.ok("inspect", "evil.onnx", "--format", "md")
        self.assertNotIn("<script", markdown)
        self.assertNotIn("@everyone", markdown)
        ElementTree.fromstring(self.ok("inspect", "evil.onnx", "--plot", "-"))

    def test_wrong_words_are_usage(self):
        self.refused("inspect", "zoo:alexnet", "--format", "htm", code=2, says="html")
        self.refused("inspect", "zoo:alexnet", "--format", "md", "--json", code=2)
        self.ok("inspect", "zoo:alexnet", "--format", "json", "--json")


class Plot(CliTest):
    def test_is_a_picture_of_every_network(self):
        for name, stage in (("resnet50", "layer3"), ("gpt2", "h.5"), ("vgg16", "features"),
                            ("lstm-lm", None), ("pointnet", None)):
            done = self.run_horus("inspect", f"zoo:{name}", "--plot", "net.svg")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"wrote net.svg", done.stderr)
            self.assertIn(b"parameters (trainable)", done.stdout)
            root = ElementTree.fromstring((self.folder / "net.svg").read_bytes())
            self.assertEqual(root.tag, SVG + "svg")
            texts = [text.text for text in root.iter(SVG + "text")]
            self.assertIn(f"zoo:{name}", texts)
            if stage:
                self.assertIn(stage, texts)
            self.assertGreater(len(list(root.iter(SVG + "rect"))), 20)

    def test_same_bytes_twice_and_on_standard_output(self):
        self.ok("inspect", "zoo:resnet18", "--plot", "net.svg")
        self.assertEqual((self.folder / "net.svg").read_text(),
                         self.ok("inspect", "zoo:resnet18", "--plot", "-"))

    def test_a_hundred_thousand_operators_stay_a_small_file(self):
        nodes = [node("Relu", [f"v{i}"], [f"v{i + 1}"], f"stage{i // 10000}/relu{i}")
                 for i in range(100_000)]
        self.write("deep.onnx", model(nodes, [value_info("v0", [1, 4])],
                                      [value_info("v100000", [1, 4])]))
        self.assertLess(len(self.ok("inspect", "deep.onnx", "--plot", "-")), 300_000)

    def test_the_picture_alone_has_no_other_form(self):
        for more in (("--json",), ("--format", "md"), ("--shapes",)):
            self.refused("inspect", "zoo:alexnet", "--plot", "-", *more, code=2, says="--plot")

    def test_of_gaps_alone_says_so(self):
        self.write("odd.onnx", model([node("Warp", ["x"], ["y"], "w", "my.ops")],
                                     [value_info("x", [1, 4])], [value_info("y", [1, 4])]))
        self.assertIn("not known", self.ok("inspect", "odd.onnx", "--plot", "-"))

    def test_what_cannot_be_drawn_is_usage(self):
        self.refused("inspect", "zoo:alexnet", "zoo:vgg11", "--plot", "x.svg", code=2)
        self.refused("inspect", "--diff", "zoo:alexnet", "zoo:vgg11", "--plot", "x.svg", code=2)
        self.refused("inspect", "zoo:alexnet", "--plot", "no/such/x.svg", code=1, says="no/such")
        self.assertEqual(list(self.folder.iterdir()), [])


class Shapes(CliTest):
    def test_lists_every_value(self):
        self.write("net.onnx", linear_model())
        report = self.ok_json("inspect", "net.onnx", "--shapes")
        values = {value["name"]: value for value in report["values"]}
        self.assertEqual(values["h"], {"name": "h", "type": "float32", "shape": [1, 8],
                                       "bound": False})
        self.assertEqual(set(values), {"x", "w", "h", "y"})
        self.assertNotIn("values", self.ok_json("inspect", "net.onnx"))
        self.assertRegex(self.ok("inspect", "net.onnx", "--shapes"), r"\nh +float32 +1x8\n")

    def test_a_size_that_depends_on_data_is_called_a_bound(self):
        self.write("where.onnx", model([node("NonZero", ["x"], ["i"], "nz")],
                                       [value_info("x", [2, 3])], [value_info("i", [2, "K"], 7)]))
        value = next(v for v in self.ok_json("inspect", "where.onnx", "--shapes")["values"]
                     if v["name"] == "i")
        self.assertEqual((value["shape"], value["bound"]), ([2, 6], True))
        self.assertIn("at most 2x6", self.ok("inspect", "where.onnx", "--shapes"))

    def test_has_no_place_in_csv_and_comparisons(self):
        self.refused("inspect", "zoo:alexnet", "--shapes", "--format", "csv", code=2)
        self.refused("inspect", "--diff", "zoo:alexnet", "zoo:alexnet", "--shapes", code=2)


if __name__ == "__main__":
    unittest.main()
