#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks data/gpus.csv and writes it as a C++ source, so that the program needs no data file.

    embed_gpus.py --csv data/gpus.csv --out gpus.cpp    write the source (called by the build)
    embed_gpus.py --csv data/gpus.csv                   only check

An error names the file, the line, the column and what was expected; nothing is written then.
The output depends on the CSV alone: same input, same bytes.
"""
import argparse
import csv
import decimal
import io
import pathlib
import re
import sys

from embedded_source import EmbedError, quoted, write_source

COLUMNS = ('name', 'architecture', 'year', 'memory_mib', 'fp32_tflops', 'fp16_tflops',
           'tensor_fp16_tflops', 'tf32_tflops', 'bf16_tflops', 'bandwidth_gbps', 'sm_count',
           'mig_slices', 'aliases', 'source')
NAME = re.compile(r'[A-Za-z0-9][A-Za-z0-9-]*')
ALIAS = re.compile(r'[A-Za-z0-9][A-Za-z0-9 .-]*')
NUMBER = re.compile(r'[0-9]{1,9}(\.[0-9]{1,6})?')
INTEGER = re.compile(r'[0-9]{1,9}')
TERA, GIGA = 12, 9


class CatalogueError(EmbedError):
    """A cell, or the file, is not what was expected."""


class Row:
    """One line of the table, with checks that know where they are."""

    def __init__(self, path, line, cells):
        self.path, self.line, self.cells = path, line, cells

    def fail(self, column, expected):
        shown = self.cells.get(column, '')
        raise CatalogueError(f'{self.path}:{self.line}: column {column}: '
                             f'expected {expected}, found "{shown}"')

    def text(self, column, pattern, expected):
        cell = self.cells[column]
        if not pattern.fullmatch(cell):
            self.fail(column, expected)
        return cell

    def integer(self, column, low, high):
        cell = self.text(column, INTEGER, f'a whole number from {low} to {high}')
        if not low <= int(cell) <= high:
            self.fail(column, f'a whole number from {low} to {high}')
        return int(cell)

    def number(self, column, zero_allowed):
        expected = 'a number that is not negative' if zero_allowed else 'a number above zero'
        value = decimal.Decimal(self.text(column, NUMBER, f'{expected}, without an exponent'))
        if value == 0 and not zero_allowed:
            self.fail(column, expected)
        return value


def spelling(name):
    """What two spellings have in common when only case, blanks and hyphens differ."""
    return re.sub(r'[ -]', '', name).lower()


def parse_row(row):
    gpu = {
        'name': row.text('name', NAME, 'letters, digits and hyphens'),
        'architecture': row.text('architecture', NAME, 'letters, digits and hyphens'),
        'year': row.integer('year', 2006, 2100),
        'memory_mib': row.integer('memory_mib', 1, 64 * 1024 * 1024),
        'fp32': row.number('fp32_tflops', zero_allowed=False),
        'fp16': row.number('fp16_tflops', zero_allowed=False),
        'tensor_fp16': row.number('tensor_fp16_tflops', zero_allowed=True),
        'tf32': row.number('tf32_tflops', zero_allowed=True),
        'bf16': row.number('bf16_tflops', zero_allowed=True),
        'bandwidth': row.number('bandwidth_gbps', zero_allowed=False),
        'sm_count': row.integer('sm_count', 1, 100000),
        'mig_slices': row.integer('mig_slices', 0, 64),
        'aliases': row.cells['aliases'].split('|') if row.cells['aliases'] else [],
        'source': row.cells['source'],
    }
    if len(gpu['source'].strip()) < 8 or not gpu['source'].isascii():
        row.fail('source', 'the title of the public specification, in plain ASCII')
    for alias in gpu['aliases']:
        if not ALIAS.fullmatch(alias):
            row.fail('aliases', f'names separated by "|" (this one is not: "{alias}")')
    if gpu['tensor_fp16'] == 0 and (gpu['tf32'] != 0 or gpu['bf16'] != 0):
        row.fail('tensor_fp16_tflops', 'a rate above zero where tf32 or bf16 has one')
    if 0 < gpu['tensor_fp16'] < gpu['fp16']:
        row.fail('tensor_fp16_tflops', 'at least fp16_tflops, or 0 without tensor cores')
    return gpu


def check_unique(row, gpu, owners):
    """No two GPUs answer to the same name; within one GPU, spellings may differ in case only."""
    own = set()
    for column, name in [('name', gpu['name'])] + [('aliases', a) for a in gpu['aliases']]:
        owner = owners.setdefault(spelling(name), gpu['name'])
        if owner != gpu['name'] or name in own:
            row.fail(column, f'a name not used before ("{name}" also belongs to {owner})')
        own.add(name)


def rows_of(path, text, columns):
    """The rows of a table that must have just these columns."""
    lines = list(csv.reader(io.StringIO(text), strict=True))
    if not lines or tuple(lines[0]) != columns:
        raise CatalogueError(f'{path}:1: expected the header {",".join(columns)}')
    for number, cells in enumerate(lines[1:], 2):
        if len(cells) != len(columns):
            raise CatalogueError(f'{path}:{number}: expected {len(columns)} columns, '
                                 f'found {len(cells)}')
        yield Row(path, number, dict(zip(columns, cells)))


def read_catalogue(path, text):
    gpus, owners, names = [], {}, set()
    for row in rows_of(path, text, COLUMNS):
        gpu = parse_row(row)
        if gpu['name'] in names:
            row.fail('name', 'a name not used before')
        names.add(gpu['name'])
        check_unique(row, gpu, owners)
        gpus.append(gpu)
    if not gpus:
        raise CatalogueError(f'{path}:2: expected at least one GPU')
    return gpus


def literal(value, exponent):
    """The exact decimal as a C++ double literal: the compiler rounds once, nobody before it."""
    if value == 0:
        return '0.0'
    digits = f'{value.normalize():f}'
    return f'{digits}e{exponent}' if '.' in digits else f'{digits}.0e{exponent}'


def cpp_row(gpu):
    fields = [
        ('name', quoted(gpu['name'])),
        ('architecture', quoted(gpu['architecture'])),
        ('year', str(gpu['year'])),
        ('memory', f'Bytes{{{gpu["memory_mib"] << 20}}}'),
        ('fp32_flops', literal(gpu['fp32'], TERA)),
        ('fp16_flops', literal(gpu['fp16'], TERA)),
        ('tensor_fp16_flops', literal(gpu['tensor_fp16'], TERA)),
        ('tf32_flops', literal(gpu['tf32'], TERA)),
        ('bf16_flops', literal(gpu['bf16'], TERA)),
        ('bandwidth_bytes_per_s', literal(gpu['bandwidth'], GIGA)),
        ('sm_count', str(gpu['sm_count'])),
        ('mig_slices', str(gpu['mig_slices'])),
        ('aliases', '{' + ', '.join(quoted(a) for a in gpu['aliases']) + '}'),
        ('source', quoted(gpu['source'])),
    ]
    body = ',\n'.join(f'          .{name} = {value}' for name, value in fields)
    return f'      GpuSpec{{\n{body},\n      }},\n'


def cpp_source(gpus):
    return ('// Generated from data/gpus.csv. Do not edit.\n'
            '#include <vector>\n\n'
            '#include "horus/domain/gpu.hpp"\n\n'
            'namespace horus::detail {\n\n'
            'const std::vector<GpuSpec>& embedded_gpus();\n\n'
            'const std::vector<GpuSpec>& embedded_gpus() {\n'
            '  static const std::vector<GpuSpec> kGpus = {\n'
            + ''.join(cpp_row(gpu) for gpu in gpus) +
            '  };\n'
            '  return kGpus;\n'
            '}\n\n'
            '}  // namespace horus::detail\n')


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--csv', required=True, type=pathlib.Path)
    parser.add_argument('--out', type=pathlib.Path, help='the C++ file to write')
    options = parser.parse_args(arguments)

    def make_source():
        return cpp_source(read_catalogue(options.csv, options.csv.read_text(encoding='utf-8')))

    return write_source('embed_gpus', options.out, make_source)


if __name__ == '__main__':
    sys.exit(main())
