"""One rank of a training on several GPUs, for torchrun: `two_ranks.py ddp` or `two_ranks.py fsdp2`."""

from __future__ import annotations

import os
import sys


def main(kind: str) -> None:
    import torch
    import torch.distributed as dist
    from torch import nn

    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    torch.manual_seed(local)
    blocks = [nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True) for _ in range(6)]
    model: nn.Module = nn.Sequential(*blocks).cuda()
    if kind == "ddp":
        model = nn.parallel.DistributedDataParallel(model, device_ids=[local])
    else:
        from torch.distributed.fsdp import fully_shard

        for block in blocks:
            fully_shard(block)
        fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for number in range(int(os.environ.get("GPU_CHECK_STEPS", "12"))):
        x = torch.randn(4 + number % 3, 128 + 64 * local, 512, device="cuda")
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        if number % 5 == 4:
            torch.cuda.empty_cache()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
