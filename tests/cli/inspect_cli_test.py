# SPDX-License-Identifier: Apache-2.0
"""horus inspect: what it prints, and what it refuses."""
import os
import resource
import subprocess
import unittest

from harness import (HORUS, SHARED_DATA, CliTest, field, is_sanitized, model, node, tensor, value_info,
                     varint)


def relu_model(dims=(1, 3), nodes=None):
    return model(nodes or [node("Relu", ["x"], ["y"], "relu")],
                 [value_info("x", dims)], [value_info("y", dims)])


class Inspect(CliTest):
    def test_resnet50_of_the_zoo_has_the_published_values(self):
        report = self.ok_json("inspect", "zoo:resnet50")
        self.assertEqual(report["parameters"], 25557032)
        self.assertEqual(report["buffers"], 53120)
        self.assertAlmostEqual(report["macs"] / 4.089e9, 1.0, delta=0.005)
        self.assertEqual(report["nodes_without_cost"], [])
        self.assertEqual(report["inputs"][0]["shape"], [1, 3, 224, 224])
        for key in ("flops_forward", "flops_training", "activation_bytes", "nodes", "opset",
                    "ir_version", "schema_version"):
            self.assertIn(key, report)

    def test_batch_scales_work_and_not_parameters(self):
        self.ok("zoo", "resnet18", "-o", "net.onnx")
        one = self.ok_json("inspect", "net.onnx")
        eight = self.ok_json("inspect", "net.onnx", "--batch", "8")
        self.assertEqual(eight["macs"], 8 * one["macs"])
        self.assertEqual(eight["parameters"], one["parameters"])

    def test_the_same_bytes_twice_and_plain_text_in_pipes(self):
        first, second = (self.ok("inspect", "zoo:mobilenet-v2") for _ in range(2))
        self.assertEqual(first, second)
        self.assertNotIn("\x1b", first)
        self.assertIn("costliest nodes", first)

    def test_an_unknown_node_is_listed_never_zero_in_silence(self):
        self.write("odd.onnx", relu_model(nodes=[node("Relu", ["x"], ["h"], "fine"),
                                                 node("Warp", ["h"], ["y"], "odd", "my.ops")]))
        report = self.ok_json("inspect", "odd.onnx")
        self.assertEqual([gap["name"] for gap in report["nodes_without_cost"]], ["odd"])
        self.assertIn("Warp", report["nodes_without_cost"][0]["reason"]
                      + report["nodes_without_cost"][0]["op_type"])
        self.assertIn("lower bounds", self.ok("inspect", "odd.onnx"))

    def test_external_data_is_never_opened(self):
        weight = (tensor("w", [3, 8]) + field(13, field(1, "location") + field(2, "absent.bin"))
                  + field(14, 1))
        self.write("external.onnx", model(
            [node("Gemm", ["x", "w"], ["y"], "fc")], [value_info("x", [1, 3])],
            [value_info("y", [1, 8])], [weight]))
        report = self.ok_json("inspect", "external.onnx")
        self.assertEqual((report["parameters"], report["macs"]), (24, 24))


class LargeFile(CliTest):
    def test_three_gigabytes_of_weights_cost_little_memory(self):
        size = 3 * 1024**3
        path = self.folder / "large.onnx"
        head = (field(1, 768) + field(1, 1024 * 1024) + field(2, 1) + field(8, "w"))
        # initializer { dims, type, name, raw_data <size bytes of a hole> }
        raw = varint(9 << 3 | 2) + varint(size)
        initializer = varint(5 << 3 | 2) + varint(len(head) + len(raw) + size) + head + raw
        rest = (field(1, node("MatMul", ["x", "w"], ["y"], "fc")) + field(2, "g")
                + field(11, value_info("x", [1, 768])) + field(12, value_info("y", [1, 1048576])))
        graph_size = len(initializer) + size + len(rest)
        with open(path, "wb") as file:
            file.write(field(1, 8) + varint(7 << 3 | 2) + varint(graph_size) + initializer)
            file.seek(size, os.SEEK_CUR)
            file.write(rest + field(8, field(2, 17)))
        if path.stat().st_blocks * 512 > size // 2:
            self.skipTest("this file system has no sparse files")
        report = self.ok_json("inspect", "large.onnx")
        self.assertEqual(report["parameters"], 768 * 1024 * 1024)
        # Peak of all children of this process; the mapping is not touched, so it does not count.
        most_mib = 96 * (4 if is_sanitized() else 1)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, most_mib * 1024)


