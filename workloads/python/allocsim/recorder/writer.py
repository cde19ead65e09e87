"""Serves requests to write a recording's file: one after the other, and nothing after the last."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from typing import Callable

from .flag import Flag
from .leaving import SAME_SECONDS

#: What a file says of several requests that one write serves, the most telling first.
_TELLING = ("out_of_memory", "sigterm", "sighup", "signal", "flush")

#: How often who waits looks whether the writer has ended without an answer.
_LOOK_SECONDS = 0.05


class Request:
    """A request to write.

    Args:
        reason: what the file says of its end.
        is_last: whether the recording ends with it.
    """

    def __init__(self, reason: str, is_last: bool) -> None:
        self.reason = reason
        self.is_last = is_last
        self.served = Flag()


class Writer:
    """Writes in a thread of its own.

    Signal handlers, the observer of failed requests and the timer interrupt each other at any
    moment. So they only queue what they want (``SimpleQueue.put`` may be interrupted by itself),
    and one thread alone takes snapshots and replaces the file.

    Args:
        write: writes everything recorded so far, for a reason; with True as the last one.
    """

    def __init__(self, write: Callable[[str, bool], None]) -> None:
        self._write = write
        self._requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._is_closed = False
        self._writing: int | None = None
        self._turn = threading.Lock()
        self._ended = Flag()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts the thread. Where none can be started, as at the end of Python, who asks writes."""
        thread = threading.Thread(target=self._run, name="allocsim-writer", daemon=True)
        self._thread = thread
        try:
            thread.start()
        except RuntimeError:
            self._thread = None

    def ask(self, reason: str, is_last: bool = False) -> Request:
        """Queues a request, and returns it at once; after the last one it is only something to wait for the end with."""
        request = Request(reason, is_last)
        if self._is_closed:
            return request
        # In this order, or who interrupts it in between would wait for an end that nobody has asked for.
        self._requests.put(request)
        if is_last:
            self._is_closed = True
        return request

    def wait(self, request: Request) -> None:
        """Waits until a request is served or the recording has ended. The first Ctrl-C meanwhile comes afterwards; the second at once."""
        interrupt: KeyboardInterrupt | None = None
        interrupted_seconds = 0.0
        while not self.is_done(request):
            if self._thread is None or not self._thread.is_alive():
                if self._writing == threading.get_ident():
                    break  # A signal handler has interrupted the write that would serve it.
                # The thread may be about to start, and to serve it.
                if self._requests.empty():
                    request.served.wait(_LOOK_SECONDS)
                else:
                    self.step(waits=False)
                continue
            try:
                request.served.wait(_LOOK_SECONDS)
            except KeyboardInterrupt as problem:
                if interrupt is not None and time.monotonic() - interrupted_seconds > SAME_SECONDS:
                    raise
                if interrupt is None:
                    interrupt, interrupted_seconds = problem, time.monotonic()
        if interrupt is not None:
            raise interrupt

    def is_done(self, request: Request) -> bool:
        """Whether a request is served, or will not be served any more."""
        return request.served.is_set() or self._ended.is_set()

    def step(self, waits: bool = True) -> bool:
        """Serves the requests that wait, all with one write; returns whether the last one was among them.

        Args:
            waits: whether it waits for a request where there is none.
        """
        waiting = [self._requests.get()] if waits else []
        with contextlib.suppress(queue.Empty):
            while True:
                waiting.append(self._requests.get_nowait())
        if not waiting:
            return False
        last = next((each for each in waiting if each.is_last), None)
        reasons = {each.reason for each in waiting}
        reason = last.reason if last else next((each for each in _TELLING if each in reasons), waiting[-1].reason)
        try:
            with self._turn:
                self._writing = threading.get_ident()
                try:
                    self._write(reason, last is not None)
                finally:
                    self._writing = None
        finally:
            if last is not None:
                self._ended.set()
            for each in waiting:
                each.served.set()
        return last is not None

    def _run(self) -> None:
        while not self.step():
            pass
