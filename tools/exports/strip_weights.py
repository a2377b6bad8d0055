#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the weights out of an ONNX file: what stays says what a network costs, not what it knows.

    strip_weights.py network.onnx network.onnx.gz

Contents of large tensors are replaced by a reference to external data that is absent, so that
shapes and types stay. Doc strings and stack traces go too: they hold paths of the machine that
exported.
Everything else stays as the exporter wrote it, in its order. Needs nothing but Python: a few lines
walk the wire format of protobuf, and files of any version of ONNX pass through.
"""
import argparse
import gzip
import pathlib

# Contents up to these sizes stay: shapes depend on small integers, operators on small floats
# (scales of Resize, bounds of Clip). In bytes.
INTEGERS_KEPT, FLOATS_KEPT = 1024, 64
INTEGER_TYPES = {2, 3, 4, 5, 6, 7, 9, 12, 13}  # TensorProto.DataType

# Field numbers of onnx.proto.
MODEL_DOC, MODEL_GRAPH, MODEL_FUNCTIONS = 6, 7, 25
GRAPH_NODE, GRAPH_INITIALIZER, GRAPH_DOC, GRAPH_METADATA = 1, 5, 10, 16
GRAPH_INPUT, GRAPH_OUTPUT, GRAPH_VALUE = 11, 12, 13
NODE_ATTRIBUTE, NODE_DOC, NODE_METADATA = 5, 6, 9
ATTRIBUTE_TENSOR, ATTRIBUTE_GRAPH, ATTRIBUTE_TENSORS, ATTRIBUTE_GRAPHS = 5, 6, 10, 11
ATTRIBUTE_DOC = 13
FUNCTION_NODE, FUNCTION_DOC, FUNCTION_VALUE, FUNCTION_METADATA = 7, 8, 12, 14
VALUE_DOC, VALUE_METADATA = 3, 4
TENSOR_DIMS, TENSOR_TYPE, TENSOR_NAME, TENSOR_DOC = 1, 2, 8, 12
TENSOR_CONTENTS = {4, 5, 6, 7, 9, 10, 11}
TENSOR_EXTERNAL, TENSOR_LOCATION, TENSOR_METADATA = 13, 14, 16
EXTERNAL = 1  # TensorProto.DataLocation
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """Yields (number, value, raw bytes of the whole field); value is an int or a memoryview."""
    at = 0
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = read_varint(data, at)
        elif wire == BYTES:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"byte {start}: no ONNX file has wire type {wire}; is this one?")
        if at > len(data):
            raise ValueError(f"byte {start}: field {number} ends beyond the file")
        yield number, value, bytes(data[start:at])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | BYTES) + varint(len(data)) + data


def is_private(entry):
    """A StringStringEntryProto with a trace of the exporter's call stack."""
    return any(number == 1 and bytes(value).endswith(b"stack_trace")
               for number, value, _ in fields(entry))


def rewritten(data, children, dropped=(), metadata=None):
    """A message with `children` (field number to function) rewritten and `dropped` left out."""
    out = []
    for number, value, raw in fields(data):
        if number in dropped or (number == metadata and is_private(value)):
            continue
        out.append(field(number, children[number](value)) if number in children else raw)
    return b"".join(out)


def strip_tensor(data):
    parts = list(fields(data))
    type_ = next((value for number, value, _ in parts if number == TENSOR_TYPE), 0)
    contents = sum(len(raw) for number, _, raw in parts if number in TENSOR_CONTENTS)
    is_external = any(number == TENSOR_EXTERNAL for number, _, _ in parts)
    limit = INTEGERS_KEPT if type_ in INTEGER_TYPES else FLOATS_KEPT
    is_dropped = is_external or contents > limit
    gone = {TENSOR_DOC, TENSOR_METADATA}
    if is_dropped:
        gone |= TENSOR_CONTENTS | {TENSOR_EXTERNAL, TENSOR_LOCATION}
    kept = b"".join(raw for number, _, raw in parts if number not in gone)
    if not is_dropped:
        return kept
    location = field(1, "location") + field(2, "weights.bin")
    return kept + field(TENSOR_EXTERNAL, location) + field(TENSOR_LOCATION, EXTERNAL)


def strip_value(data):
    return rewritten(data, {}, {VALUE_DOC, VALUE_METADATA})


def strip_attribute(data):
    return rewritten(data, {ATTRIBUTE_TENSOR: strip_tensor, ATTRIBUTE_TENSORS: strip_tensor,
                            ATTRIBUTE_GRAPH: strip_graph, ATTRIBUTE_GRAPHS: strip_graph},
                     {ATTRIBUTE_DOC})


def strip_node(data):
    return rewritten(data, {NODE_ATTRIBUTE: strip_attribute}, {NODE_DOC}, NODE_METADATA)


def strip_graph(data):
    return rewritten(data, {GRAPH_NODE: strip_node, GRAPH_INITIALIZER: strip_tensor,
                            GRAPH_INPUT: strip_value, GRAPH_OUTPUT: strip_value,
                            GRAPH_VALUE: strip_value}, {GRAPH_DOC}, GRAPH_METADATA)


def strip_function(data):
    return rewritten(data, {FUNCTION_NODE: strip_node, FUNCTION_VALUE: strip_value},
                     {FUNCTION_DOC}, FUNCTION_METADATA)


def strip_model(data):
    """The bytes of a ModelProto without its weights."""
    return rewritten(memoryview(data), {MODEL_GRAPH: strip_graph, MODEL_FUNCTIONS: strip_function},
                     {MODEL_DOC})


def write_stripped(data, path):
    """Writes the stripped model to `path`, compressed where that ends in .gz. Returns its size."""
    stripped = strip_model(data)
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(stripped, 9, mtime=0) if path.suffix == ".gz" else stripped)
    return len(stripped)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path, help="compressed where it ends in .gz")
    arguments = parser.parse_args()
    size = write_stripped(arguments.source.read_bytes(), arguments.target)
    print(f"{arguments.target}: {size} bytes, {arguments.target.stat().st_size} on disk")


if __name__ == "__main__":
    main()
