#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/zoo.md: the zoo against the figures that others publish.

    zoo_table.py --horus build/release/bin/horus --out docs/reference/zoo.md
    zoo_table.py --horus build/dev/bin/horus --check docs/reference/zoo.md [--every N]

Each row of data/published/*.csv whose model the zoo knows is built at the published image size and
counted by the publisher's rule. --check compares every Nth row with the table instead of writing
it, and all names and the summary; exit code 1 when something differs.
"""
import argparse
import collections
import concurrent.futures
import csv
import io
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / 'data' / 'published'
# Columns of the program's CSV that hold numbers.
COUNTS = ('parameters', 'macs', 'batch_norm_elements', 'norm_operations', 'pooled_elements',
          'resize_operations')

# A list of published figures. `macs` counts as its publisher does.
Source = collections.namedtuple('Source', 'file title scale gmacs_column parameters_column macs')
# One line of the table; None where nobody published a figure.
Row = collections.namedtuple('Row', 'model family image parameters published_parameters gmacs '
                                    'published_gmacs source')


def plain(cost):
    return cost['macs']


def fvcore(cost):
    return (cost['macs'] + 2 * cost['batch_norm_elements'] + cost['norm_operations']
            + cost['pooled_elements'] + cost['resize_operations'])


SOURCES = (
    Source('torchvision.csv', 'torchvision', 1, 'gmacs', 'parameters', plain),
    Source('timm.csv', 'timm', 1e6, 'gmacs_fvcore', 'parameters_millions', fvcore),
)

HEAD = '''# The zoo against published figures

Written by `tools/zoo_table.py`; the test `docs.zoo_table` holds it against the program, and
`horus/zoo/published_test.cpp` holds the zoo against the figures. [data/published](../../data/published/README.md) says
where these are from.

Two rules of counting are in use, so two columns of one name would not be comparable:

* **torchvision** counts multiply-accumulates of convolutions, linear layers and matrix products, as Horus does.
* **timm** publishes what fvcore counts: the same, and 2 per element of an evaluated batch normalization, 5 per element
  of a layer, group or instance normalization, 1 per input element of an adaptive average pool, 1 or 4 per element that
  nearest or linear upsampling writes. The table adds these to ours. A normalization without scale and offset is 4.

Three kinds of rows differ, all by what was counted. Inception v3 is built as it trains, with its auxiliary classifier,
whose multiply-accumulates nobody publishes; timm leaves out its parameters, too. ConvMixer's depthwise convolutions run
under an operator that fvcore does not see (`padding="same"`), so its figures are without them. The attention pool of
vit_so150m_patch16_reg4_map_256 read the four registers when timm published; today it leaves them out, as here.

'''


def known_names(horus):
    """The architectures of the zoo without published sizes: name to row of `horus zoo`."""
    text = subprocess.run([horus, 'zoo', '--format', 'csv'], capture_output=True, text=True,
                          check=True).stdout
    return {row['name']: row for row in csv.DictReader(io.StringIO(text))}


def listed_costs(horus, model, *size):
    """The row of `horus zoo MODEL --costs`, or None where the zoo refuses."""
    done = subprocess.run([horus, 'zoo', model, '--costs', '--format', 'csv', *size],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    row = next(csv.DictReader(io.StringIO(done.stdout)))
    return {key: float(value) if key in COUNTS else value for key, value in row.items()}


def cost_of(horus, model, image):
    """What a model costs at an image size; None where the zoo does not know it or does not take it.
    Where the size cannot be chosen, the one that it has must be the right one."""
    cost = listed_costs(horus, model, '--image', str(image))
    if cost is None:
        cost = listed_costs(horus, model)
        if cost is not None and f'x{image}x{image}' not in cost['input']:
            return None
    return cost


def published_rows(source):
    with open(PUBLISHED / source.file, newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def row_of(horus, source, published):
    cost = cost_of(horus, published['model'], published['image'])
    if cost is None:
        return None
    return Row(cost['name'], cost['family'], int(published['image']), cost['parameters'],
               (published[source.parameters_column], source.scale), source.macs(cost) / 1e9,
               published[source.gmacs_column], source.title)


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def decimals(text):
    return len(text.partition('.')[2])


def parameters_agree(row):
    """Ours, rounded as published, are the published ones."""
    text, scale = row.published_parameters
    return abs(row.parameters / scale - float(text)) <= 0.5000001 * 10 ** -decimals(text)


def difference(row):
    """Of the multiply-accumulates, in percent; 0 within half a unit of the last published digit."""
    if abs(row.gmacs - float(row.published_gmacs)) <= 0.5000001 * 10 ** -decimals(row.published_gmacs):
        return 0.0
    return (row.gmacs / float(row.published_gmacs) - 1) * 100


def line_of(row):
    if row.source is None:
        return f'| {row.model} | {row.family} | {row.image or ""} | {row.parameters:,.0f} |  | ' \
               f'{row.gmacs:.3f} |  |  |  |'
    digits = max(2, decimals(row.published_gmacs))
    change = difference(row)
    text, scale = row.published_parameters
    published = f'{int(text):,}' if scale == 1 else f'{text} M'
    return (f'| {row.model} | {row.family} | {row.image} | {row.parameters:,.0f} | {published} | '
            f'{row.gmacs:.{digits}f} | {row.published_gmacs} | {row.source} | '
            f'{"0" if change == 0 else f"{change:+.2f} %"} |')


def summary(rows, listed):
    lines = ['| list | rows of it in the zoo | architectures | parameters equal | MACs equal to the '
             'last digit | largest difference |', '|---|---:|---:|---:|---:|---:|']
    for source in SOURCES:
        mine = [row for row in rows if row.source == source.title]
        if not mine:
            continue
        worst = max((abs(difference(row)) for row in mine), default=0.0)
        lines.append(f'| {source.title} | {len(mine)} of {listed[source.title]} | '
                     f'{len({row.model for row in mine})} | {sum(map(parameters_agree, mine))} | '
                     f'{sum(difference(row) == 0 for row in mine)} | {worst:.2f} % |')
    return '\n'.join(lines)


def table(rows):
    lines = ['| model | family | image | parameters | published | GMAC | published | rule | '
             'difference |', '|---|---|---:|---:|---:|---:|---:|---|---:|']
    return '\n'.join(lines + [line_of(row) for row in rows])


def compared_rows(horus, step=1):
    jobs = [(source, row) for source in SOURCES for row in published_rows(source)][::step]
    rows = in_parallel(lambda job: row_of(horus, *job), jobs)
    return [row for row in rows if row is not None]


def unpublished_rows(horus, compared):
    seen = {row.model for row in compared}
    names = [name for name in known_names(horus) if name not in seen]
    rows = []
    for cost in in_parallel(lambda name: listed_costs(horus, name), names):
        rows.append(Row(cost['name'], cost['family'], int(cost['image'] or 0), cost['parameters'],
                        None, cost['macs'] / 1e9, None, None))
    return rows


def document(horus):
    rows = compared_rows(horus)
    order = {source.title: place for place, source in enumerate(SOURCES)}
    rows.sort(key=lambda row: (order[row.source], row.family, row.model, row.image))
    others = sorted(unpublished_rows(horus, rows), key=lambda row: (row.family, row.model))
    listed = {source.title: len(published_rows(source)) for source in SOURCES}
    return (HEAD + summary(rows, listed) + '\n\n## Compared\n\n' + table(rows)
            + '\n\n## Not on these lists\n\nAt the default size, one sample.\n\n' + table(others)
            + '\n')


def row_in(line):
    """The row that a line of the first table was made of, but for what its rounding hides."""
    model, family, image, parameters, text, gmacs, published, title, change = (
        cell.strip() for cell in line.strip('|').split('|'))
    scale = 1e6 if text.endswith(' M') else 1
    published_parameters = (text.removesuffix(' M').replace(',', ''), scale)
    row = Row(model, family, int(image), float(parameters.replace(',', '')), published_parameters,
              float(gmacs), published, title)
    return row, 0.0 if change == '0' else float(change.removesuffix(' %'))


def summary_faults(text, listed):
    """What the summary says otherwise than the lines of the table below it."""
    lines = [line for line in text.splitlines() if line.startswith('| ')]
    titles = {source.title for source in SOURCES}
    parsed = [row_in(line) for line in lines if line.split('|')[-3].strip() in titles]
    wanted = summary([row for row, _ in parsed], listed).splitlines()[2:]
    for line in wanted:
        title = line.split('|')[1].strip()
        worst = max(abs(change) for row, change in parsed if row.source == title)
        exact = '|'.join(line.split('|')[:-2] + [f' {worst:.2f} % |'])
        if exact not in lines:
            yield f'its lines sum up to {exact}'


def name_faults(text, names):
    """Architectures that the program has and the tables lack, and the other way round."""
    cells = [line.split('|') for line in text.splitlines() if line.startswith('| ')]
    told = {row[1].strip() for row in cells if len(row) == 11} - {'model'}
    for name in sorted(set(names) - told):
        yield f'{name} is missing'
    for name in sorted(told - set(names)):
        yield f'the program does not know {name}'


def check(horus, path, step):
    if not path.is_file():
        print(f'{path}: is missing; write it with tools/zoo_table.py --horus HORUS --out {path}')
        return 1
    text = path.read_text(encoding='utf-8')
    lines = set(text.splitlines())
    faults = [f'the program says {line}' for line in map(line_of, compared_rows(horus, step))
              if line not in lines]
    faults += name_faults(text, known_names(horus))
    faults += summary_faults(text, {s.title: len(published_rows(s)) for s in SOURCES})
    for fault in faults:
        print(f'{path}: is stale: {fault}')
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--horus', required=True)
    parser.add_argument('--out', type=pathlib.Path)
    parser.add_argument('--check', type=pathlib.Path)
    parser.add_argument('--every', type=int, default=1, help='check every Nth row only')
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.horus, arguments.check, arguments.every)
    text = document(arguments.horus)
    if arguments.out:
        arguments.out.write_text(text, encoding='utf-8')
    else:
        sys.stdout.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
