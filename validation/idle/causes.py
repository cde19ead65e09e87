"""One program that keeps a GPU busy, and the same with a cause of idle time put in on purpose, each profiled for a few steps.

    python3 causes.py FOLDER

FOLDER/CAUSE.trace.json.gz is what PyTorch's profiler wrote; ``none`` has no cause. The pictures are ready unless the dataset sleeps.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch
from programs import Options, Samples, Step, batches, convolutions, fresh, pictures, profiled
from torch.nn import functional as F

MIB = 1 << 20
BUFFERS = (512, 832, 640, 1024, 576, 896, 704)


def program(cause: str) -> Step:
    model = convolutions(128, 9).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    ready = [each.pin_memory() for each in next(batches(Samples(pictures(224)), 96, Options()))]
    data = iter(lambda: ready, None)
    if cause == "sleep":
        data = batches(Samples(pictures(224), sleep=0.001), 96, Options(pinned=True))
    if cause == "pageable":
        data = iter(lambda: [each.clone() for each in ready], None)
    numbers = iter(range(1 << 30))

    def step() -> None:
        buffer = torch.empty(BUFFERS[next(numbers) % len(BUFFERS)] * MIB, dtype=torch.uint8, device="cuda")
        inputs, targets = (each.cuda(non_blocking=cause != "pageable") for each in next(data))
        with torch.autocast("cuda", torch.bfloat16):
            for layer in model:
                inputs = layer(inputs)
                if cause == "item":
                    inputs.flatten()[0].item()
            loss = F.cross_entropy(inputs, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        buffer.zero_()
        del buffer
        if cause == "empty-cache":
            torch.cuda.empty_cache()

    return step


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    fresh(Options(), 0)
    for cause in ("none", "sleep", "pageable", "item", "empty-cache", "limit", "full"):
        step = program(cause)
        torch.cuda.reset_peak_memory_stats()
        for _ in range(2 * len(BUFFERS)):
            step()
        room = torch.cuda.max_memory_allocated() + 128 * MIB
        free, total = torch.cuda.mem_get_info()
        hog = None
        if cause == "limit":
            torch.cuda.set_per_process_memory_fraction(room / total)
        if cause == "full":
            torch.cuda.empty_cache()
            free, total = torch.cuda.mem_get_info()
            hog = torch.empty(free + torch.cuda.memory_reserved() - room, dtype=torch.uint8, device="cuda")
        began = time.time()
        profiled(step, 8, False, folder / f"{cause}.trace.json.gz")
        print(cause, torch.cuda.memory_stats()["num_alloc_retries"], f"{time.time() - began:.1f} s", flush=True)
        del step, hog
        fresh(Options(), 0)


if __name__ == "__main__":
    main()
