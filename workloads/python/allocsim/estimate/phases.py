"""The phases of a program, and what may come after the end of a shortened estimate."""

from __future__ import annotations

import math
from typing import Any, Sequence

#: How many times as many steps an unknown rest of a program is taken to have.
UNKNOWN_REST = 40

#: Share of the reserved memory that other sizes in another order may add, by the square root of the steps seen; at most, and where nothing is split.
PIECES = 2.0
MAX_PIECES = 0.6
MIN_PIECES = 0.02


class Phases:
    """Steps and peaks of training, evaluation and generation."""

    def __init__(self) -> None:
        self.now = "training"
        self._found: dict[str, dict[str, Any]] = {}
        self._peak_before = 0

    def note(self, reserved_bytes: int, peak_reserved_bytes: int, name: str | None = None) -> None:
        """What is reserved now belongs to the phase that the program is in, or to the one that is named.

        Args:
            reserved_bytes: reserved now.
            peak_reserved_bytes: the peak so far.
        """
        name = name or self.now
        rose = peak_reserved_bytes > self._peak_before
        self._peak_before = max(self._peak_before, peak_reserved_bytes)
        phase = self._found.setdefault(name, {"name": name, "steps": 0, "peak_reserved_bytes": 0})
        phase["peak_reserved_bytes"] = max(phase["peak_reserved_bytes"], peak_reserved_bytes if rose else reserved_bytes)

    def step(self, name: str, count: int | None = None) -> None:
        """One more step of a phase: of an optimizer, a batch that is evaluated, or a call that generates; or so many in all."""
        phase = self._found.setdefault(name, {"name": name, "steps": 0, "peak_reserved_bytes": 0})
        phase["steps"] = phase["steps"] + 1 if count is None else count

    def has(self, name: str) -> bool:
        """Whether the program was in that phase."""
        return name in self._found and self._found[name]["steps"] > 0

    def report(self) -> list[dict[str, Any]]:
        """The phases in the order in which they began."""
        return [each for each in self._found.values() if each["steps"]]


def rest_bytes(asked_bytes: Sequence[int], live_bytes: int, reserved_bytes: int, most_growth: float | None, is_split: bool = True) -> int:
    """How much more than its peak so far a shortened program may reserve if its steps differ, as with random lengths.

    Two things may come. A longer step: if the sizes beyond the largest quarter of those seen go on as they were, 40 times as many
    steps have one that is larger than the largest by their mean excess times log(40), which holds for tails that fall exponentially or
    faster; the memory in use within a step grows in proportion. And a cache that serves other sizes in another order: in
    simulations of steps of 16 to 512 tokens, 600 of them reserved at most 1.6 times as much as the first 10, 1.2 times as much as the first 80, where the longest was there.

    Args:
        asked_bytes: what each step asked for, but for the first steps, which make what stays.
        live_bytes: what is in use between steps.
        reserved_bytes: the peak so far.
        most_growth: how many times as much the largest step can ask for at most, None if unknown.
        is_split: whether the allocator keeps segments of fixed sizes, and so can be left with pieces that fit nothing.
    """
    count = len(asked_bytes)
    if count < 2:
        return 0
    sizes = sorted(asked_bytes)
    upper = sizes[-max(1, count // 4) :]
    excess = sum(upper) / len(upper) - upper[0] if len(upper) > 1 else sizes[-1] - sizes[0]
    growth = 1 + excess * math.log(UNKNOWN_REST) / max(1, sizes[-1])
    if most_growth is not None:
        growth = max(1.0, min(growth, most_growth))
    pieces = min(MAX_PIECES, PIECES / math.sqrt(count)) if is_split else MIN_PIECES
    return math.ceil((live_bytes + max(0, reserved_bytes - live_bytes) * growth) * (1 + pieces)) - reserved_bytes
