"""The command ``allocsim estimate``."""

from __future__ import annotations

import argparse
import json
import os
import re
from typing import Any, Sequence

from ..engine import one_process
from ..missing import missing_folder
from ..recorder.files import cannot_be_read, rank_path, whole
from ..recorder.program import NotRun, Signals, runnable
from ..recording import AllocsimError
from ..systems import other_system
from ..temporary import temporary_folder
from ..usage import HelpFormatter, Parser, at_least, seconds_above_0, similar, unusable, with_program
from ..visible import from_here
from .again import run_longest, run_with_all
from .answer import answer, asks_alike, ended_early, reserved_bytes
from .cards import CARDS
from .costliest import costliest
from .files import scratch_base
from .hosts import MOST_GPUS
from .runs import Runs, has_compiled, mark_of, say
from .screen import print_answer, print_line, unused_options
from .standin import NoStandIn, library_folder
from .vary import Vary


def main(arguments: Sequence[str]) -> int:
    """Runs a program without a GPU, and says what it would need of one; returns the exit code."""
    other = other_system("estimate", arguments)
    if other:
        say(other)
        return 1
    try:
        with Signals(say) as signals, one_process():
            return _estimate(arguments, signals)
    except AllocsimError as problem:
        say(f"a recording cannot be simulated: {problem}")
        return 1
    except NotRun as problem:
        return _wrong(str(problem))
    except BrokenPipeError:
        raise
    except OSError as problem:
        say(unusable(problem))
        return 1


def _estimate(arguments: Sequence[str], signals: Signals) -> int:
    options, program = with_program(options_parser(), list(arguments))
    program = runnable(program, "estimate")
    if options.device not in CARDS:
        return _wrong(f"--device {options.device} is not a known GPU; {similar(options.device, CARDS)}")
    if options.world == 0:
        return _wrong("--world 0 has no ranks; give at least 1")
    if options.gpus is not None and options.gpus > MOST_GPUS:
        return _wrong(f"--gpus {options.gpus} is more than a host has; the maximum is {MOST_GPUS}")
    if options.gpus is not None and options.world is not None:
        return _wrong("--gpus is for one process with several GPUs, --world for ranks, which have one each; omit one of them")
    if options.rank is not None and options.world is not None and options.rank >= options.world:
        return _wrong(f"--rank {options.rank} is beyond --world {options.world}; ranks count from 0")
    try:
        values = dict(value_at(each) for each in options.value)
        vary = Vary.parse(options.vary) if options.vary else None
    except ValueError as problem:
        return _wrong(str(problem))
    if cannot_be_read(options.output):
        return _wrong(f"-o {options.output} is not a regular file; name one, or omit -o")
    path = os.path.abspath(rank_path(options.output, ""))
    for folder in (os.path.dirname(path), *([os.path.dirname(os.path.abspath(options.json))] if options.json else [])):
        if not os.path.isdir(folder):
            say(missing_folder(folder))
            return 1
    if not os.access(os.path.dirname(path), os.W_OK | os.X_OK):
        say(f"the folder {os.path.dirname(path)} cannot be written to; name another file with -o")
        return 1
    try:
        library = library_folder()
    except (NoStandIn, OSError) as problem:
        say(str(problem))
        return 1
    runs = Runs(options, program, values, str(library), path, signals)
    if vary is not None:
        # What a run needs is compared with the card afterwards.
        options.unlimited, runs.may_end_early = True, False
        return vary.search(runs, CARDS[options.device], options.device)
    with temporary_folder(scratch_base()) as caches:
        return _run(options, runs, path, caches)


def _run(options: argparse.Namespace, runs: Runs, path: str, caches: str) -> int:
    """Runs the program and says what that showed; the exit code. The folder ``caches`` is for what torch.compile keeps."""
    code, report = run_with_all(runs, path, *runs.run(path, {}, caches=caches))
    if report is None:
        return code
    if options.only_record and report["file"] is not None:
        if not ended_early(report):
            return code
        # How it ended needs no simulator.
        print_answer(answer(report | {"file": None}, options.device))
        return code or 1
    try:
        return _answer(options, runs, code, report, caches)
    except SystemExit:
        if report["file"] is not None and os.path.isfile(report["file"]):
            say(f"ended by a signal before the answer; wrote {from_here(report['file'])}{report['reach']}")
        raise


