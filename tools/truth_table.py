#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns published co-location measurements into a truth table and a mix that go together.

    truth_table.py lucid --pairs colocate_pairs.csv --solo single_profile.csv --table T --mix M
    truth_table.py gavel --pairs pairs_flat.csv --table T --mix M

Sources (not part of this project; mind their licences, Lucid's allows non-commercial use only):
  lucid  S-Lab-System-Group/Lucid (ASPLOS'23): pairs and solo runs on one RTX 3090; speeds of the
         pairs are divided by the solo speed.
  gavel  stanford-futuredata/gavel (OSDI'20): steps per second of pairs and alone on K80, P100, V100.
Formats of the output: docs/reference/traces-and-truth.md. A configuration is called
MODEL:bBATCH:PRECISION with MODEL from the zoo, e.g. resnet18-cifar:b64:fp32. Models that the zoo
lacks are left out and counted on stderr, as are pairs that did not run.
"""
import argparse
import collections
import csv
import re
import sys

# What a source calls (model, data set) -> what the zoo calls it.
LUCID_MODELS = {
    ('ResNet18', 'CIFAR-10'): 'resnet18-cifar',
    ('ResNet50', 'ImageNet'): 'resnet50',
    ('PointNet', 'ShapeNet'): 'pointnet',
    ('NeuMF', 'MovieLens'): 'neumf',
    ('LSTM', 'Wikitext2'): 'lstm-lm',
}
GAVEL_MODELS = {
    'ResNet-18': 'resnet18-cifar',
    'ResNet-50': 'resnet50',
    'Transformer': 'transformer',
    'LM': 'lstm-lm',
}
GAVEL_GPUS = {'k80': 'K80', 'p100': 'P100-16GB', 'v100': 'V100-16GB'}
OPTIMIZERS = {'neumf': 'adam', 'pointnet': 'adam', 'transformer': 'adam', 'lstm-lm': 'sgd'}
# Where the source measured no load: assumptions, not measurements.
# Model -> (utilization, MiB, further MiB per sample, share of busy time limited by arithmetic).
ASSUMED = {
    'resnet18-cifar': (0.80, 1300, 6.0, 0.6),
    'resnet50': (0.95, 1400, 98.0, 0.65),
    'transformer': (0.75, 2000, 20.0, 0.75),
    'lstm-lm': (0.55, 1500, 8.0, 0.35),
    'pointnet': (0.30, 1500, 16.0, 0.5),
    'neumf': (0.15, 1300, 0.05, 0.15),
}
TABLE_HEADER = ('gpu', 'config_a', 'config_b', 'slowdown_a', 'slowdown_b', 'utilization',
                'memory_mib')
MIX_HEADER = ('name', 'model', 'batch', 'sequence', 'precision', 'optimizer', 'attention',
              'samples_per_second', 'weight', 'true_utilization', 'true_memory_mib',
              'true_compute_share')

Config = collections.namedtuple('Config', 'model batch precision')
Load = collections.namedtuple('Load', 'utilization memory_mib')


def name_of(config):
    return f'{config.model}:b{config.batch}:{config.precision}'


class Measurements:
    """Slowdowns of pairs and loads of solo runs, averaged over repetitions."""

    def __init__(self):
        self.pairs = collections.defaultdict(list)   # (gpu, config, config) -> [(slow, slow)]
        self.solos = {}                              # (gpu, config) -> Load
        self.configs = set()
        self.left_out = collections.Counter()

    def add_pair(self, gpu, a, b, slowdown_a, slowdown_b):
        if name_of(a) > name_of(b):
            a, b, slowdown_a, slowdown_b = b, a, slowdown_b, slowdown_a
        self.pairs[gpu, a, b].append((slowdown_a, slowdown_b))
        self.configs |= {a, b}

    def add_solo(self, gpu, config, load):
        self.solos[gpu, config] = load
        self.configs.add(config)

    def load_of(self, config):
        """Measured where it was, else assumed."""
        found = [load for (_, c), load in sorted(self.solos.items()) if c == config]
        if found:
            return found[0]
        utilization, base_mib, sample_mib, _ = ASSUMED[config.model]
        return Load(utilization, base_mib + sample_mib * config.batch)


def read_rows(path):
    with open(path, newline='', encoding='utf-8') as file:
        yield from csv.DictReader(file)


def lucid_config(row, suffix):
    model = LUCID_MODELS.get((row['model' + suffix], row['dataset' + suffix]))
    precision = 'amp' if row['amp' + suffix] == '1' else 'fp32'
    return model and Config(model, int(row['batchsize' + suffix]), precision)


def read_lucid(pairs_path, solo_path):
    found = Measurements()
    for row in read_rows(solo_path):
        if config := lucid_config(row, ''):
            utilization = max(float(row['gpu_util']) / 100.0, 0.001)
            found.add_solo('RTX3090', config, Load(min(utilization, 1.0), float(row['gmem'])))
        else:
            found.left_out['solo runs of models that the zoo lacks'] += 1
    for row in read_rows(pairs_path):
        a, b = lucid_config(row, '1'), lucid_config(row, '2')
        speed_a, speed_b = float(row['speed1']), float(row['speed2'])
        if not a or not b:
            found.left_out['pairs of models that the zoo lacks'] += 1
        elif speed_a <= 0 or speed_b <= 0:
            found.left_out['pairs that did not run'] += 1
        else:
            found.add_pair('RTX3090', a, b, 1.0 / speed_a, 1.0 / speed_b)
    return found


def gavel_config(job_type):
    match = re.fullmatch(r'(.+) \(batch size (\d+)\)', job_type)
    model = match and GAVEL_MODELS.get(match[1])
    return model and Config(model, int(match[2]), 'fp32')


def read_gavel(pairs_path, _):
    found = Measurements()
    for row in read_rows(pairs_path):
        if row['n1'] != '1' or row['n2'] != '1' or row['gpu'] not in GAVEL_GPUS:
            found.left_out['pairs of gangs or of other GPUs'] += 1
            continue
        a, b = gavel_config(row['job1']), gavel_config(row['job2'])
        steps = [float(row[key]) for key in ('steps_per_s_1', 'steps_per_s_2')]
        solo_steps = [float(row[key]) for key in ('solo_steps_per_s_1', 'solo_steps_per_s_2')]
        if not a or not b:
            found.left_out['pairs of models that the zoo lacks'] += 1
        elif min(steps + solo_steps) <= 0:
            found.left_out['pairs that did not run'] += 1
        else:
            found.add_pair(GAVEL_GPUS[row['gpu']], a, b, solo_steps[0] / steps[0],
                           solo_steps[1] / steps[1])
    return found


def write_table(found, path):
    with open(path, 'w', newline='', encoding='utf-8') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(TABLE_HEADER)
        for (gpu, config), load in sorted(found.solos.items()):
            out.writerow((gpu, name_of(config), '', '', '', f'{load.utilization:.6g}',
                          f'{load.memory_mib:.6g}'))
        for (gpu, a, b), measured in sorted(found.pairs.items()):
            mean_a, mean_b = (sum(values) / len(values) for values in zip(*measured))
            out.writerow((gpu, name_of(a), name_of(b), f'{mean_a:.6g}', f'{mean_b:.6g}', '', ''))


def write_mix(found, path):
    with open(path, 'w', newline='', encoding='utf-8') as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(MIX_HEADER)
        for config in sorted(found.configs):
            load = found.load_of(config)
            out.writerow((name_of(config), config.model, config.batch, '', config.precision,
                          OPTIMIZERS.get(config.model, 'momentum'), '', '', 1,
                          f'{load.utilization:.6g}', f'{load.memory_mib:.6g}',
                          ASSUMED[config.model][3]))


READERS = {'lucid': read_lucid, 'gavel': read_gavel}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('source', choices=sorted(READERS))
    parser.add_argument('--pairs', required=True, help='measured pairs, CSV')
    parser.add_argument('--solo', help='measured solo runs, CSV (lucid)')
    parser.add_argument('--table', required=True, help='truth table to write')
    parser.add_argument('--mix', required=True, help='mix to write')
    options = parser.parse_args(arguments)
    if options.source == 'lucid' and not options.solo:
        parser.error('lucid needs --solo')
    found = READERS[options.source](options.pairs, options.solo)
    if not found.pairs:
        print(f'{options.pairs}: found no pair that can be used', file=sys.stderr)
        return 1
    write_table(found, options.table)
    write_mix(found, options.mix)
    print(f'{len(found.configs)} configurations, {len(found.pairs)} pairs', file=sys.stderr)
    for why, count in sorted(found.left_out.items()):
        print(f'left out: {count} {why}', file=sys.stderr)
    return 0


if __name__ == '__main__':
    sys.exit(main())
