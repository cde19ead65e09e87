"""Where and how the optimizer keeps its states."""

from __future__ import annotations

from typing import Any

from ..program import Made, Program
from ..remedy import Facts, Lines, Remedy
from ..settings import set_to
from ..source import after, renamed_call

#: What Adam of 8 bits is given as well.
_KEPT = ("lr", "betas", "eps", "weight_decay")


class StatesOnHost(Remedy):
    """States wait in pinned memory of the host between two steps."""

    name = "states-on-host"
    title = "keep optimizer states in host memory between steps"
    cost = "they cross PCIe twice per step"
    group = "states"

    def reason_against(self, facts: Facts) -> str | None:
        return None if any(each["state_bytes"] for each in facts["optimizers"]) else "no optimizer of the program has states"

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return int(sum(each["state_bytes"] for each in facts["optimizers"]))

    def apply(self, program: Program) -> None:
        torch = program.torch

        def move(optimizer: Any, to_host: bool) -> None:
            for parameter, state in optimizer.state.items():
                for key, each in state.items():
                    if isinstance(each, torch.Tensor) and each.dim() and each.is_cuda == to_host:
                        state[key] = torch.empty_like(each, device="cpu", pin_memory=True).copy_(each) if to_host else each.to(parameter.device, non_blocking=True)

        def made(about: Made) -> None:
            about.optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: move(optimizer, False))
            about.optimizer.register_step_post_hook(lambda optimizer, args, kwargs: move(optimizer, True))

        program.on_optimizer(made)

    def lines(self, facts: Facts) -> list[Lines]:
        return [
            after(
                each["line"], "optimizer", each["name"],
                lambda name: "def move_states(optimizer, device):\n"
                "    for state in optimizer.state.values():\n"
                "        for key, value in state.items():\n"
                "            if torch.is_tensor(value) and value.dim():\n"
                "                state[key] = value.to(device)\n"
                f"{name}.register_step_pre_hook(lambda optimizer, args, kwargs: move_states(optimizer, \"cuda\"))\n"
                f"{name}.register_step_post_hook(lambda optimizer, args, kwargs: move_states(optimizer, \"cpu\"))",
            )
            for each in facts["optimizers"] if each["line"] is not None and each["state_bytes"]
        ]


class EightBits(Remedy):
    """Adam's states in 8 bits, by bitsandbytes."""

    name = "adam-8bit"
    title = "keep Adam's states in 8 bits (bitsandbytes)"
    cost = "states are rounded to 8 bits, block by block"
    changes_results = True
    group = "states"

    def reason_against(self, facts: Facts) -> str | None:
        if not any(each["name"] in ("Adam", "AdamW") and each["state_bytes"] for each in facts["optimizers"]):
            return "the program does not use Adam or AdamW of PyTorch"
        return None if "bitsandbytes" in facts["installed"] else "bitsandbytes is not installed"

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return int(sum(each["state_bytes"] for each in facts["optimizers"] if each["name"] in ("Adam", "AdamW"))) * 3 // 4

    def apply(self, program: Program) -> None:
        def made(about: Made) -> None:
            import bitsandbytes  # type: ignore[import-not-found]

            owner = {"Adam": bitsandbytes.optim.Adam8bit, "AdamW": bitsandbytes.optim.AdamW8bit}.get(type(about.optimizer).__name__)
            if owner is None:
                return
            groups = [{key: group[key] for key in ("params", *_KEPT) if key in group} for group in about.optimizer.param_groups]
            inner = owner(groups)
            # The program goes on to hold its own optimizer.
            about.optimizer.__class__, about.optimizer.__dict__ = inner.__class__, inner.__dict__

        program.on_optimizer(made)

    def lines(self, facts: Facts) -> list[Lines]:
        own = set_to(facts, self.name)
        if own is not None:
            return own
        return [renamed_call(each["line"], each["name"], f"bitsandbytes.optim.{each['name']}8bit", _KEPT, "import bitsandbytes") for each in facts["optimizers"] if each["line"] is not None and each["name"] in ("Adam", "AdamW")]
