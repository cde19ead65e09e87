"""The job that a program is one rank of, learnt from the command, from its launcher or from the program itself."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Iterable, Mapping, MutableMapping
from urllib.parse import parse_qs, urlsplit

from .hosts import MAX_GPUS, rank_environment


class NoSuchRank(Exception):
    """The rank that was asked for is beyond the ranks of the job."""


class Job:
    """Which rank of how many ranks this process is.

    The command comes first (``--rank``, ``--world``), then what a launcher said, then what the program passes to
    ``init_process_group``. A program that says nothing is rank 0 of 1.

    Args:
        asked: the rank that is to run, None where the command leaves it open.
        world: ranks of the job, None where nobody has said it yet.
    """

    def __init__(self, asked: int | None, world: int | None) -> None:
        self._told_world = world
        self._asked = asked
        self.rank = asked or 0
        self.world = world or 1
        #: Whether the program made a process group.
        self.has_joined = False
        #: Is called when the program has made one.
        self.joined: Callable[[], object] = lambda: None
        #: Ranks of the group in which this one sends to or receives from single ranks, as stages of a pipeline do.
        self.stages: set[int] = set()

    @staticmethod
    def of(options: Mapping[str, Any]) -> Job:
        """The job that the command told this process."""
        return Job(options["rank"], options["world"])

    def is_another(self, rank: int | None) -> bool:
        """Whether a process that names its rank is not the one to run."""
        return rank is not None and rank >= 0 and rank != (self._asked or 0)

    def join(self, rank: int | None, world: int | None, init_method: str | None = None, environment: Mapping[str, str] | None = None) -> None:
        """The program joins its job; what it says counts where neither command nor launcher said it.

        Raises:
            NoSuchRank: the job has no such rank.
        """
        environment = os.environ if environment is None else environment
        told = {name: values[0] for name, values in parse_qs(urlsplit(init_method or "").query).items()}
        self.world = _first(self._told_world, world, told.get("world_size"), environment.get("WORLD_SIZE"), 1)
        self.rank = _first(self._asked, rank, told.get("rank"), environment.get("RANK"), 0)
        self._check()
        self.has_joined = True
        self.joined()

    def start(self, world: int) -> int:
        """The program starts its own ranks, in number as said; which of them is to run.

        Raises:
            NoSuchRank: it starts no such rank.
        """
        self.world = world
        self.rank = self._asked or 0
        self._check()
        return self.rank

    def pass_messages(self, ranks: Iterable[int]) -> None:
        """Ranks of a group pass messages from one to the next."""
        self.stages.update(ranks)

    def _check(self) -> None:
        if self.rank >= self.world:
            raise NoSuchRank(f"--rank {self.rank} is beyond the job, which has {self.world} rank{'s' if self.world > 1 else ''}; ranks count from 0")


def told(environment: MutableMapping[str, str], rank: int | None, world: int | None) -> dict[str, int | None]:
    """What the command tells the program about its job, in the environment as a launcher would, and returned for the options.

    Args:
        environment: of the program, which is changed.
        rank: of ``--rank``.
        world: of ``--world``.
    """
    if rank is None and world is None:
        # Whoever started the command in a job of its own, runs that rank.
        inherited = environment.get("RANK", "")
        return {"rank": int(inherited) if inherited.isdigit() else None, "world": None}
    if world is None:
        # The launcher inside of the program says how many ranks there are; the mock driver has to show the rank's GPU before.
        environment["ALLOCSIM_ESTIMATE_DEVICES"] = str(MAX_GPUS)
    else:
        environment.update(rank_environment(rank or 0, world))
    return {"rank": rank, "world": world}


def launched(options: Mapping[str, Any], variable: str, world: int, gpus: int) -> tuple[int, dict[str, str]]:
    """The environment of the one rank that runs in place of those that a launcher would start, and that rank.

    Args:
        options: what the command told the launcher's process.
        variable: the variable of the environment that holds these options.
        world: ranks that it would start.
        gpus: of them, on each host.

    Raises:
        NoSuchRank: it would start no such rank.
    """
    job = Job.of(options)
    if options["world"] is None:
        job.start(world)
    told_job = dict(options) | {"rank": job.rank, "world": job.world}
    environment = rank_environment(job.rank, job.world, gpus) | {variable: json.dumps(told_job)}
    if options.get("gpus") is not None:
        # The user said how many a process sees.
        del environment["ALLOCSIM_ESTIMATE_DEVICES"]
    return job.rank, environment


def _first(*values: int | str | None) -> int:
    for value in values:
        if value is not None and (isinstance(value, int) or value.lstrip("-").isdigit()) and int(value) >= 0:
            return int(value)
    raise ValueError("no value is given")
