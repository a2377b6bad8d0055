#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks data/mig_profiles.csv against data/gpus.csv and writes it as a C++ source.

    embed_mig.py --csv data/mig_profiles.csv --gpus data/gpus.csv --out mig.cpp
    embed_mig.py --csv data/mig_profiles.csv --gpus data/gpus.csv       only check

An error names the file, the line, the column and what was expected; nothing is written then.
The output depends on the two files alone: same input, same bytes.
"""
import argparse
import pathlib
import re
import sys

from embed_gpus import INTEGER, CatalogueError, read_catalogue, rows_of
from embedded_source import quoted, write_source

COLUMNS = ('gpus', 'profile', 'compute_slices', 'memory_slices', 'memory_mib', 'sm_count',
           'starts', 'source')
PROFILE = re.compile(r'([1-9])g\.([1-9][0-9]{0,3})gb')
SLICES_MAX = 16


def parse_starts(row):
    starts, most = row.cells['starts'].split('|'), SLICES_MAX - 1
    if not all(INTEGER.fullmatch(start) and int(start) <= most for start in starts):
        row.fail('starts', f'whole numbers from 0 to {most}')
    return [int(start) for start in starts]


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
        'starts': parse_starts(row),
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
    by_gpu = {}
    for row in rows_of(path, text, COLUMNS):
        for profile in parse_row(row, gpus):
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

    def make_source():
        catalogue = read_catalogue(options.gpus, options.gpus.read_text(encoding='utf-8'))
        gpus = {gpu['name']: gpu for gpu in catalogue}
        text = options.csv.read_text(encoding='utf-8')
        return cpp_source(read_profiles(options.csv, text, gpus))

    return write_source('embed_mig', options.out, make_source)


if __name__ == '__main__':
    sys.exit(main())
