"""Programs that keep a GPU idle in known ways, timed and profiled on a GPU, each as it is and under changes.

    python3 programs.py FOLDER [--only NAME,...] [--steps N] [--turns N] [--no-traces]

A program has options (workers, pinned memory, ``.item()`` each step, ...). Its variants are timed in turns, without a profiler, over
``--steps`` steps that follow some for warming up: FOLDER/PROGRAM.json has the seconds of all turns and the peaks of memory. Then each
is profiled for a few steps: FOLDER/PROGRAM.VARIANT.trace.json.gz is what PyTorch's profiler wrote.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import gzip
import json
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

PROFILED_STEPS = 5


@dataclasses.dataclass(frozen=True)
class Options:
    """What a variant changes."""

    workers: int = 0
    pinned: bool = False
    non_blocking: bool = False
    prefetch: int = 2
    item_every: int = 0
    empty_cache: bool = False
    collect_garbage: bool = False
    expandable: bool = False
    limit: float = 0.0
    batch: float = 1.0
    graphed: bool = False
    streams: int = 1
    fused: bool = False
    synchronize: bool = False
    what_if: str = ""
    """The change from the base as `allocsim idle --what-if` calls it, where it knows it."""


class Samples(Dataset):
    """Makes samples, after a while: asleep, or busy."""

    def __init__(self, make: Callable[[int], Any], sleep: float = 0.0, work: int = 0) -> None:
        self.make = make
        self.sleep = sleep
        self.work = work

    def __len__(self) -> int:
        return 1 << 20

    def __getitem__(self, index: int) -> Any:
        if self.sleep:
            time.sleep(self.sleep)
        if self.work:
            picture = numpy.random.default_rng(index).random((self.work, self.work), dtype=numpy.float32)
            numpy.fft.ifft2(numpy.fft.fft2(picture))
        return self.make(index)


def batches(samples: Dataset, size: int, options: Options, collate: Callable[[list], Any] | None = None) -> Iterator[Any]:
    torch.set_num_threads(1)
    return iter(
        DataLoader(
            samples, batch_size=max(1, int(size * options.batch)), num_workers=options.workers, pin_memory=options.pinned,
            prefetch_factor=options.prefetch if options.workers else None, collate_fn=collate,
            # Ranks were spawned, but what makes samples cannot be sent to a process that is.
            multiprocessing_context="fork" if options.workers else None,
        )
    )


def pictures(size: int, classes: int = 10) -> Callable[[int], tuple[Tensor, Tensor]]:
    return lambda index: (torch.full((3, size, size), index % 7 / 7), torch.tensor(index % classes))


def words(length: int, vocabulary: int) -> Callable[[int], tuple[Tensor, Tensor]]:
    return lambda index: (torch.arange(length) * (index + 1) % vocabulary, torch.arange(length) * (index + 3) % vocabulary)


def convolutions(width: int, depth: int) -> nn.Module:
    layers: list[nn.Module] = [nn.Conv2d(3, width, 3, 2, 1)]
    for _ in range(depth):
        layers += [nn.Conv2d(width, width, 3, 1, 1), nn.BatchNorm2d(width), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))


class Transformer(nn.Module):
    def __init__(self, vocabulary: int, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True) for _ in range(layers)
        )
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        hidden = self.embed(tokens)
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(hidden)


Step = Callable[[], Any]


def end(options: Options, number: int, result: Tensor) -> None:
    """What a step does last, and slows it down."""
    if options.item_every and number % options.item_every == 0:
        result.item()
    if options.synchronize:
        torch.cuda.synchronize()
    if options.empty_cache:
        torch.cuda.empty_cache()
    if options.collect_garbage:
        gc.collect()


def captured(work: Step) -> Step:
    """A step as one CUDA graph; what it returns is the capture's."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        result = work()

    def replay() -> Any:
        assert work, "it holds the tensors that the graph uses"
        graph.replay()
        return result

    return replay


