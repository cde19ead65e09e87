"""Holds `allocsim advise` against a GPU: what each remedy does to the scripts of the folder ``scripts``.

    python3 remedies.py estimates FOLDER [--workers N] [--only NAME,...] [--remedies NAME,...] [--device GPU] [--limit SHARE]
    python3 remedies.py truth FOLDER [--workers N] [--only NAME,...] [--gpus N]
    python3 remedies.py compare FOLDER
    python3 remedies.py keep FOLDER
    python3 remedies.py page

``estimates`` needs no GPU: `allocsim advise --all` tries the remedies, and then looks for those with which the script fits a share of the memory that it takes
as it is. What it found is kept in FOLDER/NAME. ``truth`` needs one: each script runs with each remedy that was tried, put in from outside in the same way, and
its peaks go to FOLDER/truth.json as they come; what was recommended runs again with no more memory than it was to fit. Remedies that need several GPUs are left out where there are fewer (``--gpus``, 1 by default); the first rank is measured. ``compare`` prints both, ``keep`` writes them to measured/remedies.json, of which ``page``
makes reports/docs/remedies.md.
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
from pathlib import Path

from scripts import LONGEST_SECONDS, PACKAGE, SCRIPTS, launcher

sys.path.insert(0, str(PACKAGE))

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured/remedies.json"

#: Among the runs of a script, the one that has no more memory than it was to fit.
LIMITED = "what was recommended"

#: Compiling takes most of the time of a run, and measures on the GPU.
LEFT_OUT = ("compile",)


def run(name: str, trials: Path, names: list[str], limit_bytes: int, out: Path) -> None:
    """Runs a script with remedies in this process, on the GPU; the peaks of its allocator, or its problem, go to a file. 0 bytes are no limit."""
    import torch

    from allocsim.advise.catalog import remedies
    from allocsim.advise.program import Program

    figures: dict = {}
    script = SCRIPTS[name]
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    program = Program(torch, json.loads(trials.read_text())["facts"])
    if limit_bytes:
        torch.cuda.set_per_process_memory_fraction(limit_bytes / torch.cuda.get_device_properties(0).total_memory)
    if "LOCAL_RANK" in os.environ:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    program.follow()
    for each in names:
        remedies()[each].apply(program)
    try:
        runpy.run_path(str(script), run_name="__main__")
    except BaseException as problem:
        figures["problem"] = f"{type(problem).__name__}: {problem}"[:600]
        raise
    finally:
        stats = torch.cuda.memory_stats()
        figures |= {f"{kind}_bytes": stats[f"{kind}_bytes.all.peak"] for kind in ("requested", "allocated", "reserved")}
        figures |= {"pytorch": torch.__version__, "device": torch.cuda.get_device_name()}
        if os.environ.get("RANK", "0") == "0":
            out.write_text(json.dumps(figures))


def estimate(name: str, options: argparse.Namespace) -> None:
    """Tries the remedies on a script without a GPU."""
    from allocsim.advise.catalog import remedies

    chosen = options.remedies.split(",") if options.remedies else [each for each in remedies() if each not in LEFT_OUT]
    command = [
        sys.executable, "-m", "allocsim", "advise", "--device", options.device, "--remedies", ",".join(chosen), "--jobs", "1",
        "--budget", str(20 * LONGEST_SECONDS), "-o", str(options.folder / name),
    ]  # fmt: skip
    program = ["--", *launcher(name), str(SCRIPTS[name])]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))}
    with open(options.folder / f"log-{name}.txt", "w") as log:
        subprocess.run([*command, "--all", "--target", "1TiB", *program], env=variables, stdout=log, stderr=log, check=False)
        as_it_is = found(options.folder).get(name, {}).get("")
        if as_it_is is not None and options.limit:
            limit_bytes = int(as_it_is["settings"]["recorded"]["reserved_bytes"] * options.limit)
            goal = ["--target", f"{limit_bytes}B", "--json", str(options.folder / name / "goal.json")]
            subprocess.run([*command, *goal, *program], env=variables, stdout=log, stderr=log, check=False)


def found(folder: Path) -> dict[str, dict[str, dict]]:
    """The answers of all trials by script and remedies."""
    rows: dict[str, dict[str, dict]] = {}
    for file in sorted(folder.glob("*/trials.json")):
        trials = json.loads(file.read_text())["trials"]
        rows[file.parent.name] = {"+".join(each["remedies"]): each["answer"] for each in trials if each["answer"] is not None}
    return rows


def goals(folder: Path) -> dict[str, dict]:
    """What was recommended for each script that was to fit less memory."""
    return {file.parent.name: json.loads(file.read_text()) for file in sorted(folder.glob("*/goal.json"))}


def truth(options: argparse.Namespace) -> None:
    """Runs the same trials on the GPU, in processes of their own, but for those that need more GPUs than there are."""
    from allocsim.advise.catalog import remedies

    file = options.folder / "truth.json"
    rows: dict = json.loads(file.read_text()) if file.is_file() else {}
    lock = threading.Lock()

    def one(name: str, names: str, limit_bytes: int, conf: str) -> None:
        case = f"{name}-{names or 'baseline'}{'-limited' if limit_bytes else ''}"
        out = options.folder / f"truth-{case}.json"
        ranks = max((known[each].ranks for each in names.split("+") if each), default=1)
        several = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
        command = [
            *(several if ranks > 1 else launcher(name)), str(HERE / "remedies.py"), "run", str(out), "--only", name, "--remedies", names, "--limit-bytes", str(limit_bytes),
            "--trials", str(options.folder / name / "trials.json"),
        ]  # fmt: skip
        variables = os.environ | ({"PYTORCH_CUDA_ALLOC_CONF": conf} if conf else {})
        with open(options.folder / f"log-truth-{case}.txt", "w") as log, tempfile.TemporaryDirectory() as place:
            try:
                subprocess.run(command, env=variables, stdout=log, stderr=log, cwd=place, timeout=LONGEST_SECONDS, check=False)
            except subprocess.TimeoutExpired:
                out.write_text(json.dumps({"problem": f"it took more than {LONGEST_SECONDS} s"}))
        with lock:
            rows.setdefault(name, {})[LIMITED if limit_bytes else names] = json.loads(out.read_text()) if out.is_file() else {"problem": "it gave no figures"}
            file.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")

    chosen = options.only.split(",") if options.only else None
    known = remedies()
    runs = [
        (name, names, 0, "")
        for name, trials in found(options.folder).items()
        for names in trials
        if names not in rows.get(name, {}) and all(known[each].ranks <= options.gpus for each in names.split("+") if each)
    ]
    runs += [
        (name, "+".join(goal["chosen"]), goal["limit_bytes"], goal["conf"])
        for name, goal in goals(options.folder).items() if goal["fits"] and LIMITED not in rows.get(name, {})
    ]  # fmt: skip
    runs = [each for each in runs if chosen is None or each[0] in chosen]
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        list(pool.map(lambda each: one(*each), runs))


def compare(folder: Path) -> None:
    """Prints how far the trials are off."""
    true = json.loads((folder / "truth.json").read_text())
    errors = []
    for name, trials in found(folder).items():
        for names, answer in trials.items():
            real = true.get(name, {}).get(names)
            if real is None:
                continue
            failed = "problem" in real
            if failed or not answer["complete"]:
                print(f"{name:24} {names or 'as it is':32} {'fails alike' if failed != answer['complete'] else 'DIFFERS: ' + str(real.get('problem') or answer['sentence'])[:100]}")
                continue
            reserved = answer["settings"]["recorded"]["reserved_bytes"]
            errors.append(reserved / real["reserved_bytes"] - 1)
            print(f"{name:24} {names or 'as it is':32} {reserved / 2**20:9.0f} {real['reserved_bytes'] / 2**20:9.0f} MiB {errors[-1]:+8.2%}")
    for name, goal in goals(folder).items():
        real = true.get(name, {}).get(LIMITED)
        limit = f"{goal['limit_bytes'] / 2**20:.0f} MiB"
        if not goal["fits"]:
            print(f"{name:24} nothing was found with which it fits {limit}")
        elif real is not None:
            print(f"{name:24} {'+'.join(goal['chosen']) or 'as it is'} {goal['conf']} fits {limit}: {real.get('problem', 'so it does')}")
    if errors:
        near = [sum(abs(each) <= most for each in errors) for most in (0.01, 0.03)]
        print(f"{len(errors)} runs: median {statistics.median(map(abs, errors)):.2%}, {near[0]} within 1 %, {near[1]} within 3 %")


def keep(folder: Path) -> None:
    """Writes what was found to measured/remedies.json, beside what is there of other scripts."""
    kept = json.loads(MEASURED.read_text()) if MEASURED.is_file() else {"scripts": {}, "goals": {}}
    true = json.loads((folder / "truth.json").read_text())
    for name, trials in found(folder).items():
        for names, answer in trials.items():
            real = true.get(name, {}).get(names)
            if real is None:
                continue
            kept |= {"device": real["device"], "pytorch": real["pytorch"]}
            kept["scripts"].setdefault(name, {})[names] = {"truth": _truth(real), "estimate": _estimate(answer)}
    for name, goal in goals(folder).items():
        real = true.get(name, {}).get(LIMITED)
        kept["goals"][name] = {
            "limit_bytes": goal["limit_bytes"], "chosen": goal["chosen"], "conf": goal["conf"],
            "ran": None if real is None else "problem" not in real,
        }  # fmt: skip
    MEASURED.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


def _truth(real: dict) -> dict:
    if "problem" in real:
        return {"problem": real["problem"].partition("\n")[0]}
    return {kind: real[kind] for kind in ("requested_bytes", "reserved_bytes")}


def _estimate(answer: dict) -> dict:
    if not answer["complete"]:
        return {"problem": answer["sentence"]}
    return {
        "requested_bytes": answer["peak_requested_bytes"], "reserved_bytes": answer["settings"]["recorded"]["reserved_bytes"],
        "low_bytes": answer["interval"]["low_bytes"], "high_bytes": answer["interval"]["high_bytes"], "pytorch": answer["pytorch"],
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("estimates", "truth", "compare", "keep", "page", "run"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--remedies", default="")
    parser.add_argument("--device", default="h200")
    parser.add_argument("--gpus", type=int, default=1, metavar="N", help="that there are for truth")
    parser.add_argument("--trials", type=Path)
    parser.add_argument("--limit", type=float, default=0.6, metavar="SHARE", help="of what the script reserves as it is, that it is to fit; 0: none")
    parser.add_argument("--limit-bytes", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what == "page":
        import remedies_page

        remedies_page.PAGE.write_text(remedies_page.text())
        return
    if options.folder is None:
        parser.error("name a folder")
    if options.what == "run":
        run(options.only, options.trials, [each for each in options.remedies.split("+") if each], options.limit_bytes, options.folder)
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.what == "compare":
        compare(options.folder)
    elif options.what == "keep":
        keep(options.folder)
    elif options.what == "truth":
        truth(options)
    else:
        names = [name for name in options.only.split(",") if name] or list(SCRIPTS)
        with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
            list(pool.map(lambda each: estimate(each, options), names))


if __name__ == "__main__":
    main()
