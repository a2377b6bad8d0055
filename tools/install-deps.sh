#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the packages that Horus is built and tested with, and nothing that is already there.
#
#   tools/install-deps.sh           to build, test and measure
#   tools/install-deps.sh --ci      also what the full check needs: clang, its tools, valgrind
#   tools/install-deps.sh --check   install nothing; exit code 1 if something is missing
#   tools/install-deps.sh --print   print the package names, one a line
#
# Supported: Debian 12 and 13, Ubuntu 24.04 (with "universe"). On other systems it says what is
# needed and stops. Set HORUS_SKIP_DEPS=1 to skip it where the libraries come from elsewhere.
set -euo pipefail

readonly build_packages=(
  make g++ cmake ninja-build ccache python3 python3-venv
  libexpected-dev libfmt-dev libonnx-dev libprotobuf-dev protobuf-compiler
  nlohmann-json3-dev libcli11-dev zlib1g-dev
  libeigen3-dev libxgboost-dev xgboost
  libgtest-dev libgmock-dev libbenchmark-dev libonnx-testdata
  librsvg2-bin
)
readonly ci_packages=(git clang clang-tidy clang-format valgrind)
readonly needs="CMake 3.25, g++ 12 or clang 14, Ninja, Python 3.11, and the libraries
tl::expected 1.0, fmt 9, ONNX 1.12 (C++), protobuf 3.21, nlohmann-json 3.11, CLI11 2.1, zlib,
Eigen 3.4, XGBoost 1.7;
for tests GoogleTest 1.12 and Google Benchmark 1.7; for pictures as PNG rsvg-convert.
Not supported: other compilers, Windows, macOS, and releases with older versions than these
(Debian 11, Ubuntu 22.04)."

say() { printf 'install-deps: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

mode=install
full=no
for argument in "$@"; do
  case "$argument" in
    --ci) full=yes ;;
    --check) mode=check ;;
    --print) mode=print ;;
    -h | --help) sed -n '4,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) say "unknown option $argument; --help lists the options"; exit 2 ;;
  esac
done

have_dpkg() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

system_name() {
  # shellcheck disable=SC1091
  (. /etc/os-release 2>/dev/null && printf '%s-%s' "${ID:-unknown}" "${VERSION_ID:-}") || echo unknown
}

# The major version of the distribution's default clang. An installed clang answers at once;
# otherwise the package index does.
clang_major() {
  local depends
  depends=$(dpkg-query -W -f '${Depends}' clang 2>/dev/null || true)
  [[ -n $depends ]] || depends=$(apt-cache depends clang 2>/dev/null || true)
  grep -oE 'clang-[0-9]+' <<<"$depends" | head -n 1 | cut -d- -f2 || true
}

packages() {
  printf '%s\n' "${build_packages[@]}"
  [[ $full == yes ]] || return 0
  printf '%s\n' "${ci_packages[@]}"
  local major
  major=$(clang_major)
  # libFuzzer and the sanitizers of clang are a package of their own, named by version.
  if [[ -n $major ]]; then printf 'libclang-rt-%s-dev\n' "$major"; fi
}

missing_packages() {
  local installed
  # dpkg-query fails when a package is unknown to it, which here only means "not installed".
  # shellcheck disable=SC2046
  installed=$(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' $(packages) 2>/dev/null |
    sed -n 's/^installed \([^:]*\).*/\1/p' || true)
  comm -23 <(packages | sort -u) <(sort -u <<<"$installed")
}

is_known_system() {
  case "$(system_name)" in debian-12 | debian-13 | ubuntu-24.04) return 0 ;; *) return 1 ;; esac
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
    sudo "$@"
  else
    return 126
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

apt_update() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -o Acquire::Retries=3 </dev/null
}

# Packages that the local index does not offer.
unknown_packages() {
  local package
  for package in "$@"; do
    apt-cache show "$package" >/dev/null 2>&1 || printf '%s ' "$package"
  done
}

explain_without_root() {
  say "these packages are missing, and this is neither root nor a user whom sudo lets through:"
  say "  $*"
  say "ask an administrator to run:  apt-get install $*"
  say "or set HORUS_SKIP_DEPS=1 when the libraries come from elsewhere."
  exit 1
}

install_missing() {
  local -a missing=("$@")
  say "installing: ${missing[*]}"
  as_root true || explain_without_root "${missing[@]}"
  if [[ -n $(unknown_packages "${missing[@]}") ]] || ! apt_install "${missing[@]}"; then
    say "the package index does not serve; refreshing it once"
    apt_update || say "apt-get update failed; trying with the index as it is"
    if [[ $full == yes ]]; then mapfile -t missing < <(missing_packages); fi
    local unknown
    unknown=$(unknown_packages "${missing[@]}")
    [[ -z $unknown ]] || die "the package sources do not offer: $unknown(on Ubuntu: is universe on?)"
    apt_install "${missing[@]}" || die "apt-get install failed; its message is above"
  fi
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} == 0)) || die "still missing after installing: ${missing[*]}"
}

main() {
  if [[ $mode == print ]]; then packages; return 0; fi
  if [[ ${HORUS_SKIP_DEPS:-0} == 1 ]]; then
    say "skipped, because HORUS_SKIP_DEPS=1"
    return 0
  fi
  if ! have_dpkg; then
    say "this system ($(system_name)) has no apt, so nothing can be installed from here."
    die "Horus needs: $needs"
  fi
  local -a missing
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    if [[ $mode == check ]]; then say "everything is installed"; fi
    return 0
  fi
  if [[ $mode == check ]]; then
    say "missing: ${missing[*]}"
    return 1
  fi
  if ! is_known_system; then
    say "missing: ${missing[*]}"
    say "this system ($(system_name)) is none of Debian 12, Debian 13, Ubuntu 24.04, so nothing"
    say "was installed: its packages may have other names or be too old."
    die "Horus needs: $needs"
  fi
  install_missing "${missing[@]}"
}

main
