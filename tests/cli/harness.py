# SPDX-License-Identifier: Apache-2.0
"""Runs the program as a person or a script would, and makes files to feed it."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HORUS = os.environ.get("HORUS", "build/dev/bin/horus")
SHARED_DATA = pathlib.Path(os.environ.get("HORUS_SHARED_DATA", "../shared/data"))


class CliTest(unittest.TestCase):
    """A test with a folder of its own, in which the program runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="horus-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_horus(self, *arguments, timeout=120, **options):
        return subprocess.run([HORUS, *map(str, arguments)], cwd=self.folder, capture_output=True,
                              timeout=timeout, check=False, **options)

    def ok(self, *arguments):
        """Runs, expects success, returns stdout as text."""
        done = self.run_horus(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return done.stdout.decode()

    def ok_json(self, *arguments):
        return json.loads(self.ok(*arguments, "--json"))

    def refused(self, *arguments, code=None, says=()):
        """Runs, expects one clear line on stderr, nothing on stdout and a non-zero exit code."""
        done = self.run_horus(*arguments)
        stderr = done.stderr.decode(errors="replace")
        context = f"{arguments}: exit {done.returncode}, stderr {stderr!r}"
        if code is None:
            self.assertIn(done.returncode, (1, 2), context)
        else:
            self.assertEqual(done.returncode, code, context)
        self.assertEqual(done.stdout, b"", context)
        lines = [line for line in stderr.splitlines() if line.startswith("horus: error:")]
        self.assertEqual(len(lines), 1, context)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, lines[0], context)
        return lines[0]

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


# --- ONNX bytes, spelled by hand: the wire format of protobuf is a few lines -------------------

def is_sanitized():
    """True for a program that the address sanitizer watches: it takes several times the memory."""
    return b"__asan_" in pathlib.Path(HORUS).read_bytes()


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """An integer as a varint field, text or bytes as a length-delimited one."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def value_info(name, dims, element_type=1):
    shape = b"".join(field(1, field(2, d) if isinstance(d, str) else field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, element_type) + field(2, shape)))


def node(op_type, inputs, outputs, name="", domain=""):
    return (b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs)
            + field(3, name) + field(4, op_type) + (field(7, domain) if domain else b""))


def tensor(name, dims, element_type=1, raw=b""):
    return (b"".join(field(1, d) for d in dims) + field(2, element_type) + field(8, name)
            + (field(9, raw) if raw else b""))


def model(nodes, inputs, outputs, initializers=(), opset=17):
    graph = (b"".join(field(1, n) for n in nodes) + field(2, "g")
             + b"".join(field(5, i) for i in initializers)
             + b"".join(field(11, i) for i in inputs) + b"".join(field(12, o) for o in outputs))
    return field(1, 8) + field(2, "test") + field(7, graph) + field(8, field(2, opset))
