"""How far an estimate can be off, by what was guessed in it.

Each cause widens the interval by shares of the reserved peak, below and above it. The shares are set by the errors of the programs of validation/estimate, whose
page, validation/ESTIMATES.md, says how many truths are inside.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

#: Where nothing was guessed. Runs of one program on one GPU differed by 1.2 %.
NOTHING = 0.02

#: Of the largest workspace that was not measured itself, but taken from other shapes; errors of reserved peaks were up to 0.62 of it, and beside
#: `NOTHING` up to 0.35.
INFERRED = 0.5
MAX_INFERRED = 0.15

#: Workspaces whose size nothing tells. Errors seen: up to 11 % either way.
UNSIZED = 0.12

#: Convolutions that cuDNN planned without the GPU have the kernels of the GPU, and their workspaces but for partial results of blocks that share a tile, where no rule
#: of partials.c gives these: at most 128 KiB for each multiprocessor. With these rules, 117 of 130 estimates of validation/estimate/scripts were within 1 % (H200, PyTorch 2.11).
#: Which plan a benchmark finds the fastest is not known; it may need no workspace.
MAX_PLANNED = 0.15

#: What a run counts of sizes that are not known to the byte.
_GUESSES = ("split_bytes", "tried_bytes", "unsized", "inferred_bytes", "sampled", "draws")

#: By how much sizes are taken to differ where workspaces were guessed: reserved peaks of scripts whose requested peaks were 0.03 % off differed by up to 8 %
#: (H200, PyTorch 2.11), as which pieces are left depends on each size. Replays with 0.5 % differ as those with 2 % do.
GUESSED_SIZES = 0.01

#: The most that sizes are changed for other orders of batches.
MAX_SIZES = 0.2

#: Choices drawn uniformly; errors were up to 10.6 %.
DRAWN = 0.09

#: All elements taken where a mask is not known: real runs take fewer. Errors were up to 12.5 %.
SELECTED = 0.12

#: A flag or an integer that control flow may depend on. Errors were up to 4.5 %.
READ = 0.04

#: Graphs that ran uncompiled, algorithms that were not measured; no errors are known, so that these are wide.
UNCOMPILED = 0.09
CHOSEN = 0.05

#: No interval is wider on one side.
MAX_SHARE = 0.3

#: A page of the driver: no peak is known better.
PAGE_BYTES = 2 << 20


def causes_of(report: Mapping[str, Any], peak_bytes: int) -> list[dict[str, Any]]:
    """What widens the interval: ``cause``, and the shares ``below`` and ``above`` that it adds.

    Args:
        report: of the run, as in ``inside``.
        peak_bytes: peak of requested memory, which workspaces are compared with.
    """
    inferred = min(MAX_INFERRED, INFERRED * report["inferred_bytes"] / peak_bytes) if peak_bytes else 0.0
    split, tried = (min(MAX_PLANNED, report[each] / peak_bytes) if peak_bytes else 0.0 for each in ("split_bytes", "tried_bytes"))
    flags = any(isinstance(each["value"], (bool, int)) and each["what"] == "a value" and not each.get("check") for each in report["reads"])
    found = [
        ("measured", NOTHING, NOTHING),
        ("workspaces of other shapes", inferred, inferred),
        ("workspaces of unknown size", *[UNSIZED * (report["unsized"] > 0)] * 2),
        ("convolutions planned without the GPU", 0.0, split),
        ("convolutions that a benchmark chooses", tried, tried),
        ("choices", *[DRAWN * bool(report["draws"])] * 2),
        ("selections", SELECTED * bool(report["selections"]), 0.0),
        ("flags read", *[READ * flags] * 2),
        ("uncompiled graphs", *[UNCOMPILED * bool(report["uncompiled"])] * 2),
        ("algorithms not measured", *[CHOSEN * (report["choices"] > 0)] * 2),
    ]
    return [{"cause": cause, "below": round(below, 4), "above": round(above, 4)} for cause, below, above in found if below or above]


def size_share(report: Mapping[str, Any]) -> float:
    """By how much the sizes of a run may differ from those on a GPU, as a share; 0 where they are known and their order is.

    Args:
        report: of the run, as in ``inside``.
    """
    guessed = GUESSED_SIZES if any(report[each] for each in _GUESSES) else 0.0
    return float(min(MAX_SIZES, max(guessed, report["drawn_order"])))


def interval(peaks_bytes: Sequence[int], causes: list[dict[str, Any]], later_bytes: int = 0) -> tuple[int, int]:
    """Between which bytes the reserved peak of a GPU is, for 98 of 100 programs.

    Args:
        peaks_bytes: reserved peaks of runs, between which chance, pace or unknown values decide.
        causes: of `causes_of`.
        later_bytes: how much more a part of the program that was not run may reserve.
    """
    below, above = (min(MAX_SHARE, sum(each[side] for each in causes)) for side in ("below", "above"))
    low, high = min(peaks_bytes), max(peaks_bytes)
    return max(0, low - max(round(low * below), PAGE_BYTES)), high + max(round(high * above), PAGE_BYTES) + later_bytes
