"""Parameters, gradients and states shared out over several GPUs."""

from __future__ import annotations

from typing import Any

from ..models import kinds_of, largest, same
from ..program import Program
from ..remedy import Facts, Lines, Remedy
from ..source import after, blocks_of


class Shard2(Remedy):
    """FSDP2 (``fully_shard``) over two GPUs, each of which gets batches of its own."""

    name = "fsdp-2"
    title = "shard the model over 2 GPUs (FSDP2)"
    cost = "2 GPUs; parameters are gathered for each block, forward and backward"
    group = "ranks"
    ranks = 2

    def reason_against(self, facts: Facts) -> str | None:
        if facts["is_job"]:
            return "the program already runs on several GPUs"
        if not any(each["training_calls"] and not each["is_compiled"] for each in facts["models"]):
            return "no model is trained"
        return None if facts["optimizers"] else "the program has no optimizer of PyTorch"

    def max_saved_bytes(self, facts: Facts) -> int | None:
        # Parameters, gradients and states.
        return int(sum(2 * each["parameter_bytes"] + each["state_bytes"] for each in facts["optimizers"])) * (self.ranks - 1) // self.ranks

    def apply(self, program: Program) -> None:
        torch = program.torch

        def change(models: list[Any]) -> dict[int, Any]:
            from torch.distributed.fsdp import fully_shard

            if not torch.distributed.is_initialized():
                torch.distributed.init_process_group("nccl")
            replaced: dict[int, Any] = {}
            for model in models:
                # By number, so that each can go as soon as it is sharded.
                before = {id(each): (module, name) for module in model.modules() for name, each in module._parameters.items() if each is not None}
                if not before:
                    continue
                for block in self._blocks(program, model):
                    fully_shard(block)
                fully_shard(model)
                replaced |= {number: module._parameters[name] for number, (module, name) in before.items()}
            return replaced

        program.before_optimizer(change)

    def lines(self, facts: Facts) -> list[Lines]:
        return [
            after(
                each["line"], "model", each["name"],
                lambda name: "from torch.distributed.fsdp import fully_shard  # run with: torchrun --nproc-per-node 2\n"
                'torch.distributed.init_process_group("nccl")\n'
                "torch.cuda.set_device(torch.distributed.get_rank())\n"
                + (f"for block in {blocks_of(name, kind)}:\n    fully_shard(block)\n" if (kind := largest(each["kinds"])) else "")
                + f"fully_shard({name})  # before the optimizer is made",
            )
            for each in facts["models"]
            if each["line"] is not None and each["training_calls"]
        ]

    def _blocks(self, program: Program, model: Any) -> list[Any]:
        row = next((largest(each["kinds"]) for each in program.facts["models"] if each["name"] == type(model).__name__), None)
        return next((kind.blocks for kind in kinds_of(program.torch, model) if same(kind, row)), [])
