#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file sees a room it may not see, or a pure room touches the outside world.

The build writes layers.txt, one line per room: `room:PURE:dep,dep` or `room::dep,dep`.
Checks, each independent of the others:
  table     rooms are declared once and depend only on rooms declared above them;
  include   every #include "horus/<room>/..." against that table;
  library   every #include <...> against LIBRARY_ROOM: one library, one room;
  text      words that break determinism or ownership rules, with what to use instead;
  symbol    `nm` on each pure room's archive: catches what a macro or a helper hides.
Comments and string literals do not count as code.
"""
import argparse
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]horus/(\w+)/([^">]*)[">]')
LOCAL = re.compile(r'^\s*#\s*include\s+"(?!horus/)([^"]+)"')
SYSTEM = re.compile(r'^\s*#\s*include\s+<(?!horus/)([^>]+)>')

TOP = 'apps'          # sees every room, is seen by none
TESTKIT = 'testkit'   # is seen by tests, benchmarks and fuzz targets only
ANYWHERE, NOWHERE = None, frozenset()

# One library, one room. A prefix of the header's path; the first match decides.
LIBRARY_ROOM = (
    ('onnx/', {'graph'}),
    ('google/protobuf', {'graph'}),
    ('nlohmann/', {'wire'}),
    ('CLI/', {'apps'}),
    ('xgboost/', {'predict'}),
    ('Eigen/', {'lab'}),
    ('unsupported/Eigen/', {'lab'}),
    ('zlib.h', {'os'}),
    ('tl/', {'base'}),
    ('fmt/', ANYWHERE),
    ('gtest/', {'testkit'}),
    ('gmock/', {'testkit'}),
    ('benchmark/', NOWHERE),
    ('random', NOWHERE),
)
TEST_LIBRARY = {'_test': ('gtest/', 'gmock/', 'fcntl.h', 'unistd.h', 'sys/'),
                '_bench': ('benchmark/',), '_fuzz': ()}
LIBRARY_HINT = {'random': 'no room: use horus::Rng', 'benchmark/': '*_bench.cpp files only',
                'gtest/': 'testkit and *_test.cpp files', 'gmock/': 'testkit and *_test.cpp files'}
# Standard headers whose only purpose is the outside world.
IMPURE_HEADER = {'thread', 'mutex', 'shared_mutex', 'condition_variable', 'future', 'semaphore',
                 'latch', 'barrier', 'stop_token', 'fstream', 'iostream', 'filesystem', 'ctime',
                 'csignal'}

PURE = 'pure'  # in TEXT: the rule is for the production code of pure rooms
DETERMINISTIC = {'sched', 'engine', 'sim'}
TEXT = (
    (r'\bunordered_(?:multi)?(?:map|set)\b', DETERMINISTIC,
     'std::map or a sorted vector: order must not depend on hashing'),
    (r'\bshared_ptr\b', ANYWHERE, 'a value or unique_ptr, or say why on the line: // shared: ...'),
    (r'\busing\s+namespace\b(?!\s+[\w:]*\bliterals;)', ANYWHERE, 'a using-declaration'),
    (r'\brandom_device\b|\bmt19937(?:_64)?\b|\bstd::(?:uniform|normal|bernoulli)\w*_distribution\b',
     ANYWHERE, 'horus::Rng, which is the same on every compiler'),
    (r'(?<![\w:])(?:std::)?s?rand\s*\(', ANYWHERE, 'horus::Rng, which is the same on every compiler'),
    (r'_clock::now\b|(?<![\w.>:])(?:std::|::)?time\s*\(\s*(?:NULL|nullptr|0|&)|\bgettimeofday\b'
     r'|\bclock_gettime\b', PURE, 'the injected Clock'),
    (r'\b(?:secure_)?getenv\b|\bsetenv\b', PURE, 'a configuration value handed in by the caller'),
    (r'\bstd::(?:cout|cerr|clog|cin)\b|(?<![\w:])(?:std::)?v?f?printf\s*\(|\bf?puts\s*\('
     r'|\bfmt::v?print\b', PURE, 'a returned value: pure rooms do not print'),
    (r'\bstd::(?:basic_)?[io]?fstream\b|\bfopen\b|\bmmap\b|\bstd::filesystem::(?!path\b)',
     PURE, 'bytes handed in by the caller: files belong to os'),
    (r'\bstd::(?:jthread|thread|async|mutex|shared_mutex|condition_variable)\b'
     r'|\bthis_thread\b|\bpthread_\w+', PURE, 'plain code: threads belong to os and the drivers'),
    (r'(?<![\w:])(?:std::)?system\s*\(|\bpopen\b|\bsocket\s*\(', PURE,
     'an effect that a driver carries out'),
)
TEXT = tuple((re.compile(pattern), rooms, instead) for pattern, rooms, instead in TEXT)
# A failed HORUS_CHECK ends the process, so this one pair of files may say why on stderr.
MAY_PRINT = {'horus/base/check.hpp', 'horus/base/check.cpp'}
PRINTS = 'pure rooms do not print'
MAY_PRINT_SYMBOL = {'base': re.compile(r'\bfmt::v\d+::v?print\(')}

BANNED_SYMBOL = re.compile(
    r'system_clock::now|steady_clock::now|high_resolution_clock::now|std::random_device'
    r'|std::basic_[io]?fstream<|std::basic_filebuf<|std::thread::_M_start|std::filesystem::'
    r'|std::c(?:out|err|log|in)\b|\bfmt::v\d+::v?print\(')
BANNED_C_SYMBOL = {
    'getenv', 'secure_getenv', 'setenv', 'rand', 'srand', 'random', 'time', 'socket', 'open',
    'open64', 'openat', 'fopen', 'fopen64', 'gettimeofday', 'clock_gettime', 'printf', 'puts',
    '__printf_chk', 'mmap', 'mmap64', 'pthread_create', 'system', 'popen', 'fork', 'usleep',
    'nanosleep'}

LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def code_lines(text):
    """The lines of a file with comments and literals blanked; #include lines keep their path."""
    def blank(match):
        start = text.rfind('\n', 0, match.start()) + 1
        if match[0][0] == '"' and re.match(r'\s*#\s*include\b', text[start:match.start()]):
            return match[0]
        return re.sub(r'[^\n]', ' ', match[0])
    return LITERAL.sub(blank, text).splitlines()


