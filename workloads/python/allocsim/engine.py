"""Finds the Java program that answers: the one in this package, with its own Java or an installed one, else that of a checkout. Runs its command lines."""

from __future__ import annotations

import contextlib
import json
import locale
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

from .java import JavaMissing, java


class EngineMissing(Exception):
    """No Java program was found."""


def command() -> tuple[list[str], dict[str, str]]:
    """The command line and the environment that start the program.

    Raises:
        EngineMissing: this package came without it, and ``ALLOCSIM`` names none; or it came without a Java, and none is installed.
    """
    environment = dict(os.environ)
    named = environment.get("ALLOCSIM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise EngineMissing(f"ALLOCSIM names {named}, which is not a program; name the file allocsim/allocsim")
        return [found], environment
    program = Path(__file__).parent / "program"
    java = program / "runtime" / "bin" / "java"
    if java.exists():
        if not os.access(java, os.X_OK):
            # Some installers drop the permission of files that are not scripts.
            for each in (java, program / "runtime" / "lib" / "jspawnhelper"):
                each.chmod(each.stat().st_mode | 0o111)
        return ["/bin/sh", str(program / "allocsim")], environment
    if (program / "allocsim.jar").is_file():
        return _with_installed_java(program, environment), environment
    checkout = Path(__file__).resolve().parents[3] / "allocsim"
    if checkout.is_file() and (checkout.parent / "mvnw").is_file():
        return [str(checkout)], environment
    raise EngineMissing(
        "this package does not include the allocsim program; install a wheel for your platform, or name a program with ALLOCSIM"
    )


#: A size of the Java heap, such as 4g.
HEAP = re.compile(r"[1-9]\d*[kKmMgG]?")


def _with_installed_java(program: Path, environment: dict[str, str]) -> list[str]:
    """The command line of a program without its own Java; needs no shell, so it is the same on all systems."""
    try:
        found = java(environment)
    except JavaMissing as problem:
        raise EngineMissing(str(problem)) from None
    heap = environment.get("ALLOCSIM_HEAP", "")
    if heap and HEAP.fullmatch(heap) is None:
        raise EngineMissing(f"ALLOCSIM_HEAP is {heap}; give a size such as 512m or 4g.")
    if "COLUMNS" not in environment and sys.stdout is not None and sys.stdout.isatty():
        # Tables fit the terminal.
        environment["COLUMNS"] = str(shutil.get_terminal_size().columns)
    if os.name == "posix" and locale.getpreferredencoding(False).lower() in ("ascii", "us-ascii", "ansi_x3.4-1968", "646"):
        # In the locale C Java knows no name beyond ASCII.
        environment["LC_ALL"] = "C.UTF-8"
    return [
        found,
        f"@{program / 'jvm.options'}",
        f"-Djava.library.path={program / 'lib'}",
        *(["-Xms64m", f"-Xmx{heap}"] if heap else []),
        *shlex.split(environment.get("ALLOCSIM_JAVA_OPTS", ""), posix=os.name == "posix"),
        "-jar",
        str(program / "allocsim.jar"),
    ]


class Ended(NamedTuple):
    """How a command line ended, and what it printed."""

    exit_code: int
    out: str
    err: str


def execute(program: Sequence[str], environment: dict[str, str], arguments: Sequence[str]) -> Ended:
    """Runs a command line, in the process of ``one_process`` within its block, else in one of its own.

    Raises:
        OSError, ValueError: the program cannot be run.
    """
    if _process is not None:
        ended = _process.execute(arguments)
        if ended is not None:
            return ended
    process = subprocess.run([*program, *arguments], capture_output=True, text=True, encoding="utf-8", errors="backslashreplace", env=environment)
    return Ended(process.returncode, process.stdout, process.stderr)


@contextlib.contextmanager
def one_process() -> Iterator[None]:
    """Runs the command lines inside the block in one Java process, which is started once."""
    global _process
    before, _process = _process, _Process()
    try:
        yield
    finally:
        _process.end()
        _process = before


class _Process:
    """The program, which is given one command line after the other; if it cannot continue, each gets its own process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._has_ended = False

    def execute(self, arguments: Sequence[str]) -> Ended | None:
        """How a command line ended; None if the process did not answer."""
        if self._has_ended:
            return None
        try:
            if self._process is None:
                program, environment = command()
                self._process = subprocess.Popen(
                    [*program, "--conversation"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
                    env=environment,
                )
            process = self._process
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps({"arguments": list(arguments)}) + "\n")
            process.stdin.flush()
            found = json.loads(process.stdout.readline())
            return Ended(found["exit_code"], found["out"], found["err"])
        except (OSError, ValueError, KeyError, TypeError, EngineMissing):
            self.end()
            return None

    def end(self) -> None:
        self._has_ended = True
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(OSError):
                self._process.communicate()
            self._process = None


_process: _Process | None = None
