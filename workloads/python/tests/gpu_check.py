"""Records programs of several libraries on a GPU, and measures what recording costs.

    python3 workloads/python/tests/gpu_check.py OUT [PROGRAM...]

OUT gets the recordings, PROGRAM.pickle.gz, and costs.json. GPU_CHECK_STEPS says how many steps a
program makes, GPU_CHECK_JOBS how many are recorded at a time. Afterwards, for every recording:

    allocsim verify OUT/PROGRAM.pickle.gz

What recording costs is measured in one more process for some programs: a few steps without it, a few
with each kind of stacks, again and again in turns, since the host of a GPU changes its speed within
seconds. Programs that a machine lacks libraries for are left out, and said so.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable

PACKAGE = Path(__file__).resolve().parent.parent
STEPS = int(os.environ.get("GPU_CHECK_STEPS", "30"))
JOBS = int(os.environ.get("GPU_CHECK_JOBS", "1"))
TURNS = int(os.environ.get("GPU_CHECK_TURNS", "8"))
STEPS_OF_A_TURN = 6
KINDS = ("", "none", "python", "all")


#: Whether this process measures what recording costs, and so runs each step many times.
measures_cost = False


def steps(step: Callable[[int], object], count: int = STEPS) -> dict[str, object]:
    """Runs the steps; where cost is measured, gives the seconds of steps by the kind of stacks."""
    if not measures_cost:
        for number in range(count):
            step(number)
        return {}
    import torch

    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for number in range(STEPS_OF_A_TURN):
        step(number)
    before = allocations()
    for _ in range(TURNS):
        for kind in KINDS:
            recording = record(tempfile.mktemp(), stacks=kind, flush_seconds=0) if kind else contextlib.nullcontext()
            with recording as recorder:
                for number in range(STEPS_OF_A_TURN):
                    torch.cuda.synchronize()
                    began = time.perf_counter()
                    step(number)
                    torch.cuda.synchronize()
                    if number:
                        times[kind].append(time.perf_counter() - began)
            if kind:
                os.unlink(recorder.path)
    made = (allocations() - before) / (TURNS * len(KINDS) * STEPS_OF_A_TURN)
    return {"times": times, "allocations_of_a_step": round(made)}


def allocations() -> int:
    import torch

    return torch.cuda.memory_stats()["allocation.all.allocated"]


def mlp() -> dict[str, object]:
    import torch
    from torch import nn

    model = nn.Sequential(*[layer for _ in range(8) for layer in (nn.Linear(2048, 2048), nn.ReLU())]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())

    def step(number: int) -> None:
        loss = model(torch.randn(512 + 64 * (number % 5), 2048).cuda()).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return steps(step)


def transformer() -> dict[str, object]:
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True)
    model = nn.TransformerEncoder(layer, 12).cuda()
    optimizer = torch.optim.AdamW(model.parameters())

    def step(number: int) -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(torch.randn(8, 256 + 128 * (number % 4), 768, device="cuda")).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if number % 10 == 9:
            torch.cuda.empty_cache()

    return steps(step)


def many_small() -> dict[str, object]:
    import random

    import torch

    chooser = random.Random(1)

    def step(number: int) -> None:
        kept = []
        for _ in range(1000):
            kept.append(torch.empty(chooser.randint(1, 1 << 16), device="cuda"))
            if len(kept) > 200:
                del kept[chooser.randrange(len(kept))]
        if number % 7 == 6:
            kept.clear()
            torch.cuda.empty_cache()

    return steps(step)


def streams() -> dict[str, object]:
    import torch

    side = [torch.cuda.Stream() for _ in range(3)]
    weight = torch.randn(2048, 2048, device="cuda")

    def step(number: int) -> None:
        for stream in side:
            with torch.cuda.stream(stream):
                x = torch.randn(1024, 2048, device="cuda")
                y = x @ weight
            y.record_stream(torch.cuda.current_stream())
            torch.cuda.current_stream().wait_stream(stream)
            (y * 2).sum()
            del x, y
        if number % 5 == 4:
            torch.cuda.empty_cache()

    return steps(step)


def graphs() -> dict[str, object]:
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024)).cuda()
    x = torch.randn(256, 1024, device="cuda")
    model(x)

    def step(number: int) -> None:
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            y = model(x)
            z = model(y)
        graph.replay()
        del y, z, graph
        pool = torch.cuda.MemPool()
        with torch.cuda.use_mem_pool(pool):
            kept = torch.empty(3 << 20, device="cuda")
        del kept, pool
        gc.collect()

    return steps(step)


def pools() -> dict[str, object]:
    """Pools of every kind: shared by graphs, nested, used by a backward pass, reset and kept."""
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512)).cuda()
    kept = []

    def step(number: int) -> None:
        outer, inner = torch.cuda.MemPool(), torch.cuda.MemPool()
        with torch.cuda.use_mem_pool(outer):
            a = torch.empty((3 + number % 3) << 20, device="cuda")
            with torch.cuda.use_mem_pool(inner):
                b = torch.empty(1 << 18, device="cuda")
            c = torch.empty(1 << 16, device="cuda")
            model(torch.randn(64 * (1 + number % 4), 512, device="cuda")).sum().backward()
        shared = torch.cuda.graph_pool_handle()
        graphs = []
        x = torch.randn(128, 512, device="cuda")
        for _ in range(3):
            graph = torch.cuda.CUDAGraph()
            with torch.no_grad(), torch.cuda.graph(graph, pool=shared):
                y = model(x) * 2
            graphs.append((graph, y))
        graphs[0][0].reset()
        kept.append(graphs.pop())
        if len(kept) > 3:
            del kept[: 1 + number % 3]
        if number % 4 == 3:
            kept.append((outer, a))
            torch.cuda.empty_cache()
        model.zero_grad()
        del a, b, c, outer, inner, graphs, graph, x, y

    return steps(step)


def refused() -> dict[str, object]:
    import torch

    torch.cuda.set_per_process_memory_fraction(2e9 / torch.cuda.get_device_properties(0).total_memory)
    kept = []

    def step(number: int) -> None:
        try:
            kept.append(torch.empty(150_000_000 + number * 1_000_000, dtype=torch.uint8, device="cuda"))
            kept.append(torch.empty(1_000_000, dtype=torch.uint8, device="cuda"))
        except torch.cuda.OutOfMemoryError:
            del kept[: len(kept) // 2]
            torch.cuda.mem_get_info()

    return steps(step, 3 * STEPS)


def collected() -> dict[str, object]:
    """garbage_collection_threshold, which works against a limit that no snapshot holds."""
    import random

    import torch

    torch.cuda.set_per_process_memory_fraction(4e9 / torch.cuda.get_device_properties(0).total_memory)
    chooser = random.Random(2)
    kept = []

    def step(number: int) -> None:
        for _ in range(40):
            kept.append(torch.empty(chooser.randint(1 << 20, 60 << 20), dtype=torch.uint8, device="cuda"))
            while sum(each.nbytes for each in kept) > 2_500_000_000:
                del kept[chooser.randrange(len(kept))]

    return steps(step)


collected.settings = "garbage_collection_threshold:0.6"  # type: ignore[attr-defined]


def _gpt2(layers: int = 12, width: int = 768):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_layer=layers, n_embd=width, n_head=width // 64, vocab_size=50257, n_positions=1024)
    return GPT2LMHeadModel(config).cuda()


def _train(model, batch: int, tokens: tuple[int, ...] = (512, 576, 640)) -> dict[str, object]:
    import torch

    optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=1e-4)

    def step(number: int) -> None:
        x = torch.randint(0, 50000, (batch, tokens[number % len(tokens)])).cuda()
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(input_ids=x, labels=x).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return steps(step)


def gpt2() -> dict[str, object]:
    return _train(_gpt2(), 8)


def gpt2_full() -> dict[str, object]:
    """GPT-2 small at its full length."""
    return _train(_gpt2(), 8, (1024,))


def gpt2_medium() -> dict[str, object]:
    return _train(_gpt2(24, 1024), 8, (1024,))


def expandable() -> dict[str, object]:
    return _train(_gpt2(), 8)


expandable.settings = "expandable_segments:True"  # type: ignore[attr-defined]


def generate() -> dict[str, object]:
    import torch

    model = _gpt2().eval()

    def step(number: int) -> None:
        x = torch.randint(0, 50000, (4, 16 + 8 * (number % 4))).cuda()
        with torch.no_grad():
            model.generate(x, max_new_tokens=32, do_sample=False, pad_token_id=0)

    return steps(step, max(STEPS // 2, 5))


def lora() -> dict[str, object]:
    from peft import LoraConfig, get_peft_model

    return _train(get_peft_model(_gpt2(), LoraConfig(r=8, target_modules=["c_attn"])), 8)


def vision() -> dict[str, object]:
    import timm
    import torch

    model = timm.create_model("resnet50").cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)

    def step(number: int) -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(torch.randn(64, 3, 224, 224).cuda()).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return steps(step)


def loader() -> dict[str, object]:
    """Batches from other processes through pinned memory, and layers that are computed again backward."""
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint
    from torch.utils.data import DataLoader, TensorDataset

    layers = nn.ModuleList([nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True) for _ in range(6)]).cuda()
    optimizer = torch.optim.SGD(layers.parameters(), 0.01)
    data = DataLoader(TensorDataset(torch.randn(8 * STEPS, 128, 512)), batch_size=8, num_workers=2, pin_memory=True)
    batches = iter(data)

    def step(number: int) -> None:
        (x,) = next(batches)
        x = x.cuda(non_blocking=True)
        for layer in layers:
            x = checkpoint(layer, x, use_reentrant=False)
        x.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return steps(step)


def trainer() -> dict[str, object]:
    """Transformers' own loop, with this package's callback."""
    import torch
    from transformers import Trainer, TrainingArguments

    sys.path.insert(0, str(PACKAGE))
    from allocsim.callbacks import transformers_callback

    rows = [{"input_ids": row, "labels": row} for row in torch.randint(0, 50000, (4 * STEPS, 256))]
    arguments = TrainingArguments(
        output_dir=tempfile.mkdtemp(), per_device_train_batch_size=4, max_steps=STEPS, report_to=[], save_strategy="no",
        bf16=True, gradient_accumulation_steps=1, logging_steps=10, dataloader_num_workers=1,
    )  # fmt: skip
    Trainer(_gpt2(), arguments, train_dataset=rows, callbacks=[transformers_callback("70GiB")]).train()
    return {}


def compiled() -> dict[str, object]:
    """torch.compile, whose graphs of CUDA share pools that its own code sets up and restores."""
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)).cuda()
    fast = torch.compile(model, mode="reduce-overhead", dynamic=False)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)

    def step(number: int) -> None:
        torch.compiler.cudagraph_mark_step_begin()
        fast(torch.randn(64 * (1 + number % 2), 512, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return steps(step)


def changed() -> dict[str, object]:
    """Settings that the program changes while it runs."""
    import random

    import torch

    chooser = random.Random(3)
    texts = ("max_split_size_mb:64", "roundup_power2_divisions:4", "garbage_collection_threshold:0.5", "max_split_size_mb:200")
    torch.cuda.set_per_process_memory_fraction(4e9 / torch.cuda.get_device_properties(0).total_memory)
    kept = []

    def step(number: int) -> None:
        if number % 3 == 2:
            torch.cuda.memory._set_allocator_settings(texts[number // 3 % len(texts)])
        for _ in range(40):
            kept.append(torch.empty(chooser.randint(1 << 18, 60 << 20), dtype=torch.uint8, device="cuda"))
            while sum(each.nbytes for each in kept) > 2_500_000_000:
                del kept[chooser.randrange(len(kept))]

    return steps(step)


def exhausted() -> dict[str, object]:
    """A program that ends with an OutOfMemoryError, under a limit."""
    import torch

    torch.cuda.set_per_process_memory_fraction(6e9 / torch.cuda.get_device_properties(0).total_memory)
    model = _gpt2()
    optimizer = torch.optim.AdamW(model.parameters())

    def step(number: int) -> None:
        x = torch.randint(0, 50000, (1 + number, 512)).cuda()
        model(input_ids=x, labels=x).loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return steps(step, 100)


exhausted.exit_code = 1  # type: ignore[attr-defined]


def async_pools() -> dict[str, object]:
    """Memory that the driver's own pool holds beside PyTorch's allocator."""
    import cupy
    import torch

    weight = torch.randn(4096, 4096, device="cuda", requires_grad=True)
    cupy.cuda.set_allocator(cupy.cuda.MemoryAsyncPool().malloc)
    kept = [cupy.zeros(100 << 20, dtype=cupy.uint8) for _ in range(8)]

    def step(number: int) -> None:
        (weight @ weight).sum().backward()
        weight.grad = None
        torch.cuda.synchronize()

    times = steps(step)
    time.sleep(2)  # for a sample, which is taken once a second
    del kept
    return times


def neighbour() -> dict[str, object]:
    """Another process on the same card, which ends later."""
    import torch

    holds = "import torch, time; x = torch.empty(3 << 30, dtype=torch.uint8, device='cuda'); print(flush=True); time.sleep(60)"
    other = subprocess.Popen([sys.executable, "-c", holds], stdout=subprocess.PIPE)
    assert other.stdout is not None
    other.stdout.readline()
    x = torch.randn(8192, 8192, device="cuda")

    def step(number: int) -> None:
        x @ x
        torch.cuda.synchronize()

    times = steps(step)
    time.sleep(2)
    other.kill()
    return times


def expandable_pools() -> dict[str, object]:
    return pools()


expandable_pools.settings = "expandable_segments:True"  # type: ignore[attr-defined]


PROGRAMS = {
    program.__name__: program
    for program in (
        mlp, transformer, many_small, streams, graphs, pools, async_pools, neighbour, expandable_pools, refused, collected,
        changed, exhausted, gpt2, gpt2_full, gpt2_medium, expandable, generate, lora, vision, loader, trainer, compiled,
    )
}  # fmt: skip

#: Programs whose cost is measured: a step of theirs may run again and again.
COSTLY = tuple(os.environ.get("GPU_CHECK_COSTLY", "gpt2,gpt2_full,gpt2_medium,lora,vision").split(","))


def run_one(name: str) -> None:
    """Runs one program in this process."""
    PROGRAMS[name]()


def measure_one(name: str, into: str) -> None:
    """Measures one program in this process."""
    global measures_cost, record
    measures_cost = True
    sys.path.insert(0, str(PACKAGE))
    from allocsim.recorder import record

    Path(into).write_text(json.dumps(PROGRAMS[name]()))


def _run(name: str, *command: str) -> str:
    """Runs one process for a program; returns what went wrong, "" where nothing did."""
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE), OMP_NUM_THREADS="4", TOKENIZERS_PARALLELISM="false")
    settings = getattr(PROGRAMS[name], "settings", "")
    if settings:
        environment["PYTORCH_CUDA_ALLOC_CONF"] = settings
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    return "" if process.returncode == getattr(PROGRAMS[name], "exit_code", 0) else process.stderr[-800:] or "failed"


def check(name: str, out: Path) -> dict[str, object]:
    """Records one program."""
    recording = out / f"{name}.pickle.gz"
    this = [sys.executable, __file__]
    failure = _run(name, sys.executable, "-m", "allocsim", "record", "-o", str(recording), "--", *this, "--one", name)
    if failure or not recording.is_file():
        return {"program": name, "failed": failure or "no recording"}
    return {"program": name, "file_bytes": recording.stat().st_size, **_inside(recording)}


def cost(name: str, out: Path) -> dict[str, object]:
    """Measures what recording a program costs."""
    costs = out / f"{name}.cost.json"
    failure = _run(name, sys.executable, __file__, "--cost", name, str(costs))
    if failure:
        return {"program": name, "failed": failure}
    found = json.loads(costs.read_text())
    costs.unlink()
    seconds = {kind: statistics.median(times) for kind, times in found["times"].items()}
    return {
        "program": name,
        "step_seconds": seconds[""],
        "cost_percent": {kind: round((seconds[kind] / seconds[""] - 1) * 100, 2) for kind in KINDS if kind},
        "quartiles": {kind: statistics.quantiles(times, n=4) for kind, times in found["times"].items()},
        "allocations_of_a_step": found["allocations_of_a_step"],
    }


def _inside(recording: Path) -> dict[str, object]:
    import gzip
    import pickle

    snapshot = pickle.loads(gzip.decompress(recording.read_bytes()))
    document = json.loads(snapshot["allocsim_record"])
    events = sum(len(each) for each in snapshot["device_traces"])
    return {
        "events": events,
        "bytes_per_event": round(recording.stat().st_size / max(events, 1), 1),
        "steps": document["steps"],
        "calls": len(document["calls"]),
        "complete": document["complete"],
        "limit_bytes": document["devices"][0].get("limit_bytes"),
    }


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--one"]:
        run_one(*arguments[1:])
        return 0
    if arguments[:1] == ["--cost"]:
        measure_one(*arguments[1:])
        return 0
    if not arguments or any(each not in PROGRAMS for each in arguments[1:]):
        print(__doc__, "Programs:", ", ".join(PROGRAMS), file=sys.stderr)
        return 2
    out = Path(arguments[0])
    out.mkdir(parents=True, exist_ok=True)
    names = arguments[1:] or list(PROGRAMS)
    found = []
    # Times are taken while nothing else runs; what is recorded does not depend on who runs beside.
    for name in names:
        if name in COSTLY:
            found.append(cost(name, out))
            print(json.dumps(found[-1]), flush=True)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for answer in pool.map(lambda name: check(name, out), names):
            found.append(answer)
            print(json.dumps(answer), flush=True)
    (out / "costs.json").write_text(json.dumps(found, indent=1) + "\n")
    return 1 if any("failed" in each for each in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
