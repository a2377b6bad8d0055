#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   tools/tidy.sh [--all] [--seconds N] [--build DIR]
#
# Runs clang-tidy on the C++ files that differ from the parent commit (--all: on every file), in
# parallel, until N seconds are over (default 600); what was left out is said loudly. A changed
# header is looked at through a source file of the same name. DIR holds compile_commands.json
# (default build/clang).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=600 build=build/clang all=no
while (($# > 0)); do
  case "$1" in
    --all) all=yes; shift ;;
    --seconds) seconds=$2; shift 2 ;;
    --build) build=$2; shift 2 ;;
    *) echo "usage: tools/tidy.sh [--all] [--seconds N] [--build DIR]" >&2; exit 2 ;;
  esac
done
command -v clang-tidy >/dev/null || { echo "tidy: clang-tidy is not installed" >&2; exit 1; }
[[ -f $build/compile_commands.json ]] || {
  echo "tidy: $build/compile_commands.json is missing; configure that preset first" >&2
  exit 1
}

list_files() {
  if [[ $all == no ]] && git rev-parse --verify --quiet 'HEAD^' >/dev/null; then
    git diff --name-only --diff-filter=d 'HEAD^' -- '*.cpp' '*.hpp'
    git ls-files --others --exclude-standard -- '*.cpp' '*.hpp'
  else
    [[ $all == yes ]] || echo "tidy: there is no parent commit, so every file counts as changed" >&2
    git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp'
  fi
}

# The source file through which a header is looked at.
translation_unit() {
  local stem=${1%.*} candidate
  for candidate in "$1" "$stem.cpp" "${stem}_test.cpp"; do
    if [[ $candidate == *.cpp && -f $candidate ]]; then echo "$candidate"; return; fi
  done
}

mapfile -t units < <(
  list_files | while IFS= read -r file; do translation_unit "$file"; done | sort -u |
    while IFS= read -r unit; do
      if grep -qF "/$unit\"" "$build/compile_commands.json"; then echo "$unit"; fi
    done)
((${#units[@]} > 0)) || { echo "tidy: no changed C++ file that the build compiles"; exit 0; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export scratch build seconds started=$EPOCHSECONDS

one_unit() {
  if ((EPOCHSECONDS - started >= seconds)); then echo "$1" >>"$scratch/skipped"; return 0; fi
  if ! clang-tidy --quiet -p "$build" "$1" >"$scratch/out.$$" 2>"$scratch/err.$$"; then
    { cat "$scratch/out.$$"; grep -vE 'warnings? generated|warnings? treated' "$scratch/err.$$" || true; } |
      sed "s|$PWD/||g" >>"$scratch/findings"
    echo "$1" >>"$scratch/failed"
  fi
}
export -f one_unit

printf '%s\n' "${units[@]}" | xargs -P "${JOBS:-$(nproc)}" -I '{}' bash -c 'one_unit "$1"' _ '{}'

if [[ -f $scratch/skipped ]]; then
  echo "tidy: OUT OF TIME after $seconds s: $(wc -l <"$scratch/skipped") of ${#units[@]} files" \
    "were NOT checked:" >&2
  sed 's/^/  /' "$scratch/skipped" >&2
fi
if [[ -f $scratch/failed ]]; then
  # A finding in a header comes up once for each file that includes it.
  awk '!seen[$0]++' "$scratch/findings"
  echo "tidy: findings in $(wc -l <"$scratch/failed") of ${#units[@]} files" >&2
  exit 1
fi
echo "tidy: ${#units[@]} changed files: clean$([[ ! -f $scratch/skipped ]] || echo ' as far as checked')"
