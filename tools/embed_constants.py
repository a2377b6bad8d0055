#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the shipped predictor as a C++ source, so that the program needs no data file.

    embed_constants.py --json data/constants/shipped.json --out embedded_predictor.cpp
    embed_constants.py --json data/constants/shipped.json          only check

The source defines horus::predict::shipped_file(). An error names the path of the field and what was
expected; nothing is written then. The output depends on the JSON alone: same input, same bytes.
What only the program can judge (names and ranges of constants, the hash of the content) is left to
its tests.
"""
import argparse
import json
import math
import pathlib
import sys

from embedded_source import EmbedError, quoted, write_source

KIND, SCHEMA_VERSION = 'horus-predictor', 1


class PredictorError(EmbedError):
    """A field, or the file, is not what was expected."""


def text(value, where):
    if not isinstance(value, str):
        raise PredictorError(f'{where}: expected a text, found {json.dumps(value)}')
    return quoted(value)


def real(value, where):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise PredictorError(f'{where}: expected a number, found {json.dumps(value)}')
    return repr(float(value))


def single(value, where):
    return f'static_cast<float>({real(value, where)})'


def integer(value, where):
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 1 << 53:
        raise PredictorError(f'{where}: expected a whole number, found {json.dumps(value)}')
    return str(value)


def boolean(value, where):
    if not isinstance(value, bool):
        raise PredictorError(f'{where}: expected true or false, found {json.dumps(value)}')
    return 'true' if value else 'false'


def size(value, where):
    return f'Bytes{{{integer(value, where)}}}'


def listed(item):
    def spell(value, where):
        if not isinstance(value, list):
            raise PredictorError(f'{where}: expected a list, found {json.dumps(value)}')
        rows = [item(element, f'{where}[{i}]') for i, element in enumerate(value)]
        return '{' + ', '.join(rows) + '}'
    return spell


def record(*fields):
    """`fields` are (JSON key, C++ member, spelling), in the order of the members; a key that ends
    with "?" may be absent."""
    keys = [key.rstrip('?') for key, _, _ in fields]

    def spell(value, where):
        if not isinstance(value, dict):
            raise PredictorError(f'{where}: expected an object, found {json.dumps(value)}')
        for key in value:
            if key not in keys:
                raise PredictorError(f'{where}.{key}: unknown key, expected {", ".join(keys)}')
        spelled = []
        for (key, member, item), name in zip(fields, keys):
            if name in value:
                spelled.append(f'.{member} = {item(value[name], f"{where}.{name}")}')
            elif not key.endswith('?'):
                raise PredictorError(f'{where}.{name}: is missing')
        return '{' + ', '.join(spelled) + '}'
    return spell


def constants(value, where):
    if not isinstance(value, dict):
        raise PredictorError(f'{where}: expected an object, found {json.dumps(value)}')
    rows = [f'    {{{text(name, where)}, {real(number, f"{where}.{name}")}}},\n'
            for name, number in value.items()]
    return '{\n' + ''.join(rows) + '  }'


def tree(value, where):
    columns = {'input': integer, 'value': single, 'below': integer, 'above': integer}
    record(*((key, key, listed(item)) for key, item in columns.items()))(value, where)
    if len({len(value[key]) for key in columns}) != 1:
        raise PredictorError(f'{where}: expected four lists of equal length')
    nodes = zip(*([item(n, where) for n in value[key]] for key, item in columns.items()))
    return '{' + ', '.join('{' + ', '.join(node) + '}' for node in nodes) + '}'


SITE = record(('gpu', 'gpu', text), ('host', 'host', text), ('framework', 'framework', text),
              ('host_factor', 'host_factor', real), ('gpu_factor', 'gpu_factor', real),
              ('host_step_s', 'host_step_s', real),
              ('loader_sample_s', 'loader_sample_s', real),
              ('loader_element_s', 'loader_element_s', real),
              ('context_bytes?', 'context', size), ('jobs', 'jobs', integer))
LAW = record(('gpu', 'gpu', text), ('mode', 'mode', text), ('gain', 'gain', real),
             ('own_exponent', 'own_exponent', real), ('others_exponent', 'others_exponent', real),
             ('sigma_slowdown', 'sigma_slowdown', real), ('pairs', 'pairs', integer))
INPUT = record(('name', 'name', text), ('unit', 'unit', text))
EVIDENCE = record(('jobs', 'jobs', integer), ('groups', 'groups', integer),
                  ('error_without', 'error_without', real), ('error_with', 'error_with', real),
                  ('gain', 'gain', real), ('gain_error', 'gain_error', real))
RESIDUAL = record(('target', 'target', text), ('inputs', 'inputs', listed(INPUT)),
                  ('base', 'base', real), ('trees', 'trees', listed(tree)),
                  ('limit', 'limit', real), ('scales', 'scales', listed(real)),
                  ('known', 'known', listed(listed(real))), ('near', 'near', real),
                  ('far', 'far', real), ('evidence', 'evidence', EVIDENCE))
FILE_HASH = record(('file', 'file', text), ('sha256', 'sha256', text))
DATA = record(('dataset', 'dataset', text), ('licence', 'licence', text),
              ('permissive', 'is_permissive', boolean), ('rows', 'rows', integer),
              ('models', 'models', integer), ('families', 'families', integer),
              ('files', 'files', listed(FILE_HASH)))
METRIC = record(('protocol', 'protocol', text), ('dataset', 'dataset', text),
                ('name', 'name', text), ('value', 'value', real), ('low?', 'low', real),
                ('high?', 'high', real))
# Assigned one after the other: a single initializer of thousands of numbers is slow to compile.
MEMBERS = (('command', 'command', text), ('date', 'date', text),
           ('constants', 'constants', constants), ('sites', 'sites', listed(SITE)),
           ('sharing', 'sharing', listed(LAW)),
           ('residuals', 'residuals', listed(RESIDUAL)), ('data', 'data', listed(DATA)),
           ('metrics', 'metrics', listed(METRIC)), ('notes', 'notes', listed(text)))
OTHER_KEYS = {'schema_version', 'kind', 'licence', 'content_sha256'}


def once(pairs):
    read = dict(pairs)
    if len(read) != len(pairs):
        raise PredictorError('a key stands twice in one object')
    return read


def read_predictor(path, content):
    try:
        value = json.loads(content, object_pairs_hook=once)
    except (json.JSONDecodeError, RecursionError, PredictorError) as error:
        raise PredictorError(f'{path}: {error}') from error
    if not isinstance(value, dict) or value.get('kind') != KIND:
        raise PredictorError(f'{path}: expected an object of the kind "{KIND}"')
    if value.get('schema_version') != SCHEMA_VERSION:
        raise PredictorError(f'{path}: expected schema_version {SCHEMA_VERSION}')
    if value.get('licence') != 'permissive':
        raise PredictorError(f'{path}: licence: expected "permissive": what ships may be used for '
                             'any purpose')
    unknown = set(value) - OTHER_KEYS - {key for key, _, _ in MEMBERS}
    if unknown:
        raise PredictorError(f'{path}: {min(unknown)}: unknown key')
    return value


def cpp_source(value, path):
    lines = ''
    for key, member, item in MEMBERS:
        if key in value:
            lines += f'  file.{member} = {item(value[key], f"{path}: {key}")};\n'
        elif key != 'date':
            raise PredictorError(f'{path}: {key}: is missing')
    return ('// Generated by tools/embed_constants.py. Do not edit.\n'
            '#include "horus/predict/predictor_model.hpp"\n\n'
            'namespace horus::predict {\n'
            'namespace {\n\n'
            'PredictorFile embedded() {\n'
            '  PredictorFile file;\n'
            f'{lines}'
            '  return file;\n'
            '}\n\n'
            '}  // namespace\n\n'
            'const PredictorFile& shipped_file() {\n'
            '  static const PredictorFile kFile = embedded();\n'
            '  return kFile;\n'
            '}\n\n'
            '}  // namespace horus::predict\n')


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--json', required=True, type=pathlib.Path)
    parser.add_argument('--out', type=pathlib.Path, help='the C++ file to write')
    options = parser.parse_args(arguments)

    def make_source():
        content = options.json.read_text(encoding='utf-8')
        return cpp_source(read_predictor(options.json, content), options.json.name)

    return write_source('embed_constants', options.out, make_source)


if __name__ == '__main__':
    sys.exit(main())
