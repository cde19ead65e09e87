"""How the help of the commands looks, and what they say of a system that fails them."""

from __future__ import annotations

import argparse
import difflib
import errno
import os
import re
import sys
from typing import Any, Callable, Iterable, NoReturn

from .temporary import NO_ROOM
from .visible import visible


def similar(name: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """The known name that a mistyped one may mean, as a remedy.

    Args:
        name: what was typed.
        known: all names that would have been right.
        otherwise: the remedy where none of them is similar; None for all names.
    """
    every = list(known)
    # A size is often left out, as are dashes.
    short = {re.sub(r"-\d+gb$", "", each): each for each in reversed(every)}
    names = {each.lower().lstrip("-"): each for each in every}
    found = difflib.get_close_matches(name.lower().replace("_", "-").lstrip("-"), {**short, **names}, n=1, cutoff=0.7)
    if found:
        return f"did you mean {({**short, **names})[found[0]]}?"
    return f"choose from {', '.join(every)}" if otherwise is None else otherwise


class Parser(argparse.ArgumentParser):
    """Refuses arguments in one sentence, which is only text, with what a mistyped word may mean."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            first = unknown[0].partition("=")[0]
            if not first.startswith("-"):
                self.error(f"'{first}' is an unexpected argument")
            names = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
            remedy = similar(first, names, "")
            self.error(f"unknown option '{first}'{'; ' + remedy if remedy else ''}")
        return options

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(each) for each in action.choices]
            remedy = similar(str(value), known, "")
            raise argparse.ArgumentError(action, f"'{value}' is not one of {', '.join(known)}{'; ' + remedy if remedy else ''}")

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith("?") else f"; see '{self.prog} --help'"
        print(visible(f"{self.prog}: {message}{end}"), file=sys.stderr)
        sys.exit(2)


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
