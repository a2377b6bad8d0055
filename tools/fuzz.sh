#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   tools/fuzz.sh SECONDS [BUILD_DIR]
#
# Runs every fuzz target of BUILD_DIR (default build/fuzz) for SECONDS. The inputs of
# tests/corpus/<name>/ are the start, copied first so that the repository stays as it is. A crash,
# a hang (10 s for one input) or growth (2 GiB) fails the run and keeps the input that caused it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-}
build=${2:-build/fuzz}
[[ $seconds =~ ^[1-9][0-9]*$ && $# -le 2 ]] || {
  echo "usage: tools/fuzz.sh SECONDS [BUILD_DIR]" >&2
  exit 2
}
shopt -s nullglob
targets=("$build"/bin/*_fuzz)
((${#targets[@]} > 0)) || { echo "fuzz: there is no fuzz target in $build/bin" >&2; exit 1; }

scratch=$(mktemp -d)
keep=no
trap '[[ $keep == yes ]] || rm -rf "$scratch"' EXIT
failed=()
for target in "${targets[@]}"; do
  name=$(basename "$target" _fuzz)
  mkdir -p "$scratch/$name/corpus" "$scratch/$name/found"
  for folder in "tests/corpus/$name" "tests/corpus/${name}_fuzz"; do
    if [[ -d $folder ]]; then cp -R "$folder/." "$scratch/$name/corpus/"; fi
  done
  options=(-max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1
    -artifact_prefix="$scratch/$name/found/")
  # A seed makes a run repeatable; by default each run looks elsewhere.
  if [[ -n ${FUZZ_SEED:-} ]]; then options+=(-seed="$FUZZ_SEED"); fi
  inputs=$(find "$scratch/$name/corpus" -type f | wc -l)
  echo "== $name: $seconds s, from $inputs inputs"
  if "$target" "${options[@]}" "$scratch/$name/corpus" >"$scratch/$name/log" 2>&1 </dev/null; then
    grep -E '^stat::(number_of_executed_units|peak_rss_mb)' "$scratch/$name/log" || true
  else
    tail -n 60 "$scratch/$name/log"
    failed+=("$name")
    keep=yes
    echo "fuzz: $name FAILED; the input that caused it:" >&2
    find "$scratch/$name/found" -type f -printf "  $target %p\n" >&2
  fi
done
if ((${#failed[@]} > 0)); then
  echo "fuzz: ${#failed[@]} of ${#targets[@]} targets failed: ${failed[*]}" >&2
  exit 1
fi
echo "fuzz: ${#targets[@]} targets, $seconds s each: clean"
