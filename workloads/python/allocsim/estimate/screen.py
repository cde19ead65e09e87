"""An estimate as text."""

from __future__ import annotations

import os
import re
from typing import Any, Sequence

from ..visible import from_here, shell_word, visible
from .cards import CARDS, way_out
from .costliest import rank_line
from .driver import next_step
from .files import writes_sentence
from .reports import busiest_gpu

#: Lines of one kind that are shown; all are in the JSON.
MAX_LINES_OF_A_KIND = 10
MAX_LINES = 30

#: Peaks of further runs in which values that are unknown were others.
GUESSED_PEAKS = ("min_selected_reserved_bytes", "same_choices_reserved_bytes", "other_draws_reserved_bytes")

UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))

#: How libraries and scripts say that there are too few.
_GPUS = re.compile(r"(?i)\bgpus\b|\bgpu: ?\[|\bdevice[ _]ids?\b|invalid device ordinal")

_ISSUE = "report the name as an issue of allocsim, or record a run on a GPU with 'allocsim record'"


def print_answer(found: dict[str, Any]) -> None:
    """Prints an answer on the standard output, in at most 30 lines."""
    lines = answer_lines(found)
    for line in lines:
        print_line(line)


def answer_lines(found: dict[str, Any]) -> list[str]:
    """The lines of an answer, the answer itself first."""
    lines = [found["sentence"]]
    lines += _complete(found) if found["complete"] else _incomplete(found)
    kinds = _notes(found) if found["min_reserved_bytes"] != 0 else []
    dropped = writes_sentence(found["writes"], size_text)
    end = [*([f"- {dropped}"] if dropped else []), *([] if found["file"] is None else [_next(found)])]
    room = MAX_LINES - len(lines) - len(end)
    # Each kind of note keeps its first lines.
    if sum(map(len, kinds)) > room:
        kinds = [shortened(kind, max(1, (room - len(kinds)) // len(kinds)), found) for kind in kinds]
    return [*lines, *(f"- {line}" for kind in kinds for line in kind), *end]


def first_line(found: dict[str, Any]) -> str:
    """Whether the card is enough, or why that is not known."""
    device, card = found["device"], found["card_bytes"]
    if found["out_of_memory"]:
        failed = found["out_of_memory"]
        place = f" at {shown(failed['line'])}" if failed["line"] else ""
        part = f" ({failed['part']})" if failed["part"] else ""
        asked = f", which asked for {size_text(failed['asked_bytes'])}" if failed["asked_bytes"] else ""
        used = f" with {size_text(failed['in_use_bytes'])} in use" if asked and failed["in_use_bytes"] else ""
        full = f"out of memory{place}{part}{asked}{used}"
        less = [found[key] for key in GUESSED_PEAKS if found[key] is not None and found[key] <= card]
        if less:
            return f"May not fit on {device}: {full}, but that depends on values that are unknown; with others it reserves {size_text(min(less))}."
        return f"Does not fit on {device}: {full}."
    if not found["complete"]:
        if found["ended"] in ("end", "steps") and not found["min_reserved_bytes"]:
            return f"The program used no GPU memory: {_unused(found)}."
        before = "" if found["min_reserved_bytes"] else ", before its GPU memory was recorded" if found["recording_lost"] else ", before any GPU memory was used"
        return f"INCOMPLETE: {_ended(found)}{before}."
    recorded, best, bounds = found["settings"]["recorded"], found["settings"]["best"], found["interval"]
    low, high = bounds["low_bytes"], bounds["high_bytes"]
    # With a late watchdog or a slow GPU, more than the recording.
    most = max(recorded["reserved_bytes"], found["lagging_gpu_reserved_bytes"] or 0, found["min_selected_reserved_bytes"] or 0)
    # The card that needs most decides.
    gpu = f"GPU {busiest_gpu(found)} " if several_gpus(found) else ""
    reserves = f"{gpu}reserves {size_text(most)} at its peak ({range_text(low, high, most)})" if high is not None else f"{gpu}reserves {size_text(most)} {_growing(found)}"
    gives = f"{size_text(card)} available to PyTorch"
    if found["fits"] == "adapts":
        count = found["caught_out_of_memory"]
        return f"Runs on {device}: {count} request{'s' if count > 1 else ''} failed for lack of memory, which the program handled itself; it reserves {size_text(most)} of {gives}."
    if found["fits"] == "yes":
        return f"Fits on {device} with {size_text(card - most)} to spare: {reserves}."
    if found["fits"] == "tight":
        return f"Fits on {device}, but PyTorch has to release cached memory again and again, which is slow: {reserves} if it can, out of {gives}."
    if found["fits"] == "setting":
        return f"Fits on {device} only with {best['conf']}: {gpu}reserves {size_text(best['reserved_bytes'])} then, {size_text(most)} with {recorded['conf'] or 'default settings'} ({range_text(low, high, most)}), of {gives}."
    if found["fits"] == "maybe":
        return f"May not fit on {device}: {reserves}, of {gives}."
    needs = f"({range_text(low, high, most)})" if high is not None else f"{_growing(found)},"
    return f"Does not fit on {device}: {gpu}needs {size_text(most)} {needs} of {gives}."


def several_gpus(found: dict[str, Any]) -> bool:
    """Whether the program's process used more than one GPU."""
    peaks: list[int] = found["gpu_reserved_bytes"]
    return sum(each > 0 for each in peaks) > 1


def _growing(found: dict[str, Any]) -> str:
    return f"by step {found['steps_run']}, and {size_text(found['growth_bytes_per_step'])} more with each step"


def _complete(found: dict[str, Any]) -> list[str]:
    recorded, best, bounds = found["settings"]["recorded"], found["settings"]["best"], found["interval"]
    lines = []
    if found["out_of_memory"]:
        how = f"({range_text(bounds['low_bytes'], bounds['high_bytes'], recorded['reserved_bytes'])})" if bounds["high_bytes"] is not None else _growing(found)
        lines.append(f"Without that limit it would reserve {size_text(recorded['reserved_bytes'])} {how}; PyTorch can use {size_text(found['card_bytes'])} of the card.")
        if found["fits"] == "setting":
            lines.append(f"It fits with PYTORCH_CUDA_ALLOC_CONF={best['conf']}.")
    smallest = found["smallest_gpu"]
    if found["fits"] == "adapts":
        lines.append("On another card it may request other sizes; --device estimates that, --unlimited the run without failed requests.")
    elif bounds["high_bytes"] is None:
        lines.append("The card it needs depends on the number of steps; the growth is likely a leak: 'allocsim leaks' names the line.")
    else:
        lines.append(f"Smallest card: {smallest} ({size_text(CARDS[smallest].total_bytes)})." if smallest else "No known card is large enough.")
    lines += [
        "",
        f"  requested  {size_text(found['peak_requested_bytes'])}",
        f"  allocated  {size_text(found['peak_allocated_bytes'])}",
        f"  reserved   {size_text(recorded['reserved_bytes'])}  {recorded['conf'] or 'default settings'}",
    ]
    # Another setting lets other requests fail.
    if best["conf"] != recorded["conf"] and found["fits"] != "adapts":
        lines.append(f"             {size_text(best['reserved_bytes'])}  {best['conf']}")
    return lines


def _incomplete(found: dict[str, Any]) -> list[str]:
    least, card = found["min_reserved_bytes"], found["card_bytes"]
    lines = []
    if found["out_of_memory"]:
        if found["ended"] != "error" or found["line"] != found["out_of_memory"]["line"] or found["kind"] != "OutOfMemoryError":
            lines.append(f"How much it needs is unknown: without that limit, {_ended(found)}.")
        lines.append(f"It needs at least {size_text(least)}, plus anything it would have requested later.")
    elif least:
        enough = f"; PyTorch can use {size_text(card)} of {found['device']}" if card else ""
        if card and least > card:
            enough = f", more than the {size_text(card)} that PyTorch can use of {found['device']}"
        lines.append(f"It needs at least {size_text(least)}, which it had reserved by then, plus anything the rest of it would have requested{enough}.")
    remedy = _remedy(found)
    return [*lines, remedy] if remedy else lines


def _ended(found: dict[str, Any]) -> str:
    """How the program ended, as part of a sentence."""
    line, problem, ended = found["line"], (found["problem"] or "").rstrip("."), found["ended"]
    subject = shown(line) if line else "the program" if not found["script"] else os.path.basename(found["script"])
    at = f" at {shown(line)}" if line else ""
    if ended in ("end", "steps"):
        return "what the program did with GPU memory was not recorded"
    if ended == "time":
        return f"the program was stopped{at} for lack of time"
    if ended == "killed":
        if problem and not problem.startswith("SIG"):
            return f"the program crashed{at}: {problem}"
        about = f" at about {shown(line)}" if line else ""
        return f"the program was ended by {problem}{about}" if problem else f"a process of the program was ended from outside{about}"
    if ended == "exit":
        left = found["exit"] or {}
        if left.get("function") is None or (left.get("line") is None and not problem):
            return f"the program ended with exit code {left.get('code', found['exit_code'])}"
        how = f"{left['function']}: {problem}" if problem else f"{left['function']}, exit code {left['code']}" if left["code"] else f"{left['function']}, before the rest of it ran"
        return f"the program ended itself{at} ({how})"
    if found["kind"] == "KeyboardInterrupt":
        return f"the program was interrupted (Ctrl-C){at}"
    if found["origin"] == "card":
        return f"{subject} uses {_names(found)} that {found['device']} cannot do ({problem})"
    if found["origin"] == "mock" and found["unsupported_function"] and not found["operation"]:
        return f"{subject} calls {found['unsupported_function']}, which the mock CUDA driver does not have ({problem})"
    if found["origin"] == "mock":
        return f"{subject} uses {_names(found)} that the mock CUDA driver does not have ({problem})"
    if found["origin"] == "allocsim":
        return f"allocsim itself failed{at} in {found['operation'] or 'its own code'}, a bug in allocsim and not in the program ({problem})"
    failed = "a thread failed" if ended == "thread" else "the program failed"
    return f"{failed}{at}: {problem}"


def _names(found: dict[str, Any]) -> str:
    names = [each for each in (found["operation"], found["unsupported_function"]) if each]
    return f"an operation ({', '.join(names)})" if names else "an operation"


def _remedy(found: dict[str, Any]) -> str | None:
    if found["origin"] == "card":
        kernels = found["without_image"] if "no kernel image" in (found["problem"] or "") else None
        return f"It would also fail on the card itself{': ' + kernels if kernels else ''}. Next: {way_out(found['problem'] or '', kernels)}."
    if found["origin"] == "mock" and found["unsupported_function"]:
        return f"Next: {next_step(found['unsupported_function'])}."
    if found["origin"] in ("mock", "allocsim"):
        return f"Next: {_ISSUE}."
    if found["ended"] == "error" and found["world"] == 1:
        if found["missing_gpu"] >= found["gpus"]:
            return f"The program sees {found['gpus']} GPU{'s' if found['gpus'] > 1 else ''}: --gpus {found['missing_gpu'] + 1} shows it as many as it asks for."
        if found["gpus"] == 1 and _GPUS.search(found["problem"] or ""):
            return "The program sees one GPU: --gpus N shows one process more, --world N runs one rank of N."
    if found["ended"] == "time":
        return "It did not finish a step in time: --time SECONDS gives it more."
    if found["ended"] == "killed" and found["problem"] == "SIGKILL":
        return "SIGKILL usually means that this machine ran out of memory; --fake-weights needs less."
    places = [each["line"] for each in found["reads"] if each["line"] and each["line"] == found["line"]]
    if places and found["ended"] in ("error", "exit"):
        return f"That line reads a value that is unknown without a GPU: --value {shown(places[0])}=V gives it."
    return None


def _unused(found: dict[str, Any]) -> str:
    if found["pytorch"] is None:
        return "it did not load PyTorch"
    if found["cuda"] is None:
        return f"this PyTorch ({found['pytorch']}) is built without CUDA; install a CUDA build"
    return "it ended without allocating anything on a CUDA device"


def notes(found: dict[str, Any]) -> list[str]:
    """What is behind the figures of an answer: how far the program was run, what was guessed."""
    return [line for kind in _notes(found) for line in kind]


def _notes(found: dict[str, Any]) -> list[list[str]]:
    """What is behind the figures, by kind."""
    rank = rank_line(found, size_text)
    one = [rank] if rank is not None else []
    if several_gpus(found):
        peaks = [f"{size_text(each)} on GPU {i}" for i, each in enumerate(found["gpu_reserved_bytes"]) if each]
        one.append(f"The program reserved {', '.join(peaks[:-1])} and {peaks[-1]}; this is about GPU {busiest_gpu(found)}.")
    others = found["other_processes"]
    if others["count"]:
        several = others["count"] > 1
        theirs = f"their {size_text(others['reserved_bytes'])} and their contexts" if several else f"its {size_text(others['reserved_bytes'])} and its context"
        one.append(f"{others['count']} other process{'es' if several else ''} of the program used the GPU at the same time; {theirs} are taken off the card's memory.")
    if found["rank_overhead_bytes"]:
        one.append(f"NCCL and kernel modules take another {size_text(found['rank_overhead_bytes'])} per rank, as measured on two ranks; larger jobs were not measured.")
    if found["complete"]:
        recorded = found["settings"]["recorded"]["reserved_bytes"]
        if found["prompt_watchdog_reserved_bytes"] is not None:
            one.append(f"How long the first buckets of DistributedDataParallel stay depends on when NCCL's watchdog runs: {size_text(found['prompt_watchdog_reserved_bytes'])} if it runs early.")
        if found["lagging_gpu_reserved_bytes"] not in (None, recorded):
            one.append(f"Freed memory that another stream uses can be reused once the GPU is done with it: {size_text(recorded)} if that is at once, {size_text(found['lagging_gpu_reserved_bytes'])} if only when the host waits.")
        if found["min_selected_reserved_bytes"] not in (None, recorded):
            one.append(f"Masks of unknown values selected all elements; the program would reserve {size_text(found['min_selected_reserved_bytes'])} if each selected one.")
        if found["max_picked_reserved_bytes"] not in (None, recorded):
            one.append(f"Comparisons of unknown integers were assumed to select the square root of their number; the program would reserve {size_text(found['max_picked_reserved_bytes'])} if half were selected.")
        if found["same_choices_reserved_bytes"] not in (None, recorded):
            one.append(f"Choices by unknown values were even; the program would reserve {size_text(found['same_choices_reserved_bytes'])} if all fell on the same few.")
        if found["other_draws_reserved_bytes"] is not None:
            one.append(f"The program draws the lengths of its batches without a seed, so each run has others; another run reserved {size_text(found['other_draws_reserved_bytes'])}.")
        if found["cached_compiler_reserved_bytes"] not in (None, recorded):
            one.append(f"torch.compile tries kernels in the first run on a machine; later runs, which have its caches, would reserve {size_text(found['cached_compiler_reserved_bytes'])}.")
        if found["similar_runs"] is not None:
            one.append(_similar(found["similar_runs"], found["settings"]["recorded"]["conf"]))
        one += _course(found)
    if found["unmeasured_workspaces"]:
        most = f", the largest about {size_text(found['inferred_bytes'])}" if found["inferred_bytes"] else ""
        one.append(f"{found['unmeasured_workspaces']} library workspaces are estimates{most}, because no measurement covers them.")
    if found["complete"] and found["unsupported_functions"]:
        called = found["unsupported_functions"]
        one.append(f"The program called {', '.join(called[:3])}{', ...' if len(called) > 3 else ''}, which the mock CUDA driver does not have; its effect is ignored: {next_step(called[0])}.")
    if found["unmeasured_choices"]:
        one.append(f"torch.compile would have benchmarked candidates for {found['unmeasured_choices']} operation{'s' if found['unmeasured_choices'] != 1 else ''}; here it took the first one for each.")
    if found["others_failed"]:
        one.append(f"Other processes of the program failed: {', '.join(os.path.basename(each or 'python') for each in found['others_failed'][:3])}; the figures are those of {os.path.basename(found['script'] or 'python')}.")
    kinds = [
        one,
        [f"A graph could not be compiled and ran uncompiled, {_times(each)}: {each['reason']}." for each in found["uncompiled"]],
        [f"{shown(each['line'])} reads {each['what']} that depends on weights or activations: {each['value']} was given, {_times(each)}; --value {shown(each['line'])}=V gives another." for each in _read_at_lines(found["reads"])],
        [f"{shown(each['line'])} selects by unknown values: all elements were selected, {_times(each)}; --value {shown(each['line'])}=COUNT gives another." for each in found["selections"]],
        [f"{shown(each['line'])} selects by unknown integers: the square root of their number was selected, {_times(each)}; --value {shown(each['line'])}=COUNT gives another." for each in found["picks"]],
        [
            f"{shown(each['line'])} uses grouped-query attention in float32: PyTorch 2.11 chooses a kernel that materializes the attention weights, PyTorch 2.14 one that does not;"
            f" this is {found['pytorch']}, install the release of the GPU."
            for each in found["groups"]
        ],
        [f"{shown(each['line'])} chooses by unknown values: choices were uniformly random, {_times(each)}." for each in found["draws"]],
        [f"{shown(each['line'])} picks from many by unknown values, {_times(each)}; if these are tokens, none was padding or an end token, so generation ran to its maximum length." for each in found["tokens"]],
    ]
    return [shortened(kind, MAX_LINES_OF_A_KIND, found) for kind in kinds if kind]


def _read_at_lines(reads: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One read of each line that is more than a check: a flag or an integer before another number, and that before what a tensor holds."""
    found: dict[str, dict[str, Any]] = {}
    for each in sorted(reads, key=lambda each: (each["what"] != "a value", isinstance(each["value"], float))):
        if not each.get("check"):
            found.setdefault(each["line"], each)
    return sorted(found.values(), key=lambda each: -int(each["times"]))


def _similar(similar: dict[str, int], conf: str) -> str:
    return (
        f"With {conf or 'default settings'}, reserved memory depends on sizes and their order, which are not known exactly: with slightly different sizes it would be "
        f"{range_text(similar['low_bytes'], similar['high_bytes'])}."
    )


def _times(each: dict[str, Any]) -> str:
    return "once" if each["times"] == 1 else f"{each['times']} times"


def _course(found: dict[str, Any]) -> list[str]:
    """How far the program was run, and what that may cost."""
    lines = []
    steps = f" {found['steps_run']}" if found["steps_run"] else ""
    later = found["later_bytes"] or {}
    more = f"; the rest may reserve up to {size_text(later['high'])} more, which the interval covers" if later.get("high") else ""
    if found["ended"] == "steps":
        lines.append(f"The program was stopped after{steps or ' its first'} steps; --steps N runs more{more}.")
    elif found["ended"] == "time":
        lines.append(f"The program was stopped at its time limit, after{steps or ' no'} steps; --time SECONDS gives more{more}.")
    elif found["ended"] == "repeats":
        lines.append(f"The program was stopped after{steps} steps, because they requested nothing new{more}.")
    for each in found["not_reached"]:
        lines.append(f"Not reached: {each['phase']} at {shown(each['line'])}; --time SECONDS or --steps 0 runs longer.")
    lengths = found["lengths"] or {}
    seen = lengths.get("seen") or []
    for each in seen:
        # Of a loop whose data was seen whole, batches of another one say nothing.
        possible = each["data_high"] if each.get("complete") else lengths.get("longest_possible") or 0
        longest = f"; the longest that the program can produce is {possible} ({lengths['source']}), which --longest runs" if possible > each["high"] else ""
        of = f" of {each['phase']}" if each.get("phase") and len({other.get("phase") for other in seen}) > 1 else ""
        lines.append(f"Lengths{of} at {shown(each['line'])}: {each['low']} to {each['high']}{longest}.")
    return lines


def shortened(lines: Sequence[str], count: int, found: dict[str, Any]) -> list[str]:
    """The first lines, and how many more there are."""
    if len(lines) <= count:
        return list(lines)
    more = sum(int(line.split()[1]) if line.startswith("and ") and line.endswith(_ALL) else 1 for line in lines[count:])
    return [*lines[:count], f"and {more} more {_ALL}"]


_ALL = "(--json has all)"


def unused_options(found: dict[str, Any], rank: int | None, places: Sequence[str]) -> list[str]:
    """A sentence for each option that made no difference, since the program is no job or read no such line.

    Args:
        found: the answer.
        rank: of ``--rank``; None where it was not given.
        places: of ``--value``.
    """
    sentences = []
    if rank is not None and found["complete"] and found["world"] < 2:
        sentences.append(f"--rank {rank} had no effect: the program is a single process, not a job of several ranks")
    read = [each["line"] for kind in ("reads", "selections", "picks") for each in found[kind] if each["line"]]
    for place in places:
        if found["complete"] and not any(line == place or line.endswith(os.sep + place) for line in read):
            sentences.append(f"--value {place} had no effect: the program read no unknown value at that line")
    return sentences


def _next(found: dict[str, Any]) -> str:
    file = shell_word(from_here(found["file"]))
    if not found["complete"]:
        return f"- Next: 'allocsim view {file}' shows the run up to then, 'allocsim peak {file}' what held the memory."
    if found["out_of_memory"]:
        # The recording is of the run without the limit.
        return f"- Next: 'allocsim diagnose {file} --device {found['device']}' shows what fills the card; 'allocsim view {file}' shows the run without its limit."
    return f"- Next: 'allocsim view {file}', or peak, tune, diagnose, min-capacity."


def print_line(line: str) -> None:
    """One line on the standard output, with nothing that moves the cursor."""
    print(visible(line))


def size_text(size: float) -> str:
    """Bytes as people write them: three digits and a unit."""
    unit, name = _unit(size)
    return f"{digits(size / unit)} {name}" if unit > 1 else f"{round(size)} {name}"


def range_text(low: float, high: float, near: float | None = None) -> str:
    """``31.1 to 32.3 GiB``, in the unit of a size that stands beside it, where one does."""
    unit, name = _unit(high if near is None else near)
    one, two = digits(low / unit), digits(high / unit)
    return f"{two} {name}" if one == two else f"{one} to {two} {name}"


def _unit(size: float) -> tuple[int, str]:
    return next(((unit, name) for unit, name in UNITS if size >= unit * 0.9995), (1, "bytes"))


def digits(value: float) -> str:
    """Three digits of a number that is below a thousand, or a little above it."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def shown(line: str | None) -> str:
    """``FILE:LINE`` as seen from here."""
    if not line:
        return "?"
    file, _, number = line.rpartition(":")
    short = from_here(file) if os.path.isabs(file) else file
    return f"{short if not short.startswith('..') else file}:{number}"
