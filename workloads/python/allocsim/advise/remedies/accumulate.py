"""Smaller batches, whose gradients add up to those of the whole."""

from __future__ import annotations

import functools
from typing import Any

from ..observer import key_of, mark
from ..program import Made, Program
from ..remedy import Facts, Lines, Remedy
from ..settings import set_to, takes_batch
from ..source import changed_call


class Accumulate2(Remedy):
    """Batches of the loaders that a model is trained with, cut in two."""

    name = "accumulate-2"
    title = "split batches in 2 and accumulate gradients"
    cost = "smaller kernels, which may use less of the GPU; batch norm sees smaller batches"
    group = "accumulate"
    parts = 2

    def reason_against(self, facts: Facts) -> str | None:
        sizes = [each["batch_size"] for each in facts["loaders"] if each["is_training"]]
        if not facts["optimizers"]:
            return "the program has no optimizer of PyTorch"
        if not sizes:
            return "no model is trained on batches of a DataLoader; vary the batch size with --vary"
        if any(each is None or each < self.parts for each in sizes):
            return "a batch has too few samples to be split"
        return None

    def apply(self, program: Program) -> None:
        torch, parts = program.torch, self.parts
        keys = {each["key"] for each in program.facts["loaders"] if each["is_training"]}
        loader = torch.utils.data.DataLoader
        init = loader.__init__

        @functools.wraps(init)
        def smaller(self: Any, dataset: Any, batch_size: Any = 1, *args: Any, **kwargs: Any) -> None:
            mark(self)
            is_cut = False
            if key_of(self) in keys:
                sampler = kwargs.get("batch_sampler")
                if sampler is None and batch_size is not None:
                    batch_size, is_cut = -(-batch_size // parts), True
                elif sampler is not None and hasattr(sampler, "batch_size") and not hasattr(sampler, "_allocsim_cut"):
                    sampler.batch_size, is_cut = -(-sampler.batch_size // parts), True
            init(self, dataset, batch_size, *args, **kwargs)
            if is_cut and self.batch_sampler is not None:
                # A library may make another loader of it.
                self.batch_sampler._allocsim_cut = True

        program.patches.replace(loader, "__init__", smaller)
        pace = _Pace(parts)
        gated: set[type] = set()

        def made(about: Made) -> None:
            owner = next(each for each in type(about.optimizer).__mro__ if "step" in vars(each))
            if owner not in gated:
                gated.add(owner)
                _gate(program, owner, pace)

        program.on_optimizer(made)
        for owner in (torch.optim.Optimizer, torch.nn.Module):
            _keep(program, owner, pace)

    def lines(self, facts: Facts) -> list[Lines]:
        own = set_to(facts, self.name, self.parts)
        if own is not None and takes_batch(facts):
            return own
        found = [changed_call(each["line"], "DataLoader", batch_size=str(-(-each["batch_size"] // self.parts))) for each in facts["loaders"] if each["is_training"] and each["line"] is not None]
        if own is not None:
            return found + own
        return found + [_paced(each, self.parts) for each in facts["optimizers"] if each["line"] is not None]


def _paced(optimizer: dict[str, Any], parts: int) -> Lines:
    name = optimizer["variable"]
    if name is None:
        return Lines(optimizer["line"], f"# a library makes the steps from here: have it accumulate the gradients of {parts} batches")
    return Lines(optimizer["line"], f"# in the loop: (loss / {parts}).backward(); {name}.step() and {name}.zero_grad() after every {parts} batches only")


class Accumulate4(Accumulate2):
    """In four."""

    name = "accumulate-4"
    title = "split batches in 4 and accumulate gradients"
    after = "accumulate-2"
    parts = 4


class Accumulate8(Accumulate2):
    """In eight."""

    name = "accumulate-8"
    title = "split batches in 8 and accumulate gradients"
    after = "accumulate-4"
    parts = 8


class _Pace:
    """Which turns of the program's loop make a step."""

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self._asked: dict[int, int] = {}

    def steps(self, optimizer: Any) -> bool:
        """An optimizer is asked to step; whether it does."""
        asked = self._asked[id(optimizer)] = self._asked.get(id(optimizer), 0) + 1
        return asked % self._parts == 0

    def clears(self, optimizer: Any | None) -> bool:
        """Whether gradients are set to zero when that is asked for: all those that were accumulated have been used."""
        asked = self._asked.get(id(optimizer)) if optimizer is not None else next(iter(self._asked.values()), 0)
        return (asked or 0) % self._parts == 0


def _gate(program: Program, owner: type, pace: _Pace) -> None:
    step = vars(owner)["step"]

    @functools.wraps(step)
    def gated(self: Any, *args: Any, **kwargs: Any) -> Any:
        return step(self, *args, **kwargs) if pace.steps(self) else None

    program.patches.replace(owner, "step", gated)


def _keep(program: Program, owner: type, pace: _Pace) -> None:
    zero = owner.zero_grad  # type: ignore[attr-defined]
    is_optimizer = owner is program.torch.optim.Optimizer

    @functools.wraps(zero)
    def kept(self: Any, *args: Any, **kwargs: Any) -> None:
        if pace.clears(self if is_optimizer else None):
            zero(self, *args, **kwargs)

    program.patches.replace(owner, "zero_grad", kept)
