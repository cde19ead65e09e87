"""A limit that tests and training loops are held against."""

from __future__ import annotations

import re
import warnings
from typing import Any

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def bytes_of(size: int | str) -> int:
    """Bytes of a number or of a text such as ``"24GiB"``; units are powers of 1024."""
    if isinstance(size, int):
        if size < 0:
            raise ValueError(f"{size} bytes is negative; write bytes, or a string such as '24GiB'")
        return size
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(?:i?B)?\s*", size, re.IGNORECASE)
    if found is None:
        raise ValueError(f"{size!r} is not a size; write bytes, or a number with a unit, such as '24GiB'")
    value = float(found[1]) * _UNITS[found[2].upper()]
    if value == float("inf"):
        raise ValueError(f"{size[:40]!r} is more than any GPU has")
    return int(value)


class MemoryLimitExceeded(AssertionError):
    """More GPU memory was reserved than the limit allows."""


class PeakLimit:
    """Compares PyTorch's peak of reserved memory with a limit.

    Args:
        limit: bytes, or a text such as ``"24GiB"``.
        device: number of the GPU.
        fails: whether going above raises :class:`MemoryLimitExceeded`, else it warns once.
    """

    def __init__(self, limit: int | str, device: int = 0, fails: bool = True) -> None:
        self.limit_bytes = bytes_of(limit)
        self.device = device
        self.fails = fails
        self._warned = False

    def begin(self) -> None:
        """Forgets earlier peaks."""
        torch = _torch()
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats(self.device)

    @property
    def peak_bytes(self) -> int:
        """The peak since :meth:`begin`; 0 without a GPU."""
        torch = _torch()
        return torch.cuda.max_memory_reserved(self.device) if torch.cuda.is_available() else 0

    def check(self, where: str = "") -> None:
        """Raises or warns if the peak is above the limit."""
        peak = self.peak_bytes
        if peak <= self.limit_bytes:
            return
        sentence = (
            f"{where}{': ' if where else ''}PyTorch reserved {peak} bytes on GPU {self.device}, "
            f"{peak - self.limit_bytes} more than the limit of {self.limit_bytes}; "
            "'allocsim record' and 'allocsim peak' show what holds them"
        )
        if self.fails:
            raise MemoryLimitExceeded(sentence)
        if not self._warned:
            self._warned = True
            warnings.warn(sentence, ResourceWarning, stacklevel=3)


def _torch() -> Any:
    import torch

    return torch