def _answer(options: argparse.Namespace, runs: Runs, code: int, report: dict[str, Any], caches: str) -> int:
    """Says what a run showed, for which it may take more runs; the exit code."""
    failed = None
    if report["out_of_memory_error"] is not None and report["ended"] == "error":
        say(f"the memory of {options.device} is not enough; running again without that limit to find out how much the program needs")
        failed = report
        report = runs.run(runs.path, {}, unlimited=True)[1] or failed
    if options.rank is None and not ended_early(report) and report["file"] is not None:
        runs, report = costliest(runs, report, reserved_bytes, say)
    if report["file"] is not None:
        say(f"wrote {from_here(report['file'])}{report['reach']}")
    others: dict[str, dict[str, Any] | None] = {}
    with temporary_folder() as folder:

        def run(key: str, **how: Any) -> None:
            others[key] = runs.run(os.path.join(folder, f"{key}.pickle"), {}, unlimited=True, **how)[1]

        if not ended_early(report):
            if report["watchdog_decides"] and options.watchdog is None:
                run("prompt_watchdog_reserved_bytes", watchdog="prompt")
            if report["gpu_decides"] and options.gpu is None:
                run("lagging_gpu_reserved_bytes", gpu="behind")
            if report["selections"] or report["picks"]:
                run("min_selected_reserved_bytes", selections="few")
            if report["picks"]:
                run("max_picked_reserved_bytes", selections="most")
            if report["draws"]:
                run("same_choices_reserved_bytes", selections="alike")
            if report["may_draw_lengths"]:
                run("other_draws_reserved_bytes")
                again = others["other_draws_reserved_bytes"]
                if again is not None and asks_alike(report, again):
                    # The lengths come from elsewhere, and are the same in each run.
                    report["drawn_order"] = 0.0
                    del others["other_draws_reserved_bytes"]
            if has_compiled(caches):
                run("cached_compiler_reserved_bytes", caches=caches)
        found = answer(report, options.device, others, out_of_memory=failed)
        for sentence in unused_options(found, options.rank, [value_at(each)[0] for each in options.value]):
            say(sentence)
        if mark_of(report["file"]) != report["mark"]:
            say(f"another program replaced or removed {from_here(report['file'])} in the meantime, so there is no answer; give each estimate its own file with -o")
            return 1
        longest = None if options.longest is None or not found["complete"] else run_longest(runs, folder, report, options.longest)
        if longest is not None:
            found["longest"] = answer(longest[1], options.device) | {"length": longest[0]}
    # Before whoever reads the text has enough of it.
    if options.json:
        with temporary_folder() as folder, whole(options.json, folder) as stream:
            stream.write(f"{json.dumps(found, indent=2)}\n".encode())
    print_answer(found)
    if longest is not None:
        print_line("")
        print_line(f"With the longest batch ({longest[0]} long):")
        print_answer(found["longest"])
    # A card that is too small is an answer, not a failure.
    return 0 if found["complete"] else code or 1


def value_at(text: str) -> tuple[str, float]:
    """The place and the value of ``FILE:LINE=VALUE``.

    Raises:
        ValueError: it is anything else.
    """
    place, _, value = text.rpartition("=")
    file, _, line = place.rpartition(":")
    if not file or not re.fullmatch("[0-9]{1,9}", line):
        raise ValueError(f"--value {text} is not FILE:LINE=VALUE, as in train.py:57=0.5")
    try:
        return place, float(value)
    except ValueError:
        raise ValueError(f"--value {text}: {value} is not a number") from None


