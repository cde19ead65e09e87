"""Frees what autocast's cache holds in one order.

Within ``torch.autocast``, weights are cast once and kept in a hash map by address (``autocast_mode.cpp``, PyTorch 2.11 and 2.14), so that
the order in which its end frees them differs from run to run, on a GPU as well. An estimate frees them in the order in which they
were cast: the same program gets the same answer.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch

from .untyped import StorageRef, storage_ref


class Casts:
    """The weights that were cast since autocast's cache was last emptied, in their order."""

    def __init__(self) -> None:
        self._sources: set[int] = set()
        self._cast: list[StorageRef] = []

    def note(self, source: torch.Tensor | float, result: torch.Tensor) -> None:
        """Remembers a cast, where autocast may have asked for it; within ``torch.func``, numbers are cast, too."""
        if isinstance(source, torch.Tensor) and _is_cached(source) and result.is_cuda:
            self._sources.add(id(source))
            self._cast.append(storage_ref(result.untyped_storage()))

    def prepare(self, mode: Any, operands: Sequence[Any]) -> None:
        """Has autocast cast operands of a linear layer within a mode, which tells :meth:`note`.

        They are cast from the last to the first, as PyTorch's own call does (built by GCC); the layer then finds them in the cache.
        """
        for each in reversed(operands):
            if isinstance(each, torch.Tensor) and id(each) not in self._sources and each.dtype == torch.float32 and each.is_cuda and _is_cached(each):
                with mode:
                    torch.matmul(each, each.new_empty((each.size(-1), 0)))

    def follow(self) -> None:
        """From now on, the cache is emptied in this order."""
        clear = torch.clear_autocast_cache

        def clear_in_order() -> None:
            cast, self._cast = self._cast, []
            self._sources.clear()
            held: list[Any] = [torch.UntypedStorage._new_with_weak_ptr(each.cdata) for each in cast]
            clear()
            while held:
                held.pop(0)

        torch.clear_autocast_cache = clear_in_order


def _is_cached(source: torch.Tensor) -> bool:
    """Whether autocast would keep what it casts of a tensor; ``torch.is_autocast_enabled`` says no while it casts."""
    if not (source.requires_grad and source.is_leaf and torch.is_autocast_cache_enabled()):
        return False
    torch.autocast_increment_nesting()
    return torch.autocast_decrement_nesting() > 0
