#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of house_lint.py: a small clean tree passes, and each rule fails on its violation."""
import contextlib
import io
import pathlib
import subprocess
import tempfile
import unittest

import house_lint

SPDX = '// SPDX-License-Identifier: Apache-2.0\n'
HASH = '# SPDX-License-Identifier: Apache-2.0\n'
ROOM = '''# {0}: a few words
**What lives here.** Things.
**What never lives here.** Other things.
**Whom it may see.** base.
**Start reading at.** job.hpp.
'''
CLEAN = {
    'README.md': '# X\n\nSee [the style](STYLE.md#names) and [`sched`](horus/sched/README.md).\n'
                 'Outside: [a page](https://example.org/x). A [folder](docs/).\n'
                 '```\n[not a link](nowhere.md)\n```\nand `[nor this](nowhere.md)`.\n',
    'STYLE.md': '# Style\n\n## Names\n\nThe work/life balance. A login session. TODO(#7): more.\n',
    'CMakeLists.txt': HASH + 'project(x)\n',
    'tools/run.sh': '#!/bin/sh\n' + HASH,
    'tools/gen.py': '#!/usr/bin/env python3\n' + HASH,
    '.ci/run': '#!/usr/bin/env bash\n' + HASH + 'data="${HORUS_SHARED_DATA:-../sh' 'ared/data}"\n',
    'docs/adr/README.md': '# Decisions\n\n* [First](0001-first.md)\n',
    'docs/adr/0001-first.md': '# First\n',
    'horus/base/README.md': ROOM.format('base'),
    'horus/base/id.hpp': SPDX + '#pragma once\n',
    'horus/sched/README.md': ROOM.format('sched'),
    'horus/sched/fifo.cpp': SPDX + '// using namespace and std::cout in a comment\n',
    'horus/apps/README.md': ROOM.format('apps'),
    'horus/apps/main.cpp': SPDX + 'int main() { std::cout << 1; }\n',
    'tests/golden/small/README.md': '# Small\n',
    'tests/golden/small/expected.jsonl': 'to' 'do TO' 'DO\r\n',
    'tests/corpus/graph/bad.py': 'no licence line in a fuzz input',
    'data.bin': 'a\0b\n',
}


