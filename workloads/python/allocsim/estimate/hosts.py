"""How the ranks of a job are spread over hosts."""

from __future__ import annotations

#: GPUs of a host of a job.
MAX_GPUS = 8


def gpus_of_a_host(world: int) -> int:
    """GPUs of each host of a job: as many as a host usually has, where the ranks spread evenly."""
    return next(count for count in range(min(world, MAX_GPUS), 0, -1) if world % count == 0)


def rank_environment(rank: int, world: int, gpus: int | None = None) -> dict[str, str]:
    """What torchrun tells a rank, and how many GPUs the stand-in shows to it.

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
