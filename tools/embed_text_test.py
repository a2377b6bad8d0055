#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of embed_text.py."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import embed_text

FUNCTION = 'horus::lab::detail::embedded_things'


class EmbedText(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def run_tool(self, texts, function=FUNCTION):
        for name, data in texts.items():
            (self.root / name).write_bytes(data)
        out = self.root / 'out.cpp'
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            code = embed_text.main(['--function', function, '--out', str(out),
                                    *(str(self.root / name) for name in texts)])
        return code, out.read_text() if out.exists() else '', errors.getvalue()

    def test_files_come_in_order_of_name(self):
        code, source, _ = self.run_tool({'b.csv': b'x\n', 'a.csv': b'y\n'})
        self.assertEqual(code, 0)
        self.assertLess(source.index('"a.csv"'), source.index('"b.csv"'))
        self.assertIn('namespace horus::lab::detail {', source)

    def test_text_is_escaped(self):
        _, source, _ = self.run_tool({'a.csv': 'say "\\" é\n'.encode()})
        self.assertIn(r'"say \"\\\" é\n"', source)

    def test_an_empty_file_is_an_empty_text(self):
        code, source, _ = self.run_tool({'a.csv': b''})
        self.assertEqual(code, 0)
        self.assertIn('""', source)

    def test_what_is_no_text_is_refused(self):
        for data in (b'\xff\n', b'a\0b\n', b'a\rb\n'):
            code, source, errors = self.run_tool({'a.csv': data})
            self.assertEqual((code, source), (1, ''), data)
            self.assertIn('a.csv', errors)

    def test_large_files_are_refused(self):
        code, _, errors = self.run_tool({'a.csv': b'x' * (embed_text.BYTES_MAX + 1)})
        self.assertEqual(code, 1)
        self.assertIn('expected at most', errors)

    def test_the_function_is_in_a_namespace_of_horus(self):
        code, _, errors = self.run_tool({'a.csv': b'x\n'}, function='embedded')
        self.assertEqual(code, 1)
        self.assertIn('--function', errors)


if __name__ == '__main__':
    unittest.main()
