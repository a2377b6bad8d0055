# SPDX-License-Identifier: Apache-2.0
"""What the tools embed_*.py have in common: they spell texts in C++, and write a source or say why
there is none."""
import csv
import sys


class EmbedError(Exception):
    """What was given is not what can be embedded."""


def quoted(text):
    """A C++ string literal, in plain ASCII."""
    return '"' + ''.join(map(escaped, text)) + '"'


def escaped(character):
    if character in '\\"':
        return '\\' + character
    if ' ' <= character <= '~':
        return character
    # Octal escapes end after three digits, so that what follows stays what it is.
    return ''.join(f'\\{byte:03o}' for byte in character.encode('utf-8'))


def write_source(tool, out, make_source):
    """Writes what `make_source` returns, where `out` is a path; the exit code of `tool`. An error
    is said on standard error, and nothing is written then."""
    try:
        source = make_source()
        if out:
            out.write_text(source, encoding='utf-8', newline='\n')
    except (EmbedError, OSError, UnicodeDecodeError, csv.Error) as error:
        print(f'{tool}: {error}', file=sys.stderr)
        return 1
    return 0
