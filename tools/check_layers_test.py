#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of check_layers.py: a small clean tree passes, and each rule fails on its violation."""
import contextlib
import io
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import check_layers

LAYERS = '''base:PURE:
domain:PURE:base
graph:PURE:domain,base
sched:PURE:domain,base
wire:PURE:domain,base
os::base
'''
CLEAN = {
    'horus/base/result.hpp': '#pragma once\n#include <string>\n#include <tl/expected.hpp>\n',
    'horus/domain/job.hpp': '#pragma once\n#include <vector>\n\n#include "horus/base/result.hpp"\n',
    'horus/graph/onnx.cpp': '#include <onnx/onnx_pb.h>\n#include <google/protobuf/io/x.h>\n',
    'horus/wire/json.cpp': '#include <nlohmann/json.hpp>\n#include <fmt/format.h>\n',
    'horus/os/file.cpp': '#include <sys/mman.h>\n#include <zlib.h>\n#include <fstream>\n'
                         'std::ifstream stream;\n',
    'horus/sched/fifo.cpp': '#include "horus/domain/job.hpp"\n#include "horus/sched/detail/x.hpp"\n'
                            '// std::cout and getenv in a comment are no code\n'
                            'const char* kText = "using namespace std; fopen";\n'
                            'int n = 1\'000\'000; /* rand() */ char c = \'"\';\n',
    'horus/sched/fifo_test.cpp': '#include <gtest/gtest.h>\n#include "horus/testkit/build.hpp"\n',
    'horus/sched/fifo_bench.cpp': '#include <benchmark/benchmark.h>\n',
    'horus/testkit/build.hpp': '#include <gtest/gtest.h>\n#include "horus/domain/job.hpp"\n',
    'horus/apps/main.cpp': '#include <CLI/CLI.hpp>\n#include "horus/os/file.hpp"\n'
                           '#include "horus/sched/fifo.hpp"\nint x = printf("%d", 1);\n',
}


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in CLEAN.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_tool(self, layers=LAYERS, build=None):
        self.write('layers.txt', layers)
        arguments = ['--layers', str(self.root / 'layers.txt'), '--root', str(self.root)]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = check_layers.main(arguments + (['--build', str(build)] if build else []))
        return code, out.getvalue()

    def assert_refused(self, name, line, expected):
        """`line` added to the file at `name` must give exactly one complaint with `expected`."""
        with self.subTest(f'{name}: {line}'):
            before = CLEAN.get(name)
            self.write(name, line + '\n')
            code, out = self.run_tool()
            self.assertEqual(code, 1, out)
            self.assertEqual(len(out.splitlines()), 1, out)
            self.assertTrue(out.startswith(f'{name}:1: '), out)
            self.assertIn(expected, out)
            if before is None:
                (self.root / name).unlink()
            else:
                self.write(name, before)


class Clean(Tree):
    def test_a_clean_tree_passes_and_says_how_much_it_saw(self):
        code, out = self.run_tool()
        self.assertEqual((code, out), (0, f'layers: 6 rooms, {len(CLEAN)} files, 0 archives: '
                                          'clean\n'))

    def test_shared_ptr_with_its_reason_passes(self):
        self.write('horus/os/a.hpp', 'std::shared_ptr<int> p;  // shared: two threads read it\n')
        self.assertEqual(self.run_tool()[0], 0)

    def test_a_test_in_a_pure_room_may_read_a_file(self):
        self.write('horus/graph/onnx_test.cpp', '#include <fstream>\nauto e = std::getenv("X");\n')
        self.assertEqual(self.run_tool()[0], 0)

    def test_the_failing_check_may_print(self):
        self.write('horus/base/check.cpp', '#include <cstdio>\nvoid f() { std::fputs("x", stderr); }')
        self.assertEqual(self.run_tool()[0], 0)

    def test_an_empty_tree_proves_nothing(self):
        shutil.rmtree(self.root / 'horus')
        (self.root / 'horus').mkdir()
        self.assertIn('proves nothing', self.run_tool()[1])