def read_table(text):
    """layers.txt -> ({room: (is_pure, rooms it sees)}, complaints)."""
    table, bad = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split(':')
        if len(fields) != 3 or fields[1] not in ('', 'PURE') or not fields[0]:
            bad.append(f'layers.txt:{number}: expected "room:PURE:dep,dep" or "room::dep,dep"')
            continue
        room, pure, deps = fields[0], fields[1] == 'PURE', set(filter(None, fields[2].split(',')))
        if room in table:
            bad.append(f'layers.txt:{number}: room {room} is declared twice')
        for dep in sorted(deps):
            if dep not in table:
                bad.append(f'layers.txt:{number}: {room} depends on {dep}, '
                           'which is not declared above it')
            elif pure and not table[dep][0]:
                bad.append(f'layers.txt:{number}: pure room {room} depends on {dep}, '
                           'which is not pure')
            if dep == TOP:
                bad.append(f'layers.txt:{number}: nobody may depend on {TOP}')
        table[room] = (pure, deps)
    return table, bad


class File:
    """One source file and what the rules need to know about it."""

    def __init__(self, root, path, room, table):
        self.name = path.relative_to(root).as_posix()
        self.text = path.read_text(encoding='utf-8')
        self.room = room
        self.kind = next((s for s in TEST_LIBRARY if path.stem.endswith(s)), '')
        pure, deps = table.get(room, (False, set()))
        self.pure = pure and not self.kind
        if room in (TOP, TESTKIT):
            deps = set(table) - {TOP}
        self.sees = deps | {room} | ({TESTKIT} if self.kind or room == TOP else set())


def check_includes(file, table):
    for number, line in enumerate(code_lines(file.text), 1):
        at = f'{file.name}:{number}:'
        if match := LOCAL.match(line):
            yield f'{at} write the path from the repository root instead of "{match[1]}"'
        if not (match := INCLUDE.match(line)):
            continue
        room, rest = match.groups()
        if room == TOP and file.room != TOP:
            yield f'{at} nobody may include {TOP}'
        elif room not in table and room not in (TOP, TESTKIT):
            yield f'{at} there is no room {room} in the build'
        elif room not in file.sees:
            sees = ', '.join(sorted(file.sees - {file.room})) or 'nothing'
            yield f'{at} {file.room} may not include {room} (it sees: {sees})'
        if room != file.room and (rest.startswith('detail/') or '/detail/' in rest):
            yield f'{at} {room}/detail is private to {room}'


