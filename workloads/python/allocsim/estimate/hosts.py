"""How the ranks of a job are distributed over hosts."""

from __future__ import annotations

from typing import Mapping

#: GPUs of a host of a job.
MAX_GPUS = 8


#: GPUs that the mock driver can show.
MOST_GPUS = 64


def visible_gpus(environment: Mapping[str, str]) -> int:
    """The number of GPUs that CUDA_VISIBLE_DEVICES names, at most those of a host; one if it names none."""
    named = [each for each in environment.get("CUDA_VISIBLE_DEVICES", "").split(",") if each.strip()]
    return max(1, min(len(named), MAX_GPUS))


def gpus_of_a_host(world: int) -> int:
    """GPUs of each host of a job: as many as a host usually has, where the ranks spread evenly."""
    return next(count for count in range(min(world, MAX_GPUS), 0, -1) if world % count == 0)


def rank_environment(rank: int, world: int, gpus: int | None = None) -> dict[str, str]:
    """The environment that torchrun sets for a rank, and how many GPUs the mock driver shows it.

    Args:
        rank: the rank, from 0.
        world: ranks of the job.
        gpus: ranks of each host, where a launcher says it and all hosts have as many.
    """
    if gpus is None or world % gpus:
        gpus = gpus_of_a_host(world)
    return {
        "RANK": str(rank), "WORLD_SIZE": str(world), "LOCAL_RANK": str(rank % gpus), "LOCAL_WORLD_SIZE": str(gpus),
        "GROUP_RANK": str(rank // gpus), "GROUP_WORLD_SIZE": str(world // gpus),
        "MASTER_ADDR": "localhost", "MASTER_PORT": "29500", "ALLOCSIM_ESTIMATE_DEVICES": str(gpus),
    }
