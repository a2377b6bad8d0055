#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""House rules that no compiler checks, each as one small function.

    house_lint.py --root .          prints one complaint a line; exit code 1 if there is any

A rule is a generator over a Tree that yields "file:line: what is wrong, and what to do".
A new rule is a new function in RULES with a violation in house_lint_test.py.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

CPP = ('.cpp', '.hpp')
SPDX = 'SPDX-License-Identifier: Apache-2.0'
SPDX_NAMES = ('CMakeLists.txt', 'Makefile', '.clang-format', '.clang-tidy', '.editorconfig')
SPDX_SUFFIXES = CPP + ('.h', '.c', '.cc', '.py', '.sh', '.cmake', '.in', '.yml', '.yaml', '.toml')
README_HEADINGS = ('**What lives here.**', '**What never lives here', '**Whom it may see.**',
                   '**Start reading at.**')
README_LINES = 25
FILE_LINES, LINE_COLUMNS = 600, 100
DRAWERS = {'util', 'utils', 'misc', 'common', 'helper', 'helpers', 'manager', 'managers', 'impl',
           'stuff'}
# These files spell the forbidden words, because they look for them.
SELF = {'tools/house_lint.py', 'tools/house_lint_test.py'}
# Recorded inputs and outputs are judged by the tests that own them.
RECORDED = ('tests/corpus/', 'tests/golden/')
SKIPPED_FOLDERS = {'.git', 'build', '__pycache__', '.cache', '.ccache', '.idea', '.vscode'}

# Paths and tools of one author's machine mean nothing to a reader elsewhere. Character classes
# keep this list from matching itself in a plain search.
PRIVATE_WORDS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (
    r'(?<![\w.])/[w]ork/',
    r'\b[s]hared/(?:design|kit|hooks)\b',
    r'\b[s]ub-?agents?\b',
    r'\b[c]laude\b',
    r'\b[a]nthropic\b',
    r'\b[c]opilot\b',
    r'\b(?:[a]i|llm)[- ](?:generated|written|assisted|authored)\b',
    r'\b(?:written|generated|made) (?:by|with) (?:an? )?(?:[a]i|llm)\b',
    r'\b(?:previous|earlier|last|another|parallel|working|coding|agent) [s]essions?\b',
    r'\b[s]ession of the project\b',
    r'\b[i]ssues (?:show|list|file)\b(?= *[\d`\'"]|$)',
    r'\b[c]o-authored-by:',
))
OPTIONAL_DATA = re.compile(r'(?P<up>\.\./)?\b[s]hared/data\b')


