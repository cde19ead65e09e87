"""Runs PyTorch's recorder over a program, or a part of one, and writes what it saw."""

from __future__ import annotations

import atexit
import contextlib
import json
import multiprocessing
import multiprocessing.util
import os
import signal
import sys
import threading
import time
from typing import Any, Callable, Iterator

from ..visible import tell
from .facts import Facts
from .flag import Flag
from .files import Mark, RunFolder, Written, rank_path, write_snapshot
from .leaving import at_exit
from .patches import Patches
from .profile import StepProfile, profile_path
from .writer import Writer

MAX_ENTRIES = 5_000_000
KEY = "allocsim_record"

#: Writing in between may take this share of the time, and no more.
FLUSH_SHARE = 0.01
SAMPLE_SECONDS = 1.0
SNAPSHOT_TRIES = 8
LONG_TURN_SECONDS = 60.0

#: How long a process that is asked to stop has to begin with it, before a thread writes in its place.
GRACE_SECONDS = 1.0


class Recorder:
    """One recording of this process.

    Args:
        path: the file to write; in a process of several, its rank goes in before the ending.
        max_entries: how many entries of the history are kept; the oldest go first.
        stacks: ``"python"``, ``"all"`` (with C++) or ``"none"``.
        flush_seconds: shortest time between files written in between, 0 for none. What is written
            takes no more than a hundredth of the time, so that it comes less often as it grows.
        mark: what goes before the ending of the name instead of the rank.
        run_folder: where the command that started this process looks for what was written; None where none did.
        skip_empty: nothing is written for a process that allocated nothing.
        time: PyTorch's profiler runs for a few steps, too, see :class:`~.profile.StepProfile`; its file lies beside the recording.
    """

    def __init__(
        self,
        path: str = "run.pickle",
        *,
        max_entries: int = MAX_ENTRIES,
        stacks: str = "python",
        flush_seconds: float = 60.0,
        mark: str | None = None,
        run_folder: str | None = None,
        skip_empty: bool = False,
        time: bool = False,
    ) -> None:
        if stacks not in ("python", "all", "none"):
            raise ValueError(f"stacks is {stacks!r}; choose python, all or none")
        rank = os.environ.get("RANK")
        if mark is None:
            mark = f"rank{rank}" if rank is not None else ""
        self._given_path = path
        self.path = os.path.abspath(rank_path(path, mark))
        self.facts = Facts()
        self.written_bytes = 0
        #: Is called with each snapshot before it is written, and may change it.
        self.change: Callable[[dict[str, Any]], None] = lambda snapshot: None
        #: Is called when a signal ends the process, before the file is written.
        self.signalled: Callable[[], None] = lambda: None
        self._max_entries = max_entries
        self._stacks = stacks
        self._flush_seconds = flush_seconds
        self._skip_empty = skip_empty
        self._is_timed = time
        self._profile: StepProfile | None = None
        self._patches = Patches()
        self._torch: Any = None
        self._pid = os.getpid()
        self._run_folder = None if run_folder is None else RunFolder(run_folder)
        self._file: list[Written] = []
        self._writer = Writer(self._write)
        self._ended = Flag()
        self._ending = Flag()
        self._at_exit: Callable[[], None] | None = None
        self._begun = self._is_untold = False
        self._saw_out_of_memory = False

    # --- life ------------------------------------------------------------------------------

    def install(self, torch: Any) -> None:
        """Begins as soon as the program uses CUDA; it may have done so already."""
        self._torch = torch
        if not torch.backends.cuda.is_built():
            say("this PyTorch build has no CUDA, so there is no GPU memory to record")
            return
        self._patches.replace(torch.cuda.memory, "_record_memory_history", self._ignore_own_recording)
        self.facts.observe(torch, self._patches)
        if self._is_timed:
            self._begin_profile(torch)
        torch.cuda._lazy_call(self._begin)

    def _begin_profile(self, torch: Any) -> None:
        notes = None if self._run_folder is None else str(self._run_folder.path)
        self._profile = StepProfile(profile_path(self.path), self._stacks != "none", say, self._profiled, notes)
        try:
            self._profile.observe(torch, self._patches)
        except Exception as problem:
            self._profile = None
            say(f"no profile is written: {problem}")

    def _profiled(self, path: str, steps: str, mark: Mark) -> None:
        if self._run_folder is not None:
            self._run_folder.note(path, [Written(path, steps, True, time.time(), mark)])

    def follow_forks(self) -> None:
        """A forked process that uses CUDA, which this one then has not, records into a file of its own."""
        path = self._given_path

        def forked() -> None:
            if not self._begun and not self._ended.is_set():
                self._pid = os.getpid()
                self.path = os.path.abspath(rank_path(path, f"pid{self._pid}"))
                if self._profile is not None:
                    self._profile.path = profile_path(self.path)

        os.register_at_fork(after_in_child=forked)

    def _ignore_own_recording(self, *args: Any, **kwargs: Any) -> None:
        """The program's own calls must not stop or clear the history; its dumps show ours."""
        self.facts.calls.append({"call": "record_memory_history", "ignored": True})

    def _begin(self) -> None:
        if self._begun or self._ended.is_set():
            return
        try:
            self._start_history()
        except Exception as problem:
            say(f"nothing is recorded: PyTorch {self._torch.__version__} refuses ({problem})")
            return
        self._begun = True
        self._mark("recording")
        self._writer.start()
        self._at_exit = at_exit(self.close, "end")
        if multiprocessing.parent_process() is not None:
            # A process that multiprocessing forked runs no functions of atexit.
            multiprocessing.util.Finalize(None, self._at_exit, exitpriority=0)
        with contextlib.suppress(Exception):
            self._torch._C._cuda_attach_out_of_memory_observer(self._out_of_memory)
        if self._flush_seconds > 0 or SAMPLE_SECONDS > 0:
            threading.Thread(target=self._keep_up, name="allocsim-record", daemon=True).start()

    def _start_history(self) -> None:
        torch = self._torch
        backend = torch.cuda.get_allocator_backend()
        if backend != "native":
            raise RuntimeError(f"the allocator is {backend}, which keeps no history")
        # Stacks of frees answer no question here, and taking them costs as much as those of allocations.
        options: dict[str, Any] = {"max_entries": self._max_entries, "context": None}
        if self._stacks != "none":
            options |= {"context": "alloc", "stacks": self._stacks}
        torch.cuda.memory._record_memory_history_impl("all", **options)
        self.facts.begin()

    def close(self, reason: str = "end") -> None:
        """Writes the file and ends the recording; later calls do nothing."""
        if self._ended.is_set() or os.getpid() != self._pid:
            return
        if self._profile is not None and self._begun:
            # A signal may have come while the profiler holds a lock.
            if reason in ("end", "error", "out_of_memory"):
                self._profile.end()
            else:
                self._profile.leave()
        if self._begun:
            with contextlib.suppress(Exception):
                self.facts.ask_collectives()
            self._writer.wait(self._writer.ask(reason, is_last=True))
        self._mark("recording", is_set=False)
        self._ended.set()
        self._patches.undo()
        if self._at_exit is not None:
            atexit.unregister(self._at_exit)
        if self._begun:
            with contextlib.suppress(Exception):
                self._torch.cuda.memory._record_memory_history_impl(None)

    # --- writing ---------------------------------------------------------------------------

    def write(self, reason: str) -> None:
        """Writes everything recorded so far; nothing where there is nothing yet, or where the recording has ended."""
        if self._begun and os.getpid() == self._pid:
            self._writer.wait(self._writer.ask(reason))

    def _write(self, reason: str, is_last: bool) -> None:
        """In the writer's thread alone."""
        try:
            self.facts.sample()
            ends, snapshot = self._consistent_snapshot()
            self.change(snapshot)
            if self._skip_empty and not any(snapshot["device_traces"]) and not snapshot["segments"]:
                return
            document = self.facts.document(reason, is_last, ends)
            snapshot["external_annotations"] = sorted(
                list(snapshot.get("external_annotations", ())) + self.facts.annotations(),
                key=lambda each: each["time_us"],
            )
            snapshot[KEY] = json.dumps(document, separators=(",", ":"))
            latest: list[Written] = []

            def ready(mark: Mark) -> None:
                latest.append(Written(self.path, reason, is_last, time.time(), mark))
                self._note(latest + self._file)

            self.written_bytes = write_snapshot(self.path, snapshot, None if self._run_folder is None else str(self._run_folder.path), ready)
            self._file = latest
            self._mark("written")
        except Exception as problem:
            self._mark("failed")
            said = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
            say(f"{self.path} was not written: {said}{'; the existing file is from before' if self._file else ''}")

    def _note(self, files: list[Written]) -> None:
        if self._run_folder is not None:
            try:
                self._run_folder.note(self.path, files)
            except OSError as problem:
                # Where the folder is gone, nobody waits for what it would hold.
                if self._run_folder.path.is_dir() and not self._is_untold:
                    from ..usage import unusable

                    self._is_untold = True
                    self._mark("untold")
                    say(f"{unusable(problem)}; so the command cannot say how far {self.path} goes")

    def _mark(self, state: str, is_set: bool = True) -> None:
        if self._run_folder is not None:
            self._run_folder.mark(state, is_set)

    def _consistent_snapshot(self) -> tuple[dict[int, list[int]], dict[str, Any]]:
        """A snapshot and where it ends, which other threads may move on between the two.

        Python threads wait meanwhile: who makes a snapshot holds the interpreter for longer than its
        turn, so that the others would always get theirs before the positions are looked at again.
        """
        turn = sys.getswitchinterval()
        sys.setswitchinterval(LONG_TURN_SECONDS)
        try:
            for _ in range(SNAPSHOT_TRIES):
                ends = self.facts.end_positions()
                snapshot = self._torch._C._cuda_memorySnapshot(None)
                if self.facts.end_positions() == ends:
                    break
            return ends, snapshot
        finally:
            sys.setswitchinterval(turn)

    def _out_of_memory(self, device: int, requested: int, total: int, free: int) -> None:
        try:
            self.facts.out_of_memory(device, requested, total, free)
            # Programs that catch the first failure meet many; the end writes them all.
            if not self._saw_out_of_memory:
                self._saw_out_of_memory = True
                self.write("out_of_memory")
        except Exception:
            pass

    def _keep_up(self) -> None:
        next_flush = time.monotonic() + self._flush_seconds
        while not self._ended.wait(SAMPLE_SECONDS):
            if os.getpid() != self._pid:
                return
            self.facts.sample()
            if self._flush_seconds > 0 and time.monotonic() >= next_flush:
                began = time.monotonic()
                self.write("flush")
                took = time.monotonic() - began
                next_flush = began + took + max(self._flush_seconds, took / FLUSH_SHARE)

    # --- signals ---------------------------------------------------------------------------

    def follow_signals(self) -> None:
        """Writes on SIGUSR2, and on SIGTERM and SIGHUP before they end the process, where the program has no handlers."""
        if threading.current_thread() is not threading.main_thread():
            return
        if hasattr(signal, "SIGUSR2") and signal.getsignal(signal.SIGUSR2) == signal.SIG_DFL:
            signal.signal(signal.SIGUSR2, lambda number, frame: self.write("signal"))
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
            signal.signal(signal.SIGHUP, self._terminate)
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._terminate)
            self._follow_without_handlers()

    def _follow_without_handlers(self) -> None:
        """Has a thread hear of SIGTERM too: a rank that waits for others in C++ runs no handler of Python."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        if before != -1:  # The program's own; it hears of signals in this way already.
            signal.set_wakeup_fd(before)
            os.close(reading)
            os.close(writing)
            return
        os.register_at_fork(after_in_child=_forget_wakeups)

        def hear() -> None:
            while signals := os.read(reading, 64):
                if signal.SIGTERM in signals and not self._ending.wait(GRACE_SECONDS):
                    self.write("sigterm")

        threading.Thread(target=hear, name="allocsim-signals", daemon=True).start()

    def _terminate(self, number: int, frame: Any) -> None:
        self._ending.set()
        self.signalled()
        self.close(signal.Signals(number).name.lower())
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _forget_wakeups() -> None:
    """Signals of a child are no matter of its parent, whose pipe it has."""
    with contextlib.suppress(ValueError):
        signal.set_wakeup_fd(-1)


@contextlib.contextmanager
def record(path: str = "run.pickle", **options: Any) -> Iterator[Recorder]:
    """Records the GPU memory of the code in a ``with`` block; the options are those of :class:`Recorder`.

    What the program held before the block is found from the memory at its end.
    """
    import torch

    recorder = Recorder(path, **options)
    recorder.install(torch)
    reason = "end"
    try:
        yield recorder
    except BaseException as problem:
        reason = "out_of_memory" if isinstance(problem, torch.cuda.OutOfMemoryError) else "error"
        raise
    finally:
        recorder.close(reason)


def say(sentence: str) -> None:
    """One line for the user, on the standard error output."""
    tell(f"allocsim record: {sentence}")
