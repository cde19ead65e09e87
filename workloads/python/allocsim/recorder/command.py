"""The command ``allocsim record``."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Sequence

from ..missing import missing_folder
from ..usage import HelpFormatter, Parser, at_least, unusable, with_program
from ..visible import from_here, shell_word
from .files import RunFolder, Written, cannot_be_read, rank_path
from .follow import VARIABLE
from .profile import ACTIVE, ENDING, SKIPPED, WARM_UP
from .program import NotRun, Signals, runnable
from .recorder import MAX_ENTRIES, say

#: What a file says that was written before the end of its program.
_UP_TO = {
    "out_of_memory": "up to its first failed request",
    "sigterm": "up to SIGTERM",
    "sighup": "up to SIGHUP",
    "signal": "up to SIGUSR2",
}

#: The folder with the start-up file of Python that begins a recording in the processes of a program.
SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")


def main(arguments: Sequence[str]) -> int:
    """Runs a program with recording; returns its exit code."""
    try:
        return _record(arguments)
    except NotRun as problem:
        say(str(problem))
        return 2
    except OSError as problem:
        say(unusable(problem))
        return 1


def _record(arguments: Sequence[str]) -> int:
    options, program = with_program(options_parser(), list(arguments))
    program = runnable(program, "record")
    if cannot_be_read(options.output):
        say(f"-o {options.output} is not a regular file; name one, or omit -o")
        return 2
    path = os.path.abspath(rank_path(options.output, ""))
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        say(missing_folder(folder))
        return 1
    if not os.access(folder, os.W_OK | os.X_OK):
        say(f"the folder {folder} cannot be written to; name another file with -o")
        return 1
    with Signals(say, is_single=True) as signals, RunFolder.made() as run_folder:
        environment = dict(os.environ)
        environment[VARIABLE] = json.dumps(
            {
                "path": path,
                "max_entries": options.max_entries,
                "stacks": options.stacks,
                "flush_seconds": options.flush_seconds,
                "time": options.time,
                "parent": os.getpid(),
                "run_folder": run_folder,
            }
        )
        inherited = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = SITE + (os.pathsep + inherited if inherited else "")
        code = signals.run(program, environment)
        ended_seconds = time.time()
        run = RunFolder(run_folder)
        files = run.files()
        profiles = [each for each in files if each.path.endswith(ENDING)]
        written = [each for each in files if each not in profiles]
        for each in profiles:
            say(f"wrote {from_here(each.path)} ({os.path.getsize(each.path) / 1e6:.1f} MB), the profile of {each.reason}")
        for each in written:
            say(f"wrote {from_here(each.path)} ({os.path.getsize(each.path) / 1e6:.1f} MB){reach(each, ended_seconds)}")
        if written:
            # Ranks are asked about together.
            subject = written[0].path if len(written) == 1 else os.path.dirname(written[0].path)
            say(f"next: allocsim diagnose {shell_word(from_here(subject))}")
        if profiles:
            subject = profiles[0].path if len(profiles) == 1 else os.path.dirname(profiles[0].path)
            say(f"next: allocsim idle {shell_word(from_here(subject))}")
        if written or profiles:
            pass
        elif run.has("failed") or run.has("untold"):
            pass  # The process has said it.
        elif run.has("written"):
            say(f"another program replaced or removed {from_here(path)} in the meantime; give each recording its own file with -o")
        elif run.has("recording"):
            say("nothing was recorded: the program ended before its file was written, as with SIGKILL, a crash or os._exit; --flush SECONDS writes it regularly")
        elif not run.has("begun"):
            say("nothing was recorded: the program ran no Python, or with the options -I, -E or -S, which disable allocsim; omit them")
        else:
            say("nothing was recorded: no Python process of this program allocated GPU memory through PyTorch")
    return code


def reach(written: Written, ended_seconds: float) -> str:
    """How far a recording goes, where it is not to the end of its program."""
    if written.is_complete and written.reason in ("end", "error"):
        return ""
    if written.reason in _UP_TO:
        return f", {_UP_TO[written.reason]}"
    return f", up to {max(0.0, ended_seconds - written.at_seconds):.0f} s before the end of the program"


def options_parser() -> argparse.ArgumentParser:
    """The options, without the program."""
    parser = Parser(
        prog="allocsim record",
        formatter_class=HelpFormatter,
        usage="allocsim record [-o FILE] [--max-entries N] [--stacks KIND] [--flush SECONDS] [--time] -- PROGRAM...",
        description="Records the GPU memory of an unchanged PyTorch program, with everything that a snapshot does not contain: settings, limit, GPU, releases, emptied caches, pools, steps.",
        epilog="Writes the file at the end, when a request fails, on SIGTERM, SIGHUP and SIGUSR2 (send it to the command, which passes it on), and regularly in between. Each rank writes its own file: run.rank0.pickle.",
    )
    parser.add_argument(
        "-o", "--output", default="run.pickle", metavar="FILE", help="file to write; compressed if it ends in .gz (default: run.pickle)",
    )
    parser.add_argument(
        "--max-entries", type=at_least(1), default=MAX_ENTRIES, metavar="N",
        help="number of latest history entries to keep (default: %(default)s)",
    )
    parser.add_argument(
        "--stacks", choices=("python", "all", "none"), default="python",
        help="stacks to record: python, all (C++ too; slower), none (default: python)",
    )
    parser.add_argument(
        "--flush", dest="flush_seconds", type=_seconds, default=60.0, metavar="SECONDS",
        help="minimum time between regular writes in seconds, 0 for none (default: 60)",
    )
    parser.add_argument(
        "--time", action="store_true",
        help=f"also profile {ACTIVE} steps with PyTorch's profiler, after {SKIPPED + WARM_UP} optimizer steps, for allocsim idle: why is the GPU idle? "
        "The file is FILE with .trace.json.gz next to it; --stacks none makes its steps less slow",
    )
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("give seconds, or 0 for none")
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