class Tree:
    """The files of the project, read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.names = sorted(self._tracked() or self._walk())
        self._texts = {}

    def _tracked(self):
        """Files that git knows or would add, so that build outputs are not judged."""
        try:
            done = subprocess.run(
                ['git', '-C', str(self.root), 'ls-files', '-z', '--cached', '--others',
                 '--exclude-standard'], capture_output=True, text=True, check=False)
        except OSError:
            return []
        names = done.stdout.split('\0') if done.returncode == 0 else []
        return [n for n in names if n and (self.root / n).is_file()]

    def _walk(self):
        for folder, folders, files in os.walk(self.root):
            folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS]
            for file in files:
                yield (pathlib.Path(folder) / file).relative_to(self.root).as_posix()

    def text(self, name):
        """The text of a file, or None where it is not text."""
        if name not in self._texts:
            try:
                self._texts[name] = (self.root / name).read_bytes().decode('utf-8')
            except UnicodeDecodeError:
                self._texts[name] = None
            if '\0' in (self._texts[name] or ''):
                self._texts[name] = None
        return self._texts[name]

    def lines(self, name):
        return enumerate((self.text(name) or '').splitlines(), 1)

    def prose_and_code(self):
        """Files that people write and read."""
        return [n for n in self.names
                if n not in SELF and n != 'LICENSE' and not n.startswith(RECORDED)
                and self.text(n) is not None]

    def cpp(self):
        return [n for n in self.names if n.endswith(CPP) and not n.startswith(RECORDED)]


def rooms(tree):
    return sorted({n.split('/')[1] for n in tree.names if re.match(r'horus/\w+/.', n)})


def stem_words(name):
    return pathlib.PurePosixPath(name).stem.lower().replace('-', '_').split('_')


def check_spdx(tree):
    for name in tree.names:
        path = pathlib.PurePosixPath(name)
        if name.startswith(RECORDED):
            continue
        first = (tree.text(name) or '').splitlines()[:3]
        is_source = path.suffix in SPDX_SUFFIXES or path.name in SPDX_NAMES
        is_script = bool(first) and first[0].startswith('#!')
        if (is_source or is_script) and not any(SPDX in line for line in first):
            yield f'{name}:1: the first lines must hold "{SPDX}"'


def check_room_readme(tree):
    for room in rooms(tree):
        name = f'horus/{room}/README.md'
        text = tree.text(name) if name in tree.names else None
        if text is None:
            yield f'{name}: missing; every room says what lives here and what does not'
            continue
        if len(text.splitlines()) > README_LINES:
            yield f'{name}: longer than {README_LINES} lines'
        if not text.startswith(f'# {room}: '):
            yield f'{name}:1: must begin with "# {room}: " and a few words'
        places = [text.find(heading) for heading in README_HEADINGS]
        for heading, place in zip(README_HEADINGS, places):
            if place < 0:
                yield f'{name}: lacks the heading "{heading}"'
        if -1 not in places and places != sorted(places):
            yield f'{name}: the headings are not in their usual order'


def check_size(tree):
    for name in tree.cpp():
        count = len((tree.text(name) or '').splitlines())
        if count > FILE_LINES:
            yield f'{name}: {count} lines; more than {FILE_LINES} are two things'
        for number, line in tree.lines(name):
            if len(line) > LINE_COLUMNS:
                yield f'{name}:{number}: longer than {LINE_COLUMNS} columns'


def check_todo(tree):
    for name in tree.prose_and_code():
        for number, line in tree.lines(name):
            if re.search(r'\b(?:TODO|FIXME)\b(?!\(#\d+\))', line):
                yield f'{name}:{number}: write TODO(#n) with the number of an issue, or nothing'


def check_disabled_tests(tree):
    for name in tree.cpp():
        for number, line in tree.lines(name):
            if re.search(r'\bDISABLED_\w|\bGTEST_SKIP\b', line) and \
                    not re.search(r'\(#\d+\)|SHARED_DATA|<<', line):
                yield f'{name}:{number}: a test that does not run must cite its issue: (#n)'


def check_banned_words(tree):
    for name in tree.cpp():
        in_apps = name.startswith(('horus/apps/', 'examples/'))
        for number, line in tree.lines(name):
            code = line.split('//')[0]
            if re.search(r'\busing\s+namespace\b(?!\s+[\w:]*\bliterals;)', code):
                yield f'{name}:{number}: "using namespace" hides names; use a using-declaration'
            if re.search(r'\bstd::cout\b', code) and not in_apps:
                yield f'{name}:{number}: std::cout belongs in apps; return a value instead'


def check_file_names(tree):
    for name in tree.names:
        parts = name.split('/')
        judged = parts[1:] if parts[0] == 'horus' else parts[-1:]
        if parts[0] not in ('horus', 'tools', 'cmake', 'examples'):
            continue
        for part in judged:
            found = DRAWERS.intersection(stem_words(part))
            if found and not {'gpu', 'util'} <= set(stem_words(part)):
                yield f'{name}: "{min(found)}" names a drawer, not a thing'
        if parts[0] == 'horus' and parts[-1].endswith(CPP) and \
                not re.fullmatch(r'[a-z][a-z0-9_]*\.[ch]pp', parts[-1]):
            yield f'{name}: C++ files are named in snake_case'


def check_duplicate_names(tree):
    owners = collections.defaultdict(list)
    for name in tree.names:
        if name.startswith('horus/') and not name.endswith(('README.md', 'CMakeLists.txt')):
            owners[name.rsplit('/', 1)[1]].append(name)
    for names in owners.values():
        if len(names) > 1:
            yield f'{names[1]}: the file name is already used by {names[0]}'


def check_private_words(tree):
    for name in tree.prose_and_code():
        for number, line in tree.lines(name):
            for pattern in PRIVATE_WORDS:
                if match := pattern.search(line):
                    yield f'{name}:{number}: "{match[0]}" means nothing outside; leave it out'
            for match in OPTIONAL_DATA.finditer(line):
                if name.endswith('.md') or not match['up']:
                    yield (f'{name}:{number}: "{match[0]}" is optional data of tests: '
                           'name HORUS_SHARED_DATA instead')


def check_adr_index(tree):
    index = 'docs/adr/README.md'
    records = [n for n in tree.names if re.fullmatch(r'docs/adr/[^/]+\.md', n) and n != index]
    listed = set(re.findall(r'\]\((?:\./)?([^)#/]+\.md)', tree.text(index) or '')) \
        if index in tree.names else set()
    for name in records:
        if name.rsplit('/', 1)[1] not in listed:
            yield f'{name}: is not listed in {index}'
        if not re.fullmatch(r'\d{4}-[a-z0-9-]+\.md', name.rsplit('/', 1)[1]):
            yield f'{name}: records are named NNNN-a-few-words.md, NNNN being the issue'


def markdown_links(text):
    """(line number, target) of each link outside code blocks and code spans."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r'\s*(```|~~~)', line):
            fenced = not fenced
        if fenced:
            continue
        line = re.sub(r'`[^`]*`', '', line)
        for match in re.finditer(r'\]\(\s*<?([^)<>\s]+)>?(?:\s+"[^"]*")?\s*\)', line):
            yield number, match[1]
        if match := re.match(r'\s*\[[^\]]+\]:\s+(\S+)', line):
            yield number, match[1]


