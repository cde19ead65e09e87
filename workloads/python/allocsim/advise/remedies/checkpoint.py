"""Checkpoints: blocks of a model keep their inputs only, and run again in the backward pass."""

from __future__ import annotations

from typing import Any

from ..models import SWITCHES, caching, kinds_of, largest, outermost, same, switches
from ..program import Program
from ..remedy import Facts, Lines, Remedy
from ..source import after, blocks_of


class Checkpoint(Remedy):
    """The blocks that repeat and keep the most, by the model's own switch where it has one."""

    name = "checkpoint"
    title = "checkpoint the repeated blocks"
    cost = "the forward pass of the blocks runs twice"
    group = "checkpoint"

    def reason_against(self, facts: Facts) -> str | None:
        models = _trained(facts)
        if not models:
            return "no model is trained"
        if all(each["is_checkpointed"] for each in models):
            return "the model is already checkpointed"
        if not any(each["switch"] or self._kinds(each) for each in models):
            return "no model has three or more blocks of one class"
        return None

    def title_for(self, facts: Facts) -> str:
        which = "every second of the" if self._step() > 1 else "the"
        parts = [f"{which} {kind['count']} {kind['name']}" for each in _trained(facts) for kind in self._kinds(each)]
        own = [each["name"] for each in _trained(facts) if each["switch"] and self._switches()]
        return f"turn on the gradient checkpointing of {' and '.join(own)}" if own else f"checkpoint {' and '.join(parts)}"

    def max_saved_bytes(self, facts: Facts) -> int | None:
        if self._switches() and any(each["switch"] for each in _trained(facts)):
            return None
        return sum(int(kind["activation_bytes"]) for each in _trained(facts) for kind in self._kinds(each))

    def apply(self, program: Program) -> None:
        def change(model: Any) -> None:
            own = list(switches(model)) if self._switches() else []
            for part, name in own:
                _switch(part, name)
            if not own:
                _checkpoint(program, model, self._blocks(program, model))

        program.on_first_call(change)

    def lines(self, facts: Facts) -> list[Lines]:
        found = []
        for each in _trained(facts):
            if each["line"] is None:
                continue
            if each["switch"] and self._switches():
                found.append(after(each["line"], "model", each["name"], lambda name: f"{name}.{SWITCHES[each['switch']]}"))
            elif self._kinds(each):
                found.append(after(each["line"], "model", each["name"], lambda name: (_without_cache(name) if each["keeps_cache"] else "") + _wrapping(name, self._kinds(each), self._step())))
        return found

    def _kinds(self, model: dict[str, Any]) -> list[dict[str, Any]]:
        found = largest(model["kinds"])
        return [] if found is None else [found]

    def _blocks(self, program: Program, model: Any) -> list[Any]:
        row = next((each for each in program.facts["models"] if each["name"] == _own(model)), None)
        found = None if row is None else largest(row["kinds"])
        return next((kind.blocks for kind in kinds_of(program.torch, model) if same(kind, found)), [])[:: self._step()]

    def _step(self) -> int:
        return 1

    def _switches(self) -> bool:
        """Whether models that can checkpoint themselves do."""
        return True


class EverySecond(Checkpoint):
    """Half of these blocks."""

    name = "checkpoint-half"
    title = "checkpoint every second of the repeated blocks"
    cost = "the forward pass of half of the blocks runs twice"

    def reason_against(self, facts: Facts) -> str | None:
        found = super().reason_against(facts)
        if found is None and not any(self._kinds(each) for each in _trained(facts)):
            return "the blocks cannot be distinguished"
        return found

    def _step(self) -> int:
        return 2

    def _switches(self) -> bool:
        return False


class AllKinds(Checkpoint):
    """All blocks of every class that repeats."""

    name = "checkpoint-all"
    title = "checkpoint the repeated blocks of every class"
    cost = "the forward pass of nearly all of the model runs twice"
    after = "checkpoint"

    def reason_against(self, facts: Facts) -> str | None:
        found = super().reason_against(facts)
        if found is None and not any(len(each["kinds"]) > 1 for each in _trained(facts)):
            return "blocks of one class repeat only"
        if found is None and not any(each["switch"] or self._kinds(each) != super(AllKinds, self)._kinds(each) for each in _trained(facts)):
            return "all other blocks that repeat are parts of those that checkpoint runs again"
        return found

    def apply(self, program: Program) -> None:
        program.on_first_call(lambda model: _checkpoint(program, model, outermost(kinds_of(program.torch, model))))

    def _switches(self) -> bool:
        return False

    def _kinds(self, model: dict[str, Any]) -> list[dict[str, Any]]:
        return [each for each in model["kinds"] if each["activation_bytes"] > 0 and each["outer"] > 0]


def checkpointed(program: Program, block: Any) -> None:
    """Has a block run again in the backward pass instead of keeping what it computed."""
    from torch.utils.checkpoint import checkpoint

    torch, forward = program.torch, block.forward

    def again(*args: Any, **kwargs: Any) -> Any:
        if not torch.is_grad_enabled():
            return forward(*args, **kwargs)
        return checkpoint(forward, *args, use_reentrant=False, **kwargs)

    program.patches.replace(block, "forward", again)


def _checkpoint(program: Program, model: Any, blocks: list[Any]) -> None:
    for config in caching(model):
        program.patches.replace(config, "use_cache", False)
    for each in blocks:
        checkpointed(program, each)


def _switch(part: Any, name: str) -> None:
    if name == "gradient_checkpointing_enable":
        part.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    else:
        getattr(part, name)()


def _without_cache(name: str) -> str:
    return (
        "# a block that is run again would add to the cache a second time\n"
        f"for part in {name}.modules():\n"
        '    if getattr(getattr(part, "config", None), "use_cache", False):\n'
        "        part.config.use_cache = False\n"
    )


def _wrapping(name: str, kinds: list[dict[str, Any]], step: int) -> str:
    every = f"[::{step}]" if step > 1 else ""
    blocks = " + ".join(f"{blocks_of(name, kind)}{every}" for kind in kinds)
    parts = ""
    if len(kinds) > 1 and any(kind["outer"] < kind["count"] for kind in kinds):
        parts = f"blocks = {blocks}\nparts = {{id(part) for block in blocks for part in block.modules() if part is not block}}\n"
        blocks = "[block for block in blocks if id(block) not in parts]"
    return (
        "from torch.utils.checkpoint import checkpoint\n"
        f"{parts}for block in {blocks}:\n"
        "    block.forward = lambda *args, forward=block.forward, **kwargs: (\n"
        "        checkpoint(forward, *args, use_reentrant=False, **kwargs) if torch.is_grad_enabled() else forward(*args, **kwargs))"
    )


def _trained(facts: Facts) -> list[dict[str, Any]]:
    return [each for each in facts["models"] if each["training_calls"] and not each["is_compiled"]]


def _own(model: Any) -> str:
    return type(getattr(model, "module", model)).__name__
