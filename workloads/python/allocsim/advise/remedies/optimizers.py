"""How the optimizer makes its step: in one kernel, tensor by tensor, or as gradients come."""

from __future__ import annotations

import inspect
from types import MethodType
from typing import Any

from ..program import Made, Program
from ..remedy import Facts, Lines, Remedy
from ..source import after, call, changed_call, makes


class Fused(Remedy):
    """``fused=True``."""

    name = "fused"
    title = "fuse the optimizer's step"
    cost = "none"
    group = "step"

    def reason_against(self, facts: Facts) -> str | None:
        if not any(each["takes_fused"] for each in facts["optimizers"]):
            return "no optimizer of the program has a fused step"
        if all(each["is_fused"] for each in facts["optimizers"] if each["takes_fused"]):
            return "the optimizer is already fused"
        return None

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return sum(_temporary_bytes(each) for each in facts["optimizers"])

    def apply(self, program: Program) -> None:
        program.replace_options(lambda owner, options: {key: each for key, each in options.items() if key != "foreach"} | ({"fused": True} if _takes(owner, "fused") else {}))

    def lines(self, facts: Facts) -> list[Lines]:
        return [changed_call(each["line"], each["name"], fused="True") for each in facts["optimizers"] if each["line"] is not None and each["takes_fused"] and not each["is_fused"]]


class Loop(Remedy):
    """``foreach=False``."""

    name = "no-foreach"
    title = "step the optimizer tensor by tensor (foreach=False)"
    cost = "several kernels per tensor instead of a few for all"
    group = "step"

    def reason_against(self, facts: Facts) -> str | None:
        if not any(not each["is_fused"] and each["is_foreach"] is not False for each in facts["optimizers"]):
            return "no optimizer of the program uses foreach"
        return None

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return sum(_temporary_bytes(each) for each in facts["optimizers"])

    def apply(self, program: Program) -> None:
        program.replace_options(lambda owner, options: options | {"foreach": False} if _takes(owner, "foreach") and not options.get("fused") else options)

    def lines(self, facts: Facts) -> list[Lines]:
        return [changed_call(each["line"], each["name"], foreach="False") for each in facts["optimizers"] if each["line"] is not None and not each["is_fused"]]


class InBackward(Remedy):
    """Each parameter is stepped as soon as it has its gradient, which is freed at once."""

    name = "step-in-backward"
    title = "step the optimizer within the backward pass"
    cost = "gradients can neither be clipped by global norm nor accumulated"
    group = "step"

    def reason_against(self, facts: Facts) -> str | None:
        if not facts["optimizers"]:
            return "the program has no optimizer of PyTorch"
        if facts["scaler"]:
            return "the program scales its losses, and unscales gradients before the step"
        return None

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return sum(int(each["parameter_bytes"]) + _temporary_bytes(each) for each in facts["optimizers"])

    def apply(self, program: Program) -> None:
        def made(about: Made) -> None:
            optimizer = about.optimizer
            parts: dict[Any, Any] = {}
            for group in optimizer.param_groups:
                options = {key: each for key, each in group.items() if key != "params" and _takes(type(optimizer), key)}
                for parameter in group["params"]:
                    if parameter.requires_grad:
                        parts[parameter] = _part(program, type(optimizer), parameter, options)

            def step(self: Any, closure: Any = None) -> None:
                program.stepped(self)

            for parameter, part in parts.items():
                parameter.register_post_accumulate_grad_hook(lambda each, part=part: (part.step(), part.zero_grad()) and None)
            optimizer.step = MethodType(step, optimizer)
            optimizer.zero_grad = MethodType(lambda self, set_to_none=True: None, optimizer)

        program.on_optimizer(made)

    def lines(self, facts: Facts) -> list[Lines]:
        return [after(each["line"], "optimizer", each["name"], lambda name: _stepping(each, name)) for each in facts["optimizers"] if each["line"] is not None]


def _stepping(optimizer: dict[str, Any], name: str) -> str:
    one = call(optimizer["line"], optimizer["name"], "[p]") if makes(optimizer["line"], optimizer["name"]) else f'type({name})([{{**g, "params": [p]}}])'
    return (
        f"parts = {{p: {one} for g in {name}.param_groups for p in g[\"params\"]}}\n"
        "def step_now(p):\n"
        "    parts[p].step()\n"
        "    parts[p].zero_grad()\n"
        "for p in parts:\n"
        "    p.register_post_accumulate_grad_hook(step_now)\n"
        f"# and leave out {name}.step() and {name}.zero_grad()"
    )


def _part(program: Program, owner: Any, parameter: Any, options: dict[str, Any]) -> Any:
    part = owner.__new__(owner)
    # Its steps are not those of the program.
    program.parts.add(id(part))
    part.__init__([parameter], **options)
    return part


def _takes(owner: type, option: str) -> bool:
    return option in inspect.signature(inspect.unwrap(owner.__init__)).parameters  # type: ignore[misc]


def _temporary_bytes(optimizer: dict[str, Any]) -> int:
    """What a step makes beside states, at most: a copy of all parameters where it goes by lists of tensors."""
    return 0 if optimizer["is_fused"] or optimizer["is_foreach"] is False else 2 * int(optimizer["parameter_bytes"])
