"""Holds `allocsim estimate`, as a user runs it, against a GPU: the scripts of the folder ``scripts``, unchanged and with default options.

    python3 scripts.py truth FOLDER [--workers N] [--only NAME,...]
    python3 scripts.py estimates FOLDER [--workers N] [--only NAME,...] [--device GPU] [-- OPTION...]
    python3 scripts.py compare FOLDER

``truth`` needs a GPU: each script runs with PyTorch's default settings and with expandable segments, and its peaks go to
FOLDER/truth.json. ``estimates`` needs none, and the program ``allocsim`` (the variable ALLOCSIM names it): the answers go to
FOLDER/estimates.json. ``compare`` prints both.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import runpy
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = {each.stem: each for each in sorted((HERE / "scripts").glob("*.py"))}
PACKAGE = Path(os.environ.get("ALLOCSIM_PACKAGE", HERE.parent.parent / "workloads/python"))
SETTINGS = {"default": "", "expandable": "expandable_segments:True"}
LONGEST_SECONDS = 400


def launcher(name: str) -> list[str]:
    """What comes before the script on its command line."""
    return [sys.executable, *(["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "1"] if name.endswith("_torchrun") else [])]


def run(name: str, out: Path) -> None:
    """Runs a script in this process; the peaks of its allocator, or its problem, go to a file."""
    began = time.time()
    figures: dict = {}
    script = SCRIPTS[name]
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    try:
        runpy.run_path(str(script), run_name="__main__")
    except BaseException as problem:
        figures["problem"] = f"{type(problem).__name__}: {problem}"[:600]
        raise
    finally:
        import torch

        stats = torch.cuda.memory_stats()
        figures |= {f"{kind}_bytes": stats[f"{kind}_bytes.all.peak"] for kind in ("requested", "allocated", "reserved")}
        figures |= {
            "pytorch": torch.__version__, "device": torch.cuda.get_device_name(), "failed_requests": stats["num_ooms"],
            "seconds": round(time.time() - began, 1),
        }
        out.write_text(json.dumps(figures))


def truth(name: str, setting: str, folder: Path, options: argparse.Namespace) -> dict:
    """The peaks of a script on the GPU."""
    out = folder / f"truth-{name}-{setting}.json"
    with open(folder / f"log-truth-{name}-{setting}.txt", "w") as log, tempfile.TemporaryDirectory() as place:
        command = [*launcher(name), str(HERE / "scripts.py"), "run", str(out), "--only", name]
        subprocess.run(command, env=environment(setting), stdout=log, stderr=log, cwd=place, timeout=LONGEST_SECONDS, check=False)
    return json.loads(out.read_text()) if out.is_file() else {"problem": "it gave no figures"}


def estimate(name: str, setting: str, folder: Path, options: argparse.Namespace) -> dict:
    """The answer of an estimate of a script."""
    out = folder / f"estimate-{name}-{setting}-{options.device}.json"
    variables = environment(setting)
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PACKAGE), variables.get("PYTHONPATH")]))
    began = time.time()
    with open(folder / f"log-estimate-{name}-{setting}-{options.device}.txt", "w") as log, tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "allocsim", "estimate", "--device", options.device, "--json", str(out), *options.extra, "--"]
        code = subprocess.run(
            [*command, *launcher(name), str(SCRIPTS[name])], env=variables, stdout=log, stderr=log, cwd=place, timeout=LONGEST_SECONDS, check=False
        ).returncode
        left = sorted(each.name for each in Path(place).iterdir())
    answer = json.loads(out.read_text()) if out.is_file() else {"problem": "it gave no answer"}
    return answer | {"exit_code": code, "seconds": round(time.time() - began, 1), "files_left": left}


def environment(setting: str) -> dict[str, str]:
    """The environment of a script under a setting."""
    variables = dict(os.environ)
    if SETTINGS[setting]:
        variables["PYTORCH_CUDA_ALLOC_CONF"] = SETTINGS[setting]
    return variables


def all_of(options: argparse.Namespace, measure, out: Path) -> None:
    """Every script under every setting, in processes of their own; the answers are written as they come, into those of earlier runs."""
    names = [name for name in options.only.split(",") if name] or list(SCRIPTS)
    answers: dict = json.loads(out.read_text()) if out.is_file() else {}
    lock = threading.Lock()

    def one(name: str, setting: str) -> None:
        try:
            answer = measure(name, setting, options.folder, options)
        except subprocess.TimeoutExpired:
            answer = {"problem": f"it took more than {LONGEST_SECONDS} s"}
        with lock:
            answers.setdefault(name, {})[setting] = answer
            out.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n")

    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        list(pool.map(lambda each: one(*each), [(name, setting) for name in names for setting in options.settings.split(",")]))


def compare(folder: Path) -> None:
    """Prints how far the estimates are off."""
    true, found = (json.loads((folder / f"{kind}.json").read_text()) for kind in ("truth", "estimates"))
    errors, inside, widths = [], 0, []
    for name in found:
        for setting, answer in found[name].items():
            fact = true.get(name, {}).get(setting, {})
            recorded = ((answer.get("settings") or {}).get("recorded") or {}).get("reserved_bytes")
            if recorded is None or "problem" in fact or "reserved_bytes" not in fact:
                print(f"{name:24} {setting:10} {fact.get('problem', '')} | {answer.get('problem') or answer.get('ended')} (exit code {answer['exit_code']})")
                continue
            error = recorded / fact["reserved_bytes"] - 1
            requested = answer["peak_requested_bytes"] / fact["requested_bytes"] - 1
            interval = answer.get("interval") or {}
            low, high = interval.get("low_bytes", 0), interval.get("high_bytes", 0)
            # Memory that grows with each step has no upper end.
            high = float("inf") if high is None else high
            held = low <= fact["reserved_bytes"] <= high
            inside += held
            errors.append(error)
            if high < float("inf"):
                widths.append((high - low) / 2 / recorded)
            print(
                f"{name:24} {setting:10} {fact['reserved_bytes'] / 2**20:8.0f} {recorded / 2**20:8.0f} MiB {error:+7.2%} requested {requested:+7.2%}"
                f" interval {low / 2**20:.0f} to {high / 2**20:.0f}{'' if held else ' MISSED'} {answer.get('cut') or answer.get('ended')} {answer['seconds']} s"
            )
    absolute = [abs(each) for each in errors]
    print(
        f"{len(errors)} cases: median {statistics.median(absolute):.2%}, within 1 % {sum(e <= 0.01 for e in absolute)}, within 3 % {sum(e <= 0.03 for e in absolute)},"
        f" lowest {min(errors):+.1%}, highest {max(errors):+.1%}; intervals hold {inside}, half width in the median {statistics.median(widths or [0]):.1%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("truth", "estimates", "compare", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="names of scripts, with commas between them")
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--device", default="h200")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("extra", nargs="*", help="options for 'allocsim estimate', after --")
    options = parser.parse_args()
    if options.what == "run":
        run(options.only, options.folder)
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder = options.folder.resolve()
    if options.what == "compare":
        compare(options.folder)
        return
    began = time.time()
    all_of(options, truth if options.what == "truth" else estimate, options.folder / f"{options.what}.json")
    print(f"{options.what}: {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
