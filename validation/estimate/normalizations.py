"""What cuDNN answers about workspaces of batch normalization in training: python3 normalizations.py FOLDER.

Makes FOLDER/normalizations.json.xz, which is kept as measured/normalizations.json.xz, on a GPU with PyTorch. Nothing is computed. Inputs are drawn from a fixed seed. A row is

    type (0 single, 2 half, 9 bf16), sizes of the input, channels last, mode (1 CUDNN_BATCHNORM_SPATIAL, 2 CUDNN_BATCHNORM_SPATIAL_PERSISTENT),
    and bytes of the workspaces forward and backward, and of what is kept between them.

`normalizations.py --check` says how many rows the rules of the mock driver give again, without a GPU.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import lzma
import math
import os
import random
import tempfile
from ctypes import byref, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Iterator, NamedTuple

from mock_rules import command, compiled

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured/normalizations.json.xz"
DRAWN = 5000
SPATIAL, PERSISTENT = 1, 2


class Answer(NamedTuple):
    """Of one input: what cuDNN asks for forward, backward and between them, and what the rules say."""

    type: int
    sizes: list[int]
    measured: list[int]
    said: list[int]


def drawn() -> Iterator[tuple[int, list[int], bool, int]]:
    """Types, sizes, channels last, and modes of inputs from a fixed seed."""
    choose = random.Random(7)
    for _ in range(DRAWN):
        images, space = choose.choice((1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256)), choose.choice((2, 2, 2, 2, 2, 3))
        channels = choose.choice((1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 24, 30, 32, 33, 40, 48, 50, 64, 66, 80, 96, 100, 112, 128, 160, 192, 240, 256, 320, 384, 512, 514, 672, 768, 960, 1024, 1280, 1536, 2048))
        sides = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 16, 17, 19, 20, 24, 28, 32, 35, 40, 48, 52, 56, 64, 75, 80, 96, 112, 128, 150, 160, 192, 224, 256, 320, 512)
        sizes = [images, channels, *(choose.choice(sides if space == 2 else sides[:18]) for _ in range(space))]
        type_, last = choose.choice((0, 2, 9)), choose.random() < 0.8
        if math.prod(sizes) <= 1 << 30:
            yield type_, sizes, last, choose.choice((SPATIAL, PERSISTENT))


class Cudnn:
    """The functions of cuDNN that are asked."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)
        self._handle = c_void_p()
        if self._library.cudnnCreate(byref(self._handle)):
            raise SystemExit("cuDNN finds no GPU")

    def bytes_of(self, type_: int, sizes: list[int], last: bool, mode: int) -> list[int] | None:
        """Forward, backward, kept; None where cuDNN takes no such input."""
        described, scale, bytes_, found = c_void_p(), c_void_p(), c_size_t(), []
        strides, step = [0] * len(sizes), 1
        for place in reversed([0, *range(2, len(sizes)), 1] if last else range(len(sizes))):
            strides[place] = step
            step *= sizes[place]
        of, cudnn = c_int * len(sizes), self._library
        cudnn.cudnnCreateTensorDescriptor(byref(described))
        cudnn.cudnnCreateTensorDescriptor(byref(scale))
        if cudnn.cudnnSetTensorNdDescriptor(described, type_, len(sizes), of(*sizes), of(*strides)) or cudnn.cudnnDeriveBNTensorDescriptor(scale, described, mode):
            return None
        x = described
        for code in (
            lambda: cudnn.cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(self._handle, mode, 0, x, None, x, scale, None, byref(bytes_)),
            lambda: cudnn.cudnnGetBatchNormalizationBackwardExWorkspaceSize(self._handle, mode, 0, x, None, x, None, x, scale, None, byref(bytes_)),
            lambda: cudnn.cudnnGetBatchNormalizationTrainingExReserveSpaceSize(self._handle, mode, 0, None, x, byref(bytes_)),
        ):
            if code():
                return None
            found.append(bytes_.value)
        cudnn.cudnnDestroyTensorDescriptor(described)
        cudnn.cudnnDestroyTensorDescriptor(scale)
        return found


def measure(folder: Path) -> None:
    """Asks cuDNN on the GPU."""
    import torch

    torch.zeros(1, device="cuda")
    spec = importlib.util.find_spec("nvidia.cudnn")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("PyTorch brings no cuDNN")
    cudnn = Cudnn(os.path.join(spec.submodule_search_locations[0], "lib/libcudnn.so.9"))
    rows: list[Any] = []
    for type_, sizes, last, mode in drawn():
        found = cudnn.bytes_of(type_, sizes, last, mode)
        if found is not None:
            rows.append([type_, sizes, int(last), mode, *found])
    (folder / MEASURED.name).write_bytes(lzma.compress(json.dumps(rows, separators=(",", ":")).encode(), preset=9))


def build(folder: str) -> ctypes.CDLL:
    """The mock's rules as a library.

    Raises:
        FileNotFoundError: there is no C compiler.
    """
    rules = compiled("normalizations", folder)
    rules.normalization_bytes.argtypes = [c_int, c_int, c_int64, c_int64]
    rules.normalization_bytes.restype = c_int64
    return rules


def answers(rules: ctypes.CDLL) -> Iterator[Answer]:
    """Of each measured input."""
    for type_, sizes, last, mode, *found in json.loads(lzma.decompress(MEASURED.read_bytes())):
        positions = math.prod(sizes) // sizes[1]
        # An input of one channel or one pixel is channels last, too.
        has_some = mode == PERSISTENT and (last or sizes[1] == 1 or positions == sizes[0])
        yield Answer(type_, sizes, found, [rules.normalization_bytes(type_, backward, positions, sizes[1]) if has_some else 0 for backward in (0, 1)] + [0])


def check() -> None:
    """Prints how many rows the rules give to the byte."""
    with tempfile.TemporaryDirectory() as folder:
        found = list(answers(build(folder)))
    print(f"{len(found)} inputs; to the byte: {sum(each.measured == each.said for each in found)}")


if __name__ == "__main__":
    command(__doc__, measure, check)
