"""``allocsim.estimate``: the command, for a function."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Callable, Mapping, Sequence

from ..recording import AllocsimError, Answer
from ..renamed import Keyed
from ..temporary import temporary_folder


def estimate(
    step: Callable[[], object],
    *,
    device: str = "h100-80gb",
    steps: int = 5,
    values: Mapping[str, float] | None = None,
    conf: str | None = None,
    fake_weights: bool = False,
    output: str | None = None,
    allow_writes: bool = False,
) -> Answer:
    """Estimates the GPU memory of calls of a function, without a GPU.

    The function runs in its own process, because the mock CUDA driver must be loaded before PyTorch. It is therefore found by its
    module, as with ``multiprocessing``: a function of a script is found by running the script again under the name ``__mp_main__``.

    Args:
        step: is called without arguments; state between calls is in its module.
        device: the GPU, by the name of its profile.
        steps: how many times it is called.
        values: values read from the GPU, by line (``train.py:57``), if they depend on weights or activations.
        conf: PYTORCH_CUDA_ALLOC_CONF.
        fake_weights: weights are neither initialized nor loaded.
        output: file for the recording; None: it is not kept.
        allow_writes: the function may change your files; otherwise its changes are visible to it only and are dropped when it ends.

    Returns:
        the answer of ``allocsim estimate --json`` (see ``answer``) as a dictionary that a notebook shows as the command prints it; sizes are in bytes. ``complete`` is false if the function failed after it had used GPU memory.

    Raises:
        AllocsimError: the function cannot be found by another process, or nothing could be recorded.
    """
    call = function_call(step, "estimate")
    with temporary_folder() as folder:
        found = os.path.join(folder, "answer.json")
        command = [
            sys.executable, "-m", "allocsim", "estimate", "--device", device, "--steps", "0", "--json", found,
            "-o", os.path.abspath(output) if output else os.path.join(folder, "estimate.pickle"),
        ]
        for place, value in (values or {}).items():
            command += ["--value", f"{place}={value}"]
        if fake_weights:
            command.append("--fake-weights")
        if allow_writes:
            command.append("--allow-writes")
        answer = answered([*command, "--", *call, str(steps)], found, conf)
        if not answer["complete"] and answer["file"] is None:
            raise AllocsimError(answer["sentence"], 1)
        return answer


def function_call(step: Callable[[], object], caller: str) -> list[str]:
    """The command line that calls a function in another process, without the number of calls.

    Args:
        step: the function.
        caller: who needs it, for messages.

    Raises:
        AllocsimError: another process cannot find the function.
    """
    module, name = getattr(step, "__module__", None), getattr(step, "__qualname__", "")
    if module is None or not name or "<" in name:
        raise AllocsimError(f"{caller} needs a function of a module or script, because another process must find it; define it at the top level", 2)
    source = module
    if module == "__main__":
        source = getattr(sys.modules["__main__"], "__file__", None)
        if source is None or not os.path.isfile(source):
            raise AllocsimError(f"{caller} cannot find this function from another process; put it into a file and import it", 2)
        source = os.path.abspath(source)
    return [sys.executable, "-m", "allocsim.estimate.step", source, name]


def answered(command: Sequence[str], file: str, conf: str | None) -> Answer:
    """Runs a command of this package, and returns the answer that it wrote as JSON.

    Args:
        command: the command line.
        file: where it writes the answer.
        conf: PYTORCH_CUDA_ALLOC_CONF; None for what is set.

    Raises:
        AllocsimError: it wrote none.
    """
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(each for each in sys.path if each)
    if conf is not None:
        environment["PYTORCH_CUDA_ALLOC_CONF"] = conf
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if not os.path.isfile(file):
        lines = [line for line in done.stderr.splitlines() if line.startswith("allocsim")]
        # What the program would need is said in the answer of a run that did not end as it should.
        lines = lines or done.stdout.splitlines() or done.stderr.splitlines() or ["there was no answer"]
        raise AllocsimError(lines[-1], done.returncode or 1)
    with open(file, encoding="utf-8") as stream:
        return Answer(json.load(stream, object_hook=Keyed), done.stdout)
