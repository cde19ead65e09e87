"""One run of the program with some remedies, in a process of its own, which reads what to do as JSON and writes what was found."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from ..engine import one_process
from ..estimate.again import run_with_all
from ..estimate.answer import answer, ended_early, reserved_bytes
from ..estimate.costliest import costliest
from ..estimate.runs import Runs, say
from ..estimate.screen import notes
from ..estimate.standin import library_folder
from ..recorder.program import NotRun, Signals
from ..recording import AllocsimError
from ..usage import unusable


def main() -> int:
    """Runs the trial, and writes it on the standard output."""
    asked = json.load(sys.stdin)
    began = time.monotonic()
    try:
        with Signals(say) as signals, one_process():
            found = _run(asked, signals)
    except (AllocsimError, NotRun) as problem:
        found = {"problem": str(problem)}
    except OSError as problem:
        found = {"problem": unusable(problem)}
    found["remedies"] = asked["remedies"]
    found["seconds"] = round(time.monotonic() - began, 1)
    found["host_bytes"] = _host_bytes()
    json.dump(found, sys.stdout)
    return 0


def _run(asked: dict[str, Any], signals: Signals) -> dict[str, Any]:
    options = argparse.Namespace(**asked["options"])
    path = asked["path"]
    runs = Runs(options, asked["program"], asked["values"], str(library_folder()), path, signals)
    course: dict[str, Any] = {"observer": {"module": "allocsim.advise.inside", "remedies": asked["remedies"], "files": asked["files"], "facts": asked["facts"]}}
    _, report = run_with_all(runs, path, *runs.run(path, {}, unlimited=True, **course), unlimited=True, **course)
    if report is None:
        return {"problem": "the program did not run; its output says why"}
    if not asked["remedies"] and options.rank is None and not ended_early(report) and report["file"] is not None:
        runs, report = costliest(runs, report, reserved_bytes, say, **course)
    facts = report.pop("facts", None)
    found = answer(report, options.device)
    return {"problem": None, "notes": notes(found) if found["complete"] else [], "answer": found, "facts": facts, "rank": report["rank"], "world": report["world"]}


def _host_bytes() -> int:
    """The memory of the largest process of the program."""
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024

