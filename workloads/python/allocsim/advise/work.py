"""What a step of the program computes and copies, for what a remedy costs.

Operations of the forward pass are seen one by one. The backward pass runs without being watched, as it would allocate otherwise; what it computes
follows from the forward pass: a product of matrices or a convolution is done once for each operand that needs a gradient.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Iterator

#: Operations that copy between the host and the GPU.
_COPYING = {"copy_", "_to_copy", "_copy_from", "_copy_from_and_resize"}

#: Types, by the names that device profiles have for their rates.
_TYPES = {"torch.bfloat16": "bf16", "torch.float16": "fp16"}

#: Products in the backward pass of attention for two in the forward pass: the scores once more, and gradients of the values, of the weights, of queries and keys.
_ATTENTION_BACKWARD = 2.5


class Work:
    """Counts the work of the whole steps of a run.

    A step is what comes between two steps of the program's first optimizer; the first one, which also makes what comes before, does not count. Steps may differ, as where
    something is done in every fourth, so they are counted together. Those with an evaluation do not count where others do: how many batches a run evaluates, and after how many steps,
    depends on what the estimate leaves out. Without an optimizer, the whole run is taken.
    """

    def __init__(self, torch: Any) -> None:
        from torch.utils.flop_counter import flop_registry

        self._torch = torch
        self._flops_of = flop_registry
        self._now = _Counts()
        self._steps = -1
        self._whole = _Counts()
        self._has_evaluated = False
        self._evaluating_steps = 0
        self._evaluating = _Counts()
        self.calls = 0

    def note(self, func: Any, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """Counts an operation."""
        if func.is_view:
            return
        given, made = list(tensors((args, kwargs))), list(tensors(result))
        if name in _COPYING and self._is_copied(name, given, made):
            return
        if not any(each.is_cuda for each in (*given, *made)):
            return
        count = self._flops_of.get(func._overloadpacket)
        flops = 0 if count is None else int(count(*args, **kwargs, out_val=result))
        # Biases need no product for their gradients.
        needing = sum(each.requires_grad for each in given[:2] if each.is_floating_point() and each.dim() > 1)
        self._ran(given, made, flops, needing)

    def note_whole(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """Counts a function of PyTorch whose operations are not seen."""
        given, made = list(tensors((args, kwargs))), list(tensors(result))
        if not given or not given[0].is_cuda:
            return
        first, second = given[0], given[1]
        needing: float = sum(each.requires_grad for each in given[:2])
        if name == "linear":
            flops = 2 * first.numel() * (second.shape[0] if second.dim() > 1 else 1)
        elif name == "scaled_dot_product_attention":
            flops = 2 * math.prod(first.shape[:-1]) * second.shape[-2] * (first.shape[-1] + given[2].shape[-1])
            needing = _ATTENTION_BACKWARD if needing else 0
        else:
            # Attention with its four projections.
            width, queries = first.shape[-1], first.numel() // max(1, first.shape[-1])
            flops = 8 * queries * width * width + 4 * queries * second.shape[0] * width
            needing = 2 if any(each.requires_grad for each in given) else 0
        self._ran(given, made, flops, needing)

    def stepped(self) -> None:
        """A step of the program is over."""
        self._steps += 1
        if self._steps and self._has_evaluated:
            self._evaluating_steps += 1
            self._evaluating.add(self._now)
        elif self._steps:
            self._whole.add(self._now)
        self._now, self._has_evaluated = _Counts(), False

    def evaluated(self) -> None:
        """A model was set to evaluate."""
        self._has_evaluated = True

    def report(self) -> dict[str, Any]:
        """``steps`` that were counted, 0 for the whole run; ``calls`` of models in the run; ``operations``: rows of ``rate`` (the name of a rate in device profiles, empty where memory is only
        read and written), ``flops``, ``bytes`` and how many there were (``count``); ``pinned_copy_bytes``, ``pageable_copy_bytes`` and ``copies`` between the host and the GPU."""
        steps = max(0, self._steps) - self._evaluating_steps
        counted = self._whole
        if not steps:
            steps, counted = (self._evaluating_steps, self._evaluating) if self._evaluating_steps else (0, self._now)
        return {"steps": steps, "calls": self.calls} | counted.report()

    def _ran(self, given: list[Any], made: list[Any], flops: int, needing: float) -> None:
        torch = self._torch
        moved = sum(each.nbytes for each in (*given, *made) if each.layout is torch.strided)
        kind = next((str(each.dtype) for each in given if each.is_floating_point()), "")
        if torch.is_autocast_enabled("cuda") and flops:
            kind = str(torch.get_autocast_dtype("cuda"))
        rate = "" if not flops else _TYPES.get(kind, "tf32" if torch.backends.cuda.matmul.allow_tf32 else "fp32")
        self._now.ran(rate, flops, moved)
        # What is computed again within a backward pass is gone back through once only.
        if needing and torch.is_grad_enabled() and torch._C._current_graph_task_id() == -1:
            self._now.ran(rate, int(flops * needing), 2 * moved)

    def _is_copied(self, name: str, given: list[Any], made: list[Any]) -> bool:
        source = given[1] if name == "copy_" and len(given) > 1 else given[0]
        target = given[0] if name == "copy_" else made[0] if made else given[0]
        if source.is_cuda == target.is_cuda:
            return False
        self._now.copied((target if source.is_cuda else source).is_pinned(), target.nbytes)
        return True


class _Counts:
    def __init__(self) -> None:
        self._operations: dict[tuple[str, int, int], int] = {}
        self._copies = 0
        self._pinned_bytes = 0
        self._pageable_bytes = 0

    def ran(self, rate: str, flops: int, moved: int) -> None:
        key = (rate, flops, moved)
        self._operations[key] = self._operations.get(key, 0) + 1

    def copied(self, is_pinned: bool, size: int) -> None:
        self._copies += 1
        if is_pinned:
            self._pinned_bytes += size
        else:
            self._pageable_bytes += size

    def add(self, other: _Counts) -> None:
        """Adds what was counted elsewhere."""
        for key, count in other._operations.items():
            self._operations[key] = self._operations.get(key, 0) + count
        self._copies += other._copies
        self._pinned_bytes += other._pinned_bytes
        self._pageable_bytes += other._pageable_bytes

    def report(self) -> dict[str, Any]:
        rows = [{"rate": rate, "flops": flops, "bytes": moved, "count": count} for (rate, flops, moved), count in self._operations.items()]
        return {"operations": rows, "copies": self._copies, "pinned_copy_bytes": self._pinned_bytes, "pageable_copy_bytes": self._pageable_bytes}


def tensors(value: Any) -> Iterator[Any]:
    """The tensors in the arguments or the result of an operation."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors(each)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from tensors([getattr(value, each.name, None) for each in dataclasses.fields(value)])
