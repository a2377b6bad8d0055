# SPDX-License-Identifier: Apache-2.0
"""The README's tour is what the program prints: every command in it is run and compared."""
import pathlib
import re
import shlex
import unittest

from harness import CliTest

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def tour():
    """(command, shown output) for each '$ horus ...' of the README's code blocks."""
    for block in re.findall(r"```\n(.*?)```", README.read_text(), re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


class Readme(CliTest):
    def test_every_shown_line_is_printed_in_this_order(self):
        commands = list(tour())
        self.assertGreaterEqual(len(commands), 5)
        for command, shown in commands:
            words = shlex.split(command)
            self.assertEqual(words[0], "horus")
            done = self.run_horus(*words[1:])
            self.assertEqual(done.returncode, 0, command)
            printed = (done.stdout + done.stderr).decode().splitlines()
            place = 0
            for line in shown.rstrip("\n").splitlines():
                if line == "...":  # a documented cut
                    continue
                self.assertIn(line, printed[place:], f"{command}: README shows a line that is stale")
                place = printed.index(line, place) + 1


if __name__ == "__main__":
    unittest.main()
