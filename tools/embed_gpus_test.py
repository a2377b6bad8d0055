#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of embed_gpus.py: the shipped catalogue is accepted, each kind of mistake is refused."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import embed_gpus

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ','.join(embed_gpus.COLUMNS)
GOOD = {
    'name': 'X1-16GB', 'architecture': 'Volta', 'year': '2017', 'memory_mib': '16384',
    'fp32_tflops': '15.7', 'fp16_tflops': '31.4', 'tensor_fp16_tflops': '125',
    'tf32_tflops': '0', 'bf16_tflops': '0', 'bandwidth_gbps': '900', 'sm_count': '80',
    'mig_slices': '0', 'aliases': 'Tesla X1|X1', 'source': 'Datasheet of X1 (2018)',
}


def line(**changes):
    return ','.join({**GOOD, **changes}[column] for column in embed_gpus.COLUMNS)


def read(*lines):
    return embed_gpus.read_catalogue('gpus.csv', '\n'.join((HEADER,) + lines) + '\n')


class ShippedCatalogue(unittest.TestCase):
    def setUp(self):
        path = ROOT / 'data' / 'gpus.csv'
        self.gpus = {g['name']: g for g in embed_gpus.read_catalogue(path, path.read_text())}

    def test_holds_at_least_24_gpus(self):
        self.assertGreaterEqual(len(self.gpus), 24)

    def test_holds_the_names_that_the_documents_use(self):
        for name in ('K80', 'P100-16GB', 'V100-16GB', 'T4', 'RTX3090', 'A100-40GB', 'A100-80GB',
                     'H100-SXM', 'H200', 'B200'):
            self.assertIn(name, self.gpus)

    def test_says_what_the_specifications_say_of_three_gpus(self):
        picked = [(g['memory_mib'], float(g['fp32']), float(g['tensor_fp16']), float(g['tf32']),
                   float(g['bandwidth']), g['sm_count'])
                  for g in (self.gpus[n] for n in ('V100-16GB', 'RTX3090', 'A100-40GB'))]
        self.assertEqual(picked, [(16384, 15.7, 125, 0, 900, 80), (24576, 35.6, 71, 35.6, 936, 82),
                                  (40960, 19.5, 312, 156, 1555, 108)])

    def test_newer_architectures_have_the_units_they_brought(self):
        for gpu in self.gpus.values():
            with self.subTest(gpu['name']):
                has_tf32 = gpu['architecture'] in ('Ampere', 'Ada', 'Hopper', 'Blackwell')
                self.assertEqual(gpu['tf32'] > 0, has_tf32)
                self.assertEqual(gpu['bf16'], gpu['tensor_fp16'] if has_tf32 else 0)


