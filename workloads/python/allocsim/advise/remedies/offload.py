"""What the backward pass needs waits in the memory of the host."""

from __future__ import annotations

from typing import Any

from ..program import Call, Program
from ..remedy import Facts, Lines, Remedy
from ..source import text


class Offload(Remedy):
    """``save_on_cpu`` around the calls of models."""

    name = "offload"
    title = "keep saved activations in host memory"
    cost = "they cross PCIe twice per step"

    def reason_against(self, facts: Facts) -> str | None:
        if not any(each["training_calls"] for each in facts["models"]):
            return "no model is trained"
        return None

    def apply(self, program: Program) -> None:
        torch = program.torch

        def context(call: Call) -> Any:
            return torch.autograd.graph.save_on_cpu(pin_memory=True) if torch.is_grad_enabled() else None

        program.around_calls(context)

    def lines(self, facts: Facts) -> list[Lines]:
        return [
            Lines(each["line"], f"with torch.autograd.graph.save_on_cpu(pin_memory=True):\n    {text(each['line']) or '...'}", replaces=True)
            for each in facts["sites"] if each["line"] is not None and each["backward"]
        ]
