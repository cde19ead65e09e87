"""The allocator's cache is given back between phases."""

from __future__ import annotations

import functools
import threading
from typing import Any

from ..program import Program
from ..remedy import Facts, Lines, Remedy


class EmptyCache(Remedy):
    """``empty_cache()`` when a model changes between training and evaluation."""

    name = "empty-cache"
    title = "empty the allocator's cache between training and evaluation"
    cost = "the next phase allocates from the driver again"

    def reason_against(self, facts: Facts) -> str | None:
        return None if facts["switches"] else "no model changes between training and evaluation"

    def apply(self, program: Program) -> None:
        torch = program.torch
        train = torch.nn.Module.train
        inside = threading.local()

        @functools.wraps(train)
        def emptied(self: Any, mode: bool = True) -> Any:
            if getattr(inside, "one", False):
                return train(self, mode)
            inside.one = True
            try:
                changes = self.training != mode and torch.cuda.is_initialized()
                return train(self, mode)
            finally:
                inside.one = False
                if changes:
                    torch.cuda.empty_cache()

        program.patches.replace(torch.nn.Module, "train", emptied)

    def lines(self, facts: Facts) -> list[Lines]:
        return [Lines(each["line"], "torch.cuda.empty_cache()  # before model.eval() and before model.train()") for each in facts["models"][:1] if each["line"] is not None]