def anchors(text):
    """The anchors that a renderer makes from the headings of a page."""
    made = set()
    for line in text.splitlines():
        if match := re.match(r'#{1,6}\s+(.*)', line):
            words = re.sub(r'[^\w\- ]', '', match[1].strip().lower())
            made.add(words.replace(' ', '-'))
    return made


def check_links(tree):
    for name in (n for n in tree.names if n.endswith('.md') and not n.startswith(RECORDED)):
        for number, target in markdown_links(tree.text(name) or ''):
            if re.match(r'[a-z][a-z0-9+.-]*:', target):
                continue
            path, _, anchor = target.partition('#')
            goal = (tree.root / name).parent / path if path else tree.root / name
            if not goal.exists():
                yield f'{name}:{number}: the link {target} leads nowhere'
            elif anchor and goal.suffix == '.md' and \
                    anchor not in anchors(goal.read_text(encoding='utf-8')):
                yield f'{name}:{number}: the page of {target} has no such heading'


def check_golden(tree):
    folders = {n.split('/')[2] for n in tree.names if re.match(r'tests/golden/[^/]+/.', n)}
    for folder in sorted(folders):
        if f'tests/golden/{folder}/README.md' not in tree.names:
            yield f'tests/golden/{folder}: lacks a README.md that says what it shows'


def check_whitespace(tree):
    for name in tree.prose_and_code():
        text = tree.text(name)
        if '\r' in text:
            yield f'{name}: has carriage returns; lines end with a line feed'
        if text and not text.endswith('\n'):
            yield f'{name}: does not end with a line feed'
        if name.endswith(CPP + ('.py', '.sh', '.cmake')):
            for number, line in tree.lines(name):
                if line != line.rstrip() or (line.startswith('\t') and name.endswith(CPP)):
                    yield f'{name}:{number}: stray white space'


RULES = (check_spdx, check_room_readme, check_size, check_todo, check_disabled_tests,
         check_banned_words, check_file_names, check_duplicate_names, check_private_words,
         check_adr_index, check_links, check_golden, check_whitespace)


def complaints(root):
    tree = Tree(root)
    return [c for rule in RULES for c in rule(tree)], len(tree.names)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--root', required=True, type=pathlib.Path)
    found, files = complaints(parser.parse_args(arguments).root)
    if not files:
        found.append('house: found no file, which proves nothing')
    print('\n'.join(found) or f'house: {len(RULES)} rules, {files} files: clean')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
