"""The answer of an estimate: the simulated figures of the recording, their possible error, and whether the card is large enough.

The answer is a dictionary, ``allocsim-estimate-3`` in JSON. Sizes are in bytes. Its keys:

- ``complete``: whether the program finished its work. If not, ``interval``, ``fits`` and ``smallest_gpu`` are null, ``gpus_that_fit`` is empty, and
  ``min_reserved_bytes`` is the minimum that it needs; ``sentence``: the first line of the text.
- ``recording_lost``: whether the program used GPU memory and ended before that was recorded, as by a crash.
- ``ended``, ``problem``, ``kind``, ``line``, ``origin``, ``operation``, ``unsupported_function``, ``without_image``, ``exit``: how the program ended and where, as in ``ending``; ``exit_code``: its exit code.
- ``out_of_memory``: if the program ended because the card had too little memory: ``line``, ``part`` of the step, ``asked_bytes``, ``in_use_bytes``; otherwise null. The figures are then those of
  a run without the card's limit. ``caught_out_of_memory``: how many out-of-memory errors the program handled itself.
- ``fits``: "yes"; "tight": PyTorch has to release cached memory to fit; "setting", with the best setting only; "maybe": the card's memory is within the interval; "no"; "adapts": the
  program ran to its end on this card and handled out-of-memory errors itself, so that the figures are those of this card alone.
  If memory grows with each step, only "maybe" or "no" is possible.
  ``card_bytes``: the memory that PyTorch can use of the card, without its context and, for ranks, NCCL; ``smallest_gpu``: the smallest on which it surely fits.
- ``file``: the recording, or null; ``device``, ``pytorch``: the GPU's name and the release.
- ``peak_requested_bytes``, ``peak_allocated_bytes``, ``settings`` (``recorded`` and ``best``, which ``tune`` recommends, each with ``conf`` and ``reserved_bytes``), ``interval`` (``low_bytes``, ``high_bytes``, null if memory grows with each step).
- ``causes``: causes of the interval's width: ``cause``, and fractions of the reserved peak ``below`` and ``above`` it.
- ``cut``: why allocsim ended the program before its own end ("steps", "repeats", "time"), otherwise null; ``steps_run``, ``phases``, ``not_reached``, ``lengths``, ``growth_bytes_per_step``: what was run and
  what was not, as in ``stepping``; ``later_bytes``: how much more the rest may reserve, part of the interval.
- ``similar_runs``: ``low_bytes`` and ``high_bytes``, reserved memory with slightly different sizes: by 1 % if workspaces or counts were guessed, by the
  difference in batch lengths if the program draws them or their order without a seed; null if sizes and their order are known. It is part of the interval.
- ``prompt_watchdog_reserved_bytes``, ``lagging_gpu_reserved_bytes``, ``min_selected_reserved_bytes``, ``max_picked_reserved_bytes``, ``same_choices_reserved_bytes``, ``cached_compiler_reserved_bytes``, ``other_draws_reserved_bytes``: peaks of further runs, if timing, unknown values, the caches of torch.compile or numbers drawn without a seed decide; ``gpus_that_fit``: all on which it fits or may fit.
- ``unmeasured_workspaces``, ``inferred_bytes`` (of the largest workspace that was not measured itself), ``uncompiled``, ``unmeasured_choices``, ``rank_overhead_bytes``, ``reads``, ``selections``, ``picks``, ``draws``, ``tokens``: the assumptions behind the figures.
- ``groups``: lines with attention of grouped keys in single precision, for which releases of PyTorch choose different kernels.
- ``rank``, ``world``, ``ranks``: the rank that was run, the ranks of its job, and for a pipeline the reserved memory of each rank that was run.
- ``gpus``: how many GPUs the process saw; ``gpu_reserved_bytes``: what it reserved on each; the figures are about the GPU with the most; ``missing_gpu``: the highest
  number of a GPU that it asked for and does not see, or -1.
- ``other_processes``: how many other processes of the program used the GPU at the same time (``count``) and what they reserved at their peaks (``reserved_bytes``), without their
  contexts. Both are taken off the card's memory.
- ``writes``: files changed by the program, which were dropped, as in ``files``; null if changes were allowed.
- ``others_failed``: scripts of other processes of the program that failed, though it ended with 0.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Mapping, Sequence

from ..recording import AllocsimError
from ..visible import visible
from .cards import CARDS
from .screen import first_line
from .widths import causes_of, interval, size_share

SCHEMA = "allocsim-estimate-3"

#: What NCCL and the modules of kernels took in addition to PyTorch's memory: each of two ranks of DDP and FSDP2, H100, NCCL 2.28.9, PyTorch 2.11.
RANK_OVERHEAD_BYTES = 1_090 << 20

#: Copies of a recording with other sizes, and how often its peak goes into the memory that they get: none of them fills it. Far more memory is none at all for
#: expandable segments, each of which reserves addresses for the whole card.
COPIES = 30
AMPLE = 8

#: Peaks of further runs: in which NCCL's watchdog looked in time, the GPU did only what the host waited for, masks of unknown values selected one element each and not all,
#: half of unknown integers passed comparisons that select and not as many as are likely, unknown choices fell on the same few and not on all evenly,
#: torch.compile had what it kept of the first run, as in later runs on a machine, and generators without a seed drew other numbers.
OTHER_PEAKS = (
    "prompt_watchdog_reserved_bytes", "lagging_gpu_reserved_bytes", "min_selected_reserved_bytes", "max_picked_reserved_bytes", "same_choices_reserved_bytes", "cached_compiler_reserved_bytes",
    "other_draws_reserved_bytes",
)

#: Ends of programs that did not do all that was asked of them.
EARLY = ("error", "thread", "exit", "killed")


def asks_alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two runs of a program asked for the same: in each step that both made, or in all where it makes none."""
    if not one["asked_bytes"] or not other["asked_bytes"]:
        return bool(one["allocated_bytes"] == other["allocated_bytes"])
    return all(a == b for first, second in zip(one["asked_bytes"], other["asked_bytes"]) for a, b in zip(first, second))


