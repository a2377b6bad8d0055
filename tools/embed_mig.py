#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks data/mig_profiles.csv against data/gpus.csv and writes it as a C++ source.

    embed_mig.py --csv data/mig_profiles.csv --gpus data/gpus.csv --out mig.cpp
    embed_mig.py --csv data/mig_profiles.csv --gpus data/gpus.csv       only check

An error names the file, the line, the column and what was expected; nothing is written then.
The output depends on the two files alone: same input, same bytes.
"""
import argparse
import csv
import io
import pathlib
import re
import sys

from embed_gpus import CatalogueError, quoted, read_catalogue

COLUMNS = ('gpus', 'profile', 'compute_slices', 'memory_slices', 'memory_mib', 'sm_count',
           'starts', 'source')
PROFILE = re.compile(r'([1-9])g\.([1-9][0-9]{0,3})gb')
SLICES_MAX = 16


class Row:
    """One line of the table, with checks that know where they are."""

    def __init__(self, path, line, cells):
        self.path, self.line, self.cells = path, line, cells

    def fail(self, column, expected):
        raise CatalogueError(f'{self.path}:{self.line}: column {column}: expected {expected}, '
                             f'found "{self.cells.get(column, "")}"')

    def integer(self, column, low, high, text=None):
        text = self.cells[column] if text is None else text
        if not re.fullmatch('[0-9]{1,9}', text) or not low <= int(text) <= high:
            self.fail(column, f'whole numbers from {low} to {high}')
        return int(text)


def parse_row(row, gpus):
    match = PROFILE.fullmatch(row.cells['profile'])
    if not match:
        row.fail('profile', 'a name such as 3g.20gb')
    profile = {
        'profile': row.cells['profile'],
        'compute': row.integer('compute_slices', 1, SLICES_MAX),
        'memory': row.integer('memory_slices', 1, SLICES_MAX),
        'memory_mib': row.integer('memory_mib', 1, 64 * 1024 * 1024),
        'sms': row.integer('sm_count', 1, 100000),
        'starts': [row.integer('starts', 0, SLICES_MAX - 1, text)
                   for text in row.cells['starts'].split('|')],
        'source': row.cells['source'],
    }
    if profile['compute'] != int(match[1]):
        row.fail('compute_slices', f'{match[1]}, as the profile says')
    if profile['starts'] != sorted(set(profile['starts'])):
        row.fail('starts', 'ascending numbers')
    if len(profile['source'].strip()) < 8 or not profile['source'].isascii():
        row.fail('source', 'the title of the public document, in plain ASCII')
    rows = []
    for name in row.cells['gpus'].split('|'):
        gpu = gpus.get(name)
        if gpu is None or gpu['mig_slices'] == 0:
            row.fail('gpus', f'GPUs of the catalogue with MIG ("{name}" is none)')
        if profile['compute'] > gpu['mig_slices']:
            row.fail('compute_slices', f'at most the {gpu["mig_slices"]} slices of {name}')
        if profile['memory_mib'] > gpu['memory_mib'] or profile['sms'] > gpu['sm_count']:
            row.fail('memory_mib', f'no more memory and SMs than {name} has')
        rows.append({**profile, 'gpu': name, 'row': row})
    return rows


def check_gpu(rows):
    """The last profile is the whole GPU; none reaches beyond its memory slices."""
    whole = rows[-1]
    names = [r['profile'] for r in rows]
    if len(set(names)) != len(names):
        rows[-1]['row'].fail('profile', f'each profile of {whole["gpu"]} once')
    for profile in rows:
        if profile['starts'][-1] + profile['memory'] > whole['memory']:
            profile['row'].fail('starts', f'places within {whole["memory"]} memory slices')
    order = [(r['compute'], r['memory']) for r in rows]
    if order != sorted(order):
        rows[-1]['row'].fail('profile', f'the profiles of {whole["gpu"]} from small to large')
    for profile in rows:
        profile['of_all'] = whole['memory']


def read_profiles(path, text, gpus):
    lines = list(csv.reader(io.StringIO(text), strict=True))
    if not lines or tuple(lines[0]) != COLUMNS:
        raise CatalogueError(f'{path}:1: expected the header {",".join(COLUMNS)}')
    by_gpu = {}
    for number, cells in enumerate(lines[1:], 2):
        if len(cells) != len(COLUMNS):
            raise CatalogueError(f'{path}:{number}: expected {len(COLUMNS)} columns, '
                                 f'found {len(cells)}')
        for profile in parse_row(Row(path, number, dict(zip(COLUMNS, cells))), gpus):
            by_gpu.setdefault(profile['gpu'], []).append(profile)
    for name, gpu in gpus.items():
        if gpu['mig_slices'] > 0 and name not in by_gpu:
            raise CatalogueError(f'{path}:1: expected profiles of {name}, found none')
    for rows in by_gpu.values():
        check_gpu(rows)
    return by_gpu


def cpp_row(row):
    starts = ', '.join(str(start) for start in row['starts'])
    return (f'      {{{quoted(row["gpu"])}, {quoted(row["profile"])}, {row["compute"]}, '
            f'{row["memory"]}, {row["of_all"]}, Bytes{{{row["memory_mib"] << 20}}}, {row["sms"]}, '
            f'{{{starts}}},\n       {quoted(row["source"])}}},\n')


def cpp_source(by_gpu):
    rows = ''.join(cpp_row(row) for rows in by_gpu.values() for row in rows)
    return ('// Generated from data/mig_profiles.csv. Do not edit.\n'
            '#include "horus/domain/detail/mig_rows.hpp"\n\n'
            'namespace horus::detail {\n\n'
            'const std::vector<MigRow>& embedded_mig_rows() {\n'
            f'  static const std::vector<MigRow> kRows = {{\n{rows}  }};\n'
            '  return kRows;\n'
            '}\n\n'
            '}  // namespace horus::detail\n')


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--csv', required=True, type=pathlib.Path)
    parser.add_argument('--gpus', required=True, type=pathlib.Path, help='the GPU catalogue')
    parser.add_argument('--out', type=pathlib.Path, help='the C++ file to write')
    options = parser.parse_args(arguments)
    try:
        catalogue = read_catalogue(options.gpus, options.gpus.read_text(encoding='utf-8'))
        profiles = read_profiles(options.csv, options.csv.read_text(encoding='utf-8'),
                                 {gpu['name']: gpu for gpu in catalogue})
        if options.out:
            options.out.write_text(cpp_source(profiles), encoding='utf-8', newline='\n')
    except (CatalogueError, OSError, UnicodeDecodeError, csv.Error) as error:
        print(f'embed_mig: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
