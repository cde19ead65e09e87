"""Measures on a GPU what `allocsim estimate` is held against, and runs the estimates with the same PyTorch.

    python3 measure.py FOLDER [--truth] [--estimates] [--workspaces] [--only NAME,...]

--truth needs a GPU: each program of programs.py runs twice, with PyTorch's default settings and with expandable segments,
and its peaks go to FOLDER/truth.json. --workspaces needs one too: what cuDNN asks for, convolution by convolution, goes to
FOLDER/workspaces.json. --estimates needs none, and is run with CUDA_VISIBLE_DEVICES empty: each program on the stand-in,
the recordings' peaks in FOLDER/estimates.json.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent / "workloads/python"
SETTINGS = {"default": "", "expandable": "expandable_segments:True"}

RUN = """
import json, sys, time
sys.path.insert(0, {here!r})
began = time.time()
import torch, programs
programs.main({name!r})
stats = torch.cuda.memory_stats()
answer = {{
    "pytorch": torch.__version__, "device": torch.cuda.get_device_name(), "total_bytes": torch.cuda.get_device_properties(0).total_memory,
    "requested_bytes": stats["requested_bytes.all.peak"], "allocated_bytes": stats["allocated_bytes.all.peak"],
    "reserved_bytes": stats["reserved_bytes.all.peak"], "allocations": stats["allocation.all.allocated"], "seconds": round(time.time() - began, 1),
}}
json.dump(answer, open({out!r}, "w"))
"""


def one(name: str, setting: str, out: Path, estimated: bool, minutes: float = 3.0) -> dict:
    """Runs a program; the answer has its peaks, or the end of what it printed as ``problem``."""
    out.unlink(missing_ok=True)
    environment = dict(os.environ)
    if SETTINGS[setting]:
        environment["PYTORCH_CUDA_ALLOC_CONF"] = SETTINGS[setting]
    program = [sys.executable, "-c", RUN.format(here=str(HERE), name=name, out=str(out))]
    if estimated:
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PACKAGE), environment.get("PYTHONPATH")]))
        environment["CUDA_VISIBLE_DEVICES"] = ""
        program = [sys.executable, "-m", "allocsim", "estimate", "--only-record", "--steps", "0", "--device", "h100-80gb", "-o", str(out.with_suffix(".pickle")), "--", *program]
    try:
        done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60 * minutes, check=False)
    except subprocess.TimeoutExpired:
        return {"problem": f"it took more than {minutes} minutes"}
    if not out.is_file():
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        return {"problem": "\n".join(lines[-12:])}
    return json.loads(out.read_text())


def programs() -> dict[str, str]:
    sys.path.insert(0, str(HERE))
    import programs as catalog

    return {name: library for name, (library, _) in catalog.PROGRAMS.items()}


def all_of(folder: Path, only: list[str], estimated: bool, workers: int) -> dict:
    """Every program under every setting; those on the GPU one after the other, as they would share its memory."""
    kind = "estimate" if estimated else "truth"
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        tasks = {
            (name, setting): pool.submit(one, name, setting, folder / f"{kind}-{name}-{setting}.json", estimated)
            for name in programs()
            if not only or name in only
            for setting in SETTINGS
        }
        answers: dict = {}
        for (name, setting), task in tasks.items():
            answers.setdefault(name, {})[setting] = task.result()
    return answers


def workspaces() -> list[dict]:
    """What each convolution asks of the allocator beside its result: the history names it."""
    import torch

    rows = []
    shapes = [
        (n, c, k, size, kernel, stride, groups)
        for n in (1, 8, 32)
        for c, k, size in ((3, 64, 224), (64, 64, 56), (64, 128, 112), (128, 256, 28), (256, 256, 14), (512, 512, 7), (512, 2048, 7), (48, 96, 160), (192, 384, 24))
        for kernel in (1, 3, 7)
        for stride in (1, 2)
        for groups in (1,)
        if not (kernel == 7 and c > 64)
    ] + [(n, c, c, size, kernel, stride, c) for n in (1, 8, 32) for c, size in ((32, 112), (96, 56), (384, 14)) for kernel in (3, 7) for stride in (1, 2)]
    seen = []

    def requests(action):
        torch.cuda.synchronize()
        torch.cuda.memory._record_memory_history("all", context=None, max_entries=1000)
        result = action()
        torch.cuda.synchronize()
        entries = torch.cuda.memory._snapshot()["device_traces"][0]
        torch.cuda.memory._record_memory_history(None)
        return result, [entry["size"] for entry in entries if entry["action"] == "alloc"]

    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        for last in (False, True):
            for n, c, k, size, kernel, stride, groups in shapes:
                if n * max(c, k) * size * size > 40_000_000:
                    continue
                layout = torch.channels_last if last else torch.contiguous_format
                try:
                    x = torch.zeros(n, c, size, size, device="cuda", dtype=dtype).to(memory_format=layout)
                    w = torch.zeros(k, c // groups, kernel, kernel, device="cuda", dtype=dtype).to(memory_format=layout)
                    pad = [kernel // 2] * 2
                    y, forward = requests(lambda: torch.ops.aten.convolution(x, w, None, [stride] * 2, pad, [1, 1], False, [0, 0], groups))
                    g = torch.zeros_like(y)
                    back = {}
                    for name, mask in (("input", [True, False, False]), ("filter", [False, True, False])):
                        _, back[name] = requests(lambda: torch.ops.aten.convolution_backward(g, x, w, None, [stride] * 2, pad, [1, 1], False, [0, 0], groups, mask))
                    rows.append({"dtype": str(dtype)[6:], "channels_last": last, "shape": [n, c, k, size, kernel, stride, groups], "forward": forward, **back})
                except RuntimeError as problem:
                    rows.append({"dtype": str(dtype)[6:], "channels_last": last, "shape": [n, c, k, size, kernel, stride, groups], "problem": str(problem).splitlines()[0]})
                del seen[:]
    for layers, bidirectional, hidden, input_size, batch, length, cell in (
        (1, False, 128, 64, 8, 20, "LSTM"), (2, False, 128, 64, 8, 20, "LSTM"), (2, True, 512, 256, 64, 120, "LSTM"), (1, False, 512, 256, 64, 120, "LSTM"),
        (1, True, 512, 256, 64, 120, "LSTM"), (1, False, 512, 256, 32, 120, "LSTM"), (1, False, 512, 256, 64, 60, "LSTM"), (1, False, 256, 256, 64, 120, "LSTM"),
        (1, False, 512, 512, 64, 120, "LSTM"), (3, False, 512, 256, 64, 120, "LSTM"), (1, False, 512, 256, 64, 120, "GRU"), (2, True, 256, 128, 16, 50, "GRU"), (1, False, 512, 256, 64, 120, "RNN"),
    ):
        for dtype in (torch.float32, torch.bfloat16):
            net = getattr(torch.nn, cell)(input_size, hidden, layers, bidirectional=bidirectional).cuda().to(dtype)
            x = torch.zeros(length, batch, input_size, device="cuda", dtype=dtype, requires_grad=True)
            (y, _), forward = requests(lambda: net(x))
            g = torch.zeros_like(y)
            _, backward = requests(lambda: torch.autograd.backward(y, g))
            with torch.no_grad():
                _, infer = requests(lambda: net.eval()(x))
            rows.append({"dtype": str(dtype)[6:], "recurrent": [layers, bidirectional, hidden, input_size, batch, length, cell], "forward": forward, "backward": backward, "inference": infer})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    for name in ("--truth", "--estimates", "--workspaces"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    only = [name for name in options.only.split(",") if name]
    for wanted, name, action in (
        (options.truth, "truth", lambda: all_of(options.folder, only, False, 4)),
        (options.workspaces, "workspaces", workspaces),
        (options.estimates, "estimates", lambda: all_of(options.folder, only, True, options.workers)),
    ):
        if wanted:
            began = time.time()
            answer = action()
            (options.folder / f"{name}.json").write_text(json.dumps(answer, indent=1, sort_keys=True) + "\n")
            print(f"{name}: {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