def trained(
    model: nn.Module, data: Iterator[tuple[Tensor, Tensor]], options: Options, amp: bool = False, lengths: tuple[int, ...] = ()
) -> Step:
    """An ordinary training loop, a step at a time."""
    model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=options.fused or None)
    steps = iter(range(1 << 30))

    def step() -> None:
        number = next(steps)
        inputs, targets = next(data)
        inputs = inputs.cuda(non_blocking=options.non_blocking)
        targets = targets.cuda(non_blocking=options.non_blocking)
        if lengths:
            inputs, targets = (each[:, : lengths[number % len(lengths)]] for each in (inputs, targets))
        with torch.autocast("cuda", torch.bfloat16, enabled=amp):
            outputs = model(inputs)
            loss = F.cross_entropy(outputs.flatten(0, -2), targets.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        end(options, number, loss)

    return step


def loader_sleep(options: Options) -> Step:
    return trained(convolutions(64, 6), batches(Samples(pictures(128), sleep=0.003), 16, options), options)


def loader_decode(options: Options) -> Step:
    return trained(convolutions(96, 8), batches(Samples(pictures(160), work=160), 32, options), options, amp=True)


def copy_pageable(options: Options) -> Step:
    data = Samples(pictures(256))
    one = next(batches(data, 256, options))
    kept = [each.pin_memory() if options.pinned else each for each in one]
    return trained(convolutions(16, 2), iter(lambda: kept, None), options, amp=True)


def item_each(options: Options) -> Step:
    kept = next(batches(Samples(words(256, 8192)), 8, options))
    kept = [each.cuda() for each in kept]
    return trained(Transformer(8192, 512, 8, 8), iter(lambda: kept, None), options, amp=True)


def empty_cache(options: Options) -> Step:
    kept = [each.cuda() for each in next(batches(Samples(words(512, 16384)), 16, options))]
    return trained(Transformer(16384, 512, 6, 8), iter(lambda: kept, None), options, lengths=(512, 384, 448, 320, 480))


def launch_bound(options: Options) -> Step:
    """Many small kernels; the graph has them in one launch."""
    size = max(1, int(32 * options.batch))
    model = nn.Sequential(*[layer for _ in range(24) for layer in (nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU())]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, capturable=True, fused=options.fused or None)
    inputs, targets = torch.randn(size, 256, device="cuda"), torch.randn(size, 256, device="cuda")

    def work() -> Tensor:
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    if not options.graphed:
        def step() -> None:
            loss = work()
            if options.item_every:
                loss.item()

        return step
    return captured(work)


def compute_bound(options: Options) -> Step:
    data = batches(Samples(words(1024, 32000)), 16, options)
    return trained(Transformer(32000, 1024, 12, 16), data, options, amp=True)


def tight_limit(options: Options) -> Step:
    data = batches(Samples(words(768, 16384)), 12, options)
    return trained(Transformer(16384, 768, 8, 12), data, options, lengths=(768, 511, 640, 700, 600, 743, 550))


def two_streams(options: Options) -> Step:
    """A teacher beside its student, on a stream of its own or on the same."""
    teacher, student = convolutions(192, 10).cuda().eval(), convolutions(64, 8).cuda()
    optimizer = torch.optim.SGD(student.parameters(), 0.01)
    data = batches(Samples(pictures(96)), 64, options)
    side = torch.cuda.Stream() if options.streams > 1 else torch.cuda.current_stream()

    def step() -> None:
        inputs, _ = next(data)
        inputs = inputs.cuda(non_blocking=options.non_blocking)
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), torch.no_grad():
            wanted = teacher(inputs)
        inputs.record_stream(side)
        outputs = student(inputs)
        torch.cuda.current_stream().wait_stream(side)
        wanted.record_stream(torch.cuda.current_stream())
        loss = F.mse_loss(outputs, wanted)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if options.item_every:
            loss.item()

    return step


def gpt_mix(options: Options) -> Step:
    """Several causes at once: data that takes a while, pageable copies, a loss that is read each step."""
    data = batches(Samples(words(512, 16384), sleep=0.002), 16, options)
    return trained(Transformer(16384, 512, 8, 8), data, options, amp=True)


def generate(options: Options) -> Step:
    """A step is 16 tokens; the host looks at each, or at every few."""
    model = Transformer(8192, 512, 8, 8).cuda().eval()
    tokens = torch.zeros(max(1, int(8 * options.batch)), 128, dtype=torch.long, device="cuda")

    def step() -> None:
        with torch.no_grad():
            for number in range(16):
                last = model(tokens)[:, -1].argmax(-1, keepdim=True)
                tokens.copy_(torch.cat((tokens[:, 1:], last), 1))
                if options.item_every and number % options.item_every == 0 and bool((last == 8191).all()):
                    break

    return step


