"""Estimates each rank of the jobs recorded in validation/jobs: python3 jobs.py [--only NAME,...]

Needs a CUDA build of PyTorch and no GPU. The peaks of the recordings and of the estimates go to measured/jobs.json.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = Path(os.environ.get("ALLOCSIM_PACKAGE", HERE.parent.parent / "workloads/python"))
PROGRAM = HERE.parent / "jobs/jobs.py"
RECORDED = HERE.parent / "jobs/recorded"
MEASURED = HERE / "measured/jobs.json"
SETTINGS = {"default": "", "expandable": "expandable_segments:True"}
JOBS = ("ddp", "fsdp1", "fsdp2", "tp", "pipe", "moe")
RANKS = 2

#: What else is estimated where NCCL's watchdog or the GPU decides when memory comes back; without, the watchdog is late and the GPU prompt.
OTHERS = {"prompt": ["ddp"], "behind": ["fsdp1"]}


def peaks(snapshot: dict) -> dict[str, int]:
    """Requested and reserved bytes at most, of the GPU whose history is longest; the history has to be whole."""
    requested = reserved = 0
    most = {"requested_bytes": 0, "reserved_bytes": 0}
    for entry in max(snapshot["device_traces"], key=len):
        action, size = entry["action"], entry["size"]
        if action == "alloc":
            requested += size
        elif action == "free_completed":
            requested -= size
        elif action in ("segment_alloc", "segment_map"):
            reserved += size
        elif action in ("segment_free", "segment_unmap"):
            reserved -= size
        most["requested_bytes"] = max(most["requested_bytes"], requested)
        most["reserved_bytes"] = max(most["reserved_bytes"], reserved)
    return most


def recorded(job: str, setting: str, rank: int) -> dict[str, int]:
    """The peaks of a rank on a GPU."""
    folder = RECORDED / (job if setting == "default" else f"{job}_{setting}")
    return peaks(pickle.loads(lzma.decompress((folder / f"run.rank{rank}.pickle.xz").read_bytes())))


def estimated(job: str, setting: str, rank: int, pace: str) -> dict[str, int]:
    """The peaks of a rank that runs without a GPU; with a late watchdog of NCCL and a prompt GPU, a prompt watchdog or a GPU that is behind."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PACKAGE), environment.get("PYTHONPATH")]))
    environment.pop("PYTORCH_CUDA_ALLOC_CONF", None)
    if SETTINGS[setting]:
        environment["PYTORCH_CUDA_ALLOC_CONF"] = SETTINGS[setting]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "allocsim", "estimate", "--only-record", "--steps", "0", "--device", "h200", "--stacks", "none"]
        command += ["--rank", str(rank), "--world", str(RANKS), "--watchdog", "prompt" if pace == "prompt" else "late", "--gpu", "behind" if pace == "behind" else "prompt", "-o", f"{folder}/estimate.pickle", "--", sys.executable, str(PROGRAM), job]
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        return peaks(pickle.loads(Path(folder, f"estimate.rank{rank}.pickle").read_bytes()))


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(JOBS), help="names of jobs, with commas between them")
    found = json.loads(MEASURED.read_text()) if MEASURED.is_file() else {}
    for job in parser.parse_args().only.split(","):
        found[job] = {
            setting: {
                "pytorch": torch.__version__,
                "truth": [recorded(job, setting, rank) for rank in range(RANKS)],
                **{
                    pace: [estimated(job, setting, rank, pace) for rank in range(RANKS)]
                    for pace in ("late", *OTHERS) if pace == "late" or job in OTHERS[pace]
                },
            }
            for setting in SETTINGS
        }
        MEASURED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
