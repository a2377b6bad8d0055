#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds Horus's shapes against the newest ONNX: every node test that the onnx package ships.

    newest_onnx_test.py --horus build/dev/bin/horus --work build/dev/oracle

The package comes from PyPI into a virtual environment under --work, once. Each test case is a graph
with its inputs and its computed outputs: with the inputs as constants, Horus must find the types and
shapes of the outputs, at every version of the operator set. Without PyPI the test is skipped (exit
code 77), and says so.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

OLDEST_ONNX = '1.18'  # The first with version 23 of the operator set.
PIP_SECONDS = 60
SKIPPED = 77
MODELS_PER_CALL = 100
FEWEST_CASES = 1400  # Of ONNX 1.18; later ones have more.

# Cases whose outputs Horus does not tell, or tells otherwise, by the start of their names.
EXPLAINED = {
    'test_image_decoder_': 'the size of an image stands in its encoded bytes',
    'test_optional_get_element_optional_tensor': 'a file does not say what a fed optional holds',
    'test_optional_has_element_': 'a file does not say what a fed optional holds',
    'test_string_split_': 'the number of parts of a string depends on its letters',
}

Case = collections.namedtuple('Case', 'name file outputs')


def skip(reason):
    print(f'SKIPPED: the newest ONNX was NOT compared with: {reason}', flush=True)
    sys.exit(SKIPPED)


def python_with_onnx(work):
    """The interpreter of a virtual environment that has onnx; made on the first call."""
    python = work / 'venv' / 'bin' / 'python'
    probe = [python, '-c', 'import onnx; print(onnx.__version__)']
    if python.exists() and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        return python
    steps = ([sys.executable, '-m', 'venv', work / 'venv'],
             [python, '-m', 'pip', 'install', '--quiet', '--no-input', '--retries', '1',
              '--timeout', '10', '--disable-pip-version-check', f'onnx>={OLDEST_ONNX}'])
    for step in steps:
        try:
            done = subprocess.run(step, capture_output=True, timeout=PIP_SECONDS, check=False)
        except (subprocess.TimeoutExpired, OSError) as error:
            skip(str(error))
        if done.returncode != 0:
            skip(done.stderr.decode(errors='replace').strip().splitlines()[-1:])
    return python


# Runs inside the virtual environment: writes one file per case, and what comes out of each.
WRITER = '''
import json, pathlib, sys, warnings
warnings.simplefilter("ignore")
import numpy, onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

def collected():
    try:
        return collect_testcases(None)
    except TypeError:
        return collect_testcases()

def constants(graph, values):
    taken = {tensor.name for tensor in graph.initializer}
    for info, value in zip(graph.input, values):
        if not info.type.HasField("tensor_type"):
            continue
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            tensor = numpy_helper.from_array(numpy.asarray(value), info.name)
        elif isinstance(value, onnx.TensorProto):
            tensor = onnx.TensorProto()
            tensor.CopyFrom(value)
            tensor.name = info.name
        else:
            continue
        if tensor.data_type == info.type.tensor_type.elem_type and info.name not in taken:
            graph.initializer.append(tensor)

def outputs_of(graph, values):
    for info, value in zip(graph.output, values):
        if info.type.HasField("tensor_type") and hasattr(value, "shape"):
            kind = onnx.TensorProto.DataType.Name(info.type.tensor_type.elem_type)
            yield {"name": info.name, "type": kind, "shape": list(value.shape)}

def undeclared(graph):
    """What inference cannot find must not be read off the declarations instead."""
    del graph.value_info[:]
    for info in graph.output:
        if info.type.HasField("tensor_type"):
            info.type.tensor_type.ClearField("shape")

folder = pathlib.Path(sys.argv[1])
index = []
for case in collected():
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    inputs, outputs = next(iter(case.data_sets))
    constants(model.graph, inputs)
    expected = list(outputs_of(model.graph, outputs))
    undeclared(model.graph)
    path = folder / (case.name + ".onnx")
    path.write_bytes(model.SerializeToString())
    index.append({"name": case.name, "file": path.name, "outputs": expected})
(folder / "index.json").write_text(json.dumps(index))
'''


def cases_of(python, work):
    """Writes the models on the first call; reads the index afterwards."""
    folder = work / 'models'
    index = folder / 'index.json'
    if not index.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([python, '-c', WRITER, folder], check=True, timeout=300)
    return [Case(case['name'], folder / case['file'], case['outputs'])
            for case in json.loads(index.read_text())]


def inspected(horus, cases):
    """The reports of the models, by case name; what was refused is absent."""
    found = {}
    for first in range(0, len(cases), MODELS_PER_CALL):
        part = cases[first:first + MODELS_PER_CALL]
        done = subprocess.run([horus, 'inspect', '--shapes', '--json', *(c.file for c in part)],
                              capture_output=True, timeout=300, check=False)
        if done.returncode < 0:
            sys.exit(f'horus ended by signal {-done.returncode} on one of {part[0].name} ...')
        for line in done.stdout.splitlines():
            report = json.loads(line)
            found[pathlib.Path(report['model']).stem] = report
    return found


# The names of TensorProto.DataType that Horus spells otherwise.
SPELLED = {'float': 'float32', 'double': 'float64'}


def complaints_of(case, report):
    if report is None:
        return ['not analysed']
    values = {value['name']: value for value in report['values']}
    gaps = '; '.join(f"{gap['op_type']}: {gap['reason']}" for gap in report.get('nodes_without_cost', []))
    complaints = []
    for output in case.outputs:
        value = values.get(output['name'])
        kind = output['type'].lower()
        if value is None:
            complaints.append(f"'{output['name']}' is not known: {gaps}")
        elif value['type'] != SPELLED.get(kind, kind):
            complaints.append(f"'{output['name']}' is of type {value['type']}, expected {kind}")
        elif not agrees(value, output['shape']):
            complaints.append(f"'{output['name']}' is {'at most ' if value['bound'] else ''}"
                              f"{value['shape']}, expected {output['shape']}")
    return complaints


def agrees(value, shape):
    if not value['bound']:
        return value['shape'] == shape
    return (len(value['shape']) == len(shape)
            and all(most >= size for most, size in zip(value['shape'], shape)))


def explanation_of(name):
    return next((start for start in EXPLAINED if name.startswith(start)), None)


def judge(cases, reports):
    """Prints what is wrong; the number of unexplained cases and the explanations that were used."""
    wrong = 0
    used = collections.Counter()
    for case in cases:
        complaints = complaints_of(case, reports.get(case.name))
        explanation = explanation_of(case.name)
        if complaints and explanation:
            used[explanation] += 1
            continue
        wrong += bool(complaints)
        for complaint in complaints:
            print(f'{case.name}: {complaint}')
    return wrong, used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--horus', required=True)
    parser.add_argument('--work', required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    python = python_with_onnx(arguments.work)
    cases = cases_of(python, arguments.work)
    wrong, used = judge(cases, inspected(arguments.horus, cases))
    outputs = sum(len(case.outputs) for case in cases)
    print(f'{len(cases)} cases, {outputs} outputs: {wrong} cases wrong, '
          f'{sum(used.values())} explained')
    if len(cases) < FEWEST_CASES:
        sys.exit(f'only {len(cases)} cases were found, expected at least {FEWEST_CASES}')
    stale = [start for start in EXPLAINED if not used[start]]
    if stale:
        print(f'no longer needed: {stale}')
    sys.exit(bool(wrong or stale))


if __name__ == '__main__':
    main()
