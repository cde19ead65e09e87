"""How long collectives of two or more GPUs take, alone and beside a matrix product.

Run: torchrun --nproc-per-node N collectives.py OUT.jsonl
Each line: operation, bytes of the whole tensor, ranks, nanoseconds of the median of 20 calls on the GPU; "with" is the
time of a product of matrices and the collective side by side on two streams, "product" that of the product alone.
"""

import json
import statistics
import sys

import torch
import torch.distributed as dist


def timed(call, repeats=20):
    """Nanoseconds of one call on the GPU, the median of many."""
    for _ in range(5):
        call()
    times = []
    for _ in range(repeats):
        dist.barrier()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e6)
    return round(statistics.median(times))


def main():
    dist.init_process_group("nccl")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(rank)
    device = torch.device("cuda", rank)
    a, b = (torch.randn(8192, 8192, device=device, dtype=torch.bfloat16) for _ in range(2))
    product = lambda: torch.mm(a, b)
    alone = timed(product)
    rows = []
    for power in range(10, 31, 2):
        size = 1 << power
        whole = torch.empty(size, device=device, dtype=torch.uint8).view(torch.float32)
        part = torch.empty(size // ranks, device=device, dtype=torch.uint8).view(torch.float32)
        other = (rank + 1) % ranks
        calls = {
            "all_reduce": lambda: dist.all_reduce(whole),
            "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole),
            "broadcast": lambda: dist.broadcast(whole, 0),
            "send": lambda: dist.send(whole, other) if rank == 0 else dist.recv(whole, other),
        }
        for name, call in calls.items():
            if name == "send" and rank > 1:
                continue

            def both():
                work = getattr(dist, {"all_gather": "all_gather_into_tensor", "reduce_scatter": "reduce_scatter_tensor"}.get(name, name))
                if name == "all_reduce":
                    handle = work(whole, async_op=True)
                elif name == "all_gather":
                    handle = work(whole, part, async_op=True)
                elif name == "reduce_scatter":
                    handle = work(part, whole, async_op=True)
                elif name == "broadcast":
                    handle = work(whole, 0, async_op=True)
                else:
                    handle = dist.isend(whole, other) if rank == 0 else dist.irecv(whole, other)
                product()
                handle.wait()

            rows.append(
                {
                    "operation": name,
                    "bytes": size,
                    "ranks": ranks,
                    "nanos": timed(call),
                    "productNanos": alone,
                    "withNanos": timed(both),
                    "gpu": torch.cuda.get_device_name(rank),
                    "torch": torch.__version__,
                    "nccl": ".".join(map(str, torch.cuda.nccl.version())),
                }
            )
    if rank == 0:
        with open(sys.argv[1], "w") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows)
    dist.barrier()
    dist.destroy_process_group()


main()
