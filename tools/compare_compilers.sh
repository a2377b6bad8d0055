#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Same seed, same bytes: runs one set of commands with the program of each compiler, twice, and
# compares what they print.
#
#   tools/compare_compilers.sh [HORUS_A HORUS_B]    default: build/dev (gcc), build/clang
set -euo pipefail

first=$(realpath "${1:-build/dev/bin/horus}")
second=$(realpath "${2:-build/clang/bin/horus}")
folder=$(mktemp -d "${TMPDIR:-/tmp}/horus-compare.XXXXXX")
trap 'rm -rf "$folder"' EXIT

outputs() { # outputs PROGRAM FOLDER
  mkdir -p "$2"
  cd "$2"
  "$1" zoo --json >zoo.json
  for network in resnet50 bert-base lstm-lm inception-v3; do
    "$1" zoo "$network" -o "$network.onnx" 2>/dev/null
    "$1" inspect "$network.onnx" --batch 16 --json >"$network.inspect.json"
    "$1" predict "$network.onnx" --gpu K80,V100-16GB,A100-40GB,RTX3090 --batch 16 --precision amp \
      --with zoo:vgg16@8 --json >"$network.predict.json"
  done
  "$1" simulate --generate philly-like --jobs 2000 --load 1.1 --seed 7 \
    --cluster 4x8xV100-16GB+2x4xA100-40GB --events events.jsonl --json >simulate.json
  "$1" simulate --generate philly-like --jobs 1000 --closed --seed 8 --gangs shared \
    --cluster 2x8xV100-16GB >simulate.txt
}

outputs "$first" "$folder/first"
outputs "$first" "$folder/again"
outputs "$second" "$folder/second"
diff -r "$folder/first" "$folder/again" || { echo "compare: two runs differ" >&2; exit 1; }
diff -r "$folder/first" "$folder/second" || { echo "compare: two compilers differ" >&2; exit 1; }
echo "compare: $(find "$folder/first" -type f | wc -l) outputs, byte-identical twice and on both compilers"
