"""Measures on a GPU what `allocsim estimate` is held against, and runs the estimates with the same PyTorch.

    python3 measure.py truth FOLDER [--workers N] [--only NAME,...]
    python3 measure.py estimates FOLDER [--workers N] [--only NAME,...]

``truth`` needs a GPU. Each program of programs.py runs with PyTorch's default settings and with expandable segments; its peaks go to
FOLDER/truth.json, and the history of its allocator under default settings to FOLDER/truth-NAME.pickle.xz. ``estimates`` needs no GPU: each
program runs on the stand-in, and the same figures go to FOLDER/estimates.json, the recordings to FOLDER/estimate-NAME.pickle.xz.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import lzma
import os
import pickle
import subprocess
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = Path(os.environ.get("ALLOCSIM_PACKAGE", HERE.parent.parent / "workloads/python"))
SETTINGS = {"default": "", "expandable": "expandable_segments:True"}


def measured(name: str, history: Path | None) -> dict:
    """Runs a program in this process, and gives its figures; the history of the allocator goes to a file."""
    import torch

    import programs

    began = time.time()
    if history is not None:
        torch.cuda.memory._record_memory_history("all", context="alloc", stacks="python", max_entries=150_000)
    programs.main(name)
    stats = torch.cuda.memory_stats()
    if history is not None:
        snapshot = torch.cuda.memory._snapshot()
        history.write_bytes(lzma.compress(pickle.dumps(snapshot, 4), preset=3))
    free, total = torch.cuda.mem_get_info()
    return guessed() | {
        "pytorch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "device": torch.cuda.get_device_name(),
        "total_bytes": total, "used_bytes": total - free,
        "requested_bytes": stats["requested_bytes.all.peak"], "allocated_bytes": stats["allocated_bytes.all.peak"],
        "reserved_bytes": stats["reserved_bytes.all.peak"], "allocations": stats["allocation.all.allocated"],
        "seconds": round(time.time() - began, 1),
    }


def guessed() -> dict:
    """What the estimate guessed in this process, by which its interval is as wide as it is; nothing on a GPU."""
    if "allocsim.estimate.ending" not in sys.modules:
        return {}
    ending = sys.modules["allocsim.estimate.ending"].current()
    ending.collect()
    report = ending.report
    counts = {key: len(report[key]) for key in ("draws", "selections", "uncompiled")}
    reads = [{key: each[key] for key in ("what", "value")} for each in report["reads"]]
    return {"guessed": {key: report[key] for key in ("inferred_bytes", "unsized", "choices", "split_bytes", "tried_bytes")} | counts | {"reads": reads}}


def child(name: str, setting: str, folder: Path, kind: str) -> None:
    """One program under one setting; figures, or the problem, go to a file."""
    keep = folder / f"{kind}-{name}.pickle.xz" if setting == "default" else None
    try:
        answer = measured(name, keep)
    except BaseException as problem:
        traceback.print_exc()
        answer = {"problem": f"{type(problem).__name__}: {problem}"[:600]}
    (folder / f"{kind}-{name}-{setting}.json").write_text(json.dumps(answer))


def collected(names: list[str], folder: Path, kind: str) -> dict:
    answers: dict = {}
    for name in names:
        for setting in SETTINGS:
            path = folder / f"{kind}-{name}-{setting}.json"
            answers.setdefault(name, {})[setting] = json.loads(path.read_text()) if path.is_file() else {"problem": "it gave no answer"}
            path.unlink(missing_ok=True)
    return answers


def all_of(names: list[str], folder: Path, workers: int, kind: str) -> dict:
    """Every program under every setting in processes of their own, on the GPU or on the stand-in."""

    def one(name: str, setting: str) -> None:
        environment = dict(os.environ)
        if SETTINGS[setting]:
            environment["PYTORCH_CUDA_ALLOC_CONF"] = SETTINGS[setting]
        command = [sys.executable, str(HERE / "measure.py"), "one", str(folder), "--kind", kind, "--only", name, "--setting", setting]
        recording = folder / f"{name}-{setting}.pickle"
        if kind == "estimate":
            environment["CUDA_VISIBLE_DEVICES"] = ""
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PACKAGE), environment.get("PYTHONPATH")]))
            estimate = ["estimate", "--only-record", "--steps", "0", "--device", "h100-80gb", "--stacks", "none", "-o", str(recording), "--"]
            command = [sys.executable, "-m", "allocsim", *estimate, *command]
        with open(folder / f"log-{kind}-{name}-{setting}.txt", "w") as log:
            try:
                subprocess.run(command, env=environment, stdout=log, stderr=log, timeout=240, check=False)
            except subprocess.TimeoutExpired:
                log.write("it took more than 240 s\n")
        recording.unlink(missing_ok=True)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for name in names:
            for setting in SETTINGS:
                pool.submit(one, name, setting)
    return collected(names, folder, kind)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("truth", "estimates", "one"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="names of programs, with commas between them")
    parser.add_argument("--kind", default="truth", choices=("truth", "estimate"))
    parser.add_argument("--setting", default="default", choices=SETTINGS)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(HERE))
    only = [name for name in options.only.split(",") if name]
    if options.what == "one":
        child(only[0], options.setting, options.folder, options.kind)
        return
    import programs

    names = only or list(programs.PROGRAMS)
    began = time.time()
    answers = all_of(names, options.folder, options.workers, options.what.removesuffix("s"))
    (options.folder / f"{options.what}.json").write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n")
    print(f"{options.what}: {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
