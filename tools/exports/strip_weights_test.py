#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What strip_weights.py takes out of an ONNX file, and what it must leave."""
import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

import strip_weights
from strip_weights import field, fields, strip_model

FLOAT, INT64 = 1, 7


def tensor(name, dims, type_, raw):
    return (b"".join(field(1, size) for size in dims) + field(2, type_) + field(8, name)
            + field(9, raw))


def model(*initializers, node=b"", graph=b""):
    graph += b"".join(field(5, one) for one in initializers) + (field(1, node) if node else b"")
    return field(1, 8) + field(2, "test") + field(7, graph) + field(8, field(2, 17))


def first_tensor(data):
    graph = next(value for number, value, _ in fields(memoryview(data)) if number == 7)
    found = next(value for number, value, _ in fields(graph) if number == 5)
    return [(number, value if isinstance(value, int) else bytes(value))
            for number, value, _ in fields(found)]


class StripWeights(unittest.TestCase):
    def test_large_contents_become_absent_external_data(self):
        stripped = first_tensor(strip_model(model(tensor("w", [5, 8], FLOAT, b"\x01" * 160))))
        location = field(1, "location") + field(2, "weights.bin")
        self.assertEqual(stripped, [(1, 5), (1, 8), (2, FLOAT), (8, b"w"), (13, location), (14, 1)])

    def test_what_shapes_and_operators_need_stays(self):
        for small in (tensor("scales", [4], FLOAT, b"\x02" * 16),
                      tensor("target", [4], INT64, b"\x03" * 32)):
            data = model(small)
            self.assertEqual(strip_model(data), data)

    def test_external_data_of_the_exporter_is_renamed(self):
        location = field(13, field(1, "location") + field(2, "/home/me/net.onnx.data"))
        weight = field(1, 4) + field(2, FLOAT) + field(8, "w") + location + field(14, 1)
        stripped = strip_model(model(weight))
        self.assertNotIn(b"/home/me", stripped)
        self.assertIn(b"weights.bin", stripped)

    def test_contents_of_constants_and_of_branches_go_too(self):
        weight = tensor("w", [64], FLOAT, b"\x77" * 256)
        constant = field(4, "Constant") + field(5, field(1, "value") + field(5, weight))
        branch = field(4, "If") + field(5, field(1, "then_branch") + field(6, field(1, constant)))
        for node in (constant, branch):
            self.assertNotIn(b"\x77\x77", strip_model(model(node=node)))

    def test_paths_of_the_exporting_machine_go(self):
        trace = field(1, "pkg.torch.onnx.stack_trace") + field(2, "File /home/me/net.py, line 1")
        scope = field(1, "namespace") + field(2, "layer1.conv")
        node = (field(4, "Relu") + field(6, "/home/me/net.py") + field(9, trace) + field(9, scope))
        stripped = strip_model(model(node=node, graph=field(10, "made in /home/me")))
        self.assertNotIn(b"/home/me", stripped)
        self.assertIn(b"layer1.conv", stripped)

    def test_stripping_twice_changes_nothing(self):
        once = strip_model(model(tensor("w", [64], FLOAT, b"\x01" * 256)))
        self.assertEqual(strip_model(once), once)

    def test_a_file_that_ends_early_is_refused(self):
        data = model(tensor("w", [64], FLOAT, b"\x01" * 256))
        with self.assertRaises(ValueError):
            strip_model(data[:-40])

    def test_the_program_writes_the_same_compressed_bytes_twice(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "net.onnx").write_bytes(model(tensor("w", [64], FLOAT, b"\x01" * 256)))
            for name in ("one.onnx.gz", "two.onnx.gz"):
                subprocess.run([sys.executable, strip_weights.__file__, folder / "net.onnx",
                                folder / name], check=True, stdout=subprocess.DEVNULL)
            one, two = ((folder / name).read_bytes() for name in ("one.onnx.gz", "two.onnx.gz"))
            self.assertEqual(one, two)
            self.assertEqual(gzip.decompress(one),
                             strip_model((folder / "net.onnx").read_bytes()))


if __name__ == "__main__":
    unittest.main()
