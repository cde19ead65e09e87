"""Gradients that nobody uses."""

from __future__ import annotations

import functools
from typing import Any

from ..program import Program
from ..remedy import Facts, Lines, Remedy
from ..source import text


class NoGrad(Remedy):
    """``torch.no_grad()`` around calls whose results no backward pass ever reaches."""

    name = "no-grad"
    title = "call models without gradients if no backward pass follows"
    cost = "none"

    def reason_against(self, facts: Facts) -> str | None:
        return None if _forgotten(facts) else "each call that saves activations is followed by a backward pass"

    def apply(self, program: Program) -> None:
        lines = set(_forgotten(program.facts))
        program.around_calls(lambda call: program.torch.no_grad() if call.line in lines else None)

    def lines(self, facts: Facts) -> list[Lines]:
        return [Lines(line, f"with torch.no_grad():\n    {text(line) or '...'}", replaces=True) for line in _forgotten(facts)]


class SetToNone(Remedy):
    """``zero_grad()`` frees gradients, as it does by itself since PyTorch 2.0."""

    name = "set-to-none"
    title = "free gradients instead of filling them with zeros"
    cost = "none"

    def reason_against(self, facts: Facts) -> str | None:
        return None if facts["kept_gradients"] else "the program already frees its gradients"

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return int(sum(each["parameter_bytes"] for each in facts["optimizers"]))

    def apply(self, program: Program) -> None:
        for owner in (program.torch.optim.Optimizer, program.torch.nn.Module):
            zero = owner.zero_grad

            @functools.wraps(zero)
            def freed(self: Any, set_to_none: bool = True, zero: Any = zero) -> None:
                zero(self, set_to_none=True)

            program.patches.replace(owner, "zero_grad", freed)

    def lines(self, facts: Facts) -> list[Lines]:
        return [Lines(line, "zero_grad()  # without set_to_none=False") for line in facts["kept_gradients"]]


def _forgotten(facts: Facts) -> list[str]:
    """Lines whose calls keep what a backward pass needs that never comes."""
    return [each["line"] for each in facts["sites"] if each["line"] is not None and each["keeps"] and not each["backward"]]
