#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of zoo_table.py that need no program."""
import unittest

import zoo_table
from zoo_table import Row


def row(**changes):
    fields = {'model': 'resnet50', 'family': 'resnet', 'image': 224, 'parameters': 25557032.0,
              'published_parameters': ('25.56', 1e6), 'gmacs': 4.1115, 'published_gmacs': '4.11',
              'source': 'timm'}
    return Row(**{**fields, **changes})


class Rounding(unittest.TestCase):
    def test_equal_means_to_the_last_published_digit(self):
        self.assertEqual(zoo_table.difference(row()), 0)
        self.assertEqual(zoo_table.difference(row(gmacs=4.1149)), 0)
        self.assertAlmostEqual(zoo_table.difference(row(gmacs=4.5210)), 10.0, places=6)
        self.assertTrue(zoo_table.parameters_agree(row()))
        self.assertFalse(zoo_table.parameters_agree(row(parameters=25.567e6)))
        exact = row(published_parameters=('25557032', 1))
        self.assertTrue(zoo_table.parameters_agree(exact))
        self.assertFalse(zoo_table.parameters_agree(exact._replace(parameters=25557033.0)))


class Rules(unittest.TestCase):
    def test_fvcore_counts_more_than_products(self):
        cost = {'macs': 1000, 'batch_norm_elements': 10, 'norm_operations': 500, 'pooled_elements': 3,
                'resize_operations': 4}
        self.assertEqual(zoo_table.plain(cost), 1000)
        self.assertEqual(zoo_table.fvcore(cost), 1000 + 20 + 500 + 3 + 4)


class Lines(unittest.TestCase):
    def test_columns_stand_in_order(self):
        self.assertEqual(zoo_table.line_of(row()), '| resnet50 | resnet | 224 | 25,557,032 | '
                         '25.56 M | 4.11 | 4.11 | timm | 0 |')
        bare = row(published_parameters=None, published_gmacs=None, source=None, image=0)
        self.assertEqual(zoo_table.line_of(bare),
                         '| resnet50 | resnet |  | 25,557,032 |  | 4.112 |  |  |  |')

    def test_the_summary_counts_what_agrees(self):
        text = zoo_table.summary([row(), row(image=288, gmacs=5.0)], {'timm': 1188})
        self.assertIn('| timm | 2 of 1188 | 1 | 2 | 1 | 21.65 % |', text)
        self.assertNotIn('torchvision', text)


class Checks(unittest.TestCase):
    def setUp(self):
        rows = [row(), row(image=288, gmacs=5.0)]
        bare = row(model='lstm-lm', published_parameters=None, published_gmacs=None, source=None)
        self.text = '\n'.join([zoo_table.summary(rows, {'timm': 1188}), zoo_table.table(rows),
                               zoo_table.table([bare])])

    def test_a_line_gives_its_row_back(self):
        line = zoo_table.line_of(row(image=288, gmacs=5.0))
        self.assertEqual(zoo_table.row_in(line), (row(image=288, gmacs=5.0), 21.65))

    def test_a_summary_must_sum_up_its_lines(self):
        self.assertEqual(list(zoo_table.summary_faults(self.text, {'timm': 1188})), [])
        wrong = self.text.replace('| 2 of 1188 |', '| 3 of 1188 |')
        self.assertEqual(len(list(zoo_table.summary_faults(wrong, {'timm': 1188}))), 1)
        wrong = self.text.replace('| 1 | 21.65 % |', '| 1 | 20.00 % |')
        self.assertEqual(len(list(zoo_table.summary_faults(wrong, {'timm': 1188}))), 1)

    def test_every_architecture_has_a_line_and_no_other_has(self):
        self.assertEqual(list(zoo_table.name_faults(self.text, ['lstm-lm', 'resnet50'])), [])
        self.assertEqual(list(zoo_table.name_faults(self.text, ['lstm-lm', 'resnet50', 'vgg16'])),
                         ['vgg16 is missing'])
        self.assertEqual(list(zoo_table.name_faults(self.text, ['resnet50'])),
                         ['the program does not know lstm-lm'])


if __name__ == '__main__':
    unittest.main()
