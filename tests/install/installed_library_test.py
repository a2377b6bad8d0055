#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed library in the hands of a stranger: installs it from a build folder, moves it, and
builds the example against it outside of this tree.

    installed_library_test.py --build build/dev --cxx g++ --horus build/dev/bin/horus
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLIC_ROOMS = {"base", "domain", "graph"}
OPTIONS = argparse.Namespace()


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: exit {done.returncode}\n"
                             f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


class InstalledLibrary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="horus-install-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cmake", "--install", OPTIONS.build, "--component", "development",
            "--prefix", cls.folder / "first")
        # No file may know the place where it was first.
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)

    def build(self, source, name):
        """Configures and builds the project in `source`; returns its build folder."""
        build = self.folder / name
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={OPTIONS.cxx}", "-DCMAKE_BUILD_TYPE=Debug")
        run("cmake", "--build", build)
        return build

    def test_headers_of_the_public_rooms_only(self):
        rooms = {path.name for path in (self.prefix / "include" / "horus").iterdir()}
        self.assertEqual(rooms, PUBLIC_ROOMS)
        self.assertTrue((self.prefix / "include/horus/graph/analysis.hpp").is_file())
        self.assertFalse((self.prefix / "include/horus/graph/inference.hpp").exists())

    def test_no_file_names_the_place_where_it_was_built(self):
        for path in self.prefix.rglob("*.cmake"):
            text = path.read_text()
            for place in (str(ROOT), str(OPTIONS.build), str(self.folder / "first")):
                self.assertNotIn(place, text, path)

    def test_the_example_counts_what_the_program_counts(self):
        source = self.folder / "example"
        shutil.copytree(ROOT / "examples" / "graph_library", source)
        program = self.build(source, "example-build") / "macs_by_operator"
        run(OPTIONS.horus, "zoo", "resnet18", "-o", self.folder / "net.onnx")
        printed = dict(line.split() for line in run(program, self.folder / "net.onnx").splitlines())
        report = json.loads(run(OPTIONS.horus, "inspect", self.folder / "net.onnx", "--json"))
        expected = {row["op_type"]: str(row["macs"]) for row in report["by_operator"] if row["macs"]}
        self.assertEqual(printed, expected)
        self.assertIn("Conv", printed)
        (self.folder / "bad.onnx").write_bytes(b"this is no model")
        done = subprocess.run([program, self.folder / "bad.onnx"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.onnx", done.stderr)

    def test_every_header_stands_on_its_own(self):
        source = self.folder / "headers"
        source.mkdir()
        headers = sorted((self.prefix / "include").rglob("*.hpp"))
        self.assertGreater(len(headers), 10)
        names = []
        for number, header in enumerate(headers):
            name = f"header{number}.cpp"
            include = header.relative_to(self.prefix / "include").as_posix()
            (source / name).write_text(f'#include "{include}"\n#include "{include}"\n')
            names.append(name)
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(headers LANGUAGES CXX)\n"
            "find_package(Horus REQUIRED)\n"
            f"add_library(headers OBJECT {' '.join(names)})\n"
            "target_link_libraries(headers PRIVATE horus::graph)\n")
        self.build(source, "headers-build")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--horus", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
