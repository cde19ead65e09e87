"""How often NCCL's watchdog lets go of the first buckets of DistributedDataParallel in time: torchrun --nproc-per-node 2 watchdog.py FOLDER

One process makes the model of the job `ddp` again and again, on two GPUs. After the first step it goes on, or waits for the GPU, or waits and
sleeps for longer than the watchdog does. FOLDER/watchdog-RANK.json has the peaks of each training; both together are measured/watchdog.json.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from programs import next_token
from ranks import JOBS

PAUSES = ("none", "waited for the GPU", "waited, then slept")
TRAININGS = 48
SLEEP_SECONDS = 0.25


def trained(pause: str) -> dict:
    """The peaks of one training of four steps."""
    torch.manual_seed(0)
    make, autocast = JOBS["ddp"]
    model = make()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    began, first = time.time(), 0.0
    for step in range(4):
        ids = torch.randint(0, 32000, (4, 513)).cuda()
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=autocast):
            value = next_token(model, ids)
        value.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step == 0:
            if pause != "none":
                torch.cuda.synchronize()
            first = time.time() - began
            if pause == "waited, then slept":
                time.sleep(SLEEP_SECONDS)
    torch.cuda.synchronize()
    stats = torch.cuda.memory_stats()
    return {
        "pause": pause, "requested_bytes": stats["requested_bytes.all.peak"], "reserved_bytes": stats["reserved_bytes.all.peak"],
        "first_step_seconds": round(first, 3),
    }


def main(folder: Path) -> None:
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    found = []
    for i in range(TRAININGS):
        dist.barrier()
        torch.cuda.synchronize()
        found.append(trained(PAUSES[(0, 2, 1)[i % 3]]))
        gc.collect()
        # What the watchdog has not seen yet is let go of before the next training.
        dist.barrier()
        time.sleep(SLEEP_SECONDS)
        dist.barrier()
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    (folder / f"watchdog-{rank}.json").write_text(json.dumps(found) + "\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