class BadModels(CliTest):
    def test_what_is_no_file(self):
        self.refused("inspect", "missing.onnx", code=1, says=["missing.onnx", "No such file"])
        self.refused("inspect", self.folder, says="directory")
        os.mkfifo(self.folder / "pipe")
        self.refused("inspect", "pipe", says="not a regular file")

    def test_what_is_no_onnx(self):
        for name, content in {
                "empty": b"", "text": b"hello, this is a text file\n" * 50, "json": b'{"a": 1}',
                "png": b"\x89PNG\r\n\x1a\n" + bytes(100), "zip": b"PK\x03\x04" + bytes(100),
                "random": bytes((i * 97 + 13) % 256 for i in range(5000)), "zeros": bytes(4096),
                "elf": b"\x7fELF" + bytes(200)}.items():
            with self.subTest(name):
                self.write(name, content)
                self.refused("inspect", name, code=1, says=name)

    def test_every_cut_of_a_file_is_refused_or_analysed_never_a_crash(self):
        whole = relu_model((1, 3, 8, 8))
        for size in range(1, len(whole), 7):
            self.write("cut.onnx", whole[:size])
            done = self.run_horus("inspect", "cut.onnx")
            self.assertIn(done.returncode, (0, 1), f"{size} bytes: {done.stderr!r}")

    def test_a_file_that_claims_ten_gigabytes(self):
        self.write("claims.onnx", field(1, 8) + varint(7 << 3 | 2) + varint(10 * 1024**3) + b"\x0a")
        self.refused("inspect", "claims.onnx", code=1)

    def test_a_cycle_names_its_nodes(self):
        self.write("cycle.onnx", relu_model(nodes=[node("Add", ["x", "b"], ["a"], "first"),
                                                   node("Relu", ["a"], ["b"], "second"),
                                                   node("Relu", ["b"], ["y"], "third")]))
        self.refused("inspect", "cycle.onnx", code=1, says=["first", "second"])

    def test_a_function_that_calls_itself(self):
        function = field(1, "Again") + field(7, node("Again", ["x"], ["y"], "n", "me")) + \
            field(4, "x") + field(5, "y") + field(10, "me")
        self.write("self.onnx", relu_model(nodes=[node("Again", ["x"], ["y"], "call", "me")])
                   + field(25, function))
        self.refused("inspect", "self.onnx", code=1, says="Again")

    def test_negative_and_huge_dimensions(self):
        self.write("negative.onnx", model([node("MatMul", ["x", "w"], ["y"])],
                                          [value_info("x", [1, 3])], [value_info("y", [1, 8])],
                                          [tensor("w", [3, -8])]))
        self.refused("inspect", "negative.onnx", code=1, says="w")
        self.write("huge.onnx", relu_model((1 << 40, 1 << 40, 1 << 40)))
        done = self.run_horus("inspect", "huge.onnx", "--json")
        self.assertIn(done.returncode, (0, 1))
        if done.returncode == 0:
            self.assertNotIn(b'"nodes_without_cost": []', done.stdout)

    def test_wrong_words_on_the_command_line_are_usage(self):
        self.refused("inspect", code=2)
        self.refused("inspekt", code=2, says="inspect")
        self.refused("inspect", "zoo:resnet51", code=2, says="resnet5")
        self.refused("inspect", "zoo:resnet50", "--batch", "0", code=2)
        self.refused("inspect", "zoo:resnet50", "--batch", "many", code=2)
        self.refused("inspect", "zoo:resnet50", "--dim", "sequence", code=2, says="NAME=VALUE")
        self.refused("inspect", "zoo:resnet50", "--colour", code=2)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([HORUS, "inspect", "zoo:alexnet"], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)


@unittest.skipUnless((SHARED_DATA / "onnx_light").is_dir(), "the nine light graphs are not here")
class LightGraphs(CliTest):
    def test_none_has_a_costless_node(self):
        for path in sorted((SHARED_DATA / "onnx_light").resolve().glob("*.onnx")):
            with self.subTest(path.name):
                self.assertEqual(self.ok_json("inspect", path)["nodes_without_cost"], [])

    def test_published_values(self):
        folder = (SHARED_DATA / "onnx_light").resolve()
        resnet = self.ok_json("inspect", folder / "light_resnet50.onnx")
        self.assertEqual((resnet["parameters"], resnet["buffers"]), (25557032, 53120))
        for name, macs in {"resnet50": 4.09, "densenet121": 2.83, "vgg19": 19.63}.items():
            report = self.ok_json("inspect", folder / f"light_{name}.onnx")
            self.assertAlmostEqual(report["macs"] / 1e9, macs, delta=0.005 + 0.0005 * macs)

    def test_batch_is_overridden_through_frozen_reshapes(self):
        for path in sorted((SHARED_DATA / "onnx_light").resolve().glob("*.onnx")):
            with self.subTest(path.name):
                one = self.ok_json("inspect", path)
                four = self.ok_json("inspect", path, "--batch", "4")
                self.assertEqual(four["macs"], 4 * one["macs"])
                self.assertEqual(four["nodes_without_cost"], [])


if __name__ == "__main__":
    unittest.main()
