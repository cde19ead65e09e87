"""Lines of the user's own code in stacks, tracebacks and texts of tracebacks."""

from __future__ import annotations

import ast
import dis
import os
import re
import sys
import sysconfig
from types import CodeType, FrameType, TracebackType
from typing import Iterable, Iterator

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LIBRARIES = tuple({os.path.realpath(sysconfig.get_paths()[name]) + os.sep for name in ("stdlib", "platstdlib")})
_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)', re.M)

#: Lines of ours that only pass a call on: what fails below them is not ours.
_PASSES_ON = re.compile(r"\b(?:func|function|original|inherited|begin|recompute|run_backward)\(")


def is_own(file: str) -> bool:
    """Whether the file is part of allocsim."""
    return file.startswith(_OWN)


def is_user(file: str) -> bool:
    """Whether code of this file is the user's: not Python's, not installed, not ours, not made by a compiler."""
    if file.startswith("<"):
        return file == "<stdin>" or (file == "<string>" and script() == "python -c")
    return not (is_own(file) or _INSTALLED.search(file) or file.startswith(_LIBRARIES) or os.path.realpath(file).startswith(_LIBRARIES))


def frames_of(trace: TracebackType | None) -> list[tuple[FrameType, int]]:
    """The frames of a traceback with their lines, the innermost last."""
    found = []
    while trace is not None:
        found.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return found


def stack(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    """A frame and those that called it with their lines, the innermost first."""
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back


def innermost(frames: Iterable[tuple[FrameType, int]]) -> str | None:
    """``FILE:LINE`` of the last frame that is the user's."""
    lines = [f"{frame.f_code.co_filename}:{line}" for frame, line in frames if is_user(frame.f_code.co_filename)]
    return lines[-1] if lines else None


def line_in_text(text: str) -> str | None:
    """``FILE:LINE`` of the user's innermost frame in a printed traceback, such as that of another process."""
    lines = [f"{found['file']}:{found['line']}" for found in _FRAME.finditer(text) if is_user(found["file"])]
    return lines[-1] if lines else None


def is_ours(trace: TracebackType | None) -> bool:
    """Whether an error came up in allocsim itself, and not in what it passed on."""
    import linecache

    frames = frames_of(trace)
    if not frames or not is_own(frames[-1][0].f_code.co_filename):
        return False
    frame, line = frames[-1]
    return not _PASSES_ON.search(linecache.getline(frame.f_code.co_filename, line))


def main_frame(frame: FrameType | None) -> FrameType | None:
    """The frame of the program's main module, from one that runs below it."""
    found = None
    for each, _ in stack(frame):
        if each.f_code.co_name == "<module>" and each.f_globals.get("__name__") == "__main__" and is_user(each.f_code.co_filename):
            found = each
    return found


def has_returned(frame: FrameType) -> bool:
    """Whether a frame that runs no more came to its end: the last thing it did was to return."""
    return 0 <= frame.f_lasti < len(frame.f_code.co_code) and _operation(frame.f_code, frame.f_lasti).startswith("RETURN_")


def _operation(code: CodeType, offset: int) -> str:
    return dis.opname[code.co_code[offset]]


def is_last(file: str, line: int) -> bool:
    """Whether nothing of the function or module around a line comes after it: it is in no loop, and no statement follows.

    True where the source cannot be read.
    """
    try:
        with open(file, encoding="utf-8") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return True
    body: list[ast.stmt] = tree.body
    last = True
    while True:
        # Of several statements in a line the last is most likely the one that ends.
        at = next((i for i in reversed(range(len(body))) if body[i].lineno <= line <= (body[i].end_lineno or body[i].lineno)), None)
        if at is None:
            return last
        statement = body[at]
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            last = True  # What comes after its definition does not count.
            body = statement.body
            continue
        last = last and at == len(body) - 1
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            return False
        parts = [getattr(statement, name, None) or [] for name in ("body", "orelse", "finalbody")]
        parts += [each.body for each in getattr(statement, "handlers", ())]
        inner = next((part for part in parts if part and part[0].lineno <= line <= (part[-1].end_lineno or part[-1].lineno)), None)
        if inner is None:
            return last
        body = inner


def script() -> str | None:
    """The file that Python was told to run, by its name."""
    for each in sys.orig_argv[1:]:
        if each == "-c":
            # A child of multiprocessing runs a module of Python's.
            return "multiprocessing" if "from multiprocessing." in sys.orig_argv[sys.orig_argv.index("-c") + 1] else "python -c"
        if each == "-m":
            return " ".join(sys.orig_argv[sys.orig_argv.index("-m") : sys.orig_argv.index("-m") + 2])
        if not each.startswith("-"):
            return each
    return None
