#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of truth_table.py on made-up files in the formats of its sources."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import truth_table

LUCID_SOLO = '''model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,label
ResNet18,CIFAR-10,64,0,100,50,10,2000,1
NeuMF,MovieLens,64,1,100,10,1,1500,0
PPO,LunarLander,32,0,5,12,1,900,0
'''
LUCID_PAIRS = ''',model1,dataset1,gpu_num1,batchsize1,amp1,speed1,model2,dataset2,gpu_num2,batchsize2,amp2,speed2,gpu_util,gmem_util,gmem
0,ResNet18,CIFAR-10,1,64,0,0.5,NeuMF,MovieLens,1,64,1,0.8,99,1,3500
1,NeuMF,MovieLens,1,64,1,0.4,ResNet18,CIFAR-10,1,64,0,0.25,99,1,3500
2,PPO,LunarLander,1,32,0,1,NeuMF,MovieLens,1,64,1,1,9,1,1000
'''
GAVEL_PAIRS = '''gpu,job1,n1,job2,n2,steps_per_s_1,steps_per_s_2,solo_steps_per_s_1,solo_steps_per_s_2
v100,ResNet-18 (batch size 16),1,LM (batch size 5),1,2,4,4,5
v100,ResNet-18 (batch size 16),1,A3C,1,2,4,4,5
v100,ResNet-50 (batch size 64),1,LM (batch size 5),1,0,0,4,5
v100,ResNet-18 (batch size 16),2,LM (batch size 5),2,1,1,4,5
'''


def convert(source, pairs, solo=None):
    """(rows of the table, rows of the mix, what was said)."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / 'pairs').write_text(pairs, encoding='utf-8')
        arguments = [source, '--pairs', str(path / 'pairs'), '--table', str(path / 'table'),
                     '--mix', str(path / 'mix')]
        if solo:
            (path / 'solo').write_text(solo, encoding='utf-8')
            arguments += ['--solo', str(path / 'solo')]
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = truth_table.main(arguments)
        if code:
            return code, None, said.getvalue()
        return ((path / 'table').read_text(encoding='utf-8').splitlines()[1:],
                (path / 'mix').read_text(encoding='utf-8').splitlines()[1:], said.getvalue())


class TruthTable(unittest.TestCase):
    def test_lucid_averages_repetitions_in_either_order(self):
        table, mix, said = convert('lucid', LUCID_PAIRS, LUCID_SOLO)
        # ResNet: 1/0.5 and 1/0.25, mean 3; NeuMF: 1/0.8 and 1/0.4, mean 1.875.
        self.assertEqual(table, ['RTX3090,neumf:b64:amp,,,,0.1,1500',
                                 'RTX3090,resnet18-cifar:b64:fp32,,,,0.5,2000',
                                 'RTX3090,neumf:b64:amp,resnet18-cifar:b64:fp32,1.875,3,,'])
        self.assertEqual(mix[0], 'neumf:b64:amp,neumf,64,,amp,adam,,,1,0.1,1500,0.15')
        self.assertIn('left out: 1 pairs of models that the zoo lacks', said)

    def test_gavel_keeps_single_gpu_pairs_that_ran(self):
        table, mix, said = convert('gavel', GAVEL_PAIRS)
        self.assertEqual(table,
                         ['V100-16GB,lstm-lm:b5:fp32,resnet18-cifar:b16:fp32,1.25,2,,'])
        self.assertEqual(len(mix), 2)
        for line in ('left out: 1 pairs of gangs or of other GPUs',
                     'left out: 1 pairs of models that the zoo lacks',
                     'left out: 1 pairs that did not run'):
            self.assertIn(line, said)

    def test_nothing_usable_is_an_error(self):
        code, _, said = convert('gavel', GAVEL_PAIRS.splitlines()[0] + '\n')
        self.assertEqual(code, 1)
        self.assertIn('found no pair', said)


if __name__ == '__main__':
    unittest.main()
