"""Runs of a program on the mock GPU, one process after the other."""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import os
import secrets
import shutil
import shlex
import sys
import time
from typing import Any, Sequence

from ..recorder.command import SITE, reach
from ..recorder.files import RunFolder
from ..recorder.follow import VARIABLE as RECORD_VARIABLE
from ..recorder.program import Signals
from ..recorder.recorder import MAX_ENTRIES
from ..recording import open as open_recording
from ..visible import tell
from . import smi
from .cards import CARDS
from .files import Files, FilesProblem, deliver, scratch_base
from .inside import UNLIMITED, VARIABLE
from .hosts import visible_gpus
from .job import told
from .orphans import ended_with_parent
from .reports import chosen, no_process, read
from .standin import LIBRARY

#: Folders of what torch.compile and PyTorch itself made, and what keeps it in one process.
COMPILER_CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "PYTORCH_KERNEL_CACHE_PATH")
COMPILER = {"TORCHINDUCTOR_COMPILE_THREADS": "1", "TORCHINDUCTOR_BUNDLE_TRITON_INTO_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}


class Runs:
    """Runs of the program on the stand-in.

    Args:
        signals: what comes for the command.
    """

    def __init__(self, options: argparse.Namespace, program: Sequence[str], values: dict[str, float], library: str, path: str, signals: Signals) -> None:
        self._options = options
        self._program = program
        self._values = values
        self._library = library
        self._signals = signals
        #: File for the recording; a rank writes beside it.
        self.path = path
        #: Whether the next run may be the last: something can be said of it, although a signal ends it.
        self.may_end_early = True

    def of_rank(self, rank: int, world: int) -> Runs:
        """Runs of the same program as one rank of its job."""
        runs = copy.copy(self)
        runs._options = argparse.Namespace(**vars(self._options) | {"rank": rank, "world": world})
        return runs

    def run(
        self, path: str, replaced: dict[str, str], watchdog: str = "late", gpu: str = "prompt", selections: str = "likely", unlimited: bool = False, caches: str | None = None, **course: Any
    ) -> tuple[int, dict[str, Any] | None]:
        """Runs the program once, some of its arguments replaced; its exit code, and what the run reported.

        Where the user leaves them open, NCCL's watchdog (see ``ranks.Watchdog``) and the GPU are as said.
        Masks whose values are unknown select all elements, or one each with "few"; comparisons of unknown integers pass for some of them, and for half with "most" (see ``picks``);
        unknown choices are even, or fall on the same few with "alike". With ``unlimited``, no request fails for lack of memory.
        What torch.compile keeps for later runs is taken from the folder ``caches`` and kept there, or is dropped.
        ``course`` replaces options of :class:`~.stepping.Stepping`.

        The report (see ``reports``) has the recording in ``file``, None where nothing was recorded. It is None where Python did not run; the reason has been said.
        """
        options = self._options
        with RunFolder.made(scratch_base(), has_processes=True) as folder:
            for name in ("exchange", "recordings"):
                os.mkdir(os.path.join(folder, name))
            recording = os.path.join(folder, "recordings", os.path.basename(path))
            environment = self._environment(recording, folder, options.watchdog or watchdog, options.gpu or gpu, selections, course)
            if unlimited:
                environment[UNLIMITED] = "1"
            for name in replaced:
                environment[name.upper()] = replaced[name]
            program = [_filled(each, replaced) for each in self._program]
            files = Files(folder, self._library, options.allow_writes)
            try:
                environment = files.environment(environment)
            except FilesProblem as problem:
                say(str(problem))
                return 1, None
            if caches is not None:
                _move(COMPILER_CACHES, caches, folder)
            # What the program prints is its own affair; the answer alone is on the standard output.
            with files.followed() as first:
                code = self._signals.run(program, environment, sys.stderr, ended_with_parent(first))
            if self._signals.ended_by is not None and not self.may_end_early:
                sys.exit(128 + self._signals.ended_by)
            self.may_end_early = False
            ended_seconds = time.time()
            if caches is not None:
                _move(COMPILER_CACHES, folder, caches)
            if files.is_full():
                say(f"the disk of {os.path.dirname(folder)} is full; the program's files go there during an estimate: set TMPDIR to a folder with more space")
            found = chosen(read(os.path.join(folder, "report")), code)
            if found is None:
                say(no_process(code, program[0]))
                return code or 1, None
            found["writes"] = files.writes()
            noted = RunFolder(folder).files()
            found["recording_lost"] = not noted and RunFolder(folder).has("recording")
            recordings = [each.path for each in noted]
            try:
                written = dict(zip(recordings, deliver(recordings, os.path.dirname(path), folder)))
            except OSError as problem:
                say(f"the recording cannot be written to {os.path.dirname(path)}: {problem.strerror}")
                return code or 1, None
        if found["ended"] == "card":
            say(found["problem"])
            return code or 1, None
        found["reach"] = next((reach(each, ended_seconds) for each in noted if each.path == found["file"]), "")
        found["exit_code"] = code
        found["file"] = written.get(found["file"]) if found["reserved_bytes"] or found["ended"] == "killed" else None
        found["mark"] = mark_of(found["file"])
        found["gpu_decides"] = found["file"] is not None and found["unready"] > 0 and waits_for_streams(found["file"])
        return code, found

    def _environment(self, path: str, folder: str, watchdog: str, gpu: str, selections: str, course: dict[str, Any]) -> dict[str, str]:
        options = self._options
        environment = dict(os.environ)
        job = told(environment, options.rank, options.world)
        environment[RECORD_VARIABLE] = json.dumps(
            {"path": path, "max_entries": MAX_ENTRIES, "stacks": options.stacks, "flush_seconds": 0, "parent": os.getpid(), "run_folder": folder}
        )
        environment[VARIABLE] = json.dumps(
            {
                "steps": options.steps, "time": options.time, "values": self._values, "report": os.path.join(folder, "report"), "fake_weights": options.fake_weights,
                "selections": selections, "gpus": options.gpus,
                "late_watchdog": watchdog == "late", "peer": False, "exchange": os.path.join(folder, "exchange"),
                "key": secrets.token_hex(),
            }
            | job
            | course
        )
        environment["ALLOCSIM_ESTIMATE_CARD"] = CARDS[options.device].text()
        environment["ALLOCSIM_ESTIMATE_USAGE"] = os.path.join(folder, "usage")
        if options.gpus is not None:
            environment["ALLOCSIM_ESTIMATE_DEVICES"] = str(options.gpus)
        environment.setdefault("ALLOCSIM_ESTIMATE_DEVICES", str(visible_gpus(environment)))
        if options.unlimited:
            environment[UNLIMITED] = "1"
        if gpu == "behind":
            environment["ALLOCSIM_ESTIMATE_BEHIND"] = "1"
        for name, value in (("LD_PRELOAD", os.path.join(self._library, LIBRARY)), ("LD_LIBRARY_PATH", self._library), ("PYTHONPATH", SITE)):
            inherited = environment.get(name)
            environment[name] = value + (os.pathsep + inherited if inherited else "")
        environment["PATH"] = monitor_folder(folder) + os.pathsep + environment.get("PATH", os.defpath)
        # Kernels that do nothing must not stay in the program's caches; without those, it compiles as on its first run on a machine.
        environment |= {name: os.path.join(folder, name.lower()) for name in COMPILER_CACHES} | COMPILER
        # PyTorch makes no folder for kernels that it compiles itself where it is told one.
        os.makedirs(environment["PYTORCH_KERNEL_CACHE_PATH"], exist_ok=True)
        environment.pop("CUDA_VISIBLE_DEVICES", None)
        return environment


def monitor_folder(folder: str) -> str:
    """Makes a folder of commands with ``nvidia-smi`` for the described GPU; one of the machine would tell of another GPU, or of none.

    Args:
        folder: of the run, where it is made.
    """
    made = os.path.join(folder, "bin")
    os.mkdir(made, 0o700)
    file = os.path.join(made, "nvidia-smi")
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -S {shlex.quote(smi.__file__)} \"$@\"\n")
    os.chmod(file, 0o700)
    return made


