"""Holds the step times that `allocsim idle` predicts against programs that ran again under each change.

    python3 predictions.py FOLDER...

FOLDERS are those that programs.py and heldout.py write, with a profile of each program as it is and the times of all its variants. The program
``allocsim`` (the variable ALLOCSIM names it) predicts each change from the one profile. Rows and a summary are printed as Markdown.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

#: A change is clear from this share of a step on, and where turns with it are farther from those without it than they are from each other.
CLEAR = 0.05


class Row(NamedTuple):
    """A change of a program: its steps without and with it, by turns, and what was predicted, in milliseconds; nothing where it was refused, with the reason."""

    program: str
    change: str
    before: list[float]
    after: list[float]
    unchanged: float | None
    predicted: float | None
    refusal: str

    @property
    def error(self) -> float | None:
        return None if self.predicted is None else self.predicted / statistics.median(self.after) - 1

    @property
    def change_error(self) -> float | None:
        """Of the change alone: a program is not as fast in every run, the profiled one included."""
        if self.predicted is None or self.unchanged is None:
            return None
        return self.predicted / self.unchanged / (statistics.median(self.after) / statistics.median(self.before)) - 1

    @property
    def is_clear(self) -> bool:
        gap = max(min(self.before) - max(self.after), min(self.after) - max(self.before))
        spread = max(max(each) - min(each) for each in (self.before, self.after))
        return gap > spread and abs(statistics.median(self.after) / statistics.median(self.before) - 1) > CLEAR

    @property
    def has_sign(self) -> bool:
        if self.predicted is None or self.unchanged is None:
            return False
        true, found = statistics.median(self.after) - statistics.median(self.before), self.predicted - self.unchanged
        return true * found > 0


def milliseconds(variant: dict[str, Any]) -> list[float]:
    return [turn["step_seconds"] * 1e3 for turn in variant["turns"] if "step_seconds" in turn]


def predicted(profile: Path, workers: int, change: str) -> tuple[float | None, float | None, str]:
    """The step as it is and under a change, or why there is no prediction."""
    command = [os.environ.get("ALLOCSIM", "allocsim"), "idle", str(profile), "--what-if", change, "--json", "-"]
    done = subprocess.run(command + (["--workers", str(workers)] if workers else []), capture_output=True, text=True, check=False)
    if done.returncode:
        return None, None, done.stderr.strip().partition(": ")[2]
    rows = json.loads(done.stdout)["what_if"]
    return rows[0]["step_nanos"] / 1e6, rows[-1]["step_nanos"] / 1e6 if len(rows) > 1 else None, ""


def rows_of(folder: Path) -> list[Row]:
    rows = []
    for file in sorted(folder.glob("*.json")):
        variants = json.loads(file.read_text())["variants"]
        base = variants["base"]
        for variant in variants.values():
            change = variant["options"].get("what_if")
            if not change or not milliseconds(variant):
                continue
            # A profile with stacks is slower, and the only one that has garbage collections.
            for kind in ("base", "base.stacks"):
                found = predicted(folder / f"{file.stem}.{kind}.trace.json.gz", base["options"]["workers"], change)
                if "with_stack" not in found[2]:
                    break
            rows.append(Row(file.stem, change, milliseconds(base), milliseconds(variant), *found))
    return rows


def main(folders: list[Path]) -> None:
    print("| program | change | step, ms | with the change | predicted | error | clear change |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    every = [row for folder in folders for row in rows_of(folder)]
    for row in every:
        times = " | ".join(" and ".join(f"{each:.1f}" for each in part) for part in (row.before, row.after))
        answer = f"{row.predicted:.1f} | {row.error:+.0%}" if row.error is not None else f"{row.refusal} |"
        clear = "" if not row.is_clear else "predicted" if row.has_sign else "missed"
        print(f"| {row.program} | {row.change} | {times} | {answer} | {clear} |")
    errors = [abs(row.error) for row in every if row.error is not None]
    changes = [abs(row.change_error) for row in every if row.change_error is not None]
    clear_rows = [row for row in every if row.is_clear and row.predicted is not None]
    print(
        f"\n{len(errors)} of {len(every)} changes predicted, with a median error of {statistics.median(errors):.0%} of the step,"
        f" and of {statistics.median(changes):.0%} of the ratio between the step with the change and the one without; {sum(row.has_sign for row in clear_rows)} of {len(clear_rows)} clear changes have the right sign."
    )


if __name__ == "__main__":
    main([Path(each) for each in sys.argv[1:]])