class Refused(unittest.TestCase):
    def refused(self, *lines):
        with self.assertRaises(embed_gpus.CatalogueError) as caught:
            read(*lines)
        return str(caught.exception)

    def test_each_bad_cell_with_its_place(self):
        for column, cell in [
                ('name', ''), ('name', 'X 1'), ('architecture', ''), ('year', '17'),
                ('year', '2017.5'), ('memory_mib', '0'), ('memory_mib', '-1'),
                ('fp32_tflops', '0'), ('fp32_tflops', 'nan'), ('fp32_tflops', '1e3'),
                ('fp32_tflops', '-2'), ('fp16_tflops', ''), ('tensor_fp16_tflops', 'inf'),
                ('tensor_fp16_tflops', '3'), ('tf32_tflops', '-1'), ('bf16_tflops', 'x'),
                ('bandwidth_gbps', '0'), ('sm_count', '0'), ('mig_slices', '-1'),
                ('aliases', 'a||b'), ('aliases', 'a"b'), ('source', ''), ('source', '      ')]:
            with self.subTest(f'{column}={cell}'):
                message = self.refused(line(), line(**{'name': 'X2', 'aliases': '', column: cell})
                                       if '"' not in cell else line(aliases='a;b'))
                self.assertRegex(message, rf'^gpus\.csv:[23]: column {column}: expected .+found')

    def test_tf32_without_tensor_cores(self):
        self.assertIn('column tensor_fp16_tflops',
                      self.refused(line(tensor_fp16_tflops='0', tf32_tflops='8')))

    def test_a_name_used_twice(self):
        self.assertIn('gpus.csv:3: column name', self.refused(line(), line(aliases='')))

    def test_an_alias_that_is_another_gpus_name_in_other_spelling(self):
        message = self.refused(line(), line(name='X2', aliases='x1 16gb'))
        self.assertIn('gpus.csv:3: column aliases', message)
        self.assertIn('X1-16GB', message)

    def test_a_name_that_is_another_gpus_alias(self):
        self.assertIn('gpus.csv:3: column name', self.refused(line(), line(name='X1', aliases='')))

    def test_the_same_alias_twice(self):
        self.assertIn('column aliases', self.refused(line(aliases='X1|X1')))

    def test_a_missing_or_surplus_column(self):
        self.assertIn('gpus.csv:2: expected 14 columns, found 13',
                      self.refused(line().rsplit(',', 1)[0]))
        self.assertIn('found 15', self.refused(line() + ',x'))

    def test_another_header_and_an_empty_table(self):
        with self.assertRaisesRegex(embed_gpus.CatalogueError, r'gpus\.csv:1: expected the header'):
            embed_gpus.read_catalogue('gpus.csv', 'name,year\nX1,2017\n')
        self.assertIn('at least one GPU', self.refused())


class Source(unittest.TestCase):
    def test_values_are_exact_and_in_base_units(self):
        text = embed_gpus.cpp_source(read(line()))
        for part in ('.name = "X1-16GB"', '.memory = Bytes{17179869184}', '.fp32_flops = 15.7e12',
                     '.tensor_fp16_flops = 125.0e12', '.tf32_flops = 0.0', '.year = 2017',
                     '.bandwidth_bytes_per_s = 900.0e9', '.aliases = {"Tesla X1", "X1"}'):
            self.assertIn(part, text)

    def test_the_same_table_gives_the_same_bytes(self):
        self.assertEqual(embed_gpus.cpp_source(read(line())), embed_gpus.cpp_source(read(line())))

    def test_trailing_zeros_do_not_change_the_output(self):
        self.assertEqual(embed_gpus.cpp_source(read(line())),
                         embed_gpus.cpp_source(read(line(fp32_tflops='15.70'))))

    def test_quotes_are_escaped(self):
        self.assertEqual(embed_gpus.quoted('a"b\\c'), '"a\\"b\\\\c"')


class CommandLine(unittest.TestCase):
    def run_tool(self, text):
        with tempfile.TemporaryDirectory() as folder:
            table, out = pathlib.Path(folder, 'g.csv'), pathlib.Path(folder, 'g.cpp')
            table.write_text(text)
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                code = embed_gpus.main(['--csv', str(table), '--out', str(out)])
            return code, errors.getvalue(), out.read_text() if out.exists() else None

    def test_writes_the_source(self):
        code, errors, text = self.run_tool(f'{HEADER}\n{line()}\n')
        self.assertEqual((code, errors), (0, ''))
        self.assertTrue(text.startswith('// Generated from data/gpus.csv. Do not edit.\n'))

    def test_writes_nothing_when_a_cell_is_wrong(self):
        code, errors, text = self.run_tool(f'{HEADER}\n{line(sm_count="0")}\n')
        self.assertEqual((code, text), (1, None))
        self.assertRegex(errors, r'^embed_gpus: .*g\.csv:2: column sm_count: expected')

    def test_a_missing_file_is_one_line_of_error(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            code = embed_gpus.main(['--csv', '/nonexistent/gpus.csv'])
        self.assertEqual(code, 1)
        self.assertEqual(errors.getvalue().count('\n'), 1)


if __name__ == '__main__':
    unittest.main()
