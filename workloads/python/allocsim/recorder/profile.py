"""Profiles a few steps of a program with PyTorch's profiler, beside a recording of its memory."""

from __future__ import annotations

import gzip
import os
import shutil
import threading
import time
import weakref
from typing import Any, Callable

from ..temporary import temporary_folder
from .files import Mark, whole
from .patches import Patches

#: Steps before it, in which caches fill, kernels are loaded and the fastest ones are chosen.
SKIPPED = 8

#: Steps in which the profiler runs and nothing is kept: it takes long to start.
WARM_UP = 2

#: Steps that are kept.
ACTIVE = 5

#: The profiler holds all events until its end, so that no profile goes on for longer than this after the step that reaches it.
MAX_SECONDS = 120.0

#: What the names of profiles end in.
ENDING = ".trace.json.gz"


def profile_path(recording: str) -> str:
    """``run.rank0.pickle.gz`` gives ``run.rank0.trace.json.gz``."""
    for ending in (".pickle.gz", ".pickle"):
        if recording.endswith(ending):
            return recording[: -len(ending)] + ENDING
    return recording + ENDING


class StepProfile:
    """A profile of steps :data:`SKIPPED` + :data:`WARM_UP` + 1 and following, which are counted by the first optimizer that makes one.

    The profiler runs from step to step in the thread of that optimizer. It gives way to one that the program starts.

    Args:
        path: the file to write, as the profiler's Chrome trace, compressed.
        has_stacks: whether the lines of the program are recorded, which makes it slower.
        say: tells the user something.
        written: is called with the path, the steps and the mark of the file before it gets its place.
        notes: see :func:`~.files.whole`.
    """

    def __init__(
        self, path: str, has_stacks: bool, say: Callable[[str], None], written: Callable[[str, str, Mark], None], notes: str | None = None
    ) -> None:
        self.path = path
        self._has_stacks = has_stacks
        self._say = say
        self._written = written
        self._notes = notes
        self._torch: Any = None
        self._optimizer: weakref.ref[Any] | None = None
        self._thread = 0
        self._steps = 0
        self._profiler: Any = None
        self._began_seconds = 0.0
        self._is_over = False
        self._is_own = False

    def observe(self, torch: Any, patches: Patches) -> None:
        """Begins to count steps."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        self._torch = torch
        patches.on_undo(register_optimizer_step_post_hook(self._step_ended).remove)
        kind = torch.autograd.profiler.profile
        for name in ("__enter__", "_prepare_trace", "_start_trace"):
            patches.wrap(kind, name, before=lambda *arguments, **options: self._give_way())

    def _step_ended(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self._is_over:
            return
        if self._optimizer is None or self._optimizer() is None:
            self._optimizer = weakref.ref(optimizer)
            self._thread = threading.get_ident()
        if self._optimizer() is not optimizer or threading.get_ident() != self._thread:
            return
        self._steps += 1
        try:
            if self._profiler is not None:
                self._own(self._profiler.step)
                is_late = time.monotonic() - self._began_seconds > MAX_SECONDS
                if is_late and self._steps <= SKIPPED + WARM_UP:
                    self.drop(f"its first steps took more than {MAX_SECONDS:.0f} s")
                elif is_late or self._steps == SKIPPED + WARM_UP + ACTIVE:
                    self._stop()
            elif self._steps == SKIPPED:
                self._start()
        except Exception as problem:
            self._fail(str(problem))

    def _start(self) -> None:
        profiler = self._torch.profiler
        if self._torch._C._autograd._profiler_enabled():
            self._fail("the program profiles itself")
            return
        if not self._torch.cuda.is_initialized():
            self._fail(f"the program used no GPU in its first {SKIPPED} steps")
            return
        wanted = {profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.CUDA}
        self._began_seconds = time.monotonic()
        self._profiler = profiler.profile(
            activities=sorted(wanted & set(profiler.supported_activities()), key=str),
            schedule=profiler.schedule(wait=0, warmup=WARM_UP, active=ACTIVE, repeat=1),
            on_trace_ready=self._export,
            profile_memory=True,
            with_stack=self._has_stacks,
        )
        self._own(self._profiler.start)

    def _stop(self) -> None:
        running, self._profiler, self._is_over = self._profiler, None, True
        self._own(running.stop)

    def _own(self, action: Callable[[], None]) -> None:
        """Does something that starts or ends the profiler of this recording."""
        self._is_own = True
        try:
            action()
        finally:
            self._is_own = False

    def _give_way(self) -> None:
        """The program starts a profiler, of which there can be only one."""
        if self._profiler is not None and not self._is_own:
            self.drop("the program profiles itself")

    def drop(self, reason: str) -> None:
        """Ends without a file."""
        running, self._profiler = self._profiler, None
        self._fail(reason)
        if running is not None:
            running.on_trace_ready = None
            try:
                self._own(running.stop)
            except Exception:
                pass  # What the program does comes first.

    def _fail(self, reason: str) -> None:
        self._is_over = True
        self._say(f"no profile was written: {reason}")

    def end(self) -> None:
        """The recording ends; what was profiled by then is written."""
        if self._is_over:
            return
        kept = self._steps - SKIPPED - WARM_UP
        if self._profiler is None or kept < 1 or threading.get_ident() != self._thread:
            self.drop(f"the program made {self._steps} optimizer steps, and a profile takes {SKIPPED + WARM_UP + ACTIVE}")
            return
        try:
            self._stop()
        except Exception as problem:
            self._fail(str(problem))

    def leave(self) -> None:
        """A signal ends the process; the profiler is left as it is."""
        if not self._is_over:
            self._profiler = None
            self._fail("a signal ended the program")

    def _export(self, profiler: Any) -> None:
        try:
            first = SKIPPED + WARM_UP + 1
            steps = f"steps {first} to {self._steps}"
            # PyTorch writes to a name, and again to a compressed copy, so nobody else may know either.
            with temporary_folder() as folder:
                plain = os.path.join(folder, "trace.json")
                profiler.export_chrome_trace(plain)
                with whole(self.path, self._notes) as raw, open(plain, "rb") as trace:
                    with gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed:
                        shutil.copyfileobj(trace, packed)
                    self._written(self.path, steps, Mark.of(raw))
        except Exception as problem:
            said = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
            self._fail(said)
