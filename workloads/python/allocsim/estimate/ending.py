"""How a process of the program ends, written down inside of it as it happens, from the start of Python on.

Every process has a report of its own beside the path that it was given, named by its number. It is there from the start and written again every
half second while PyTorch is loaded, so that something is known of a process that was killed. Keys that are set here:

- ``process``, ``parent``: numbers of this process and of the one that started it; ``script``: what Python was told to run.
- ``ended``: "running" until the process says otherwise, "end", "error", "exit" (by ``sys.exit`` or the like, too early or with a code), "thread" (one of
  the program's threads failed), "steps" (by allocsim, after the steps that were asked for).
- ``problem``: the error in one line; ``kind``: its class; ``line``: ``FILE:LINE`` of the user's innermost frame, None where there is none;
  ``origin``: "program", "card" (the card cannot do it), "mock" (the mock CUDA driver cannot do it) or "allocsim"; ``operation``: of PyTorch, ``unsupported_function``: the
  function of CUDA that the mock CUDA driver does not have, ``without_image``: the library that has no kernel for the card, all where known.
- ``out_of_memory_error``: for an uncaught one: ``asked_bytes``, ``in_use_bytes`` (as PyTorch's message rounds them), ``part`` of the training step.
- ``exit``: code, line and function of the last call that was to end the process.
- ``seen_line``: where the main thread was when looked at last.
- ``reserved_bytes``, ``allocated_bytes``: peaks so far, of the GPU with the largest; ``out_of_memory``: requests that failed, caught or not.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import re
import sys
import threading
import time
from typing import Any, Callable

from ..recorder.leaving import at_exit
from ..variables import variables_of
from .cards import is_beyond
from .places import frames_of, has_returned, innermost, is_last, is_ours, is_user, line_in_text, main_frame, script, stack

#: How often the report of a running process is written.
SECONDS = 0.5

#: Errors that CUDA's libraries report; the mock CUDA driver is what they ran on.
_CUDA = re.compile(r"CUDA (?:driver )?error|CUDA_ERROR|CUDNN_STATUS|cuDNN error|CUBLAS_STATUS|(?i:cusolver|cufft|cusparse|cublas|cudnn|nvrtc) ?(?:error|status)|NCCL error|not supported by the (?:mock|stand-in)")

_SIZE = r"(?P<number>[\d.]+) (?P<unit>bytes|KiB|MiB|GiB)"
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_ASKED = re.compile(f"Tried to allocate {_SIZE}")
_IN_USE = re.compile(rf"(?:this process has|Process \d+ has) {_SIZE} memory in use")
_ALLOCATED = re.compile(f"Of the allocated memory {_SIZE} is allocated by PyTorch")

_current: Ending | None = None


def begin(base: str) -> Ending:
    """Follows this process from here on; its report goes to a file beside ``base``."""
    global _current
    _current = Ending(base)
    _current.follow()
    return _current


def current() -> Ending | None:
    """The ending of this process, None where nobody follows it, as in children that were forked."""
    return _current if _current is not None and _current.process == os.getpid() else None


class Ending:
    """What this process reports of its end; ``report`` may be filled by others."""

    def __init__(self, base: str) -> None:
        self._base = base
        self.process = os.getpid()
        self.path = self._own_path()
        self.report: dict[str, Any] = {
            "process": self.process, "parent": os.getppid(), "script": script(), "ended": "running", "problem": None, "kind": None, "line": None,
            "origin": None, "operation": None, "out_of_memory_error": None, "unsupported_function": None, "exit": None, "seen_line": None, "reserved_bytes": 0, "allocated_bytes": 0, "gpu_reserved_bytes": [],
            "signalled": False, "used_from": None, "used_until": None,
            "out_of_memory": 0,
        }
        self.collect: Callable[[], None] = lambda: None
        self._unused_until = time.monotonic()
        self.save: Callable[[str], object] = lambda reason: None
        self._torch: Any = None
        self._main: Any = None
        self._writing = threading.Lock()
        self._done = threading.Event()

    # --- from the start --------------------------------------------------------------------

    def follow(self) -> None:
        """Makes Python report errors, exits and crashes."""
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            self._crashes = open(f"{self.path}.crash" if self.path != os.devnull else os.devnull, "w", encoding="utf-8")
            faulthandler.enable(self._crashes)
        inherited, inherited_thread = sys.excepthook, threading.excepthook

        def failed(kind: Any, problem: Any, trace: Any) -> None:
            with contextlib.suppress(Exception):
                self.failed(problem, trace)
            inherited(kind, problem, trace)

        def thread_failed(arguments: Any) -> None:
            with contextlib.suppress(Exception):
                if not issubclass(arguments.exc_type, SystemExit) and any(is_user(frame.f_code.co_filename) for frame, _ in frames_of(arguments.exc_traceback)):
                    self.failed(arguments.exc_value, arguments.exc_traceback, "thread")
            inherited_thread(arguments)

        sys.excepthook, threading.excepthook = failed, thread_failed
        self._remember(sys, "exit")
        with contextlib.suppress(ImportError, AttributeError):
            import _sitebuiltins

            self._remember(_sitebuiltins.Quitter, "__call__", "exit")
        for name in ("_exit", "abort", "execv", "execve"):
            self._remember(os, name)
        at_exit(self.end)
        self.write()

    def _remember(self, owner: Any, name: str, shown: str | None = None) -> None:
        """Notes that a function that ends the process was called, and what is known by then."""
        original = getattr(owner, name)
        at_once = owner is os

        def leaving(*arguments: Any) -> Any:
            if os.getpid() != self.process:
                return original(*arguments)
            before = dict(self.report)
            with contextlib.suppress(Exception):
                values = arguments if owner is sys or owner is os else arguments[1:]
                value = values[0] if values and not name.startswith("exec") else None
                code = value if isinstance(value, int) else 0 if value is None else 1
                frames = [(frame, line) for frame, line in stack(sys._getframe(1)) if is_user(frame.f_code.co_filename)]
                self.report["exit"] = {
                    "function": f"{'os' if at_once else 'sys'}.{shown or name}", "code": code, "text": value if isinstance(value, str) else None,
                    "line": innermost(reversed(frames)), "last": all(is_last(frame.f_code.co_filename, line) for frame, line in frames),
                }
                if at_once and self.report["ended"] == "running":
                    done = name == "_exit" and code == 0 and self.report["exit"]["last"]
                    self.report["ended"] = "exec" if name.startswith("exec") else "end" if done else "exit"
                    self._sample()
                    self.collect()
                    self.write()
                    self.save("exit")
            try:
                return original(*arguments)
            except OSError:
                # The program that was to take the place of this one cannot be run.
                self.report.update(before)
                raise

        setattr(owner, name, leaving)

    # --- with PyTorch ----------------------------------------------------------------------

    def loaded(self, torch: Any, frame: Any, collect: Callable[[], None], save: Callable[[str], object]) -> None:
        """Starts looking at memory.

        Args:
            torch: the module.
            frame: of who loaded it.
            collect: adds to the report what else is known.
            save: writes the recording, for ends that Python does not tell of.
        """
        self._torch, self.collect, self.save = torch, collect, save
        # A process that looks only at its end used the GPU since then, as far as is known.
        self._unused_until = time.monotonic()
        self._main = main_frame(frame)
        self.report["pytorch"] = str(torch.__version__)
        self.write()
        threading.Thread(target=self._look, name="allocsim-estimate", daemon=True).start()

    def _look(self) -> None:
        main = threading.main_thread().ident
        while not self._done.wait(SECONDS):
            if os.getpid() != self.process:
                return
            if self.path != os.devnull and not os.path.isdir(os.path.dirname(self.path)):
                os._exit(1)  # The command was killed, and what the program does is dropped.
            with contextlib.suppress(Exception):
                frame = sys._current_frames().get(main or 0)
                self.report["seen_line"] = innermost(reversed(list(stack(frame)))) or self.report["seen_line"]
                del frame
                self._sample()
                if not self._done.is_set():
                    self.write()

    def _sample(self) -> None:
        torch = self._torch
        if torch is None or not torch.cuda.is_initialized():
            return
        for device in range(torch.cuda.device_count()):
            stats = torch.cuda.memory_stats(device)
            for key in ("reserved", "allocated"):
                self.report[f"{key}_bytes"] = max(self.report[f"{key}_bytes"], stats.get(f"{key}_bytes.all.peak", 0))
            self.report["out_of_memory"] = max(self.report["out_of_memory"], stats.get("num_ooms", 0))
            peaks = self.report["gpu_reserved_bytes"]
            peaks += [0] * (device + 1 - len(peaks))
            peaks[device] = max(peaks[device], stats.get("reserved_bytes.all.peak", 0))
        now = time.monotonic()
        if not self.report["reserved_bytes"]:
            self._unused_until = now
        else:
            self.report |= {"used_from": self.report["used_from"] or self._unused_until, "used_until": now}

    def adopt(self) -> None:
        """From now on this is the ending of a process that was forked, and that uses the GPU in place of its parent."""
        if os.getpid() != self.process:
            self.process, self._main = os.getpid(), None
            self.path = self._own_path()
            self.report |= {"process": self.process, "parent": os.getppid(), "ended": "running", "exit": None}
            self.report |= {"reserved_bytes": 0, "allocated_bytes": 0, "gpu_reserved_bytes": [], "used_from": None, "used_until": None}
            self._writing = threading.Lock()

    def _own_path(self) -> str:
        return os.devnull if self._base == os.devnull else f"{self._base}.{self.process}"

    # --- the end ---------------------------------------------------------------------------

    def failed(self, problem: BaseException, trace: Any, ended: str = "error") -> None:
        """Notes an error that ends the process, or one of its threads."""
        report = self.report
        if report["ended"] not in ("running", "thread"):
            return  # What fails while the program ends is no reason of that.
        frames = frames_of(trace)
        text = str(problem) or str(problem.__cause__ or "")
        report["ended"], report["kind"] = ended, type(problem).__name__
        report["line"] = line_in_text(text) if "Traceback (most recent call last)" in text else None
        if isinstance(problem, SyntaxError) and problem.filename and is_user(problem.filename):
            report["line"] = f"{problem.filename}:{problem.lineno}"
        report["line"] = report["line"] or innermost(frames)
        report["problem"] = one_line(problem)
        functions = [variables_of(frame).get("func") for frame, _ in frames if frame.f_code.co_name == "__torch_dispatch__"]
        report["operation"] = str(functions[-1]) if functions and functions[-1] is not None else None
        if is_out_of_memory(problem):
            report["out_of_memory_error"] = {"part": part_of_step(frames), **memory_in(text)}
            report["origin"] = "program"
        else:
            self.collect()
            # PyTorch itself looks for GPUs that are not there only where an operation failed.
            missing = report.get("missing_gpu", -1) >= 0 and "device" in text
            mocked = not missing and (report["unsupported_function"] is not None or _CUDA.search(text))
            report["origin"] = "card" if is_beyond(text) else "mock" if mocked else "allocsim" if is_ours(trace) else "program"
        self._sample()

    def signalled(self) -> None:
        """Writes what is known when a signal ends the process, which may be how its parent ends its workers."""
        with contextlib.suppress(Exception):
            self.report["signalled"] = True
            self._sample()
            self.collect()
        self.write()

    def end(self) -> None:
        """Writes the report for the last time."""
        if os.getpid() != self.process:
            return
        self._done.set()
        report = self.report
        with contextlib.suppress(Exception):
            if report["ended"] == "running":
                report["ended"] = "end"
                main = self._main
                if main is not None and has_returned(main):
                    report["exit"] = None  # Who called it went on.
                elif main is not None and report["exit"] is None:
                    line = f"{main.f_code.co_filename}:{main.f_lineno}"
                    report["exit"] = {"function": "SystemExit", "code": None, "text": None, "line": line, "last": is_last(main.f_code.co_filename, main.f_lineno)}
                left = report["exit"]
                if left is not None and (left["code"] or not left["last"]):
                    report["ended"] = "exit"
            self._sample()
            self.collect()
        self.write()

    def write(self) -> None:
        """Writes the current report atomically."""
        if self.path == os.devnull:
            return
        with self._writing, contextlib.suppress(OSError):
            with open(self.path + ".part", "w", encoding="utf-8") as stream:
                json.dump(self.report, stream, default=str)
            os.replace(self.path + ".part", self.path)


def is_out_of_memory(problem: BaseException) -> bool:
    """Whether the card had too little memory."""
    return any(each.__name__ == "OutOfMemoryError" for each in type(problem).__mro__) or "CUDA out of memory" in str(problem)


def memory_in(text: str) -> dict[str, int | None]:
    """The requested and used bytes in PyTorch's out-of-memory message, to its three or four digits."""
    return {"asked_bytes": _size(_ASKED.search(text)), "in_use_bytes": _size(_IN_USE.search(text) or _ALLOCATED.search(text))}


