"""What the mock CUDA driver reports, inside the program."""

from __future__ import annotations

import ctypes
import functools
import os
import re
from typing import Any


@functools.lru_cache(maxsize=None)
def _library() -> Any:
    return ctypes.CDLL(None)


def _text(name: str, *arguments: int) -> str | None:
    function = getattr(_library(), name)
    function.restype = ctypes.c_char_p
    found = function(*arguments)
    return None if found is None else str(found.decode())


def was_refused() -> str | None:
    """The CUDA function called last that the driver lacks, if its thread has launched nothing since."""
    return _text("standin_refused")


def refused() -> list[str]:
    """All called functions that the driver lacks, in the order of their first calls."""
    found: list[str] = []
    while (name := _text("standin_refused_at", len(found))) is not None:
        found.append(name)
    return found


def flag_was_read() -> bool:
    """Whether this thread read an unknown byte from the GPU and has launched nothing since."""
    return bool(_library().standin_flag_was_read())


def without_image() -> str | None:
    """The library of the last launched kernel that has no image for the card, and the architectures it has images for."""
    found = _text("standin_without_image")
    if found is None:
        return None
    library, _, architectures = found.partition(" ")
    return f"{os.path.basename(library)} has kernels for {architectures.replace(' ', ', ')} only"


def next_step(function: str) -> str:
    """What to do about a call that the driver refuses."""
    if function.startswith("cuGetExportTable in "):
        return "build that library with the shared CUDA runtime (nvcc -cudart shared)"
    return "skip that call while ALLOCSIM_ESTIMATE is set in the environment, or record the program on a GPU with 'allocsim record'"


def card_free_bytes() -> int:
    """Free bytes of each GPU before the program's first request."""
    function = _library().standin_card_free
    function.restype = ctypes.c_int64
    return int(function())


def no_kernels(torch: Any) -> str | None:
    """Why the installed PyTorch cannot use the card, or None if it can: it has kernels for certain architectures only."""
    name, capability = os.environ["ALLOCSIM_ESTIMATE_CARD"].split(";")[:2]
    architectures = torch.cuda.get_arch_list()
    card = _number(capability.replace(".", ""))
    if not architectures or any(runs(each, card) for each in architectures):
        return None
    numbers = [_number(each.split("_")[1]) for each in architectures]
    bound = f"its kernels begin at {_dotted(min(numbers))}" if card < min(numbers) else f"its kernels end at {_dotted(max(numbers))}"
    release = str(torch.__version__).split("+")[0]
    return (
        f"PyTorch {release} (CUDA {torch.version.cuda}) has no kernels for {name} (compute capability {capability}): {bound};"
        " choose another --device, or install a PyTorch release for this GPU"
    )


def runs(architecture: str, card: int) -> bool:
    """Whether a card, as 89 for 8.9, runs kernels of an architecture, as sm_86, sm_90a or compute_75 (CUDA C++ Programming Guide 13.0, "Binary Compatibility", "PTX Compatibility")."""
    kind, _, version = architecture.partition("_")
    number = _number(version)
    if version.endswith("a"):
        return number == card
    return number <= card and (kind == "compute" and not version.endswith("f") or number // 10 == card // 10)


def _number(version: str) -> int:
    return int(re.sub(r"\D", "", version))


def _dotted(number: int) -> str:
    return f"{number // 10}.{number % 10}"
