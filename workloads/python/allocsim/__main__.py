"""The command ``allocsim``: records and estimates here, and leaves everything else to the program in Java."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

from .engine import EngineMissing, command


def main() -> NoReturn:
    """Runs the command that the arguments name."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["record"]:
        from .recorder.command import main as record

        sys.exit(record(arguments[1:]))
    if arguments[:1] == ["estimate"]:
        from .estimate.command import main as estimate

        sys.exit(estimate(arguments[1:]))
    try:
        program, environment = command()
    except EngineMissing as problem:
        print(f"allocsim: {problem}", file=sys.stderr)
        sys.exit(1)
    if os.name == "nt":
        sys.exit(subprocess.call([*program, *arguments], env=environment))
    if arguments in (["--help"], ["-h"]):
        # The program in Java does not know the commands that only Python has.
        code = subprocess.call([*program, *arguments], env=environment)
        print(
            "\nRecord:\n  record    Records the GPU memory of a PyTorch program: allocsim record -- python train.py"
            "\n  estimate  Says what a PyTorch program would need of a GPU, without one: allocsim estimate -- python train.py"
        )
        sys.exit(code)
    sys.stdout.flush()
    os.execve(program[0], [*program, *arguments], environment)


if __name__ == "__main__":
    main()
