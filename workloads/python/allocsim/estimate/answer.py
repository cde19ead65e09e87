"""What an estimate says: the simulator's figures of the recording, and how far they can be off."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from typing import Any, NamedTuple

from ..visible import visible
from .cards import Card

#: How far reserved peaks were off on the programs of validation/estimate, as shares of the truth, in 95 % of the
#: cases that are not held out; see validation/ESTIMATES.md.
LOW_SHARE = 0.09
HIGH_SHARE = 0.09

#: What NCCL and the modules of kernels took beside PyTorch's memory: each of two ranks of DDP and FSDP2, H100, NCCL 2.28.9, PyTorch 2.11.
BESIDE_RANK_BYTES = 1_090 << 20


def answer(report: dict[str, Any], device: str, least: dict[str, Any] | None = None, most: dict[str, Any] | None = None) -> dict[str, Any]:
    """Asks the simulator about a recording.

    Args:
        report: of the run, with the recording's file.
        device: the GPU.
        least: the report of a run in which NCCL's watchdog looked in time, where that decides.
        most: the report of a run in which the GPU did only what the host waited for, where that decides.

    Returns:
        the peaks in bytes under the recorded and the best setting, the GPUs that are large enough, the interval of the
        reserved peak, and what was read from the GPU by line.
    """
    from ..recording import open as open_recording

    run = open_recording(report["file"])
    capacity = run.ask("min-capacity")
    peak = run.ask("peak")
    tuned = run.ask("tune", "--top", "1")
    recorded = capacity["settings"][0]
    best = tuned["settings"][0]
    reserved = recorded["reserved_if_ample_bytes"]
    prompt, behind = (
        None if each is None else open_recording(each["file"]).ask("min-capacity")["settings"][0]["reserved_if_ample_bytes"] for each in (least, most)
    )
    guesses = report["unmeasured"] + len(report["draws"]) + len(report["uncompiled"]) + report["choices"]
    low, high = interval(reserved, guesses, prompt, behind)
    return {
        "schema": "allocsim-estimate-1",
        "file": report["file"],
        "device": device,
        "pytorch": report["pytorch"],
        "ended": report["ended"],
        "problem": report["problem"],
        "line": report["line"],
        "peak_requested_bytes": capacity["peak_requested_bytes"],
        "peak_allocated_bytes": peak["moment"]["allocated_bytes"],
        "settings": {
            "recorded": {"conf": recorded["conf"], "reserved_bytes": reserved, "capacity_bytes": recorded["capacity_bytes"]},
            "best": {"conf": best["conf"], "reserved_bytes": best["peak_reserved_bytes"]},
        },
        "interval": {"low_bytes": low, "high_bytes": high},
        "prompt_watchdog_reserved_bytes": prompt,
        "behind_gpu_reserved_bytes": behind,
        "gpus_that_fit": recorded["gpus_that_fit"],
        "smallest_gpu": recorded["smallest_gpu"],
        "unmeasured_workspaces": report["unmeasured"],
        "uncompiled": report["uncompiled"],
        "unmeasured_choices": report["choices"],
        "beside_rank_bytes": BESIDE_RANK_BYTES if report["world"] > 1 else 0,
        "reads": report["reads"],
        "selections": report["selections"],
        "draws": report["draws"],
    }


def interval(reserved: int, guesses: int, least: int | None = None, most: int | None = None) -> tuple[int, int]:
    """Between which bytes the reserved peak of a GPU is, for 95 of 100 programs; twice as wide where workspaces or choices were guessed or graphs left uncompiled.

    Where chance or pace decides between peaks, it begins below the smallest and ends above the largest one.
    """
    times = 2 if guesses else 1
    peaks = [each for each in (reserved, least, most) if each is not None]
    return round(min(peaks) / (1 + times * HIGH_SHARE)), round(max(peaks) / (1 - times * LOW_SHARE))


def print_answer(found: dict[str, Any]) -> None:
    """Prints an answer on the standard output."""
    recorded, best, interval = found["settings"]["recorded"], found["settings"]["best"], found["interval"]
    conf = recorded["conf"] or "default settings"
    _print(f"On {found['device']} the program would reserve {_size(recorded['reserved_bytes'])} at most ({conf}),")
    _print(f"between {_size(interval['low_bytes'])} and {_size(interval['high_bytes'])} as far as estimates were off on programs that were measured.")
    _print("")
    _print(f"  requested  {_size(found['peak_requested_bytes'])}")
    _print(f"  allocated  {_size(found['peak_allocated_bytes'])}")
    _print(f"  reserved   {_size(recorded['reserved_bytes'])}  {conf}")
    if best["conf"] != recorded["conf"]:
        _print(f"             {_size(best['reserved_bytes'])}  {best['conf']}")
    _print(f"  fits on    {', '.join(found['gpus_that_fit']) or 'no GPU that is known'}")
    if found["beside_rank_bytes"]:
        _print(f"- NCCL and the modules of kernels come to that: {_size(found['beside_rank_bytes'])} for each of two ranks that were measured; larger jobs were not.")
    if found["prompt_watchdog_reserved_bytes"] is not None:
        _print(f"- NCCL's watchdog decides by chance how long the first buckets of DistributedDataParallel stay: {_size(found['prompt_watchdog_reserved_bytes'])} where it looks in time.")
    if found["behind_gpu_reserved_bytes"] not in (None, recorded["reserved_bytes"]):
        _print(f"- Freed memory that another stream uses comes back when the GPU has come so far, here at once: {_size(found['behind_gpu_reserved_bytes'])} where it does only what the host waits for.")
    if found["unmeasured_workspaces"]:
        _print(f"- {found['unmeasured_workspaces']} workspaces of libraries are guessed: no measurement covers them.")
    for each in found["uncompiled"]:
        _print(f"- A graph could not be compiled and ran uncompiled, {each['times']} times: {each['reason']}.")
    if found["unmeasured_choices"]:
        _print(f"- torch.compile would measure algorithms to choose one, {found['unmeasured_choices']} times; it took the first of each.")
    for each in found["reads"]:
        _print(f"- {_shown(each['line'])} reads {each['what']} that depends on weights or activations: {each['value']} was given, {each['times']} times; --value {_shown(each['line'])}=V gives another.")
    for each in found["selections"]:
        _print(f"- {_shown(each['line'])} selects by values that are not known: all elements were taken, {each['times']} times; --value {_shown(each['line'])}=COUNT gives another.")
    for each in found["draws"]:
        _print(f"- {_shown(each['line'])} chooses by values that are not known: choices were drawn uniformly, {each['times']} times; an uneven run needs more.")
    if found["ended"] == "steps":
        _print("- The program was ended after its first steps; --steps N runs more.")
    if found["ended"] == "error":
        _print(f"- The program ended early, at {_shown(found['line'])}: {found['problem']}; the figures are those until then.")
    _print(f"- Next: 'allocsim view {os.path.relpath(found['file'])}', or tune, fit, min-capacity, diagnose.")


class Vary(NamedTuple):
    """The largest value of a parameter under which the program fits."""

    name: str
    low: int
    high: int

    @staticmethod
    def parse(text: str) -> "Vary":
        """From ``batch=1..256``.

        Raises:
            ValueError: it is anything else.
        """
        found = re.fullmatch(r"([A-Za-z_]\w*)=(\d+)\.\.(\d+)", text)
        if found is None or not 0 < int(found[2]) <= int(found[3]):
            raise ValueError(f"--vary {text} is not NAME=FROM..TO, as in batch=1..256")
        return Vary(found[1], int(found[2]), int(found[3]))

    def search(self, runs: Any, card: Card, device: str) -> int:
        """Runs the program again and again, halving the range; returns the exit code."""
        rows: dict[int, dict[str, Any]] = {}
        with tempfile.TemporaryDirectory(prefix="allocsim-") as folder:

            def fits(value: int) -> bool:
                path = os.path.join(folder, f"{self.name}-{value}.pickle")
                code, report = runs.run(path, {self.name: str(value)})
                if report is None or report["ended"] == "error":
                    raise RuntimeError(f"the program failed with {self.name} {value}; nothing is known beyond")
                found = answer(report, device)
                rows[value] = found
                os.unlink(report["file"])
                return device in found["gpus_that_fit"]

            try:
                largest = self._largest(fits)
            except RuntimeError as problem:
                print(visible(f"allocsim estimate: {problem}"), file=sys.stderr)
                return 1
        for value in sorted(rows):
            found = rows[value]
            word = "fits" if device in found["gpus_that_fit"] else "does not fit"
            _print(f"  {self.name} {value:>6}  {_size(found['settings']['recorded']['reserved_bytes']):>10}  {word}")
        if largest is None:
            _print(f"Not even {self.name} {self.low} fits on {device}.")
        elif largest == self.high:
            _print(f"{self.name} {largest}, the largest that was asked for, fits on {device}.")
        else:
            _print(f"{self.name} {largest} is the largest that fits on {device}; {largest + 1} does not.")
        return 0

    def _largest(self, fits: Any) -> int | None:
        if fits(self.high):
            return self.high
        if self.low == self.high or not fits(self.low):
            return None
        low, high = self.low, self.high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low


def _print(line: str) -> None:
    print(visible(line))


def _size(size: float) -> str:
    return f"{size / (1 << 30):.2f} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.1f} MiB"


def _shown(line: str | None) -> str:
    if not line:
        return "?"
    file, _, number = line.rpartition(":")
    short = os.path.relpath(file)
    return f"{short if not short.startswith('..') else file}:{number}"
