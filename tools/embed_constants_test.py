#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of embed_constants.py: the shipped predictor is accepted, each kind of mistake is refused."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import embed_constants

ROOT = pathlib.Path(__file__).resolve().parent.parent


def predictor(**changes):
    """A predictor in which every field has a value of its own."""
    value = {
        'schema_version': 1, 'kind': 'horus-predictor', 'licence': 'permissive',
        'command': 'horus train "a"', 'data': [
            {'dataset': 'd', 'licence': 'MIT', 'permissive': True, 'rows': 3, 'models': 2,
             'families': 1, 'files': [{'file': 'f.csv', 'sha256': 'ab'}]}],
        'notes': ['N\u00f6te.'], 'metrics': [
            {'protocol': 'lomo', 'dataset': 'd', 'name': 'm', 'value': 1.5, 'low': 1, 'high': 2},
            {'protocol': 'lomo', 'dataset': 'd', 'name': 'n', 'value': 1.5}],
        'constants': {'host.step_s': 0.001, 'whole': 2}, 'sites': [
            {'gpu': 'T4', 'host': 'h', 'framework': 'f', 'host_factor': 1.5, 'gpu_factor': 0.5,
             'host_step_s': 0.0, 'loader_sample_s': 0.0, 'loader_element_s': 0.0, 'context_bytes': 7, 'jobs': 3}],
        'sharing': [{'gpu': 'T4', 'mode': 'mps', 'gain': 1.0, 'own_exponent': 1.5,
                     'others_exponent': 1.5, 'sigma_slowdown': 0.1, 'pairs': 30}],
        'residuals': [
            {'target': 'step_time', 'inputs': [{'name': 'batch', 'unit': 'ln'}], 'base': 0.25,
             'limit': 0.2, 'scales': [1.0], 'near': 1.0, 'far': 2.0,
             'evidence': {'jobs': 1, 'groups': 1, 'error_without': 2.0, 'error_with': 1.0,
                          'gain': 1.0, 'gain_error': 0.5},
             'trees': [{'input': [0, -1, -1], 'value': [0.5, 1.0, -1.0], 'below': [1, 0, 0],
                        'above': [2, 0, 0]}], 'known': [[3.5]]}],
        'content_sha256': '0' * 64}
    value.update(changes)
    return {key: part for key, part in value.items() if part is not None}


def source(**changes):
    text = json.dumps(predictor(**changes))
    return embed_constants.cpp_source(embed_constants.read_predictor('p.json', text), 'p.json')


class Shipped(unittest.TestCase):
    def test_is_accepted(self):
        path = ROOT / 'data' / 'constants' / 'shipped.json'
        value = embed_constants.read_predictor(path, path.read_text())
        self.assertIn('shipped_file()', embed_constants.cpp_source(value, path.name))


class Source(unittest.TestCase):
    def test_numbers_are_exact(self):
        text = source()
        for part in ('{"host.step_s", 0.001},', '{"whole", 2.0},', '.host_factor = 1.5',
                     '.context = Bytes{7}', '.value = 1.5, .low = 1.0, .high = 2.0',
                     '{{0, static_cast<float>(0.5), 1, 2}, {-1, static_cast<float>(1.0), 0, 0}'):
            self.assertIn(part, text)

    def test_members_are_in_the_order_of_the_structs(self):
        """Designated initializers must be."""
        text = source()
        for members in (('.base', '.trees', '.limit', '.scales', '.known', '.near', '.far'),
                        ('.loader_element_s', '.context', '.jobs')):
            places = [text.index(member + ' =') for member in members]
            self.assertEqual(places, sorted(places))

    def test_texts_are_escaped(self):
        text = source()
        self.assertIn(r'file.command = "horus train \"a\"";', text)
        self.assertIn(r'N\303\266te.', text)

    def test_what_is_absent_is_left_out(self):
        self.assertNotIn('file.date', source())
        self.assertIn('file.date = "2024-01-31";', source(date='2024-01-31'))

    def test_the_same_file_gives_the_same_bytes(self):
        self.assertEqual(source(), source())


class Refused(unittest.TestCase):
    def refused(self, says, **changes):
        with self.assertRaisesRegex(embed_constants.PredictorError, says):
            source(**changes)

    def test_another_document(self):
        self.refused('expected an object of the kind', kind='other')
        self.refused('expected schema_version 1', schema_version=2)

    def test_what_may_not_ship(self):
        self.refused('licence: expected "permissive"', licence='non-commercial')

    def test_what_is_missing_or_unknown(self):
        self.refused('sites: is missing', sites=None)
        self.refused('surprise: unknown key', surprise=1)
        self.refused(r'notes\[0\]: expected a text, found 3', notes=[3])

    def test_fields_of_another_type(self):
        self.refused('constants.a: expected a number, found true', constants={'a': True})
        self.refused('constants: expected an object', constants=[])
        self.refused(r'sharing\[0\]: expected an object, found 1', sharing=[1])
        law = {**predictor()['sharing'][0], 'pairs': 1.5}
        self.refused(r'sharing\[0\].pairs: expected a whole number', sharing=[law])
        self.refused(r'sharing\[0\].gpu: is missing', sharing=[{}])

    def test_trees_with_columns_of_different_length(self):
        residual = predictor()['residuals'][0]
        residual['trees'][0]['value'].pop()
        self.refused(r'residuals\[0\].trees\[0\]: expected four lists of equal', residuals=[residual])

    def test_what_is_no_json_or_says_a_key_twice(self):
        for text in ('', '{', '{"kind": 1, "kind": 2}', '[' * 100000):
            with self.assertRaisesRegex(embed_constants.PredictorError, r'^p\.json: '):
                embed_constants.read_predictor('p.json', text)


class CommandLine(unittest.TestCase):
    def run_tool(self, text):
        with tempfile.TemporaryDirectory() as folder:
            given, out = pathlib.Path(folder, 'p.json'), pathlib.Path(folder, 'p.cpp')
            given.write_text(text)
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                code = embed_constants.main(['--json', str(given), '--out', str(out)])
            return code, errors.getvalue(), out.read_text() if out.exists() else None

    def test_writes_the_source(self):
        code, errors, text = self.run_tool(json.dumps(predictor()))
        self.assertEqual((code, errors), (0, ''))
        self.assertTrue(text.startswith('// Generated by tools/embed_constants.py. Do not edit.\n'))

    def test_writes_nothing_when_a_field_is_wrong(self):
        code, errors, text = self.run_tool(json.dumps(predictor(notes=[1])))
        self.assertEqual((code, text), (1, None))
        self.assertRegex(errors, r'^embed_constants: .*notes\[0\]')


if __name__ == '__main__':
    unittest.main()