def check_libraries(file):
    for number, line in enumerate(code_lines(file.text), 1):
        if not (match := SYSTEM.match(line)):
            continue
        header, at = match[1], f'{file.name}:{number}:'
        if any(header.startswith(lib) for lib in TEST_LIBRARY.get(file.kind, ())):
            continue
        if file.pure and header in IMPURE_HEADER:
            yield f'{at} pure room {file.room} may not include <{header}>'
        for prefix, rooms in LIBRARY_ROOM:
            if header.startswith(prefix) if '/' in prefix else header == prefix:
                if rooms is not ANYWHERE and file.room not in rooms:
                    where = LIBRARY_HINT.get(prefix) or ', '.join(sorted(rooms))
                    yield f'{at} <{header}> belongs in {where}'
                break
        else:
            if ('/' in header or '.' in header) and file.room != 'os':
                yield (f'{at} <{header}> is neither C++ standard nor a known library: '
                       'it belongs in os, or in the table of tools/check_layers.py')


def check_text(file):
    original = file.text.splitlines()
    for number, line in enumerate(code_lines(file.text), 1):
        for pattern, rooms, instead in TEXT:
            if rooms is PURE:
                applies = file.pure
            else:
                applies = rooms is ANYWHERE or (file.room in rooms and not file.kind)
            if not applies or not pattern.search(line):
                continue
            if 'shared_ptr' in pattern.pattern and re.search(r'// shared: \S', original[number - 1]):
                continue
            if PRINTS in instead and file.name in MAY_PRINT:
                continue
            yield f'{file.name}:{number}: use {instead}'


def undefined_symbols(archive):
    listing = subprocess.run(['nm', '-C', '--undefined-only', str(archive)], check=True,
                             capture_output=True, text=True).stdout
    return sorted({line.split(maxsplit=1)[1] for line in listing.splitlines()
                   if re.match(r'\s*U\s', line)})


def check_symbols(room, archive):
    allowed = MAY_PRINT_SYMBOL.get(room)
    for symbol in undefined_symbols(archive):
        if allowed and allowed.search(symbol):
            continue
        if BANNED_SYMBOL.search(symbol) or symbol.split('@')[0] in BANNED_C_SYMBOL:
            yield f'{archive.name}: pure room {room} uses {symbol}'


def room_files(root, room):
    return sorted(p for p in (root / 'horus' / room).rglob('*') if p.suffix in ('.hpp', '.cpp'))


def check_sources(root, table):
    """All complaints about the text of the files, and the number of files."""
    bad, count = [], 0
    for folder in sorted(p for p in (root / 'horus').iterdir() if p.is_dir()):
        if folder.name not in table and folder.name not in (TOP, TESTKIT):
            bad.append(f'horus/{folder.name}: this room is not declared in the build')
        for path in room_files(root, folder.name):
            file = File(root, path, folder.name, table)
            count += 1
            bad += [*check_includes(file, table), *check_libraries(file), *check_text(file)]
    return bad, count


def check_archives(root, build, table):
    bad, count = [], 0
    for room in (r for r, (pure, _) in table.items() if pure):
        archive = build / 'lib' / f'libhorus_{room}.a'
        if archive.exists():
            bad += check_symbols(room, archive)
            count += 1
        elif any(p.suffix == '.cpp' and not p.stem.endswith(tuple(TEST_LIBRARY))
                 for p in room_files(root, room)):
            bad.append(f'{archive}: missing, so the symbols of room {room} were not checked')
    return bad, count


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--layers', required=True, type=pathlib.Path)
    parser.add_argument('--root', required=True, type=pathlib.Path)
    parser.add_argument('--build', type=pathlib.Path, help='where lib/libhorus_<room>.a lie')
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    table, bad = read_table(options.layers.read_text(encoding='utf-8'))
    complaints, files = check_sources(root, table)
    bad += complaints
    archives = 0
    if options.build:
        complaints, archives = check_archives(root, options.build, table)
        bad += complaints
    if not table or not files:
        bad.append('layers: found no room or no file, which proves nothing')
    print('\n'.join(bad) or f'layers: {len(table)} rooms, {files} files, {archives} archives: clean')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