class Includes(Tree):
    def test_violations(self):
        for name, line, expected in [
                ('horus/base/a.hpp', '#include "horus/domain/job.hpp"', 'base may not include domain'),
                ('horus/sched/a.cpp', '#include "horus/graph/onnx.hpp"', 'may not include graph'),
                ('horus/sched/a.cpp', '#include <horus/graph/onnx.hpp>', 'may not include graph'),
                ('horus/sched/a.cpp', '  #  include "horus/os/file.hpp"', 'may not include os'),
                ('horus/sched/a_test.cpp', '#include "horus/graph/onnx.hpp"', 'may not include graph'),
                ('horus/sched/a.cpp', '#include "horus/domain/detail/x.hpp"', 'private to domain'),
                ('horus/sched/a.cpp', '#include "horus/apps/x.hpp"', 'nobody may include apps'),
                ('horus/testkit/a.cpp', '#include "horus/apps/x.hpp"', 'nobody may include apps'),
                ('horus/sched/a.cpp', '#include "horus/testkit/build.hpp"', 'not include testkit'),
                ('horus/sched/a.cpp', '#include "horus/nowhere/x.hpp"', 'no room nowhere'),
                ('horus/sched/a.cpp', '#include "fifo.hpp"', 'path from the repository root')]:
            self.assert_refused(name, line, expected)

    def test_an_undeclared_room(self):
        self.write('horus/attic/a.hpp', '#pragma once\n')
        self.assertIn('horus/attic: this room is not declared', self.run_tool()[1])


class Libraries(Tree):
    def test_violations(self):
        for name, line, expected in [
                ('horus/sched/a.cpp', '#include <onnx/onnx_pb.h>', 'belongs in graph'),
                ('horus/wire/a.cpp', '#include <google/protobuf/message.h>', 'belongs in graph'),
                ('horus/graph/a.cpp', '#include <nlohmann/json.hpp>', 'belongs in wire'),
                ('horus/wire/a.cpp', '#include <CLI/CLI.hpp>', 'belongs in apps'),
                ('horus/graph/a.cpp', '#include <zlib.h>', 'belongs in os'),
                ('horus/graph/a.cpp', '#include <tl/expected.hpp>', 'belongs in base'),
                ('horus/graph/a.cpp', '#include <gtest/gtest.h>', 'testkit and *_test.cpp'),
                ('horus/graph/a_bench.cpp', '#include <gmock/gmock.h>', 'testkit and *_test.cpp'),
                ('horus/graph/a.cpp', '#include <benchmark/benchmark.h>', '*_bench.cpp files only'),
                ('horus/graph/a_test.cpp', '#include <benchmark/benchmark.h>', '*_bench.cpp files'),
                ('horus/os/a.cpp', '#include <random>', 'use horus::Rng'),
                ('horus/os/a_test.cpp', '#include <random>', 'use horus::Rng'),
                ('horus/apps/a.cpp', '#include <unistd.h>', 'belongs in os'),
                ('horus/apps/a.cpp', '#include <boost/any.hpp>', 'nor a known library'),
                ('horus/sched/a.cpp', '#include <thread>', 'pure room sched'),
                ('horus/sched/a.cpp', '#include <iostream>', 'pure room sched')]:
            self.assert_refused(name, line, expected)


class Text(Tree):
    def test_violations(self):
        for name, line, expected in [
                ('horus/sched/a.cpp', 'std::unordered_map<int, int> m;', 'depend on hashing'),
                ('horus/os/a.cpp', 'std::shared_ptr<int> p;', 'unique_ptr'),
                ('horus/os/a.cpp', 'std::shared_ptr<int> p;  // shared:', 'unique_ptr'),
                ('horus/apps/a.cpp', 'using  namespace std;', 'using-declaration'),
                ('horus/os/a.cpp', 'std::random_device d;', 'horus::Rng'),
                ('horus/os/a_test.cpp', 'std::mt19937_64 g{1};', 'horus::Rng'),
                ('horus/os/a.cpp', 'int x = std::rand();', 'horus::Rng'),
                ('horus/sched/a.cpp', 'auto t = std::chrono::steady_clock::now();', 'Clock'),
                ('horus/sched/a.cpp', 'auto t = std::time(nullptr);', 'Clock'),
                ('horus/sched/a.cpp', 'auto* e = std::getenv("HOME");', 'configuration value'),
                ('horus/sched/a.cpp', 'std::cout << 1;', 'do not print'),
                ('horus/sched/a.cpp', 'std::printf("x");', 'do not print'),
                ('horus/sched/a.cpp', 'fprintf(stderr, "x");', 'do not print'),
                ('horus/sched/a.cpp', 'fmt::print("x");', 'do not print'),
                ('horus/sched/a.cpp', 'std::ofstream f;', 'files belong to os'),
                ('horus/base/check.cpp', 'std::ofstream f;', 'files belong to os'),
                ('horus/sched/a.cpp', 'std::filesystem::exists(p);', 'files belong to os'),
                ('horus/sched/a.cpp', 'std::jthread t;', 'threads belong to os'),
                ('horus/sched/a.cpp', 'std::system("ls");', 'effect that a driver'),
                ('horus/sched/a.cpp', '"a" /* b */; std::cout << R"(x)";', 'do not print')]:
            self.assert_refused(name, line, expected)

    def test_words_that_only_look_alike_pass(self):
        self.write('horus/sched/a.cpp', 'snprintf(b, 1, "x"); next_time(0); fmt::format("x");\n'
                                        'rng.fork(1); job.time(0); brand(); operand(1);\n'
                                        'solve_system(1); inputs(2);\n'
                                        'using namespace horus::literals;\n')
        self.assertEqual(self.run_tool(), (0, f'layers: 6 rooms, {len(CLEAN) + 1} files, '
                                              '0 archives: clean\n'))