def _move(names: Sequence[str], source: str, target: str) -> None:
    """Moves folders of these names, in small letters, where they are there, into another one."""
    for name in names:
        # Without them, there is no further run; the answer does not fail.
        with contextlib.suppress(OSError):
            if os.path.isdir(os.path.join(source, name.lower())):
                shutil.move(os.path.join(source, name.lower()), os.path.join(target, name.lower()))


def has_compiled(caches: str) -> bool:
    """Whether torch.compile kept anything in the folder ``caches`` of a run."""
    return any(files for _, _, files in os.walk(os.path.join(caches, COMPILER_CACHES[0].lower())))


def mark_of(file: str | None) -> tuple[int, ...] | None:
    """What tells a file from another one that took its place; None where there is none."""
    try:
        status = os.stat(file) if file is not None else None
    except OSError:
        return None
    return None if status is None else (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def waits_for_streams(path: str) -> bool:
    """Whether freed memory waited until another stream had used it: its free is complete only after something else was recorded."""
    waiting = None
    for device, action, address in open_recording(path).actions():
        if waiting is not None and (device, "free_completed", address) != waiting:
            return True
        waiting = (device, "free_completed", address) if action == "free_requested" else None
    return False


def _filled(argument: str, replaced: dict[str, str]) -> str:
    for name, value in replaced.items():
        argument = argument.replace("{" + name + "}", value)
    return argument


def say(sentence: str) -> None:
    """One line for the user, on the standard error output."""
    tell(f"allocsim estimate: {sentence}")
