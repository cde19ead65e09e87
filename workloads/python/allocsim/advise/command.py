"""The command ``allocsim advise``: tries changes of a program until it fits, and says which."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from typing import Any, Sequence

from ..engine import one_process
from ..estimate.cards import CARDS
from ..estimate.command import options_parser as estimate_parser, value_at
from ..estimate.screen import answer_lines, print_line, size_text
from ..recording import AllocsimError, file_argument, run as ask
from ..systems import other_system
from ..recorder.program import NotRun, runnable
from ..usage import HelpFormatter, Parser, at_least, seconds_above_0, similar, unusable, with_program
from ..visible import tell
from .catalog import BadRemedy
from .trials import FILE, Trials

#: Seconds in which trials begin, unless told otherwise.
BUDGET_SECONDS = 600.0

#: Options of ``allocsim estimate`` that hold for each run.
_SHARED = ("device", "steps", "time", "fake_weights", "rank", "world")


def main(arguments: Sequence[str]) -> int:
    """Tries remedies on a program, and says which make it fit; returns the exit code."""
    other = other_system("advise", arguments)
    if other:
        say(other)
        return 1
    try:
        with one_process():
            return _advise(list(arguments))
    except AllocsimError as problem:
        say(str(problem))
        return problem.exit_code
    except (BadRemedy, NotRun) as problem:
        say(str(problem))
        return 2
    except BrokenPipeError:
        raise
    except OSError as problem:
        say(unusable(problem))
        return 1


def _advise(arguments: list[str]) -> int:
    options, program = with_program(options_parser(), arguments)
    if options.check is not None and program:
        say("--check compares the results that are already there with a recording, so it needs no program; omit what is behind --")
        return 2
    if options.check is not None:
        checked = ["--recorded", file_argument(options.check), *(["--as", options.of] if options.of is not None else [])]
        sys.stdout.write(ask("advise", file_argument(os.path.join(options.output, FILE)), *checked, *_outputs(options)))
        return 0
    program = runnable(program, "advise", "--device rtx-4090 ")
    if options.device not in CARDS:
        say(f"--device {options.device} is not a known GPU; {similar(options.device, CARDS)}")
        return 2
    try:
        values = dict(value_at(each) for each in options.value)
    except ValueError as problem:
        say(str(problem))
        return 2
    # What is not among these options is as `estimate` has it.
    shared = vars(estimate_parser().parse_args([])) | {name: getattr(options, name) for name in _SHARED} | {"unlimited": True}
    trials = Trials(options.output, {"program": program, "options": shared, "values": values, "files": [os.path.abspath(each) for each in options.remedy]})
    unknown = [each for each in options.remedies or () if each not in trials.names]
    if unknown:
        say(f"--remedies {unknown[0]} is not a known remedy; {similar(unknown[0], trials.names)}")
        return 2
    if trials.replaces:
        say(f"{trials.path} belongs to another program, or to an earlier version of this one; it is replaced")
    try:
        return _Search(options, trials).run()
    except (KeyboardInterrupt, SystemExit):
        say("ended early; repeat the command to continue")
        raise


class _Search:
    """Runs what is to be run next until there is nothing more, or no time."""

    def __init__(self, options: argparse.Namespace, trials: Trials) -> None:
        self._options = options
        self._trials = trials
        self._began = time.monotonic()
        self._is_shown = sys.stderr.isatty()

    def run(self) -> int:
        options, trials = self._options, self._trials
        if trials.baseline() is None:
            self._tell("the unchanged program ...")
            trials.run([[]], 1, self._ended)
        baseline = trials.baseline()
        assert baseline is not None
        if baseline["answer"] is None:
            say(f"{baseline['problem']}; its output is in {os.path.join(options.output, baseline.get('log', 'baseline.log'))}")
            return 1
        if not baseline["answer"]["complete"]:
            found = baseline["answer"]
            for line in answer_lines(found | {"file": found["file"] and os.path.join(options.output, found["file"])}):
                print_line(line)
            return int(baseline["answer"]["exit_code"]) or 1
        jobs = options.jobs or _jobs(baseline)
        until = self._began + options.budget
        trials.save(target_bytes=options.target, margin=options.margin, all=options.all, chosen=options.remedies, out_of_time=False)
        while combinations := self._next()["combinations"]:
            if time.monotonic() > until:
                trials.save(out_of_time=True)
                break
            trials.run(combinations, jobs, self._ended, until)
        trials.drop_recordings([[], self._next()["kept"]])
        return self._answer()

    def _next(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = json.loads(ask("advise", file_argument(self._trials.path), "--next"))
        return found

    def _answer(self) -> int:
        sys.stdout.write(ask("advise", file_argument(self._trials.path), *_outputs(self._options)))
        return 0

    def _ended(self, trial: dict[str, Any]) -> None:
        name, found = " + ".join(trial["remedies"]) or "unchanged", trial["answer"]
        if found is None:
            self._tell(f"{name}: {trial['problem']}")
        elif not found["complete"]:
            self._tell(f"{name}: {found['sentence']}")
        else:
            self._tell(f"{name}: {size_text(found['settings']['recorded']['reserved_bytes'])} ({trial['seconds']:.0f} s)")

    def _tell(self, sentence: str) -> None:
        if self._is_shown:
            say(sentence)


def _outputs(options: argparse.Namespace) -> list[str]:
    """The options that say where the answer goes."""
    found = [each for name in ("json", "csv", "report") if getattr(options, name) is not None for each in (f"--{name}", getattr(options, name))]
    return [*found, "--markdown"] if options.markdown else found


def _jobs(baseline: dict[str, Any]) -> int:
    """Runs at once, as far as processors and memory go."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open("/proc/meminfo", encoding="ascii") as stream:
            free_bytes: int = next(int(line.split()[1]) << 10 for line in stream if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return 1
    # Some remedies keep on the host what the GPU had.
    return max(1, min(cores, free_bytes // (2 * max(int(baseline["host_bytes"]), 1 << 28))))


def options_parser() -> argparse.ArgumentParser:
    """The options, without the program."""
    parser = Parser(
        prog="allocsim advise",
        formatter_class=HelpFormatter,
        usage="allocsim advise [--device GPU] [--target SIZE] [--margin SHARE] [--all] [--remedies NAME,...] [--remedy FILE] [--jobs N] [--budget SECONDS] [-o DIR] [OPTIONS of estimate] -- PROGRAM...\n       allocsim advise --check RECORDING [--as NAME,...] [-o DIR]",
        description="Finds changes that make a PyTorch program fit a GPU, without a GPU. The program runs on the mock driver as in 'allocsim estimate', first unchanged and then with one remedy after the other: checkpoints, mixed precision, smaller batches, other optimizers and more. Remedies that help are combined until the program fits.",
        epilog="The folder keeps the results: repeat an interrupted command to continue it.",
    )
    shared = {action.dest: action for action in estimate_parser()._actions}
    parser.add_argument("--device", default="h100-80gb", metavar="GPU", help=shared["device"].help)
    parser.add_argument("--target", type=_size, metavar="SIZE", help="the memory that it should fit in, such as 20GiB (default: what the GPU leaves to PyTorch)")
    parser.add_argument("--margin", type=_share, default=0.05, metavar="SHARE", help="the fraction of it to keep free (default: 0.05)")
    parser.add_argument("--all", action="store_true", help="try all remedies, even if the program fits")
    parser.add_argument("--remedies", type=lambda text: [each for each in text.split(",") if each], metavar="NAME,...", help="try only these (default: all that can help)")
    parser.add_argument("--remedy", action="append", default=[], metavar="FILE", help="a file with a remedy of your own")
    parser.add_argument("--jobs", type=at_least(1), metavar="N", help="runs at once (default: as processors and memory allow)")
    parser.add_argument("--budget", type=seconds_above_0, default=BUDGET_SECONDS, metavar="SECONDS", help="start no run after this many seconds (default: 600)")
    parser.add_argument("-o", "--output", default="advice", metavar="DIR", help=f"new folder for recordings and results ({FILE}); repeating the command continues there (default: %(default)s)")
    parser.add_argument("--check", metavar="RECORDING", help="compare the results with a recording of the changed program on a GPU; needs no program")
    parser.add_argument("--as", dest="of", metavar="NAME,...", help="with --check, the remedies applied to the recorded program, or none (default: the recommended ones)")
    parser.add_argument("--json", metavar="FILE", help="file for the answer as JSON")
    parser.add_argument("--csv", metavar="FILE", help="file for the table as CSV")
    parser.add_argument("--report", metavar="DIR", help="folder for the answer as a page, as JSON and as CSV")
    parser.add_argument("--markdown", action="store_true", help="print the answer as Markdown")
    for name in ("steps", "time", "value", "fake_weights", "rank", "world"):
        action = shared[name]
        options: dict[str, Any] = {"help": action.help, "dest": name}
        if isinstance(action, argparse._StoreTrueAction):
            parser.add_argument(*action.option_strings, action="store_true", **options)
        elif isinstance(action, argparse._AppendAction):
            parser.add_argument(*action.option_strings, action="append", default=[], metavar=action.metavar, **options)
        else:
            parser.add_argument(*action.option_strings, type=action.type or str, metavar=action.metavar, **options)
    return parser


_UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def _size(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([A-Za-z]*)", text)
    if found is None or found[2].upper() not in _UNITS or not float(found[1]):
        raise argparse.ArgumentTypeError("give a size such as 20GiB")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def _share(text: str) -> float:
    value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError("give a fraction from 0 to 1, such as 0.05")
    return value


def say(sentence: str) -> None:
    """One line for the user, on the standard error output."""
    tell(f"allocsim advise: {sentence}")
