"""How the help of the commands looks, and what they say of a system that fails them."""

from __future__ import annotations

import argparse
import errno
import os
from typing import Callable

from .temporary import NO_ROOM


class HelpFormatter(argparse.HelpFormatter):
    """Looks the same under every release of Python, since man pages are made from it: names what an option takes once, which Python before 3.13 repeats."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        taken = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {taken}"


def with_program(parser: argparse.ArgumentParser, arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of a command that runs a program, and the program's command line; ``--`` may stand between them."""
    if "--" in arguments:
        at = arguments.index("--")
        return parser.parse_args(arguments[:at]), arguments[at + 1 :]
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    return options, options.program


def at_least(least: int) -> Callable[[str], int]:
    """Reads whole numbers from one on."""

    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"give at least {least}")
        return value

    number.__name__ = "int"  # in messages
    return number


def seconds_above_0(text: str) -> float:
    """Reads a time."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("give seconds above 0")
    return value


seconds_above_0.__name__ = "float"  # in messages


def unusable(problem: OSError) -> str:
    """One sentence on an error of the system that a command cannot go on after."""
    reason = problem.strerror or str(problem)
    if problem.filename is None and reason == os.strerror(errno.ENOENT):
        return "the working folder no longer exists; change to another one"
    if problem.errno in (*NO_ROOM, errno.EROFS):
        advice = "; set TMPDIR to a folder with space for temporary files" if "allocsim-" in str(problem.filename) else ""
        return f"{problem.filename or 'the standard output'} cannot be written: {reason}{advice}"
    return f"{reason}{'' if problem.filename is None else f': {problem.filename!s}'}"
