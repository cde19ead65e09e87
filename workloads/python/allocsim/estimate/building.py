"""Builds of extensions: the clock stops meanwhile, because they are built once and not in each run."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shlex
import subprocess
import threading
import time
from typing import Any, Callable, Iterator

from .progress import Progress

#: Programs that build: compilers, and what calls them.
_BUILDERS = re.compile(r"(nvcc|ninja|make|cmake|meson|bazel|(\w+-)*(cc|gcc|g\+\+|c\+\+|clang|clang\+\+)(-\d+)?)(\.exe)?")

#: Between two lines of progress.
_SHOWN_SECONDS = 1.0

#: Of the time that passes, at most this share is taken to be waiting for a processor: a program comes to its end on a machine that is never free.
_MAX_WAITED_SHARE = 0.8


class Clock:
    """A clock that can be stopped, and that does not count waiting for a processor: how far a program comes does not depend on what else the machine does.

    Args:
        waited: seconds for which the program has waited so far.
    """

    def __init__(self, waited: Callable[[], float] | None = None) -> None:
        self._lock = threading.Lock()
        self._waited = waited or waited_seconds
        self._made = time.monotonic()
        self._waited_before = self._waited()
        self._stood = 0.0
        self._still_from = 0.0
        self._stills = 0

    def now(self) -> float:
        """Seconds, without the time for which the clock was stopped."""
        with self._lock:
            return (self._still_from if self._stills else self._passed()) - self._stood

    def _passed(self) -> float:
        passed = time.monotonic() - self._made
        return passed - min(self._waited() - self._waited_before, _MAX_WAITED_SHARE * passed)

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        """Stops the clock inside the block."""
        with self._lock:
            if not self._stills:
                self._still_from = self._passed()
            self._stills += 1
        try:
            yield
        finally:
            with self._lock:
                self._stills -= 1
                if not self._stills:
                    self._stood += self._passed() - self._still_from


def waited_seconds() -> float:
    """How long this process could have run and got no processor, by its main thread and the one of the others that waited most; 0 where the system does not tell.

    Threads of a pool wait at the same time, and the main thread sleeps while another one goes back through the graph. Linux tells each thread's run delay in ``schedstat`` (Documentation/scheduler/sched-stats).
    """
    main = os.getpid()
    mine = most = 0
    try:
        threads = os.listdir("/proc/self/task")
    except OSError:
        return 0.0
    for each in threads:
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/self/task/{each}/schedstat", encoding="ascii") as stream:
                delay = int(stream.read().split()[1])
            if int(each) == main:
                mine = delay
            else:
                most = max(most, delay)
    return (mine + most) / 1e9


def builder(command: Any) -> str | None:
    """The name of the program that a command starts, where that builds; of a shell's command, the first that does."""
    with contextlib.suppress(TypeError, ValueError):
        if isinstance(command, (str, bytes)):
            words = shlex.split(os.fsdecode(command))
        else:
            words = [os.fsdecode(each) for each in ([command] if isinstance(command, os.PathLike) else list(command)[:1])]
        return next((name for name in map(os.path.basename, words) if _BUILDERS.fullmatch(name)), None)
    return None


def follow_builds(clock: Clock, progress: Progress) -> None:
    """From now on the clock stops while this process waits for builds, and the wait is shown."""

    def watch(wait: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(wait)
        def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
            name = builder(self.args)
            if name is None or self.returncode is not None:
                return wait(self, *args, **kwargs)
            with clock.still(), _shown(name, progress):
                return wait(self, *args, **kwargs)

        return watched

    for name in ("wait", "communicate"):
        setattr(subprocess.Popen, name, watch(getattr(subprocess.Popen, name)))


@contextlib.contextmanager
def _shown(name: str, progress: Progress) -> Iterator[None]:
    """Shows how long a build has taken."""
    if not progress.is_on:
        yield
        return
    done = threading.Event()
    began = time.monotonic()

    def show() -> None:
        while not done.wait(_SHOWN_SECONDS):
            progress.show_text(f"building an extension ({name}): {time.monotonic() - began:.0f} s, which do not count")

    thread = threading.Thread(target=show, name="allocsim-building", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        progress.clear()
