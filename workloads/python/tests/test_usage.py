"""What the commands say of options and names that they do not know."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from allocsim.advise.command import options_parser as advise_parser  # noqa: E402
from allocsim.estimate.command import options_parser as estimate_parser  # noqa: E402
from allocsim.estimate.screen import unused_options  # noqa: E402
from allocsim.estimate.vary import Vary  # noqa: E402
from allocsim.recorder.command import options_parser as record_parser  # noqa: E402
from allocsim.usage import similar, with_program  # noqa: E402
from allocsim.visible import shell_word  # noqa: E402


def refusal(parser, *arguments):
    err = io.StringIO()
    with contextlib.redirect_stderr(err), unittest.TestCase().assertRaises(SystemExit) as ended:
        with_program(parser, [*arguments, "--", "python", "train.py"])
    assert ended.exception.code == 2
    return err.getvalue()


class UsageTest(unittest.TestCase):
    def test_a_mistyped_option_has_a_suggestion_in_one_sentence(self):
        self.assertEqual("allocsim estimate: unknown option '--devise'; did you mean --device?\n", refusal(estimate_parser(), "--devise", "h100"))
        self.assertEqual("allocsim record: unknown option '--flash'; did you mean --flush?\n", refusal(record_parser(), "--flash=3"))
        self.assertEqual("allocsim advise: unknown option '--remedys'; did you mean --remedy?\n", refusal(advise_parser(), "--remedys", "bf16"))
        self.assertEqual("allocsim record: unknown option '--xyz'; see 'allocsim record --help'\n", refusal(record_parser(), "--xyz"))

    def test_a_mistyped_word_has_a_suggestion(self):
        self.assertEqual(
            "allocsim record: argument --stacks: 'phyton' is not one of python, all, none; did you mean python?\n", refusal(record_parser(), "--stacks", "phyton")
        )
        self.assertEqual(
            "allocsim estimate: argument --watchdog: 'x' is not one of late, prompt; see 'allocsim estimate --help'\n", refusal(estimate_parser(), "--watchdog", "x")
        )

    def test_names_may_lack_their_size(self):
        self.assertEqual("did you mean h100-80gb?", similar("h10", ["a100-80gb", "h100-80gb"]))
        self.assertEqual("choose from one, two", similar("zzz", ["one", "two"]))

    def test_the_usage_names_every_option_of_estimate(self):
        parser = estimate_parser()
        for action in parser._actions:
            if action.option_strings and action.dest != "help":
                self.assertTrue(any(f"[{name}" in parser.usage for name in action.option_strings), action.option_strings)


@unittest.skipIf(os.name != "posix", "needs sh")
class ShellWordTest(unittest.TestCase):
    def read(self, word):
        return subprocess.run(["sh", "-c", f"printf %s {word}"], capture_output=True, text=True, check=True).stdout

    def test_a_path_is_one_word_of_a_shell(self):
        for path in ("runs/a.pickle", "my runs/a.pickle", 'a"b.pickle', "$HOME.pickle", "a`b\\c.pickle", "it's.pickle"):
            self.assertEqual(path, self.read(shell_word(path)))
        self.assertEqual("runs/a.pickle", shell_word("runs/a.pickle"))
        self.assertEqual("./-x.pickle", shell_word("-x.pickle"))


class UnusedOptionsTest(unittest.TestCase):
    found = {"complete": True, "world": 1, "reads": [{"line": "/a/train.py:57"}], "selections": [], "picks": [{"line": "/a/pick.py:3"}]}

    def test_what_made_no_difference_is_said(self):
        self.assertEqual(
            [
                "--rank 3 had no effect: the program is a single process, not a job of several ranks",
                "--value train.py:58 had no effect: the program read no unknown value at that line",
            ],
            unused_options(self.found, 3, ["train.py:57", "pick.py:3", "train.py:58"]),
        )

    def test_nothing_is_said_of_what_did(self):
        self.assertEqual([], unused_options(self.found | {"world": 4}, 3, ["/a/train.py:57"]))
        self.assertEqual([], unused_options(self.found | {"complete": False}, 3, ["train.py:58"]))


class VaryTest(unittest.TestCase):
    def sentence(self, largest, **fits):
        return Vary("batch", 1, 8).sentence("t4", largest, {int(name[1:]): {"fits": each} for name, each in fits.items()})

    def test_what_may_fit_is_not_said_to_fit(self):
        self.assertEqual(
            "batch 4 is the largest that may fit on t4; 5 does not fit; 2 is the largest value tried that is sure to fit.",
            self.sentence(4, v2="yes", v4="maybe", v5="no"),
        )
        self.assertEqual("batch 8, the largest value tried, may fit on t4; no value tried is sure to fit.", self.sentence(8, v8="maybe"))

    def test_what_fits_is_said_so(self):
        self.assertEqual("batch 4 is the largest that fits on t4; 5 does not fit.", self.sentence(4, v4="yes", v5="no"))
        self.assertEqual("batch 8, the largest value tried, fits on t4.", self.sentence(8, v8="yes"))


if __name__ == "__main__":
    unittest.main()
