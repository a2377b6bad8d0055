#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of embed_mig.py: the shipped table is accepted, each kind of mistake is refused."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import embed_gpus
import embed_mig

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ','.join(embed_mig.COLUMNS)
GPUS = {'X1': {'mig_slices': 2, 'memory_mib': 16384, 'sm_count': 28}}
SMALL = {'gpus': 'X1', 'profile': '1g.8gb', 'compute_slices': '1', 'memory_slices': '1',
         'memory_mib': '8000', 'sm_count': '14', 'starts': '0|1', 'source': 'Guide of X1'}
WHOLE = {**SMALL, 'profile': '2g.16gb', 'compute_slices': '2', 'memory_slices': '2',
         'memory_mib': '16000', 'sm_count': '28', 'starts': '0'}


def read(*rows):
    lines = [','.join(row[column] for column in embed_mig.COLUMNS) for row in rows]
    return embed_mig.read_profiles('mig.csv', '\n'.join([HEADER] + lines) + '\n', GPUS)


class ShippedTable(unittest.TestCase):
    def setUp(self):
        gpus = embed_gpus.read_catalogue('gpus.csv', (ROOT / 'data' / 'gpus.csv').read_text())
        self.gpus = {gpu['name']: gpu for gpu in gpus}
        self.profiles = embed_mig.read_profiles(
            'mig.csv', (ROOT / 'data' / 'mig_profiles.csv').read_text(), self.gpus)

    def test_every_gpu_that_can_be_partitioned_has_profiles(self):
        self.assertEqual(set(self.profiles),
                         {name for name, gpu in self.gpus.items() if gpu['mig_slices'] > 0})

    def test_as_many_of_the_smallest_as_the_guide_says(self):
        for gpu, rows in self.profiles.items():
            with self.subTest(gpu):
                self.assertEqual(len(rows[0]['starts']), self.gpus[gpu]['mig_slices'])

    def test_says_what_the_guide_says_of_the_a100(self):
        rows = [(r['profile'], r['memory'], r['sms'], len(r['starts']))
                for r in self.profiles['A100-40GB']]
        self.assertEqual(rows, [('1g.5gb', 1, 14, 7), ('1g.10gb', 2, 14, 4), ('2g.10gb', 2, 28, 3),
                                ('3g.20gb', 4, 42, 2), ('4g.20gb', 4, 56, 1),
                                ('7g.40gb', 8, 98, 1)])


class Refused(unittest.TestCase):
    def refused(self, says, *rows):
        with self.assertRaises(embed_gpus.CatalogueError) as caught:
            read(*rows)
        self.assertIn(says, str(caught.exception))

    def test_good_rows_are_not(self):
        self.assertEqual([r['of_all'] for r in read(SMALL, WHOLE)['X1']], [2, 2])

    def test_mistakes_in_a_cell(self):
        for column, value in (('gpus', 'Y1'), ('profile', '1g8gb'), ('compute_slices', '2'),
                              ('compute_slices', 'one'), ('memory_slices', '0'),
                              ('memory_mib', '-1'), ('sm_count', ''), ('starts', '1|0'),
                              ('starts', '0|0'), ('starts', '0|2'), ('source', 'x')):
            with self.subTest(column=column, value=value):
                self.refused(f'column {column}', {**SMALL, column: value}, WHOLE)

    def test_an_instance_larger_than_its_gpu(self):
        self.refused('X1 has', SMALL, {**WHOLE, 'memory_mib': '16385'})
        self.refused('X1 has', SMALL, {**WHOLE, 'sm_count': '29'})

    def test_order_and_repetition(self):
        self.refused('each profile of X1 once', SMALL, SMALL, WHOLE)
        self.refused('small to large', SMALL, {**WHOLE, 'profile': '2g.8gb', 'memory_slices': '2'},
                     {**SMALL, 'profile': '1g.16gb', 'memory_slices': '2', 'starts': '0'})

    def test_a_gpu_without_profiles(self):
        self.refused('expected profiles of X1')


class Written(unittest.TestCase):
    def test_same_bytes_twice_and_nothing_on_a_mistake(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / 'mig.cpp'
            call = ['--csv', str(ROOT / 'data' / 'mig_profiles.csv'),
                    '--gpus', str(ROOT / 'data' / 'gpus.csv'), '--out', str(out)]
            self.assertEqual(embed_mig.main(call), 0)
            first = out.read_bytes()
            self.assertEqual(embed_mig.main(call), 0)
            self.assertEqual(out.read_bytes(), first)
            out.unlink()
            bad = pathlib.Path(folder) / 'bad.csv'
            bad.write_text('nonsense\n')
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(embed_mig.main(['--csv', str(bad)] + call[2:]), 1)
            self.assertIn('bad.csv:1', said.getvalue())
            self.assertFalse(out.exists())


if __name__ == '__main__':
    unittest.main()
