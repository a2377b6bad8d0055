#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats all C++ files in place; with --check it changes nothing and fails on the first difference.
# Other versions of clang-format than the one .clang-format was written for disagree in details, so
# they may format but not judge: the check is then skipped and says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly written_for=14
program=clang-format
if command -v "clang-format-$written_for" >/dev/null; then program=clang-format-$written_for; fi
command -v "$program" >/dev/null || { echo "format: clang-format is not installed" >&2; exit 1; }
version=$("$program" --version | grep -oE 'version [0-9]+' | cut -d' ' -f2)

mapfile -d '' -t files < <(
  git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' ':!tests/corpus' |
    while IFS= read -r -d '' file; do [[ ! -f $file ]] || printf '%s\0' "$file"; done)
((${#files[@]} > 0)) || { echo "format: no C++ files" >&2; exit 0; }

case "${1:-}" in
  '') printf '%s\0' "${files[@]}" | xargs -0 "$program" -i --style=file ;;
  --check)
    if [[ $version != "$written_for" ]]; then
      echo "format: NOT CHECKED: clang-format is version $version, the rules are for $written_for" >&2
      exit 0
    fi
    printf '%s\0' "${files[@]}" | xargs -0 "$program" --dry-run --Werror --style=file || {
      echo "format: run \"make format\"" >&2
      exit 1
    }
    echo "format: ${#files[@]} files: clean"
    ;;
  *) echo "usage: tools/format.sh [--check]" >&2; exit 2 ;;
esac
