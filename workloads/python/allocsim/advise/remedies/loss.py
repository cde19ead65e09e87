"""A loss over many classes, a part of its rows at a time."""

from __future__ import annotations

import functools
from typing import Any

from ..program import Program
from ..remedy import Facts, Lines, Remedy
from ..source import assigned, operands, text

#: Parts that the rows are cut into.
PARTS = 8

#: Losses over fewer classes are left as they are.
MIN_CLASSES = 1000


class LossInParts(Remedy):
    """Cross-entropy in parts, each of which is checkpointed, so that only one has its probabilities at a time."""

    name = "loss-in-parts"
    title = f"compute the cross-entropy in {PARTS} parts"
    cost = "the loss is computed twice"

    def reason_against(self, facts: Facts) -> str | None:
        return None if facts["losses"] else f"no cross-entropy over {MIN_CLASSES} classes or more is computed with gradients"

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return 2 * int(max(each["bytes"] for each in facts["losses"]))

    def apply(self, program: Program) -> None:
        from torch.utils.checkpoint import checkpoint

        torch = program.torch
        functional = torch.nn.functional
        cross_entropy = functional.cross_entropy

        @functools.wraps(cross_entropy)
        def in_parts(logits: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0) -> Any:
            is_plain = logits.dim() == 2 and target.dim() == 1 and weight is None and size_average is None and reduce is None and reduction in ("mean", "sum")
            if not is_plain or logits.shape[1] < MIN_CLASSES or not torch.is_grad_enabled():
                return cross_entropy(logits, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)
            sums = [
                checkpoint(cross_entropy, rows, some, None, None, ignore_index, None, "sum", label_smoothing, use_reentrant=False)
                for rows, some in zip(logits.chunk(PARTS), target.chunk(PARTS))
            ]
            total = torch.stack(sums).sum()
            return total / (target != ignore_index).sum() if reduction == "mean" else total

        program.patches.replace(functional, "cross_entropy", in_parts)

    def lines(self, facts: Facts) -> list[Lines]:
        return [_in_parts(each["line"]) for each in facts["losses"] if each["line"] != "?"]


def _in_parts(line: str) -> Lines:
    found = operands(line)
    if not found and text(line) is not None:
        return Lines(line, f"# a cross-entropy is computed from here: have it computed in {PARTS} parts, each of them checkpointed")
    logits, targets = found or ("logits", "targets")
    return Lines(
        line,
        "from torch.utils.checkpoint import checkpoint\n"
        f"rows, classes = {logits}, {targets}\n"
        f"parts = zip(rows.chunk({PARTS}), classes.chunk({PARTS}))\n"
        "cross_entropy = torch.nn.functional.cross_entropy\n"
        f'{assigned(line, "loss")} = sum(checkpoint(cross_entropy, some, to, reduction="sum", use_reentrant=False) for some, to in parts) / classes.numel()',
        replaces=True,
    )