class Table(Tree):
    def test_violations(self):
        for extra, expected in [('late:PURE:later\nlater:PURE:\n', 'late depends on later'),
                                ('base:PURE:\n', 'room base is declared twice'),
                                ('odd:MAYBE:\n', 'expected "room:PURE'),
                                ('half:PURE\n', 'expected "room:PURE'),
                                ('dirty:PURE:os\n', 'dirty depends on os, which is not pure'),
                                ('apps::base\nabove::apps\n', 'nobody may depend on apps')]:
            with self.subTest(extra):
                code, out = self.run_tool(LAYERS + extra)
                self.assertEqual(code, 1)
                self.assertIn(expected, out)


@unittest.skipUnless(shutil.which('g++') and shutil.which('ar') and shutil.which('nm'),
                     'needs g++ and binutils')
class Symbols(Tree):
    def archive(self, room, source):
        (self.root / 'build' / 'lib').mkdir(parents=True, exist_ok=True)
        self.write('one.cpp', source)
        target = self.root / 'build' / 'lib' / f'libhorus_{room}.a'
        subprocess.run(['g++', '-std=c++20', '-c', 'one.cpp', '-o', 'one.o'], cwd=self.root,
                       check=True)
        subprocess.run(['ar', 'rcs', str(target), 'one.o'], cwd=self.root, check=True)

    def test_each_world_that_a_macro_could_hide(self):
        for source, symbol in [
                ('#include <cstdlib>\nconst char* f() { return std::getenv("X"); }', 'getenv'),
                ('#include <chrono>\nauto f() { return std::chrono::steady_clock::now(); }',
                 'steady_clock::now'),
                ('#include <fstream>\nvoid f() { std::ofstream o("x"); }', 'fstream'),
                ('#include <iostream>\nvoid f() { std::cout << 1; }', 'std::cout'),
                ('namespace fmt::v9 { void vprint(int); }\nvoid f() { fmt::v9::vprint(1); }',
                 'vprint')]:
            with self.subTest(symbol):
                self.archive('sched', source)
                found = list(check_layers.check_symbols(
                    'sched', self.root / 'build' / 'lib' / 'libhorus_sched.a'))
                self.assertTrue(found)
                self.assertIn(symbol, '\n'.join(found))

    def test_only_the_failing_check_may_print(self):
        source = 'namespace fmt::v9 { void vprint(int); }\nvoid f() { fmt::v9::vprint(1); }'
        self.archive('base', source)
        self.assertEqual(list(check_layers.check_symbols(
            'base', self.root / 'build' / 'lib' / 'libhorus_base.a')), [])

    def test_the_build_is_looked_at_and_rooms_of_the_outside_world_are_free(self):
        for room in ('graph', 'wire', 'sched'):
            self.archive(room, 'int f(int x) { return x; }')
        self.archive('os', '#include <cstdlib>\nconst char* f() { return std::getenv("X"); }')
        code, out = self.run_tool(build=self.root / 'build')
        self.assertEqual(code, 0, out)
        self.assertIn('3 archives', out)
        self.archive('wire', '#include <cstdlib>\nint f() { return std::rand(); }')
        code, out = self.run_tool(build=self.root / 'build')
        self.assertEqual((code, out), (1, 'libhorus_wire.a: pure room wire uses rand\n'))

    def test_a_missing_archive_is_not_a_clean_one(self):
        code, out = self.run_tool(build=self.root / 'build')
        self.assertEqual(code, 1)
        self.assertIn('were not checked', out)


if __name__ == '__main__':
    unittest.main()
