"""Parameters, gradients and optimizer states of 16 bits."""

from __future__ import annotations

import copy
from typing import Any

from ..program import Call, Program
from ..remedy import Facts, Lines, Remedy
from ..settings import set_to
from ..source import after


class Bf16(Remedy):
    """The whole model in bfloat16, without a copy in float32."""

    name = "bf16"
    title = "keep parameters, gradients and optimizer states in bfloat16"
    cost = "small parameter updates are lost to rounding, which can change the result of training"
    changes_results = True
    group = "precision"

    def reason_against(self, facts: Facts) -> str | None:
        if facts["compute_capability"] < [8, 0]:
            return "the GPU has no bfloat16 (its compute capability is below 8.0)"
        if not any("float32" in each["parameters"] for each in facts["models"]):
            return "no model has parameters in float32"
        if facts["scaler"]:
            return "the program scales its losses, which is for float16"
        return None

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return None

    def apply(self, program: Program) -> None:
        torch = program.torch

        def halve(module: Any) -> None:
            if any(each.dtype == torch.float32 for each in module.parameters()):
                with torch.no_grad():
                    module.to(torch.bfloat16)

        def cast(call: Call) -> Any:
            handle = call.module.register_forward_pre_hook(lambda module, args, kwargs: (_halved(torch, args), _halved(torch, kwargs)), with_kwargs=True)
            return _Removed(handle)

        program.on_move(halve)
        program.on_first_call(halve)
        program.around_calls(cast)

    def lines(self, facts: Facts) -> list[Lines]:
        own = set_to(facts, self.name)
        if own is not None:
            return own
        return [
            after(each["line"], "model", each["name"], lambda name: f"{name}.to(torch.bfloat16)" + ("  # and inputs: x.to(torch.bfloat16)" if each.get("takes_float32", True) else ""))
            for each in facts["models"] if each["line"] is not None and "float32" in each["parameters"]
        ]


class _Removed:
    """Removes a hook at the end of a block."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: object) -> None:
        self._handle.remove()


def _halved(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(torch.bfloat16) if value.dtype == torch.float32 else value
    if isinstance(value, dict):
        # Outputs of models are dictionaries of classes of their own, which also answer to numbers.
        halved = copy.copy(value)
        for key, each in value.items():
            halved[key] = _halved(torch, each)
        return halved
    if type(value) in (list, tuple):
        return type(value)(_halved(torch, each) for each in value)
    return value