def collected(options: Options) -> Step:
    kept = [each.cuda() for each in next(batches(Samples(words(256, 8192)), 8, options))]
    clutter = [[index] for index in range(300_000)]
    step = trained(Transformer(8192, 512, 6, 8), iter(lambda: kept, None), options, amp=True)

    def with_clutter() -> None:
        assert clutter
        step()

    return with_clutter


BASE = Options()
Variants = dict[str, Options]
Programs = dict[str, tuple[Callable[[Options], Step], Variants]]
PROGRAMS: Programs = {
    "loader_sleep": (loader_sleep, {
        "base": Options(), "workers-1": Options(workers=1), "workers-2": Options(workers=2), "workers-4": Options(workers=4),
        "workers-8": Options(workers=8), "workers-4-pinned": Options(workers=4, pinned=True, non_blocking=True),
    }),
    "loader_decode": (loader_decode, {
        "base": Options(workers=1), "workers-0": Options(), "workers-2": Options(workers=2), "workers-4": Options(workers=4),
        "workers-8": Options(workers=8), "pinned": Options(workers=1, pinned=True, non_blocking=True),
    }),
    "copy_pageable": (copy_pageable, {
        "base": Options(), "pinned": Options(pinned=True), "pinned-non-blocking": Options(pinned=True, non_blocking=True),
        "item": Options(item_every=1), "half": Options(batch=0.5),
    }),
    "item_each": (item_each, {
        "base": Options(item_every=1), "no-item": Options(), "item-10": Options(item_every=10), "fused": Options(item_every=1, fused=True),
        "twice": Options(item_every=1, batch=2),
    }),
    "empty_cache": (empty_cache, {
        "base": Options(empty_cache=True), "no-empty-cache": Options(), "expandable": Options(empty_cache=True, expandable=True),
        "item": Options(empty_cache=True, item_every=1), "half": Options(empty_cache=True, batch=0.5),
    }),
    "launch_bound": (launch_bound, {
        "base": Options(), "graphed": Options(graphed=True), "fused": Options(fused=True), "item": Options(item_every=1),
        "batch-8": Options(batch=8), "batch-64": Options(batch=64),
    }),
    "compute_bound": (compute_bound, {
        "base": Options(item_every=1), "no-item": Options(), "pinned": Options(workers=2, pinned=True, non_blocking=True, item_every=1),
        "fused": Options(item_every=1, fused=True), "half": Options(item_every=1, batch=0.5),
    }),
    "tight_limit": (tight_limit, {
        "base": Options(limit=1.09), "no-limit": Options(), "expandable": Options(limit=1.09, expandable=True),
        "limit-1.06": Options(limit=1.06), "limit-1.12": Options(limit=1.12),
    }),
    "two_streams": (two_streams, {
        "base": Options(streams=2), "one-stream": Options(), "pinned": Options(streams=2, workers=2, pinned=True, non_blocking=True),
        "workers-2": Options(streams=2, workers=2), "item": Options(streams=2, item_every=1),
    }),
    "gpt_mix": (gpt_mix, {
        "base": Options(workers=1, item_every=1), "workers-4": Options(workers=4, item_every=1), "no-item": Options(workers=1),
        "pinned": Options(workers=1, item_every=1, pinned=True, non_blocking=True),
        "all": Options(workers=4, pinned=True, non_blocking=True), "empty-cache": Options(workers=1, item_every=1, empty_cache=True),
    }),
    "generate": (generate, {
        "base": Options(item_every=1), "no-item": Options(), "item-8": Options(item_every=8), "twice": Options(item_every=1, batch=2),
        "batch-16": Options(item_every=1, batch=16),
    }),
    "collected": (collected, {
        "base": Options(collect_garbage=True), "no-collect": Options(), "item": Options(collect_garbage=True, item_every=1),
        "fused": Options(collect_garbage=True, fused=True), "twice": Options(collect_garbage=True, batch=2),
    }),
}


