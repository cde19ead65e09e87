"""``allocsim.advise``: the command, for a function."""

from __future__ import annotations

import os
import sys
from typing import Callable, Mapping, Sequence

from ..estimate.api import answered, function_call
from ..recording import Answer
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
) -> Answer:
    """Finds changes that make calls of a function fit a GPU, without a GPU.

    The function runs in its own processes, as with ``allocsim.estimate``, once unchanged and once with each remedy.

    Args:
        step: is called without arguments.
        device: the GPU, by the name of its profile.
        steps: how many times it is called in each run.
        target: the memory that it should fit in, such as ``"20GiB"`` or a number of bytes; None: the memory that PyTorch can use of the GPU.
        margin: the fraction of it to keep free.
        remedies: names of remedies to try; None: all that can help.
        every: try them all, even if the function fits.
        values: values read from the GPU, by line (``train.py:57``).
        conf: PYTORCH_CUDA_ALLOC_CONF.
        fake_weights: weights are neither initialized nor loaded.
        budget: seconds after which no run starts.
        output: folder for the results; None: they are not kept.

    Returns:
        the answer of ``allocsim advise --json`` as a dictionary, which a notebook shows as the command prints it; sizes are in bytes. Its ``table("trials")`` is a DataFrame of the runs,
        ``table("not_tried")`` of the remedies that were left out, ``table("purposes")`` of memory by purpose before and after, where pandas is installed.

    Raises:
        AllocsimError: the function cannot be found by another process, or did not finish its work.
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
