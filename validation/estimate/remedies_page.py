"""The page reports/docs/remedies.md: what each remedy of `allocsim advise` did to programs on a GPU, and what was predicted."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured/remedies.json"
PAGE = HERE.parent.parent / "reports/docs/remedies.md"
MIB = 1 << 20

#: What articles say, each with the remedies that do it. Sources: five articles on memory that PyTorch's users are sent to.
CLAIMS = (
    ("“Gradient checkpointing decreases memory by trading computation for it.”", ("checkpoint", "checkpoint-all")),
    ("“Train with automatic mixed precision.”", ("autocast",)),
    ("“Gradient accumulation simulates a larger batch without the memory that it needs.”", ("accumulate-2", "accumulate-4")),
    ("“A smaller batch size consumes less GPU memory per iteration.”", ("accumulate-2", "accumulate-4")),
    ("“Call `torch.cuda.empty_cache()` to reclaim unused GPU memory.”", ("empty-cache",)),
    ("“Delete tensors with `del` when they are no longer needed.”", ("release",)),
    ("“`torch.no_grad()` significantly reduces memory usage.”", ("no-grad",)),
)

#: A smaller change is none that one would make a change of a program for.
HELPS = 0.02


class Case(NamedTuple):
    """A script with remedies, on the GPU and without one."""

    script: str
    remedies: str
    truth: dict[str, Any]
    estimate: dict[str, Any]
    #: The script as it is.
    before: "Case | None"

    def has_failed(self) -> bool:
        return "problem" in self.truth or "problem" in self.estimate

    def error(self) -> float:
        return float(self.estimate["reserved_bytes"] / self.truth["reserved_bytes"] - 1)

    def change(self, of: str) -> float:
        """By how much the reserved peak changed, as a share of that of the script as it is.

        Args:
            of: ``truth`` or ``estimate``.
        """
        assert self.before is not None
        return float(getattr(self, of)["reserved_bytes"] / getattr(self.before, of)["reserved_bytes"] - 1)

    def is_held(self) -> bool:
        high = self.estimate["high_bytes"]
        return bool(self.estimate["low_bytes"] <= self.truth["reserved_bytes"] and (high is None or self.truth["reserved_bytes"] <= high))


def cases(measured: dict[str, Any]) -> list[Case]:
    """All that was measured, by script."""
    found = []
    for script, rows in sorted(measured["scripts"].items()):
        before = Case(script, "", rows[""]["truth"], rows[""]["estimate"], None)
        found.append(before)
        found += [Case(script, names, row["truth"], row["estimate"], before) for names, row in sorted(rows.items()) if names]
    return found


def text() -> str:
    """The page."""
    measured = json.loads(MEASURED.read_text())
    found = cases(measured)
    ran = [each for each in found if not each.has_failed()]
    failed = [each for each in found if each.has_failed()]
    alike = [each for each in failed if "problem" in each.truth and "problem" in each.estimate]
    errors = [abs(each.error()) for each in ran]
    changes = [abs(each.change("estimate") - each.change("truth")) for each in ran if each.before is not None]
    scripts = len(measured["scripts"])
    lines = [
        "# What remedies do",
        "",
        "What articles recommend against running out of memory, on programs that were written before the remedies and not tuned to",
        f"([scripts](../../validation/estimate/scripts)): {scripts} scripts, an {measured['device']}, PyTorch {measured['pytorch'].split('+')[0]}, default settings. Each change is that of the peak of reserved",
        "memory: on the GPU, and in brackets as [`allocsim advise`](../../workloads/python/ADVISE.md) predicted it without one. A test makes this page of",
        "[remedies.json](../../validation/estimate/measured/remedies.json); [remedies.py](../../validation/estimate/remedies.py) repeats the measurement.",
        "",
        f"Of {len(found)} runs {len(failed)} failed, {len(alike)} of them alike with and without a GPU. Of the others the median error of the reserved peak is {statistics.median(errors):.2%};",
        f"{sum(each <= 0.01 for each in errors)} of {len(ran)} are within 1 %, {sum(each <= 0.03 for each in errors)} within 3 %, and the interval of the answer holds {sum(each.is_held() for each in ran)}.",
        f"The change that a remedy makes was predicted within one percentage point in {sum(each <= 0.01 for each in changes)} of {len(changes)} cases.",
        "",
        "## What articles say, and for whom it is true",
        "",
        f"A remedy helps where it lowers the peak by {HELPS:.0%} or more.",
        "",
        "| sentence | helps | of | change at most | in the median | where it does not help |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for sentence, names in CLAIMS:
        tried = [each for each in ran if each.remedies in names]
        if not tried:
            continue
        best: dict[str, float] = {}
        for each in tried:
            best[each.script] = min(best.get(each.script, 1.0), each.change("truth"))
        useless = sorted(script for script, change in best.items() if change > -HELPS)
        lines.append(
            f"| {sentence} | {len(best) - len(useless)} | {len(best)} | {_percent(min(best.values()))} | {_percent(statistics.median(best.values()))} | {', '.join(useless)} |"
        )
    lines += [
        "",
        "Where a remedy is not counted, `advise` found that it does not apply: a script that uses autocast already, frees its gradients, or evaluates under `no_grad`.",
        "",
        "## Remedy by program",
        "",
        *_table(found, measured),
        "",
        "## Programs that were to fit less memory",
        "",
        *_goals(measured["goals"]),
        "",
        "## The largest errors",
        "",
        "| script | remedies | on the GPU, MiB | predicted, MiB | error | interval, MiB |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for each in sorted(ran, key=lambda each: -abs(each.error()))[:12]:
        high = each.estimate["high_bytes"]
        lines.append(
            f"| {each.script} | {each.remedies or 'unchanged'} | {each.truth['reserved_bytes'] // MIB} | {each.estimate['reserved_bytes'] // MIB} | {each.error():+.1%} |"
            f" {each.estimate['low_bytes'] // MIB} to {'…' if high is None else high // MIB}{'' if each.is_held() else ', missed'} |"
        )
    lines += [
        "",
        "Which piece of memory a request takes depends on all sizes before it: in convolutions, cuDNN plans workspaces that are up to 16 MiB smaller without the GPU, and in scripts of random",
        "lengths the lengths are others in each run. The answers say so, and have wide intervals there.",
    ]
    return "\n".join(lines) + "\n"


def _table(found: list[Case], measured: dict[str, Any]) -> list[str]:
    scripts = sorted(measured["scripts"])
    single = sorted({each.remedies for each in found if each.remedies and "+" not in each.remedies})
    rows = {(each.script, each.remedies): each for each in found}
    lines = [f"| remedy | {' | '.join(scripts)} |", f"| --- |{' ---: |' * len(scripts)}"]
    lines.append("| unchanged, MiB | " + " | ".join(f"{rows[script, ''].truth['reserved_bytes'] // MIB}" for script in scripts) + " |")
    for name in single:
        lines.append(f"| {name} | " + " | ".join(_cell(rows.get((script, name))) for script in scripts) + " |")
    return lines


def _cell(case: Case | None) -> str:
    if case is None:
        return ""
    real, own = ("fails" if "problem" in getattr(case, of) else _percent(case.change(of)) for of in ("truth", "estimate"))
    return real if real == own else f"{real} ({own})"


def _percent(change: float) -> str:
    return f"{change:+.0%}".replace("-0%", "0%").replace("+0%", "0%")


def _goals(goals: dict[str, Any]) -> list[str]:
    chosen = {name: goal for name, goal in sorted(goals.items()) if goal["chosen"] is not None}
    ran = [goal for goal in chosen.values() if goal["ran"] is not None]
    lines = [
        f"Each had to fit in 60 % of the memory that it reserves unchanged. `advise` found a combination for {len(chosen)} of {len(goals)}; run on the GPU with no more memory than that, {sum(goal['ran'] for goal in ran)} of {len(ran)} fit.",
        "",
        "| script | limit, MiB | what was recommended | on the GPU |",
        "| --- | ---: | --- | --- |",
    ]
    for name, goal in sorted(goals.items()):
        what = "nothing" if goal["chosen"] is None else " + ".join(goal["chosen"]) or "unchanged"
        outcome = {None: "", True: "fits", False: "fails"}[goal["ran"]]
        lines.append(f"| {name} | {goal['limit_bytes'] // MIB} | {what}{', ' + goal['conf'] if goal['conf'] else ''} | {outcome} |")
    return lines
