"""Jobs of several ranks whose memory is measured on GPUs and estimated without: torchrun --nproc-per-node 2 ranks.py NAME FOLDER

Each rank writes its peaks to FOLDER/NAME-RANK.json. On the stand-in, one rank runs without the others:
allocsim estimate --rank 0 --world 2 -- python ranks.py NAME FOLDER
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from programs import Language, next_token
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel

MIXED = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)


def sharded(model, **options):
    for block in model.blocks:
        fully_shard(block, **options)
    return fully_shard(model, **options)


def language(**options):
    return Language(width=1024, layers=8, heads=16, **options)


#: Name, how the model is made, and whether the forward pass runs under autocast.
JOBS = {
    "ddp": (lambda: DistributedDataParallel(language().cuda()), True),
    "ddp_views": (lambda: DistributedDataParallel(language().cuda(), gradient_as_bucket_view=True, static_graph=True), True),
    "fsdp2": (lambda: sharded(language().cuda()), True),
    "fsdp2_mixed": (lambda: sharded(language().cuda(), mp_policy=MIXED), False),
    "fsdp2_mixed_keep": (lambda: sharded(language().cuda(), mp_policy=MIXED, reshard_after_forward=False), False),
    "fsdp2_checkpoint": (lambda: sharded(language(checkpoint=True).cuda(), mp_policy=MIXED), False),
    "fsdp2_offload": (lambda: sharded(language(), mp_policy=MIXED, offload_policy=CPUOffloadPolicy()), False),
}


def main(name: str, folder: Path) -> None:
    import torch.utils.checkpoint  # noqa: F401

    rank = int(os.environ["RANK"])
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(0)
    free_before, _ = torch.cuda.mem_get_info()
    dist.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    dist.barrier()
    make, autocast = JOBS[name]
    model = make()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for _ in range(4):
        ids = torch.randint(0, 32000, (4, 513)).cuda()
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=autocast):
            value = next_token(model, ids)
        value.backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    stats = torch.cuda.memory_stats()
    free, total = torch.cuda.mem_get_info()
    answer = {
        "pytorch": torch.__version__, "nccl": ".".join(map(str, torch.cuda.nccl.version())), "device": torch.cuda.get_device_name(), "world": dist.get_world_size(), "total_bytes": total,
        "requested_bytes": stats["requested_bytes.all.peak"], "allocated_bytes": stats["allocated_bytes.all.peak"], "reserved_bytes": stats["reserved_bytes.all.peak"],
        "beside_bytes": free_before - free - stats["reserved_bytes.all.current"],
    }
    (folder / f"{name}-{rank}.json").write_text(json.dumps(answer) + "\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
