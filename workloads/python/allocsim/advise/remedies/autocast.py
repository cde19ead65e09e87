"""Mixed precision: the forward pass runs in bfloat16 where PyTorch holds that to be safe."""

from __future__ import annotations

from typing import Any

from ..program import Call, Program
from ..remedy import Facts, Lines, Remedy
from ..settings import set_to
from ..source import text


class Autocast(Remedy):
    """``torch.autocast`` around the calls of models."""

    name = "autocast"
    title = "run the forward pass in mixed precision (bfloat16)"
    cost = "sums and products are rounded to 8 bits"
    changes_results = True
    group = "precision"

    def reason_against(self, facts: Facts) -> str | None:
        if facts["compute_capability"] < [8, 0]:
            return "the GPU has no bfloat16 (its compute capability is below 8.0)"
        called = [each for each in facts["models"] if each["calls"]]
        if called and all(each["autocast"] for each in called if each["training_calls"]) and any(each["training_calls"] for each in called):
            return "the program already uses autocast"
        if not any("float32" in each["parameters"] for each in called):
            return "no model has parameters in float32"
        return None

    def apply(self, program: Program) -> None:
        torch = program.torch

        def context(call: Call) -> Any:
            return None if torch.is_autocast_enabled("cuda") else torch.autocast("cuda", dtype=torch.bfloat16)

        program.around_calls(context)

    def lines(self, facts: Facts) -> list[Lines]:
        own = set_to(facts, self.name)
        if own is not None:
            return own
        found = []
        for each in facts["sites"]:
            if each["line"] is not None:
                inner = text(each["line"]) or "..."
                found.append(Lines(each["line"], f'with torch.autocast("cuda", dtype=torch.bfloat16):\n    {inner}', replaces=True))
        return found
