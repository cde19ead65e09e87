"""The command ``allocsim estimate``."""

from __future__ import annotations

import argparse
import json
import os
import pickle
import shutil
import sys
import tempfile
import time
from typing import Any, NoReturn, Sequence

from ..recorder.command import SITE, run_program, written_files
from ..recorder.files import rank_path
from ..recorder.follow import VARIABLE as RECORD_VARIABLE
from ..recorder.recorder import MAX_ENTRIES
from ..visible import visible
from .answer import Vary, answer, print_answer
from .cards import CARDS
from .hosts import rank_environment
from .inside import VARIABLE
from .standin import LIBRARY, NoStandIn, library_folder

#: Most programs are at their peak in the second step, when the optimizer's state is there.
STEPS = 5

#: Folders of what torch.compile made, and what keeps it in one process.
COMPILER_CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
COMPILER = {"TORCHINDUCTOR_COMPILE_THREADS": "1", "TORCHINDUCTOR_BUNDLE_TRITON_INTO_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}


def main(arguments: Sequence[str]) -> int:
    """Runs a program without a GPU, and says what it would need of one; returns the exit code."""
    options, program = _parse(list(arguments))
    if not program:
        return _wrong("needs a program, as in: allocsim estimate -- python train.py")
    if shutil.which(program[0]) is None:
        return _wrong(f"there is no program {program[0]}; write it as on the command line: allocsim estimate -- python train.py")
    if options.device not in CARDS:
        return _wrong(f"--device {options.device} is no GPU that is known; there are {', '.join(CARDS)}")
    if options.rank is not None and options.rank >= options.world:
        return _wrong(f"--rank {options.rank} is beyond --world {options.world}; ranks count from 0")
    try:
        values = dict(_value(each) for each in options.value)
        vary = Vary.parse(options.vary) if options.vary else None
    except ValueError as problem:
        return _wrong(str(problem))
    path = os.path.abspath(rank_path(options.output, ""))
    if not os.path.isdir(os.path.dirname(path)):
        say(f"the folder {os.path.dirname(path)} does not exist; make it first")
        return 1
    try:
        library = library_folder()
    except (NoStandIn, OSError) as problem:
        say(str(problem))
        return 1
    runs = Runs(options, program, values, str(library), path)
    if vary is not None:
        return vary.search(runs, CARDS[options.device], options.device)
    code, report = runs.run(path, {})
    if report is None:
        return code or 1
    if options.only_record:
        return code
    say(f"wrote {os.path.relpath(report['file'])}")
    least = most = None
    with tempfile.TemporaryDirectory(prefix="allocsim-") as folder:
        if report["watchdog_decides"] and options.watchdog is None:
            least = runs.run(os.path.join(folder, "prompt.pickle"), {}, watchdog="prompt")[1]
        if report["gpu_decides"] and options.gpu is None:
            most = runs.run(os.path.join(folder, "behind.pickle"), {}, gpu="behind")[1]
        found = answer(report, options.device, least, most)
    print_answer(found)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump(found, stream, indent=2)
            stream.write("\n")
    return code


class Parser(argparse.ArgumentParser):
    """Refuses arguments in sentences that are only text."""

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


class Runs:
    """Runs of the program on the stand-in."""

    def __init__(self, options: argparse.Namespace, program: Sequence[str], values: dict[str, float], library: str, path: str) -> None:
        self._options = options
        self._program = program
        self._values = values
        self._library = library
        self._path = path

    def run(self, path: str, replaced: dict[str, str], watchdog: str = "late", gpu: str = "prompt") -> tuple[int, dict[str, Any] | None]:
        """Runs the program once, some of its arguments replaced; its exit code, and what the run reported.

        Where the user leaves them open, NCCL's watchdog (see ``ranks.Watchdog``) and the GPU are as said.

        The report is None where nothing was recorded; the reason has been said.
        """
        options = self._options
        began = time.time()
        with tempfile.TemporaryDirectory(prefix="allocsim-") as folder:
            report = os.path.join(folder, "report.json")
            os.mkdir(os.path.join(folder, "exchange"))
            environment = self._environment(path, folder, options.watchdog or watchdog, options.gpu or gpu)
            for name in replaced:
                environment[name.upper()] = replaced[name]
            program = [_filled(each, replaced) for each in self._program]
            # What the program prints is its own affair; the answer alone is on the standard output.
            code = run_program(program, environment, sys.stderr)
            if not os.path.isfile(report):
                say("the program did not load PyTorch, or its process was ended from outside; nothing was recorded")
                return code, None
            with open(report, encoding="utf-8") as stream:
                found: dict[str, Any] = json.load(stream)
        if found["problem"] is not None:
            say(f"{found['line']} cannot run without a GPU, or fails on one as well: {found['problem']}")
        written = written_files(path, began)
        if not written:
            say("nothing was recorded: no process of the program used CUDA through a CUDA build of PyTorch")
            return code or 1, None
        # A rank writes beside the path that was asked for.
        found["file"] = path if path in written else written[0]
        found["gpu_decides"] = found["unready"] > 0 and waits_for_streams(found["file"])
        return code, found

    def _environment(self, path: str, folder: str, watchdog: str, gpu: str) -> dict[str, str]:
        options = self._options
        environment = dict(os.environ)
        environment[RECORD_VARIABLE] = json.dumps(
            {"path": path, "max_entries": MAX_ENTRIES, "stacks": options.stacks, "flush_seconds": 0, "parent": os.getpid()}
        )
        environment[VARIABLE] = json.dumps(
            {
                "steps": options.steps, "values": self._values, "report": os.path.join(folder, "report.json"), "fake_weights": options.fake_weights,
                "late_watchdog": watchdog == "late", "rank": options.rank or 0, "world": options.world, "asked": options.rank or 0, "peer": False, "exchange": os.path.join(folder, "exchange"),
            }
        )
        environment["ALLOCSIM_ESTIMATE_CARD"] = CARDS[options.device].text()
        if gpu == "behind":
            environment["ALLOCSIM_ESTIMATE_BEHIND"] = "1"
        for name, value in (("LD_PRELOAD", os.path.join(self._library, LIBRARY)), ("LD_LIBRARY_PATH", self._library), ("PYTHONPATH", SITE)):
            inherited = environment.get(name)
            environment[name] = value + (os.pathsep + inherited if inherited else "")
        # Kernels that do nothing must not stay in the program's caches; without those, it compiles as on its first run on a machine.
        environment |= {name: os.path.join(folder, name.lower()) for name in COMPILER_CACHES} | COMPILER
        environment.pop("CUDA_VISIBLE_DEVICES", None)
        if options.rank is not None:
            environment |= rank_environment(options.rank, options.world)
        return environment


def waits_for_streams(path: str) -> bool:
    """Whether freed memory waited until another stream had used it: its free is complete only after something else was recorded."""
    with open(path, "rb") as stream:
        traces = pickle.load(stream)["device_traces"]
    return any(
        one["action"] == "free_requested" and (two["action"], two["addr"]) != ("free_completed", one["addr"])
        for trace in traces
        for one, two in zip(trace, trace[1:])
    )


def _filled(argument: str, replaced: dict[str, str]) -> str:
    for name, value in replaced.items():
        argument = argument.replace("{" + name + "}", value)
    return argument


def _value(text: str) -> tuple[str, float]:
    place, _, value = text.rpartition("=")
    file, _, line = place.rpartition(":")
    if not file or not line.isdigit():
        raise ValueError(f"--value {text} is not FILE:LINE=VALUE, as in train.py:57=0.5")
    try:
        return place, float(value)
    except ValueError:
        raise ValueError(f"--value {text}: {value} is no number") from None


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = Parser(
        prog="allocsim estimate",
        usage="allocsim estimate [--device CARD] [--steps N] [-o FILE] [--fake-weights] [--value FILE:LINE=VALUE] [--vary NAME=FROM..TO] [--rank R --world N] [--watchdog WHEN] [--gpu HOW] -- PROGRAM...",
        description="Says what a PyTorch program would need of a GPU, without one. The program runs as it is, in the CUDA build of"
        " PyTorch, on a library that takes the place of the GPU and computes nothing; what its allocator did is recorded.",
        epilog="The recording is read by every command: tune, min-capacity, peak, fit, diagnose, view.",
    )
    parser.add_argument("--device", default="h100-80gb", metavar="GPU", help="the GPU: 'allocsim list devices' names them (default: %(default)s)")
    parser.add_argument(
        "--steps", type=_count, default=STEPS, metavar="N",
        help="optimizer steps after which the program is ended, 0 for all that it makes (default: %(default)s)",
    )
    parser.add_argument("-o", "--output", default="estimate.pickle", metavar="FILE", help="file for the recording (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="file for the answer as JSON")
    parser.add_argument(
        "--value", action="append", default=[], metavar="FILE:LINE=VALUE",
        help="what the program reads from the GPU at a line, where it depends on weights or activations (else: 1 for floats, 0 for"
        " integers, false, and all elements of a mask)",
    )
    parser.add_argument(
        "--fake-weights", action="store_true",
        help="fill and load no weights: models of Transformers are made of their configuration, and large tensors of the host take no memory",
    )
    parser.add_argument(
        "--vary", metavar="NAME=FROM..TO",
        help="finds the largest value that fits: it stands for {NAME} in the program's arguments, and in the environment as NAME in capitals",
    )
    parser.add_argument("--rank", type=_count, metavar="R", help="the rank of a job of --world ranks, without the others")
    parser.add_argument("--world", type=_count, default=1, metavar="N", help="ranks of the job (default: %(default)s)")
    parser.add_argument(
        "--watchdog", choices=("late", "prompt"),
        help="when NCCL's watchdog lets go of the first buckets of DistributedDataParallel (default: the answer holds both)",
    )
    parser.add_argument(
        "--gpu", choices=("behind", "prompt"),
        help="when the GPU is done with freed memory that another stream uses: at once, or when the host waits for it (default: the answer holds both)",
    )
    parser.add_argument("--stacks", choices=("python", "all", "none"), default="python", help="stacks to record (default: python)")
    parser.add_argument("--only-record", action="store_true", help="write the recording, and ask nothing about it")
    if "--" in arguments:
        at = arguments.index("--")
        return parser.parse_args(arguments[:at]), arguments[at + 1 :]
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    return options, options.program


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("give at least 0")
    return value


def _wrong(sentence: str) -> int:
    say(sentence)
    return 2


def say(sentence: str) -> None:
    """One line for the user, on the standard error output."""
    print(visible(f"allocsim estimate: {sentence}"), file=sys.stderr, flush=True)
