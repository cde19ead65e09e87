"""What other ranks of a job send to this one: those that are waited for run as well, until they have sent it.

A fake process group moves nothing. That is enough for tensors, whose shapes the receiver knows; of an object it knows
nothing. Stages of a pipeline tell each other shapes in this way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ..recorder.follow import VARIABLE as RECORD_VARIABLE
from .hosts import rank_environment
from .job import Job
from .messages import sealed, unsealed

_POLL_SECONDS = 0.01


class Peers:
    """The ranks of a job, as files of a folder in which each rank leaves what it sends.

    Args:
        options: what the command told this process, see ``command.py``.
        variable: the variable of the environment that holds these options.
    """

    def __init__(self, options: dict[str, Any], variable: str) -> None:
        self._options = options
        self._variable = variable
        self._job = Job.of(options)
        self._folder = Path(options["exchange"])
        # As they were when the program began, so that a peer begins alike.
        self._environment = dict(os.environ)
        self._place = os.getcwd()
        self._command = [sys.executable, *sys.orig_argv[1:]]
        self._sent: dict[int, int] = {}
        self._received: dict[int, int] = {}
        self._started: list[subprocess.Popen[bytes]] = []
        if options["peer"]:
            threading.Thread(target=_end_with_starter, daemon=True).start()

    def join(self, job: Job) -> None:
        """The program has joined its job."""
        self._job = job

    def send(self, objects: list[Any], to: int) -> None:
        """Leaves objects for a rank."""
        number = self._sent[to] = self._sent.get(to, 0) + 1
        beside = self._folder / f"{self._job.rank}-{to}-{number}.part"
        beside.write_bytes(sealed(objects, self._options["key"]))
        beside.rename(beside.with_suffix(".sent"))

    def receive(self, source: int) -> list[Any]:
        """What a rank has left for this one next; the rank is started where it does not run yet.

        Raises:
            RuntimeError: it ended, and sent nothing more.
        """
        number = self._received[source] = self._received.get(source, 0) + 1
        path = self._folder / f"{source}-{self._job.rank}-{number}.sent"
        self._start(source)
        while True:
            ended = self._has_ended(source)
            if path.exists():
                return unsealed(path.read_bytes(), self._options["key"])
            if ended:
                raise RuntimeError(f"rank {source} of the job, run to find out what it sends to rank {self._job.rank}, ended before sending it")
            time.sleep(_POLL_SECONDS)

    def linger(self) -> None:
        """Ends the work of a peer: it stays, as ranks that it started may still be waited for, until its starter ends."""
        self._mark(self._job.rank, "ended").touch()
        threading.Event().wait()

    def _start(self, rank: int) -> None:
        if rank == self._asked():
            return
        try:
            os.close(os.open(self._mark(rank, "started"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        environment = self._environment | rank_environment(rank, self._job.world)
        environment[self._variable] = json.dumps(self._options | {"rank": rank, "world": self._job.world, "asked": self._asked(), "peer": True, "steps": 1, "report": os.devnull})
        # Nobody asks for its recording.
        environment[RECORD_VARIABLE] = json.dumps(
            {"path": str(self._folder / "peer.pickle"), "max_entries": 1, "stacks": "none", "flush_seconds": 0, "parent": os.getpid(), "run_folder": None}
        )
        with open(self._mark(rank, "log"), "wb") as log:
            self._started.append(
                subprocess.Popen(self._command, env=environment, cwd=self._place, stdin=subprocess.PIPE, stdout=log, stderr=log)
            )

    def _asked(self) -> int:
        """The rank that the user asks about, which runs anyway."""
        return int(self._options["asked"]) if self._options["peer"] else self._job.rank

    def _has_ended(self, rank: int) -> bool:
        return self._mark(rank, "ended").exists()

    def _mark(self, rank: int, what: str) -> Path:
        return self._folder / f"rank{rank}.{what}"


def _end_with_starter() -> None:
    """The starter holds the other end of this pipe as long as it runs."""
    os.read(0, 1)
    os._exit(0)
