"""Stacks of an estimate as a GPU's: without this package's frames, and PyTorch's that lead to them and on from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

_PACKAGE = f"{Path(__file__).resolve().parent.parent}/"

_PROGRAM, _OWN, _LEADING_ON, _LEADING_TO = range(4)


def drop_own_frames(snapshot: dict[str, Any]) -> None:
    """Changes all stacks of a snapshot of PyTorch's allocator."""
    kinds: dict[int, int] = {}
    for frames in _stacks(snapshot):
        for frame in frames:
            if id(frame) not in kinds:
                kinds[id(frame)] = _kind(frame)
        found = [kinds[id(each)] for each in frames]
        if _OWN in found:
            frames[:] = [frame for frame, keeps in zip(frames, _kept(found)) if keeps]


def _stacks(snapshot: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    for trace in snapshot["device_traces"]:
        yield from (event["frames"] for event in trace if event.get("frames"))
    for segment in snapshot["segments"]:
        yield from (each["frames"] for each in (segment, *segment["blocks"]) if each.get("frames"))


def _kind(frame: dict[str, Any]) -> int:
    file = frame["filename"]
    if file.startswith(_PACKAGE):
        return _OWN
    # The mode of the dispatcher calls each operation again, and is called past torch.compile.
    if file.endswith("/torch/_ops.py") and frame["name"] == "__call__":
        return _LEADING_ON
    return _LEADING_TO if file.endswith(("/torch/_dynamo/eval_frame.py", "/torch/_compile.py")) else _PROGRAM


def _kept(kinds: list[int]) -> list[bool]:
    """Which frames of a stack stay, the innermost first."""
    keeps = [kind != _OWN for kind in kinds]
    for place, kind in enumerate(kinds):
        if kind != _OWN:
            continue
        if place > 0 and kinds[place - 1] == _LEADING_ON:
            keeps[place - 1] = False
        after = place + 1
        while after < len(kinds) and kinds[after] == _LEADING_TO:
            keeps[after] = False
            after += 1
    return keeps
