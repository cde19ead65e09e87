"""Runs the program of a command, and passes signals on to it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Callable, Sequence

from ..missing import similar_path

#: Signals that end a program which does not handle them, and ask for nothing else.
_ENDING = ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT")

#: Signals that a terminal sends to the program, too.
_OF_TERMINALS = ("SIGINT", "SIGQUIT")

#: Options of Python whose value is the next argument.
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")

#: Programs and modules that start a script; which of their options take a value is theirs to know.
_LAUNCHERS = ("torchrun", "accelerate", "deepspeed")
_LAUNCHER_MODULES = ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch")


class NotRun(Exception):
    """A program cannot be run; the message says why."""


def runnable(program: Sequence[str], command: str, options: str = "") -> list[str]:
    """The command line of a program; a script of Python that is named alone, and is no program itself, is run by this Python.

    Args:
        command: the command of allocsim that runs it, for examples.
        options: what the command needs besides.

    Raises:
        NotRun: nothing of that name can be run.
    """
    example = f"allocsim {command} {options}-- python train.py"
    if not program:
        raise NotRun(f"needs a program, as in: {example}")
    if shutil.which(program[0]) is not None:
        script = _script(program)
        if script is not None and not os.path.exists(script):
            raise NotRun(f"{script}: no such file; {similar_path(script)}")
        return list(program)
    if program[0].endswith(".py") and os.path.isfile(program[0]):
        return [sys.executable, *program]
    remedy = similar_path(program[0]) if program[0].endswith(".py") else ""
    raise NotRun(f"no such program: {program[0]}; {remedy if remedy.endswith('?') else f'write it as on the command line: {example}'}")


def _script(program: Sequence[str]) -> str | None:
    """The script that a command line of Python or of a launcher names; None where it names none."""
    name, rest = os.path.basename(program[0]), list(program[1:])
    if re.fullmatch(r"python[0-9.]*(\.exe)?", name):
        while rest and rest[0].startswith("-"):
            option = rest.pop(0)
            if option == "-m" and rest and rest[0] in _LAUNCHER_MODULES:
                name = rest[0]
                break
            if option == "-" or option[1:2] in ("m", "c"):
                return None
            if option in _WITH_VALUE:
                rest = rest[1:]
        else:
            return rest[0] if rest else None
    if name not in _LAUNCHERS and name not in _LAUNCHER_MODULES:
        return None
    return next((each for each in rest if each.endswith(".py")), None)


class Signals:
    """What signals do to a command within the block: they go on to the program that it runs, and end the command while it runs none.

    Ctrl-C reaches a program from the terminal by itself. A signal that the command was started to ignore, as by ``nohup``, stays ignored.

    Args:
        say: tells the user what was not passed on.
        is_single: the command runs one program, and ends soon after it, so that no signal ends it any more then.
    """

    def __init__(self, say: Callable[[str], None], is_single: bool = False) -> None:
        self._say = say
        self._is_single = is_single
        self._before: dict[int, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._is_starting = False
        self._early: list[int] = []
        #: The first signal that came to end the program, None where none did.
        self.ended_by: int | None = None

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for name in (*_ENDING, "SIGUSR1", "SIGUSR2"):
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._came)
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def run(self, program: Sequence[str], environment: dict[str, str], output: Any = None, first: Callable[[], None] | None = None) -> int:
        """Runs a program to its end, and returns its exit code as a shell does; its output goes to a file, else to ours.

        Its process calls a function first, where there is one.

        Raises:
            NotRun: the program cannot be run.
        """
        self._is_starting = True
        try:
            self._process = subprocess.Popen(program, env=environment, stdout=output, preexec_fn=first)
        except (OSError, subprocess.SubprocessError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
            raise NotRun(f"{program[0]} cannot be run: {reason}") from None
        finally:
            self._is_starting = False
        while self._early:
            self._pass_on(self._early.pop(0), self._process)
        code = self._process.wait()
        return 128 - code if code < 0 else code

    def _came(self, number: int, frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        is_ending = name in _ENDING
        if is_ending and self.ended_by is None:
            self.ended_by = number
        if self._is_starting:
            self._early.append(number)
        elif self._process is not None and self._process.returncode is None:
            if name not in _OF_TERMINALS or not _has_terminal():
                self._pass_on(number, self._process)
        elif is_ending and not (self._is_single and self._process is not None):
            sys.exit(128 + number)

    def _pass_on(self, number: int, process: subprocess.Popen[bytes]) -> None:
        if number == getattr(signal, "SIGUSR2", None) and _would_end(process.pid, number):
            self._say("SIGUSR2 was not passed on, because it would end the program, which has not loaded PyTorch; send it to the process that trains")
            return
        process.send_signal(number)


def _has_terminal() -> bool:
    """Whether this process has a terminal that sends signals."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | getattr(os, "O_NOCTTY", 0)))
    except OSError:
        return False
    return True


def _would_end(process: int, number: int) -> bool:
    """Whether a process neither handles nor ignores a signal; False where the system does not tell."""
    try:
        text = Path(f"/proc/{process}/status").read_text("ascii", "replace")
    except OSError:
        return False
    if "\nState:\tZ" in text:
        return False
    masks = {name: int(value, 16) for name, _, value in (line.partition(":") for line in text.splitlines()) if name in ("SigCgt", "SigIgn")}
    return bool(masks) and not any(mask >> (number - 1) & 1 for mask in masks.values())
