"""Shapes of batches: which are larger than others, and along which dimension they vary."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Iterable, Sequence

#: The sizes of each tensor of a batch, in the order of the batch.
Shapes = tuple[tuple[int, ...], ...]

MAX_DEPTH = 6


def shapes_of(batch: Any) -> Shapes | None:
    """The sizes of all tensors and arrays in a batch; lists of numbers count as arrays.

    Returns None where it holds none, so that its size is unknown.
    """
    found: list[tuple[int, ...]] = []
    _collect(batch, found, MAX_DEPTH)
    return tuple(found) or None


def _collect(value: Any, found: list[tuple[int, ...]], depth: int) -> None:
    if getattr(value, "is_nested", False):
        # Sizes of its own are no numbers; those of what it is made of tell how long its rows are together.
        value = value.values()
    shape = getattr(value, "shape", None)
    if shape is not None and hasattr(value, "dtype"):
        found.append(tuple(int(each) for each in shape))
        return
    if depth == 0 or value is None or isinstance(value, (str, bytes, int, float, type)):
        return
    if isinstance(value, Mapping):
        inner: Iterable[Any] = value.values()
    elif isinstance(value, (list, tuple)):
        if value and all(isinstance(each, (int, float)) for each in value):
            found.append((len(value),))
            return
        inner = value
    elif dataclasses.is_dataclass(value):
        inner = [getattr(value, each.name, None) for each in dataclasses.fields(value)]
    elif callable(getattr(value, "to_dict", None)):
        # A batch of graphs (PyTorch Geometric) holds its tensors by name.
        inner = value.to_dict().values()
    else:
        inner = vars(value).values() if hasattr(value, "__dict__") else ()
    for each in inner:
        _collect(each, found, depth - 1)


def is_dominated(one: Shapes, others: Iterable[Shapes]) -> bool:
    """Whether one of the others has as many tensors with as many dimensions, each at least as large."""
    return any(_is_within(one, other) for other in others)


def _is_within(one: Shapes, other: Shapes) -> bool:
    return len(one) == len(other) and all(
        len(mine) == len(its) and all(a <= b for a, b in zip(mine, its)) for mine, its in zip(one, other)
    )


def elements(shapes: Shapes) -> int:
    """How many elements a batch has."""
    total = 0
    for shape in shapes:
        product = 1
        for each in shape:
            product *= each
        total += product
    return total


def varying(batches: Sequence[Shapes]) -> tuple[int, int] | None:
    """The tensor and the dimension in which batches of the same structure differ most, in relation to their size.

    The first dimension is that of samples, as long as the tensor has another one that differs. None where all are alike.
    """
    if not batches:
        return None
    common = [each for each in batches if [len(shape) for shape in each] == [len(shape) for shape in batches[0]]]
    best: tuple[bool, float] = (False, 1.0)
    found = None
    for tensor, shape in enumerate(common[0]):
        for dimension in range(len(shape)):
            sizes = [each[tensor][dimension] for each in common]
            rank = (dimension > 0, max(sizes) / max(1, min(sizes)))
            if rank[1] > 1 and rank > best:
                best, found = rank, (tensor, dimension)
    return found