def _size(found: re.Match[str] | None) -> int | None:
    return None if found is None else round(float(found["number"]) * _UNITS[found["unit"]])


def part_of_step(frames: list[tuple[Any, int]]) -> str | None:
    """Which part of a training step the stack is in."""
    files = [frame.f_code.co_filename.replace(os.sep, "/") for frame, _ in frames]
    if any(each.endswith(("torch/autograd/graph.py", "torch/autograd/__init__.py")) for each in files):
        return "backward"
    if any("/torch/optim/" in each for each in files):
        return "optimizer step"
    return "forward" if any(each.endswith("torch/nn/modules/module.py") for each in files) else None


#: What torch.utils.cpp_extension says of an extension that cannot be built, and what compilers and linkers say of the reason.
_BUILD = re.compile(r"Error building extension '[^']*'")
_COMPLAINT = re.compile(r"(?i)\b(error|cannot find|undefined reference|not found)\b")


def one_line(problem: BaseException) -> str:
    """An error in one line: its class and what it says first, or last where it holds the traceback of another process."""
    text = (problem.msg if isinstance(problem, SyntaxError) else str(problem)).strip()
    if "Traceback (most recent call last)" in text:
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith((" ", "\t"))]
        return lines[-1]
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if (build := _BUILD.match(first)) is not None:
        # What follows is the compiler's whole command, and its complaint somewhere behind it.
        first = build[0] + next((f": {line.strip()}" for line in text.splitlines()[1:] if _COMPLAINT.search(line) and not line.startswith(("[", "FAILED"))), "")
    return f"{type(problem).__name__}: {first}" if first else type(problem).__name__