def ended_early(report: dict[str, Any]) -> bool:
    """Whether the program stopped before its work was done; if it had no step, batch or generation in its time, nothing is known about the rest."""
    return report["ended"] in EARLY or (report["ended"] == "time" and not report["phases"])


def answer(
    report: dict[str, Any],
    device: str,
    others: Mapping[str, dict[str, Any] | None] = MappingProxyType({}),
    out_of_memory: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Asks the simulator about a recording.

    Args:
        report: of the run, as ``Runs.run`` gives it.
        device: the GPU.
        others: the reports of further runs, by their names in ``OTHER_PEAKS``.
        out_of_memory: the report of a run that ended of the card's limit, where ``report`` is that of one without it.

    Returns:
        the answer, as above.
    """
    failed = out_of_memory if out_of_memory is not None else report if report["out_of_memory_error"] and report["ended"] == "error" else None
    # Without the run that goes on where the card ended, the need is not known.
    complete = not ended_early(report) and report["file"] is not None
    found: dict[str, Any] = {
        "schema": SCHEMA, "complete": complete,
        **{key: report[key] for key in ("ended", "problem", "kind", "line", "origin", "operation", "exit", "exit_code", "script", "file", "pytorch", "others_failed", "rank", "world", "ranks", "reads", "selections", "picks", "groups", "draws", "tokens", "uncompiled", "cut", "steps_run", "phases", "not_reached", "lengths", "growth_bytes_per_step", "later_bytes", "writes", "unsupported_functions", "without_image", "recording_lost", "gpus", "missing_gpu", "gpu_reserved_bytes", "other_processes")},
        "device": device,
        "out_of_memory": None if failed is None else failed["out_of_memory_error"] | {"line": failed["line"]},
        "caught_out_of_memory": 0 if failed is not None else report["out_of_memory"],
        "unsupported_function": report.get("unsupported_function"), "cuda": report.get("cuda"),
        "min_reserved_bytes": report["reserved_bytes"], "card_bytes": report.get("card_free_bytes"), "fits": None, "smallest_gpu": None, "gpus_that_fit": [],
        "peak_requested_bytes": None, "peak_allocated_bytes": report["allocated_bytes"] or None, "settings": None, "interval": None, "causes": [],
        "similar_runs": None, **dict.fromkeys(OTHER_PEAKS),
        "unmeasured_workspaces": report["unmeasured"], "inferred_bytes": report["inferred_bytes"], "unmeasured_choices": report["choices"],
        "rank_overhead_bytes": RANK_OVERHEAD_BYTES if report["world"] > 1 else 0,
    }
    if report["ended"] == "time" and not complete:
        # Where the program was when its time was over.
        found["line"] = report["line"] or report.get("seen_line")
    if report["file"] is not None:
        try:
            _simulate(found, report, {key: each for key, each in others.items() if each is not None and each["file"] is not None and not ended_early(each)})
        except (KeyError, IndexError, TypeError, ValueError, ArithmeticError, AttributeError) as problem:
            raise AllocsimError(visible(f"the answer of the program cannot be understood ({type(problem).__name__}: {problem}); does its version match this package?"), 1) from None
    elif found["card_bytes"] is not None:
        found["card_bytes"] -= _overhead_bytes(found)
    found["sentence"] = first_line(found)
    return found


def _overhead_bytes(found: dict[str, Any]) -> int:
    """Bytes of the card that other ranks and processes take."""
    others = found["other_processes"]
    return int(found["rank_overhead_bytes"] + others["reserved_bytes"] + others["count"] * CARDS[found["device"]].context_bytes)


def _simulate(found: dict[str, Any], report: dict[str, Any], others: Mapping[str, dict[str, Any]]) -> None:
    from ..recording import open as open_recording

    run = open_recording(report["file"])
    # At the peak of reserved memory less may be allocated than at another moment.
    capacity, peak = run.ask("min-capacity"), run.ask("peak", "--of", "allocated")
    recorded = capacity["settings"][0]
    reserved = recorded["reserved_if_ample_bytes"]
    found["peak_requested_bytes"] = capacity["peak_requested_bytes"]
    found["peak_allocated_bytes"] = peak["moment"]["allocated_bytes"]
    if found["caught_out_of_memory"]:
        # The simulator grants the requests that failed, too.
        reserved = min(reserved, report["reserved_bytes"])
        found["peak_allocated_bytes"] = min(found["peak_allocated_bytes"], report["allocated_bytes"] or found["peak_allocated_bytes"])
        found["peak_requested_bytes"] = min(found["peak_requested_bytes"], found["peak_allocated_bytes"])
    overhead = _overhead_bytes(found)
    free = {each["name"]: each["capacity_bytes"] - overhead for each in capacity["gpus"]}
    found["card_bytes"] = report["card_free_bytes"] - overhead if report.get("card_free_bytes") else free[found["device"]]
    free[found["device"]] = found["card_bytes"]
    found["settings"] = {"recorded": {"conf": recorded["conf"], "reserved_bytes": reserved, "capacity_bytes": recorded["capacity_bytes"]}}
    if not found["complete"]:
        # A card that was full had to do with less.
        found["min_reserved_bytes"] = max(min(reserved, found["min_reserved_bytes"] or reserved), found["peak_requested_bytes"])
        return
    found["min_reserved_bytes"] = None
    for key, each in others.items():
        found[key] = reserved_bytes(each["file"])
    # Where the other end was run, it is part of the interval.
    open_ends = {name: [] if found[key] is not None else report[name] for name, key in (("selections", "min_selected_reserved_bytes"), ("draws", "same_choices_reserved_bytes"))}
    found["causes"] = causes_of(report | open_ends, found["peak_requested_bytes"])
    peaks = [reserved, *(found[key] for key in OTHER_PEAKS if found[key] is not None)]
    share = size_share(report)
    if share and not found["caught_out_of_memory"]:
        files = [report["file"], *(each["file"] for each in others.values())]
        similar = [similar_runs(open_recording(each), share, max(peaks)) for each in files]
        found["similar_runs"] = {"low_bytes": min(each["low_bytes"] for each in similar), "high_bytes": max(each["high_bytes"] for each in similar)}
        peaks += found["similar_runs"].values()
    later = (found["later_bytes"] or {"high": 0})["high"]
    low, most = interval(peaks, found["causes"], later or 0)
    # Memory that grows with each step has no upper end but the card's.
    high = most if later is not None else None
    if found["caught_out_of_memory"]:
        high = max(reserved, min(most, found["card_bytes"]) if later is not None else found["card_bytes"])
    found["interval"] = {"low_bytes": low, "high_bytes": high}
    tuned = run.ask("tune", "--top", "0")["settings"]
    found["settings"]["best"] = recommended(tuned, found["card_bytes"] * reserved / (high or reserved))
    found["fits"] = fits(found["card_bytes"], found)
    if found["fits"] == "adapts":
        found["gpus_that_fit"] = [found["device"]]
        return
    found["gpus_that_fit"] = [name for name, size in free.items() if fits(size, found) != "no"]
    # The interval is that of the card that was asked for; others have other kernels.
    found["smallest_gpu"] = next((name for name, size in sorted(free.items(), key=lambda each: each[1]) if high is not None and high <= size), None)


def recommended(settings: Sequence[dict[str, Any]], enough_bytes: float) -> dict[str, Any]:
    """The setting that ``tune`` recommends, or the next one of its ranking that fits where that one does not.

    Args:
        settings: as ``tune`` ranks them, the recommended one first.
        enough_bytes: what a setting may reserve on the card.
    """
    served = [each for each in settings if each["passes"] and "dangerous" not in each["remarks"]] or settings[:1]
    found = next((each for each in served if each["peak_reserved_bytes"] <= enough_bytes), served[0])
    return {"conf": found["conf"], "reserved_bytes": found["peak_reserved_bytes"]}


def fits(card_bytes: int, found: dict[str, Any]) -> str:
    """Whether this much memory is enough: "yes", "tight", "setting", "maybe", "no" or "adapts", as above."""
    if found["caught_out_of_memory"]:
        return "adapts"
    recorded, best, bounds = found["settings"]["recorded"], found["settings"]["best"], found["interval"]
    # A limit of the program's own can be too small on every card.
    capacity = min(recorded["capacity_bytes"] or recorded["reserved_bytes"], recorded["reserved_bytes"])
    least = capacity * bounds["low_bytes"] / recorded["reserved_bytes"]
    if bounds["high_bytes"] is not None:
        if bounds["high_bytes"] <= card_bytes:
            return "yes"
        above = bounds["high_bytes"] / recorded["reserved_bytes"]
        if capacity * above <= card_bytes:
            return "tight"
        if best["reserved_bytes"] * above <= card_bytes:
            return "setting"
    return "maybe" if least <= card_bytes else "no"


def reserved_bytes(file: str) -> int:
    """The reserved peak of a recording on a GPU that is large enough."""
    from ..recording import open as open_recording

    return int(open_recording(file).ask("min-capacity")["settings"][0]["reserved_if_ample_bytes"])


def similar_runs(run: Any, share: float, peak_bytes: int) -> dict[str, int]:
    """The range of the reserved peak when a recording's sizes change a little: the order of sizes decides which pieces the
    allocator is left with.

    Args:
        run: the recording.
        share: by how much each size is changed at most, up or down.
        peak_bytes: about what the recording reserves.
    """
    ample = str(AMPLE * max(peak_bytes, 1 << 30))
    found = run.ask("perturb", "--resize", f"{share:.2%}", "--resize-each", "size", "--runs", str(COPIES), "--capacity", ample)["peak_reserved_bytes"]
    return {"low_bytes": found["min"], "high_bytes": found["max"]}
