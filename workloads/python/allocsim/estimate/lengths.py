"""The lengths of batches: those that were seen where the program makes its batches itself, and the longest that it can make."""

from __future__ import annotations

import functools
import gc
import os
from typing import Any

from ..variables import variables_of
from .imports import when_imported
from .shapes import Shapes, shapes_of, varying
from .source import is_own

#: What configurations of models call the longest sequence that they take.
POSITIONS = ("max_position_embeddings", "n_positions", "block_size", "max_seq_len", "max_sequence_length", "context_length", "seq_len")

#: A tokenizer without a limit has a number beyond this one.
NO_LIMIT = 1 << 30

MAX_SHAPES = 4096


class Lengths:
    """Finds them in the variables of the functions that make a step, in calls of tokenizers and in configurations of models."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._shapes: dict[tuple[str, int, str], set[Shapes]] = {}
        self._cut_to: int | None = None
        self._positions: tuple[int, str] | None = None
        self._has_looked = False

    def follow(self) -> None:
        """From now on, calls of tokenizers are followed."""
        when_imported("transformers.tokenization_utils_base", self._follow_tokenizer)

    def _follow_tokenizer(self, module: Any) -> None:
        call = module.PreTrainedTokenizerBase.__call__
        lengths = self

        @functools.wraps(call)
        def called(self: Any, *args: Any, **kwargs: Any) -> Any:
            if kwargs.get("truncation"):
                limit: Any = kwargs.get("max_length") or getattr(self, "model_max_length", NO_LIMIT)
                if limit < NO_LIMIT:
                    lengths._cut_to = max(lengths._cut_to or 0, int(limit))
            return call(self, *args, **kwargs)

        module.PreTrainedTokenizerBase.__call__ = called

    def look(self, frame: Any) -> None:
        """Notes the shapes of the GPU's tensors in the variables of the user's functions above a step, but for weights."""
        tensor = self._torch.Tensor
        while frame is not None:
            code = frame.f_code
            if is_own(code.co_filename):
                for name, value in variables_of(frame).items():
                    if isinstance(value, tensor):
                        if not value.is_cuda or value.requires_grad or value.dim() < 2:
                            continue
                    elif not isinstance(value, (dict, list, tuple)) or len(value) > 16 or not any(isinstance(each, tensor) and each.is_cuda and not each.requires_grad for each in (value.values() if isinstance(value, dict) else value)):
                        continue
                    shapes = shapes_of(value)
                    known = self._shapes.setdefault((os.path.abspath(code.co_filename), frame.f_lineno, name), set())
                    if shapes is not None and len(known) < MAX_SHAPES:
                        known.add(shapes)
                value = None
            frame = frame.f_back

    def seen(self) -> list[dict[str, Any]]:
        """The lengths of the variable that varies most."""
        found: list[dict[str, Any]] = []
        for (file, line, name), known in sorted(self._shapes.items()):
            shapes = sorted(known)
            place = varying(shapes)
            if place is None or place[1] == 0:
                continue
            tensor, dimension = place
            sizes = [each[tensor][dimension] for each in shapes if tensor < len(each) and dimension < len(each[tensor])]
            longest = max(shapes, key=lambda each: each[tensor][dimension])
            found.append(
                {"line": f"{file}:{line}", "name": name, "shape": list(longest[tensor]), "tensor": tensor, "dimension": dimension,
                 "low": min(sizes), "high": max(sizes), "distinct": len(set(sizes)), "data_high": max(sizes), "complete": False}
            )
        return sorted(found, key=lambda each: (-each["distinct"], each["line"], each["name"]))[:1]

    def longest_possible(self, varied: list[dict[str, Any]]) -> tuple[int | None, str]:
        """The longest sequence that the program can make, and where that is known from; None where it is not."""
        most = max(each["data_high"] for each in varied)
        if all(each["complete"] for each in varied):
            return most, "all batches of the data"
        if self._cut_to is not None and self._cut_to >= most:
            return self._cut_to, "the tokenizer's max_length"
        self.find_positions()
        if self._positions is not None and self._positions[0] >= most:
            return self._positions
        return None, ""

    def find_positions(self) -> None:
        """Looks for a model's limit; when the program has ended, its models may be gone."""
        if self._has_looked:
            return
        self._has_looked = True
        for each in gc.get_objects():
            if issubclass(type(each), self._torch.nn.Module):
                config = getattr(each, "config", None)
                for name in POSITIONS:
                    limit = getattr(config, name, None)
                    if isinstance(limit, int) and limit > (self._positions or (0, ""))[0]:
                        self._positions = (limit, f"{name} of {type(each).__name__}")


def lengthened(batch: Any, tensor: int, dimension: int, length: int) -> Any:
    """A batch whose tensors are repeated to a length, along each dimension that has the length of its sequences."""
    shapes = shapes_of(batch)
    if shapes is None or tensor >= len(shapes) or dimension >= len(shapes[tensor]):
        return batch
    now = shapes[tensor][dimension]
    return _repeated(batch, now, length) if now != length and now > 0 else batch


def _repeated(value: Any, now: int, length: int) -> Any:
    if hasattr(value, "index_select") and hasattr(value, "shape"):
        import torch

        for dimension, size in enumerate(value.shape):
            if dimension > 0 and size == now:
                value = value.index_select(dimension, torch.arange(length, device=value.device) % now)
        return value
    if isinstance(value, dict):
        return {key: _repeated(each, now, length) for key, each in value.items()}
    if hasattr(value, "data") and isinstance(value.data, dict) and hasattr(value, "keys"):
        value.data = {key: _repeated(each, now, length) for key, each in value.data.items()}
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_repeated(each, now, length) for each in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_repeated(each, now, length) for each in value)
    return value