class HouseLint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in CLEAN.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def found(self):
        return house_lint.complaints(self.root)[0]

    def assert_refused(self, name, text, expected, count=1):
        """The tree with `text` at `name` has `count` complaints, and the first says `expected`."""
        with self.subTest(f'{name}: {expected}'):
            self.write(name, text)
            found = self.found()
            self.assertEqual(len(found), count, found)
            self.assertTrue(found[0].startswith(name), found)
            self.assertIn(expected, found[0])
            if name in CLEAN:
                self.write(name, CLEAN[name])
            else:
                (self.root / name).unlink()

    def test_a_clean_tree_passes(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = house_lint.main(['--root', str(self.root)])
        self.assertEqual(code, 0, out.getvalue())
        self.assertIn(f'{len(CLEAN)} files: clean', out.getvalue())

    def test_a_violation_is_an_exit_code(self):
        self.write('horus/sched/fifo.cpp', '// no licence\n')
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(house_lint.main(['--root', str(self.root)]), 1)

    def test_an_empty_folder_proves_nothing(self):
        with tempfile.TemporaryDirectory() as empty, contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(house_lint.main(['--root', empty]), 1)

    def test_git_decides_what_belongs_to_the_project(self):
        subprocess.run(['git', 'init', '-q', str(self.root)], check=True)
        self.write('.gitignore', '/out/\n')
        self.write('out/made.cpp', 'no licence\n')
        self.assertEqual(self.found(), [])

    def test_licence_line(self):
        for name in ('horus/base/id.hpp', 'horus/sched/fifo.cpp', 'CMakeLists.txt', 'tools/gen.py',
                     'cmake/rules.cmake', 'Makefile', '.clang-tidy'):
            self.assert_refused(name, '\n', 'must hold "SPDX')
        self.assert_refused('.ci/run', '#!/bin/sh\n\n\n' + HASH, 'must hold "SPDX')

    def test_room_readme(self):
        name = 'horus/sched/README.md'
        good = CLEAN[name]
        for line in good.splitlines()[1:]:
            self.assert_refused(name, good.replace(line + '\n', ''), 'lacks the heading')
        self.assert_refused(name, good + 'x\n' * 21, 'longer than 25 lines')
        self.assert_refused(name, good.replace('# sched', '# Sched'), 'must begin with "# sched: "')
        self.assert_refused(name, '# sched: x\n' + ''.join(
            line + '\n' for line in reversed(good.splitlines()[1:])), 'usual order')
        (self.root / 'horus/base/README.md').unlink()
        self.assertEqual(self.found(), ['horus/base/README.md: missing; every room says what '
                                        'lives here and what does not'])

    def test_size(self):
        self.assert_refused('horus/sched/a.cpp', SPDX + '\n' * 600, '601 lines')
        self.assert_refused('horus/sched/a.hpp', SPDX + 'x' * 101 + '\n', '2: longer than 100')
        self.write('horus/sched/a.hpp', SPDX + 'x' * 100 + '\n' * 599)
        self.assertEqual(self.found(), [])

    def test_open_ends(self):
        for text in ('TO' 'DO: later', 'TO' 'DO(me): later', 'FIX' 'ME later'):
            self.assert_refused('horus/sched/a.cpp', f'{SPDX}// {text}\n', 'with the number')
            self.assert_refused('STYLE.md', f'# Names\n## Names\n{text}\n', 'with the number')

    def test_disabled_tests(self):
        self.assert_refused('horus/sched/a_test.cpp', SPDX + 'TEST(A, DISABLED_B) {}\n', 'issue')
        self.write('horus/sched/a_test.cpp', SPDX + 'TEST(A, DISABLED_B) {}  // (#12)\n')
        self.assertEqual(self.found(), [])

    def test_banned_words(self):
        self.assert_refused('horus/apps/a.cpp', SPDX + 'using  namespace std;\n', 'hides names')
        self.assert_refused('horus/sched/a.cpp', SPDX + 'std::cout << 1;\n', 'belongs in apps')
        self.write('horus/sched/a.cpp', SPDX + 'using namespace horus::literals;\n')
        self.assertEqual(self.found(), [])

    def test_file_names(self):
        for name in ('utils.hpp', 'job_helper.cpp', 'misc/job.hpp', 'common.hpp', 'manager.cpp',
                     'fifo_impl.hpp'):
            self.assert_refused(f'horus/sched/{name}', SPDX, 'names a drawer')
        self.assert_refused('tools/utils.py', HASH, 'names a drawer')
        self.assert_refused('horus/sched/FifoQueue.cpp', SPDX, 'snake_case')
        self.write('horus/base/gpu_util.hpp', SPDX)
        self.assertEqual(self.found(), [])

    def test_duplicate_names(self):
        self.assert_refused('horus/sched/id.hpp', SPDX, 'already used by horus/base/id.hpp')

    def test_private_words(self):
        for words in ('see /wo' 'rk/main', 'in shar' 'ed/design/x.md', 'a sub' 'agent did it',
                      'a sub-' 'agent', 'Cla' 'ude', 'AI' '-generated', 'written by an A' 'I',
                      'in a previous ses' 'sion', 'run iss' 'ues show 2', 'Co-Auth' 'ored-By: x'):
            self.assert_refused('STYLE.md', f'# S\n## Names\n{words}\n', 'nothing outside')
            self.assert_refused('horus/sched/a.cpp', f'{SPDX}// {words}\n', 'nothing outside')

    def test_optional_data_is_named_in_scripts_only(self):
        path = 'sh' 'ared/data'
        self.assert_refused('tools/run.sh', f'{HASH}ls {path}\n', 'optional data')
        self.assert_refused('STYLE.md', f'# S\n## Names\n../{path}\n', 'optional data')

    def test_innocent_words_pass(self):
        self.write('STYLE.md', '# S\n## Names\nframework/ and network/x, ~/work, a web session, the '
                               'training session, issues are listed, shared memory, maintain, the '
                               'known issues list of NVIDIA\n')
        self.assertEqual(self.found(), [])

    def test_decision_records(self):
        self.assert_refused('docs/adr/0002-second.md', '# Second\n', 'not listed')
        self.write('docs/adr/README.md', '# Decisions\n[First](0001-first.md) [B](second.md)\n')
        self.write('docs/adr/second.md', '# Second\n')
        self.assertEqual(self.found(), ['docs/adr/second.md: records are named '
                                        'NNNN-a-few-words.md, NNNN being the issue'])

    def test_links(self):
        for link in ('nowhere.md', '../README.md', 'STYLE.md#colours', '#nowhere', 'horus/nowhere'):
            expected = 'no such heading' if '#' in link else 'leads nowhere'
            self.assert_refused('README.md', f'# X\n[x]({link})\n', expected)
        self.assert_refused('README.md', '# X\n[x]: nowhere.md\n', 'leads nowhere')

    def test_golden_folders_explain_themselves(self):
        self.write('tests/golden/large/expected.jsonl', '{}\n')
        self.assertEqual(self.found(), ['tests/golden/large: lacks a README.md that says what it '
                                        'shows'])

    def test_white_space(self):
        self.assert_refused('horus/sched/a.cpp', SPDX + 'int x; \n', '2: stray white space')
        self.assert_refused('horus/sched/a.cpp', SPDX + '\tint x;\n', '2: stray white space')
        self.assert_refused('horus/sched/a.cpp', SPDX + 'int x;', 'does not end with')
        self.assert_refused('README.md', '# X\r\n', 'carriage returns')

    def test_this_project_does_not_hide_a_violation_behind_its_own_exemption(self):
        self.assertEqual(house_lint.SELF, {'tools/house_lint.py', 'tools/house_lint_test.py'})


if __name__ == '__main__':
    unittest.main()