def fresh(options: Options, needed_bytes: int) -> None:
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.memory._set_allocator_settings(f"expandable_segments:{options.expandable}")
    limit = needed_bytes * options.limit / torch.cuda.get_device_properties(0).total_memory if options.limit else 1.0
    torch.cuda.set_per_process_memory_fraction(limit)
    torch.cuda.reset_peak_memory_stats()
    torch.manual_seed(0)


def timed(step: Step, warm: int, steps: int) -> dict:
    for _ in range(warm):
        step()
    torch.cuda.synchronize()
    before = torch.cuda.memory_stats()
    ends = [time.perf_counter()]
    for _ in range(steps):
        step()
        ends.append(time.perf_counter())
    torch.cuda.synchronize()
    last = time.perf_counter()
    after = torch.cuda.memory_stats()
    return {
        "step_seconds": (last - ends[0]) / steps,
        "median_host_seconds": statistics.median(b - a for a, b in zip(ends, ends[1:])),
        "allocated_bytes": after["allocated_bytes.all.peak"],
        "reserved_bytes": after["reserved_bytes.all.peak"],
        "retries": after["num_alloc_retries"] - before["num_alloc_retries"],
    }


def profiled(step: Step, warm: int, stacks: bool, path: Path) -> None:
    plain = path.with_suffix("")
    for _ in range(warm):
        step()
    with torch.profiler.profile(
        schedule=torch.profiler.schedule(wait=0, warmup=warm, active=PROFILED_STEPS, repeat=1), with_stack=stacks,
        on_trace_ready=lambda each: each.export_chrome_trace(str(plain)),
    ) as profile:
        for _ in range(warm + PROFILED_STEPS):
            step()
            profile.step()
    with plain.open("rb") as source, gzip.open(path, "wb", 6) as target:
        shutil.copyfileobj(source, target)
    plain.unlink()


def one_turn(make: Callable[[Options], Step], options: Options, needed_bytes: int, steps: int, traces: dict[Path, bool]) -> dict:
    """Times a variant, then profiles it into files, with stacks or without."""
    warm = 8 + 3 * options.workers
    fresh(options, needed_bytes)
    step = make(options)
    figures = timed(step, warm, steps)
    del step
    for path, stacks in traces.items():
        fresh(options, needed_bytes)
        step = make(options)
        profiled(step, warm, stacks, path)
        del step
    return figures


def trace_files(folder: Path, name: str, variant: str) -> dict[Path, bool]:
    """The profiles of a variant, and whether they have stacks."""
    files = {folder / f"{name}.{variant}.trace.json.gz": False}
    return files | ({folder / f"{name}.{variant}.stacks.trace.json.gz": True} if variant == "base" else {})


def write(name: str, folder: Path, variants: Variants, figures: dict[str, list[dict]]) -> None:
    (folder / f"{name}.json").write_text(json.dumps(
        {
            "pytorch": torch.__version__, "device": torch.cuda.get_device_name(),
            "variants": {variant: {"options": dataclasses.asdict(variants[variant]), "turns": figures[variant]} for variant in variants},
        }, indent=1
    ))


def measure(name: str, make: Callable[[Options], Step], variants: Variants, folder: Path, steps: int, turns: int, traces: bool) -> None:
    figures: dict[str, list[dict]] = {variant: [] for variant in variants}
    needed = 0
    if any(each.limit for each in variants.values()):
        fresh(BASE, 0)
        step = make(dataclasses.replace(variants["base"], limit=0.0))
        needed = timed(step, 10, 10)["allocated_bytes"]
        del step
    for turn in range(turns):
        for variant, options in variants.items():
            try:
                files = trace_files(folder, name, variant) if traces and turn == 0 else {}
                figures[variant].append(one_turn(make, options, needed, steps, files))
            except Exception as problem:
                figures[variant].append({"problem": f"{type(problem).__name__}: {problem}"[:400]})
            print(name, variant, json.dumps(figures[variant][-1]), flush=True)
    write(name, folder, variants, figures)


def main(programs: Programs, about: str, measure: Callable[..., None] = measure, turns: int = 3) -> None:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default=",".join(programs))
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--turns", type=int, default=turns)
    parser.add_argument("--no-traces", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.only.split(","):
        began = time.time()
        measure(name, *programs[name], arguments.folder, arguments.steps, arguments.turns, not arguments.no_traces)
        print(f"{name}: {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(PROGRAMS, __doc__)
