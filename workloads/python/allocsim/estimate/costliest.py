"""Which rank of a job needs the most memory, if the user does not choose one.

Ranks of data, tensor and expert parallel jobs run the same program on tensors of the same or nearly the same size, and rank 0 has the first and so
largest share of what does not divide evenly; it also saves and logs. Stages of a pipeline differ: they send to and receive from single ranks, by which they are known.
"""

from __future__ import annotations

import os
from typing import Any, Callable

from ..temporary import temporary_folder
from .files import deliver
from .runs import Runs, mark_of

#: Ranks of a pipeline that are run at most; of more stages, as many are taken at equal distances, with the last one.
MAX_RANKS = 8


def other_ranks(report: dict[str, Any]) -> list[int]:
    """The ranks that may need more than the one that was run.

    Args:
        report: of the run.
    """
    others = [each for each in report["stages"] if each != report["rank"]]
    count = min(len(others), MAX_RANKS - 1)
    return [others[(i + 1) * len(others) // count - 1] for i in range(count)]


def costliest(runs: Runs, report: dict[str, Any], reserved_bytes: Callable[[str], int], say: Callable[[str], None], **course: Any) -> tuple[Runs, dict[str, Any]]:
    """Runs the other stages of a pipeline and keeps the recording of the rank that reserves the most; returns its runs and its report.

    Args:
        runs: of the program.
        report: of the rank that has been run.
        reserved_bytes: the reserved peak of a recording.
        say: tells the user about progress.
        course: how they are run, see :meth:`.runs.Runs.run`.
    """
    others = other_ranks(report) if report["ended"] != "error" else []
    if not others:
        return runs, report
    first = report
    rows = [{"rank": report["rank"], "reserved_bytes": reserved_bytes(report["file"])}]
    best, most = runs, rows[0]["reserved_bytes"]
    with temporary_folder() as folder:
        for rank in others:
            say(f"rank {rank} of {report['world']} also runs, because ranks exchange messages and may need different amounts of memory")
            of_rank = runs.of_rank(rank, report["world"])
            found = of_rank.run(os.path.join(folder, os.path.basename(runs.path)), {}, **course)[1]
            if found is None or found["file"] is None:
                continue
            rows.append({"rank": rank, "reserved_bytes": reserved_bytes(found["file"])})
            if rows[-1]["reserved_bytes"] > most:
                best, most, report = of_rank, rows[-1]["reserved_bytes"], found
        if report is not first:
            report["file"] = deliver([report["file"]], os.path.dirname(first["file"]), folder)[0]
            report["mark"] = mark_of(report["file"])
            if report["file"] != first["file"]:
                os.unlink(first["file"])
    report["ranks"] = rows
    return best, report


def rank_line(found: dict[str, Any], size_text: Callable[[float], str]) -> str | None:
    """What an answer says about its rank; None where there is one.

    Args:
        found: the answer.
        size_text: bytes as text.
    """
    if found.get("world", 1) < 2:
        return None
    others = [f"rank {each['rank']} {size_text(each['reserved_bytes'])}" for each in found["ranks"] if each["rank"] != found["rank"]]
    name = f"This is rank {found['rank']} of {found['world']}"
    if others:
        return f"{name}, which reserves the most of the ranks that were run: {', '.join(others)}."
    return f"{name}; --rank R runs another."
