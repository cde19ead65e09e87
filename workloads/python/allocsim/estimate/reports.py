"""What the processes of a program reported (see ``ending``), and which of them an answer is about."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

from .places import line_in_text

#: What a process that loaded no PyTorch, or was killed, did not say.
UNSAID: dict[str, Any] = {
    "rank": 0, "world": 1, "stages": [], "ranks": [], "peer": False, "file": None, "pytorch": None, "reads": [], "selections": [], "picks": [], "groups": [], "draws": [], "sampled": 0, "uncompiled": [], "choices": 0, "unmeasured": 0,
    "unsized": 0, "split_bytes": 0, "tried_bytes": 0, "inferred_bytes": 0, "unready": 0, "watchdog_decides": False, "tokens": [], "cut": None, "steps_run": None, "phases": [], "not_reached": [],
    "growth_bytes_per_step": 0, "lengths": None, "drawn_order": 0.0, "may_draw_lengths": False, "asked_bytes": [], "later_bytes": None, "writes": None, "unsupported_functions": [], "without_image": None, "recording_lost": False, "gpus": 1, "missing_gpu": -1, "gpu_reserved_bytes": [],
    "other_processes": {"count": 0, "reserved_bytes": 0},
}

#: Exit codes of a shell for a command that cannot be run.
_CANNOT_RUN = (126, 127)


def read(base: str) -> list[dict[str, Any]]:
    """The reports of all processes, in the order of their numbers; of those that crashed, with what Python said of it."""
    found = []
    for path in sorted(Path(base).parent.glob(Path(base).name + ".*")):
        if not path.suffix[1:].isdigit():
            continue
        try:
            report = UNSAID | json.loads(path.read_text(encoding="utf-8"))
            report["process"], report["reserved_bytes"], report["ended"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue  # The program wrote something else there.
        crash = Path(f"{path}.crash")
        if report["ended"] == "running" and crash.is_file():
            text = crash.read_text(encoding="utf-8", errors="replace")
            # Of the threads, the one that crashed comes first; in it, the innermost frame.
            report["crash"] = text.splitlines()[0] if text.strip() else None
            lines = line_in_text("\n".join(reversed(text.partition("Current thread")[2].partition("\n\n")[0].splitlines())))
            report["line"] = report["line"] or lines
        found.append(report)
    return found


def chosen(reports: list[dict[str, Any]], code: int) -> dict[str, Any] | None:
    """The process that an answer is about, with how it ended; None where no process of Python was seen.

    It is one that the card cannot run. Of those that reserved memory it is the one that reserved the most, else one that failed, else the first. Where the program failed and it did not, the
    failure is that of the process that did.

    Args:
        reports: of all processes.
        code: exit code of the program.
    """
    own = [each for each in reports if not each["peer"]]
    if not own:
        return None
    for each in own:
        if each["ended"] == "running" and each.get("signalled") and not code:
            each["ended"] = "end"  # Pools of workers are ended so.
        finish(each, code if each["parent"] == os.getpid() or len(own) == 1 else None)
        if each["ended"] == "card":
            return each
    failed = [each for each in own if each["ended"] in ("error", "thread", "killed", "exit")]
    # Who started a process that failed often fails of that.
    starters = {each["parent"] for each in failed if each["ended"] == "error"}
    failed.sort(key=lambda each: (each["line"] is None, each["process"] in starters, each["pytorch"] is None, each["ended"] != "error"))
    best = max(own, key=lambda each: each["reserved_bytes"])
    if not best["reserved_bytes"]:
        loaded = [each for each in own if each["pytorch"] is not None]
        best = failed[0] if failed and code else (loaded or own)[0]
    elif code and best["ended"] != "error":
        # A child that failed often ends with a code alone, and its parent with the error, or the other way round.
        if failed:
            best = best | {key: failed[0].get(key) for key in ("ended", "problem", "kind", "line", "origin", "operation", "unsupported_function", "without_image", "out_of_memory_error", "script", "exit", "crash")}
        else:
            best = best | {"ended": "exit", "line": None, "exit": {"function": None, "code": code, "text": None, "line": None, "last": True}}
    beside = [on_gpu(each, busiest_gpu(best)) for each in own if each["process"] != best["process"] and best["world"] == 1 and _overlap(each, best)]
    return best | {
        "other_processes": {"count": sum(each > 0 for each in beside), "reserved_bytes": sum(beside)},
        "others_failed": [each["script"] for each in failed if each["process"] != best["process"] and each["pytorch"] is not None and not code and not _left_well(each)],
    }


def _left_well(report: dict[str, Any]) -> bool:
    """Whether a process ended itself with the code 0, as one that started the launcher of its own ranks."""
    return report["ended"] == "exit" and report["exit"] is not None and report["exit"]["code"] == 0


def busiest_gpu(report: dict[str, Any]) -> int:
    """The GPU on which a process reserved the most, which an answer is about."""
    peaks = report["gpu_reserved_bytes"]
    return peaks.index(max(peaks)) if peaks else 0


def on_gpu(report: dict[str, Any], gpu: int) -> int:
    """Bytes that a process reserved on a GPU at its peak."""
    peaks: list[int] = report["gpu_reserved_bytes"]
    return peaks[gpu] if gpu < len(peaks) else 0


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two processes used the GPU at the same time."""
    if one.get("used_from") is None or other.get("used_from") is None:
        return False
    return bool(one["used_from"] <= other["used_until"] and other["used_from"] <= one["used_until"])


def finish(report: dict[str, Any], code: int | None) -> None:
    """Says how a process ended that did not say it itself.

    Args:
        report: of the process.
        code: with which the program ended, where that is this process's.
    """
    left = report["exit"]
    if report["ended"] == "exec" or (report["ended"] == "exit" and code == 0 and left is not None and left["code"]):
        # It gave its place to a program that is not Python, or went on after all.
        report["ended"], report["exit"] = "end", None
    if report["ended"] == "running":
        report["ended"] = "killed"
        name = signal_name(code - 128) if code is not None and code > 128 else None
        report["problem"] = (report.get("crash") or "").removeprefix("Fatal Python error: ") or name
        report["line"] = report["line"] or report["seen_line"]
        report["origin"] = "program"
    elif report["ended"] == "exit" or (report["ended"] == "end" and code):
        left = left or {"function": None, "code": code, "text": None, "line": None, "last": True}
        if code is not None:
            left = left | {"code": code}
        report["exit"] = left
        report["ended"] = "exit"
        report["line"] = left["line"]
        report["problem"] = left["text"]
        report["origin"] = "program"


def signal_name(number: int) -> str | None:
    """Such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def no_process(code: int, program: str) -> str:
    """One sentence on a program in which no process of Python was seen."""
    if code in _CANNOT_RUN:
        return f"{os.path.basename(program)} could not be run (exit code {code}); check the command after --"
    if code > 128 and signal_name(code - 128):
        return f"{os.path.basename(program)} was ended by {signal_name(code - 128)} before Python started; nothing was recorded"
    return f"{os.path.basename(program)} ended with exit code {code} without running Python, or with its options -I, -E or -S, which disable allocsim; name the command that trains, as in: allocsim estimate -- python train.py"
