"""Further runs of a program: with the batches that were left out, and with one as long as possible."""

from __future__ import annotations

import os
from typing import Any

from .runs import Runs, say


def run_with_all(runs: Runs, path: str, code: int, report: dict[str, Any] | None, **course: Any) -> tuple[int, dict[str, Any] | None]:
    """Reruns a program that failed after batches were left out or loops ended early, now with all of them.

    Args:
        code: of the run before.
        report: of the run before.
        course: as it was run, see :meth:`.runs.Runs.run`.

    Returns:
        the exit code and the report that hold: those given where nothing was left out or nothing failed.
    """
    if report is None or report["ended"] != "error" or report["kind"] == "KeyboardInterrupt" or report.get("out_of_memory_error") or not (report.get("batches_skipped") or report.get("loops_left")):
        return code, report
    say("the program failed after batches or loop iterations were skipped; running it again with all of them")
    runs.may_end_early = True
    return runs.run(path, {}, leave_out=False, **course)


def run_longest(runs: Runs, folder: str, report: dict[str, Any], length: int) -> tuple[int, dict[str, Any]] | None:
    """Runs a program with one batch that is as long as possible.

    Args:
        folder: for the recording.
        report: of the run before.
        length: of the batch, 0 for the longest that the program can make, else the longest that was seen.

    Returns:
        the length and the report; None where it cannot be done, for which the reason has been said.
    """
    lengths = report.get("lengths") or {"seen": [], "longest_possible": None}
    loaders = [each for each in lengths["seen"] if "name" not in each]
    if not loaders:
        say("--longest needs DataLoader batches of different lengths, and found none; set the length in the program, or with --vary")
        return None
    seen = loaders[0]
    length = length or lengths["longest_possible"] or seen["data_high"]
    longest = {"tensor": seen["tensor"], "dimension": seen["dimension"], "length": length}
    found = runs.run(os.path.join(folder, "longest.pickle"), {}, unlimited=True, longest=longest)[1]
    return None if found is None or found["file"] is None else (length, found)
