"""Which elements a program picks by unknown integers, such as a detector's candidates by the labels that it gave them.

A program that picks the elements above a number mostly picks the others, too, and later compares again: a sampler takes so many objects and fills up with background, and the head
for masks runs on the objects. These counts agree only where all comparisons are of the same integers. So the integers are drawn once,
when an operation first asks how many a comparison found.
"""

from __future__ import annotations

import math
import operator
import weakref
from typing import Any

import torch

from .untyped import StorageRef, storage_ref

#: By comparison, what an integer is that passes and one that does not, from the number that it is compared with.
_EITHER = {"eq": (0, 1), "ne": (1, 0), "lt": (-1, 0), "le": (0, 1), "gt": (1, 0), "ge": (0, -1)}
_COMPARING = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}

#: Comparisons that are remembered before those of masks that are gone are dropped.
MAX_NOTED = 4096


class Picks:
    """Comparisons of unknown integers with numbers, and what is drawn for them.

    Args:
        selections: how many of n elements pass: "few" (one), "most" (half, so that neither they nor the others are few), else the square root of n, the middle by
            order of magnitude of what can be.
    """

    def __init__(self, selections: str) -> None:
        self._selections = selections
        self._noted: dict[int, tuple[StorageRef, Any, int, str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._noted)

    def note(self, place: int, mask: torch.Tensor, integers: torch.Tensor, comparison: str, number: int) -> None:
        """Remembers that a mask, whose memory is at an address, says how integers compare with a number."""
        if len(self._noted) >= MAX_NOTED:
            self._noted = {key: each for key, each in self._noted.items() if not each[0].expired()}
        self._noted[place] = (storage_ref(mask.untyped_storage()), weakref.ref(integers), _version(integers), comparison, number)

    def take(self, place: int) -> tuple[torch.Tensor | None, str, int] | None:
        """What was noted of a mask: the integers where they still are what was compared, the comparison and the number."""
        storage, reference, version, comparison, number = self._noted.pop(place, (None, None, 0, "", 0))
        if storage is None or storage.expired() or reference is None:
            return None
        integers = reference()
        return (integers if integers is not None and _version(integers) == version else None), comparison, number

    def count(self, elements: int) -> int:
        """How many of so many elements pass."""
        if self._selections == "few":
            return min(1, elements)
        return elements // 2 if self._selections == "most" else math.isqrt(elements)


def compared(integers: torch.Tensor, comparison: str, number: int) -> torch.Tensor:
    """Which integers pass."""
    passed: torch.Tensor = _COMPARING[comparison](integers, number)
    return passed


def drawn(shape: Any, comparison: str, number: int, count: int) -> torch.Tensor:
    """Integers of which so many pass, at the same places for the same shape."""
    passing, other = (number + each for each in _EITHER[comparison])
    values = torch.full((math.prod(shape),), other, dtype=torch.long)
    values[torch.randperm(values.numel(), generator=torch.Generator().manual_seed(0))[:count]] = passing
    return values.reshape(shape)


def _version(tensor: torch.Tensor) -> int:
    return 0 if tensor.is_inference() else int(tensor._version)