def options_parser() -> argparse.ArgumentParser:
    """The options, without the program."""
    parser = Parser(
        prog="allocsim estimate",
        formatter_class=HelpFormatter,
        usage="allocsim estimate [--device CARD] [--steps N] [--time SECONDS] [--longest [LENGTH]] [-o FILE] [--json FILE] [--fake-weights] [--value FILE:LINE=VALUE] [--vary NAME=FROM..TO] [--gpus N] [--rank R] [--world N] [--watchdog WHEN] [--gpu HOW] [--unlimited] [--allow-writes] [--stacks KIND] [--only-record] -- PROGRAM...",
        description="Estimates the GPU memory of a PyTorch program, without a GPU. The program runs unchanged, with the CUDA build of PyTorch, on a mock CUDA driver that computes nothing; what its allocator does is recorded.",
        epilog="The recording is read by every command: tune, min-capacity, peak, fit, diagnose, view.",
    )
    parser.add_argument("--device", default="h100-80gb", metavar="GPU", help="the GPU; see 'allocsim list devices' (default: %(default)s)")
    parser.add_argument(
        "--steps", type=at_least(0), metavar="N",
        help="end the program after N optimizer steps, 0: let it finish (default: until steps request nothing new and evaluation and generation have run)",
    )
    parser.add_argument(
        "--time", type=seconds_above_0, metavar="SECONDS",
        help="end the program after this time, counted from its first use of CUDA (default: 120, with --steps: no limit)",
    )
    parser.add_argument(
        "--longest", nargs="?", type=at_least(0), const=0, metavar="LENGTH",
        help="run it again with one DataLoader batch of length LENGTH (default: the longest that the program can produce, if known)",
    )
    parser.add_argument("-o", "--output", default="estimate.pickle", metavar="FILE", help="file for the recording (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="file for the answer as JSON")
    parser.add_argument(
        "--value", action="append", default=[], metavar="FILE:LINE=VALUE",
        help="value that the program reads from the GPU at a line, if it depends on weights or activations (otherwise: 1 for floats, 0 for integers, false, and all elements of a mask)",
    )
    parser.add_argument(
        "--fake-weights", action="store_true",
        help="neither initialize nor load weights: models of Transformers are built from their configuration, and large host tensors use no memory",
    )
    parser.add_argument(
        "--vary", metavar="NAME=FROM..TO",
        help="find the largest value that fits; it replaces {NAME} in the program's arguments and is in the environment as NAME in capitals",
    )
    parser.add_argument(
        "--gpus", type=at_least(1), metavar="N",
        help="number of GPUs that the program sees, all alike (default: as many as CUDA_VISIBLE_DEVICES names, or 1; ranks see those of their host)",
    )
    parser.add_argument(
        "--rank", type=at_least(0), metavar="R",
        help="the rank to run if the program is a job of several ranks (default: 0, plus the largest if ranks exchange messages)",
    )
    parser.add_argument(
        "--world", type=at_least(0), metavar="N", help="number of ranks of the job (default: from torchrun, accelerate, deepspeed or the program itself)"
    )
    parser.add_argument(
        "--watchdog", choices=("late", "prompt"),
        help="when NCCL's watchdog releases the first buckets of DistributedDataParallel (default: the answer covers both)",
    )
    parser.add_argument(
        "--gpu", choices=("behind", "prompt"),
        help="when the GPU finishes with freed memory that another stream uses: at once, or when the host waits for it (default: the answer covers both)",
    )
    parser.add_argument(
        "--unlimited", action="store_true",
        help="let requests exceed the GPU's memory, to see how much a program that does not fit would need (default: they fail as on the GPU)",
    )
    parser.add_argument(
        "--allow-writes", action="store_true",
        help="let the program write, rename and delete your files (default: such changes go to a temporary folder that only the program sees, and are dropped)",
    )
    parser.add_argument("--stacks", choices=("python", "all", "none"), default="python", help="stacks to record (default: python)")
    parser.add_argument("--only-record", action="store_true", help="only write the recording, without an answer")
    return parser


def _wrong(sentence: str) -> int:
    say(sentence)
    return 2
