"""The command ``allocsim``: records and estimates here, and leaves everything else to the program in Java."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    # Files of the working folder that are named like modules of Python are the user's, and not those that are meant here.
    del sys.path[0]

import os

#: As that of typing, which takes long to load.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Runs the command that the arguments name."""
    # What takes long to load is loaded where Ctrl-C is expected.
    try:
        _open_streams()
        try:
            code = _run(sys.argv[1:])
        finally:
            # Also where a parser of arguments has printed its help and exits.
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130  # as a shell says of a command that SIGINT ended
    except OSError as problem:
        # Nothing is left to write when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(problem, BrokenPipeError):
            code = 0  # Whoever read the output has enough.
        else:
            from .visible import tell

            tell(f"allocsim: standard output cannot be written: {problem.strerror}")
            code = 1
    sys.exit(code)


def _open_streams() -> None:
    """Opens the standard streams that were closed, or the next file that is opened would take the place of one."""
    number = 0
    while number <= 2:
        number = os.open(os.devnull, os.O_RDWR)
        if number <= 2:
            os.set_inheritable(number, True)
    os.close(number)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["help"] and arguments[1:2] in (["record"], ["estimate"], ["advise"]):
        arguments = [arguments[1], "--help"]
    if arguments[:1] == ["record"]:
        from .recorder.command import main as record

        return record(arguments[1:])
    if arguments[:1] == ["estimate"]:
        from .estimate.command import main as estimate

        return estimate(arguments[1:])
    if arguments[:1] == ["advise"] and not _is_trials(arguments[1:2]):
        from .advise.command import main as advise

        return advise(arguments[1:])
    import subprocess

    from .engine import EngineMissing, command

    try:
        program, environment = command()
    except EngineMissing as problem:
        print(f"allocsim: {problem}", file=sys.stderr)
        return 1
    if os.name == "nt":
        return subprocess.call([*program, *arguments], env=environment)
    try:
        os.execve(program[0], [*program, *arguments], environment)
    except OSError as problem:
        from .visible import visible

        print(visible(f"allocsim: {program[0]} cannot be run: {problem.strerror}"), file=sys.stderr)
        return 1


def _is_trials(argument: list[str]) -> bool:
    """Whether it is what ``advise`` found before, which is to be answered once more."""
    return bool(argument) and argument[0].endswith(".json") and os.path.isfile(argument[0])


if __name__ == "__main__":
    main()
