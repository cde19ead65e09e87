"""The command ``allocsim record``."""

from __future__ import annotations

import argparse
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import Any, Sequence

from .files import rank_path
from .follow import VARIABLE
from .recorder import MAX_ENTRIES, say

#: The folder with the start-up file of Python that begins a recording in the processes of a program.
SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")


def main(arguments: Sequence[str]) -> int:
    """Runs a program with recording; returns its exit code."""
    options, program = _parse(list(arguments))
    if not program:
        say("needs a program, as in: allocsim record -- python train.py")
        return 2
    if shutil.which(program[0]) is None:
        say(f"there is no program {program[0]}; write it as on the command line: allocsim record -- python train.py")
        return 2
    path = os.path.abspath(rank_path(options.output, ""))
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        say(f"the folder {folder} does not exist; make it first")
        return 1
    began = time.time()
    environment = dict(os.environ)
    environment[VARIABLE] = json.dumps(
        {
            "path": path,
            "max_entries": options.max_entries,
            "stacks": options.stacks,
            "flush_seconds": options.flush_seconds,
            "parent": os.getpid(),
        }
    )
    inherited = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = SITE + (os.pathsep + inherited if inherited else "")
    code = run_program(program, environment)
    written = written_files(path, began)
    if written:
        for each in written:
            say(f"{os.path.relpath(each)} ({os.path.getsize(each) / 1e6:.1f} MB)")
        # Ranks are asked about together.
        subject = written[0] if len(written) == 1 else os.path.dirname(written[0])
        say(f"next: allocsim diagnose {os.path.relpath(subject)}")
    else:
        say("nothing was recorded: no Python process of this program used CUDA through PyTorch")
    return code


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        prog="allocsim record",
        usage="allocsim record [-o FILE] [--max-entries N] [--stacks KIND] [--flush SECONDS] -- PROGRAM...",
        description="Records the GPU memory of a PyTorch program, without a change to it, with all that a"
        " snapshot lacks: settings, limit, GPU, releases, emptied caches, pools, steps.",
        epilog="Writes the file at the end, when a request fails, on SIGTERM and on SIGUSR2 (send it to the"
        " command, which passes it on), and in between. Ranks write side by side: run.rank0.pickle.",
    )
    parser.add_argument(
        "-o", "--output", default="run.pickle", metavar="FILE", help="file to write; ending in .gz it is packed"
        " (default: run.pickle)",
    )
    parser.add_argument(
        "--max-entries", type=_positive, default=MAX_ENTRIES, metavar="N",
        help="entries of the history that are kept, the latest (default: %(default)s)",
    )
    parser.add_argument(
        "--stacks", choices=("python", "all", "none"), default="python",
        help="stacks to record: python, all (C++ too; slower), none (default: python)",
    )
    parser.add_argument(
        "--flush", dest="flush_seconds", type=float, default=60.0, metavar="SECONDS",
        help="shortest time between files written in between, 0 for none (default: 60)",
    )
    if "--" in arguments:
        at = arguments.index("--")
        return parser.parse_args(arguments[:at]), arguments[at + 1 :]
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    return options, options.program


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("give at least 1")
    return value


def run_program(program: Sequence[str], environment: dict[str, str], output: Any = None) -> int:
    """Runs a program, passes signals on to it, and returns its exit code; its output goes to a file, else to ours."""
    process = subprocess.Popen(program, env=environment, stdout=output)

    def pass_on(number: int, frame: Any) -> None:
        if process.poll() is None:
            process.send_signal(number)

    # Ctrl-C reaches the program by itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), pass_on)
    code = process.wait()
    return 128 - code if code < 0 else code


def written_files(path: str, began: float) -> list[str]:
    """The recordings of a run that began at a time, in seconds, by its ranks and processes."""
    found = {path, *glob.glob(glob.escape(path.removesuffix(".gz").removesuffix(".pickle")) + ".*.pickle*")}
    return sorted(each for each in found if os.path.isfile(each) and os.path.getmtime(each) >= began - 1 and not each.endswith(".part"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
