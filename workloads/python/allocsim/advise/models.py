"""The models of a program: which parts repeat, and what each keeps for the backward pass."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple

#: Blocks of a kind are at least so many; one or two are no pattern.
MIN_BLOCKS = 3

#: A block has at least so many parameters: what has fewer is an activation or a norm.
MIN_PARAMETERS = 1000

#: Methods by which models of libraries checkpoint themselves (Transformers 5, diffusers 0.36, timm 1.0), and how they are called.
SWITCHES = {
    "gradient_checkpointing_enable": 'gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})',
    "enable_gradient_checkpointing": "enable_gradient_checkpointing()",
    "set_grad_checkpointing": "set_grad_checkpointing()",
}


class Kind(NamedTuple):
    """Modules of one class, none of which is in another, that a model calls one after the other.

    Attributes:
        name: of their class.
        blocks: the modules, in the order of the model.
        container: for blocks that are plain containers themselves, the path of the one that holds them (empty for the model); None for blocks of a class of their own.
    """

    name: str
    blocks: list[Any]
    container: str | None = None


def kinds_of(torch: Any, model: Any) -> list[Kind]:
    """The repeated blocks of a model: modules with parts of their own, of a class of which there are several, or several containers in one."""
    found: dict[type, list[Any]] = {}
    containers = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict)
    for module in model.modules():
        if module is not model and not isinstance(module, containers) and next(module.children(), None) is not None:
            found.setdefault(type(module), []).append(module)
    kinds = []
    for owner, modules in found.items():
        inner = {id(each) for module in modules for each in module.modules() if each is not module}
        blocks = [each for each in modules if id(each) not in inner and sum(part.numel() for part in each.parameters()) > MIN_PARAMETERS]
        if len(blocks) >= MIN_BLOCKS:
            kinds.append(Kind(owner.__name__, blocks))
    for path, module in model.named_modules():
        if isinstance(module, (torch.nn.Sequential, torch.nn.ModuleList)) and type(module) in containers:
            blocks = [each for each in module if type(each) is torch.nn.Sequential and sum(part.numel() for part in each.parameters()) > MIN_PARAMETERS]
            if len(blocks) >= MIN_BLOCKS:
                kinds.append(Kind("Sequential", blocks, path))
    return kinds


def same(kind: Kind, row: dict[str, Any] | None) -> bool:
    """Whether these are the blocks of a row of facts."""
    return row is not None and (kind.name, kind.container) == (row["name"], row["container"])


def outermost(kinds: list[Kind]) -> list[Any]:
    """The blocks of all kinds that are in no other."""
    blocks = [each for kind in kinds for each in kind.blocks]
    inner = {id(part) for each in blocks for part in each.modules() if part is not each}
    return [each for each in blocks if id(each) not in inner]


def switches(model: Any) -> Iterator[tuple[Any, str]]:
    """The outermost parts of a model that can checkpoint themselves, and the method that does it."""
    for name in SWITCHES:
        if callable(getattr(type(model), name, None)) and getattr(model, "supports_gradient_checkpointing", True) is not False:
            yield model, name
            return
    for each in model.children():
        yield from switches(each)


def caching(model: Any) -> Iterator[Any]:
    """Configurations of a model of Transformers, or of its parts, that keep keys and values of each call: a block that is run again would add its own a second time."""
    seen = set()
    for each in model.modules():
        config = getattr(each, "config", None)
        if id(config) not in seen and getattr(config, "use_cache", False) is True:
            seen.add(id(config))
            yield config


def largest(kinds: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The kind of blocks whose checkpoints leave the least: the outputs of all, and what one of them keeps while it is run again.

    Args:
        kinds: as :class:`~.observer.Observer` reports them.
    """
    all_bytes = max((each["activation_bytes"] for each in kinds), default=0)
    able = [each for each in kinds if each["activation_bytes"] > 0 and each["activation_bytes"] >= all_bytes // 2]
    return min(able, key=lambda each: each["output_bytes"] + each["largest_bytes"], default=None)
