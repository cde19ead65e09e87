"""``allocsim.advise``: the command, for a function."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Mapping, Sequence

from ..estimate.api import answered, function_call
from ..temporary import temporary_folder


def advise(
    step: Callable[[], object],
    *,
    device: str = "h100-80gb",
    steps: int = 5,
    target: str | int | None = None,
    margin: float = 0.05,
    remedies: Sequence[str] | None = None,
    every: bool = False,
    values: Mapping[str, float] | None = None,
    conf: str | None = None,
    fake_weights: bool = False,
    budget: float = 600.0,
    output: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Says which change makes calls of a function fit a GPU, without one.

    The function runs in processes of its own, as for ``allocsim.estimate``, once as it is and once with each remedy.

    Args:
        step: is called without arguments.
        device: the GPU, by the name of its profile.
        steps: how often it is called in each run.
        target: the memory that it is to fit, such as ``"20GiB"`` or a number of bytes; what the GPU gives to PyTorch if it is None.
        margin: the share of it that is to stay free.
        remedies: names of those to try; all that can help if it is None.
        every: try them all, also where the function fits.
        values: what is read from the GPU by place (``train.py:57``).
        conf: PYTORCH_CUDA_ALLOC_CONF.
        fake_weights: weights are neither filled nor loaded.
        budget: seconds after which no run begins.
        output: folder for what was found, else it is not kept.

    Returns:
        the answer of ``allocsim advise --json``; sizes are in bytes.

    Raises:
        AllocsimError: the function cannot be found by another process, or did not do all of its work.
    """
    call = function_call(step, "advise")
    with temporary_folder() as folder:
        found = os.path.join(folder, "answer.json")
        command = [
            sys.executable, "-m", "allocsim", "advise", "--device", device, "--steps", "0", "--margin", str(margin), "--budget", str(budget), "--json", found,
            "-o", os.path.abspath(output) if output is not None else os.path.join(folder, "advice"),
        ]
        if target is not None:
            command += ["--target", str(target)]
        if remedies is not None:
            command += ["--remedies", ",".join(remedies)]
        for place, value in (values or {}).items():
            command += ["--value", f"{place}={value}"]
        if every:
            command.append("--all")
        if fake_weights:
            command.append("--fake-weights")
        return answered([*command, "--", *call, str(steps)], found, conf)
