"""What cuDNN answers about workspaces of convolutions without a GPU and on it, for kernels that share tiles: python3 partials.py FOLDER.

Makes FOLDER/partials.json.xz, which is kept as measured/partials.json.xz, on a Hopper GPU with PyTorch. Nothing is computed. Convolutions are drawn from a fixed seed; of
each, cuDNN's heuristics are asked for the four best configurations with a description of the card (CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, from cuDNN 9.8 on) and with the
card. A row is

    kind (0 forward, 1 gradient of the input, 2 of the filter), type (0 single, 2 half, 9 bf16), sizes of input, filter and output, strides, channels last,
    and its configurations: engine, tile, step, indices, whether tiles are whole, tiles of a cluster in two directions, bytes without the GPU, bytes on it

of the engines that have these settings. `partials.py --check` says how many rows the rules of the mock driver give again, without a GPU.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import lzma
import os
import random
import tempfile
from ctypes import byref, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Sequence

from mock_rules import command, compiled

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured/partials.json.xz"
ENGINES = (62, 65, 67, 68, 71)
DRAWN = 1500
BEST = 4
#: Of the H200 that was measured; cycles of its multiprocessors for one of its memory.
MULTIPROCESSORS = 132
CYCLES = 1980 / 3201

#: Numbers of cudnn_graph.h: descriptors, types of attributes.
CONVOLUTION, ENGINE, CONFIGURATION, HEURISTICS, KNOB, FORWARD, BACKWARD_FILTER, BACKWARD_DATA, GRAPH, TENSOR, DEVICE = 1, 2, 3, 4, 7, 10, 11, 12, 15, 17, 38
OF_HANDLE, OF_DATA, OF_INT64, OF_FLOAT, OF_CONVOLUTION, OF_HEURISTICS, OF_KNOB, OF_DESCRIPTOR, OF_TEXT = 0, 1, 3, 4, 7, 8, 9, 15, 24
#: Settings of kernels that share tiles: CUDNN_KNOB_TYPE_TILE_SIZE, TILEK, IDX_MODE, WORKSPACE, TILE_CGA_M, TILE_CGA_N.
SETTINGS = (2, 13, 18, 25, 27, 28)


class Tensor(ctypes.Structure):
    """As in workspaces.h."""

    _fields_ = [("type", c_int), ("dimensions", c_int), ("sizes", c_int64 * 5), ("strides", c_int64 * 5)]


class Convolution(ctypes.Structure):
    """As in workspaces.h."""

    _fields_ = [
        ("kind", c_int), ("precision", c_int), ("filter", Tensor), ("input", Tensor), ("output", Tensor),
        ("strides", c_int64 * 3), ("dilations", c_int64 * 3), ("before", c_int64 * 3), ("after", c_int64 * 3),
    ]


class Kernel(ctypes.Structure):
    """As in partials.h."""

    _fields_ = [(name, c_int64) for name in ("engine", "tile", "step", "whole", "cluster_m", "cluster_n")]


class Answer(NamedTuple):
    """Of one configuration: what cuDNN asks for without the GPU and on it, and what the mock makes of the first."""

    convolution: Convolution
    kernel: Kernel
    described: int
    on_gpu: int
    said: int


class Drawn(NamedTuple):
    kind: int
    type: int
    inputs: tuple[int, ...]
    filters: tuple[int, ...]
    outputs: tuple[int, ...]
    stride: int
    last: bool


def drawn() -> Iterator[Drawn]:
    """Convolutions from a fixed seed."""
    choose = random.Random(5)
    for _ in range(DRAWN):
        space = 2 if choose.random() < 0.9 else 3
        images = choose.choice((1, 2, 4, 8, 16, 32, 64))
        channels = choose.choice((3, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512))
        filters = choose.choice((8, 16, 32, 64, 96, 128, 256, 512))
        kernel = choose.choice((1, 3, 3, 3, 4, 5, 7))
        side = choose.choice((7, 8, 14, 16, 28, 32, 56, 64, 96, 112, 128) if space == 2 else (8, 16, 24, 32))
        stride = choose.choice((1, 1, 1, 2))
        out = (side + kernel // 2 * 2 - kernel) // stride + 1
        if out < 1 or images * max(channels, filters) * side**space > 1 << 28:
            continue
        kind, type_, last = choose.choice((0, 1, 2)), choose.choice((0, 2, 9)), choose.random() < 0.3
        yield Drawn(kind, type_, (images, channels) + (side,) * space, (filters, channels) + (kernel,) * space, (images, filters) + (out,) * space, stride, last)


class Cudnn:
    """The functions of cuDNN's backend; what was made for a question is dropped by `drop`."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.handle = c_void_p()
        self._made: list[c_void_p] = []
        for name in ("SetAttribute", "GetAttribute", "Finalize", "DestroyDescriptor", "CreateDescriptor"):
            function = getattr(self.library, f"cudnnBackend{name}")
            function.argtypes = {
                "SetAttribute": [c_void_p, c_int, c_int, c_int64, c_void_p], "GetAttribute": [c_void_p, c_int, c_int, c_int64, c_void_p, c_void_p],
                "CreateDescriptor": [c_int, c_void_p],
            }.get(name, [c_void_p])

    def make(self, kind: int) -> c_void_p:
        made = c_void_p()
        self._checked("create", self.library.cudnnBackendCreateDescriptor(kind, byref(made)))
        self._made.append(made)
        return made

    def set(self, descriptor: c_void_p, name: int, type_: int, *values: Any, of: Any = c_int64) -> None:
        array = (of * len(values))(*values)
        self._checked(f"set {name}", self.library.cudnnBackendSetAttribute(descriptor, name, type_, len(values), array))

    def set_descriptors(self, descriptor: c_void_p, name: int, *values: c_void_p) -> None:
        self.set(descriptor, name, OF_DESCRIPTOR, *(each.value for each in values), of=c_void_p)

    def finish(self, descriptor: c_void_p) -> c_void_p:
        self._checked("finalize", self.library.cudnnBackendFinalize(descriptor))
        return descriptor

    def get(self, descriptor: c_void_p, name: int, type_: int, of: Any = c_int64) -> int:
        value, count = of(-1), c_int64()
        self._checked(f"get {name}", self.library.cudnnBackendGetAttribute(descriptor, name, type_, 1, byref(count), byref(value)))
        return int(value.value)

    def fill(self, descriptor: c_void_p, name: int, into: Sequence[c_void_p]) -> int:
        """How many of the descriptors were filled."""
        count = c_int64()
        code = self.library.cudnnBackendGetAttribute(descriptor, name, OF_DESCRIPTOR, len(into), byref(count), (c_void_p * len(into))(*(each.value for each in into)))
        return 0 if code else min(count.value, len(into))

    def drop(self) -> None:
        while self._made:
            self.library.cudnnBackendDestroyDescriptor(self._made.pop())

    @staticmethod
    def _checked(what: str, code: int) -> None:
        if code:
            raise ValueError(f"cuDNN refuses to {what}: {code}")

    def _tensor(self, type_: int, sizes: Sequence[int], last: bool, name: int) -> c_void_p:
        made = self.make(TENSOR)
        strides, order = [0] * len(sizes), [*range(len(sizes))]
        if last:
            order = [0, *range(2, len(sizes)), 1]
        step = 1
        for place in reversed(order):
            strides[place] = step
            step *= sizes[place]
        self.set(made, 901, OF_DATA, type_, of=c_int)
        self.set(made, 902, OF_INT64, *sizes)
        self.set(made, 903, OF_INT64, *strides)
        self.set(made, 906, OF_INT64, name)
        self.set(made, 900, OF_INT64, 16)
        return self.finish(made)

    def _graph(self, asked: Drawn, on_gpu: bool) -> c_void_p:
        space = len(asked.inputs) - 2
        convolution = self.make(CONVOLUTION)
        self.set(convolution, 100, OF_DATA, 0, of=c_int)
        self.set(convolution, 101, OF_CONVOLUTION, 1, of=c_int)
        for name, value in ((102, 1), (103, asked.stride), (104, asked.filters[2] // 2), (105, asked.filters[2] // 2)):
            self.set(convolution, name, OF_INT64, *[value] * space)
        self.set(convolution, 106, OF_INT64, space)
        self.finish(convolution)
        operation = self.make((FORWARD, BACKWARD_DATA, BACKWARD_FILTER)[asked.kind])
        first = (700, 706, 712)[asked.kind]
        self.set(operation, first, OF_FLOAT, 1.0, of=ctypes.c_float)
        self.set(operation, first + 1, OF_FLOAT, 0.0, of=ctypes.c_float)
        self.set_descriptors(operation, first + 2, convolution)
        for i, sizes in enumerate((asked.filters, asked.inputs, asked.outputs)):
            self.set_descriptors(operation, first + 3 + i, self._tensor(asked.type, sizes, asked.last, i + 1))
        self.finish(operation)
        graph = self.make(GRAPH)
        if on_gpu:
            self.set(graph, 800, OF_HANDLE, self.handle.value, of=c_void_p)
        self.set_descriptors(graph, 801, operation)
        return self.finish(graph)

    def best(self, asked: Drawn, device: c_void_p | None) -> list[tuple[int, list[tuple[int, int]], int]]:
        """Engine, settings and bytes of the best configurations, for a described device or for the GPU."""
        try:
            heuristics = self.make(HEURISTICS)
            self.set_descriptors(heuristics, 201, self._graph(asked, device is None))
            self.set(heuristics, 200, OF_HEURISTICS, 0, of=c_int)
            if device is not None:
                self.set_descriptors(heuristics, 204, device)
            self.finish(heuristics)
            room = [self.make(CONFIGURATION) for _ in range(BEST)]
            found = []
            for configuration in room[: self.fill(heuristics, 202, room)]:
                engine, knobs = self.make(ENGINE), [self.make(KNOB) for _ in range(16)]
                self.fill(configuration, 300, [engine])
                chosen = knobs[: self.fill(configuration, 302, knobs)]
                found.append((
                    self.get(engine, 1301, OF_INT64), [(self.get(each, 600, OF_KNOB, c_int), self.get(each, 601, OF_INT64)) for each in chosen],
                    self.get(configuration, 303, OF_INT64),
                ))
            return found
        finally:
            self.drop()

    def described(self, text: str | None) -> tuple[c_void_p, str]:
        """A device, of a description or else the GPU, and its description."""
        device = self.make(DEVICE)
        self._made.remove(device)
        if text is None:
            self.set(device, 2701, OF_HANDLE, self.handle.value, of=c_void_p)
        else:
            code = text.encode() + b"\0"
            self._checked("describe", self.library.cudnnBackendSetAttribute(device, 2702, OF_TEXT, len(code), ctypes.create_string_buffer(code)))
        self.finish(device)
        said, count = ctypes.create_string_buffer(8192), c_int64()
        self._checked("tell", self.library.cudnnBackendGetAttribute(device, 2702, OF_TEXT, len(said), byref(count), said))
        return device, said.value.decode()


def measure(folder: Path) -> None:
    """Asks without the GPU and on it."""
    import torch

    torch.zeros(1, device="cuda")
    spec = importlib.util.find_spec("nvidia.cudnn")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("PyTorch brings no cuDNN")
    cudnn = Cudnn(os.path.join(spec.submodule_search_locations[0], "lib/libcudnn.so.9"))
    if cudnn.library.cudnnCreate(byref(cudnn.handle)):
        raise SystemExit("cuDNN finds no GPU")
    _, text = cudnn.described(None)
    device, _ = cudnn.described(text)
    rows: list[Any] = []
    for asked in drawn():
        both = zip(cudnn.best(asked, device), cudnn.best(asked, None))
        found = {}
        for (engine, settings, without), (there, others, on_gpu) in both:
            if (engine, settings) != (there, others):
                raise SystemExit(f"cuDNN chooses otherwise on the GPU: {asked}, {engine}, {settings}, {there}, {others}")
            if engine in ENGINES and tuple(name for name, _ in settings) == SETTINGS:
                values = [value for _, value in settings]
                found[(engine, *values)] = [engine, *values, without, on_gpu]
        if found:
            space = len(asked.inputs) - 2
            rows.append([asked.kind, asked.type, asked.inputs, asked.filters, asked.outputs, [asked.stride] * space, int(asked.last), list(found.values())])
    (folder / MEASURED.name).write_bytes(lzma.compress(json.dumps(rows, separators=(",", ":")).encode(), preset=9))


def build(folder: str) -> ctypes.CDLL:
    """The mock's rules as a library.

    Raises:
        FileNotFoundError: there is no C compiler.
    """
    rules = compiled("partials", folder)
    rules.partials_bytes.argtypes = [c_void_p, c_void_p, c_int64, ctypes.c_double]
    rules.partials_known.argtypes = [c_void_p, c_void_p]
    rules.blocks_of_gpu.argtypes = [c_int64, c_int]
    rules.blocks_without_gpu.argtypes = [c_int64]
    for function in (rules.partials_bytes, rules.blocks_of_gpu, rules.blocks_without_gpu):
        function.restype = c_int64
    return rules


def answers(rules: ctypes.CDLL) -> Iterator[Answer]:
    """Of each measured configuration."""
    for kind, type_, *sizes, stride, _, found in json.loads(lzma.decompress(MEASURED.read_bytes())):
        inputs, filters, outputs = (Tensor(type_, len(each), (c_int64 * 5)(*each)) for each in sizes)
        # In the order of workspaces.h gradients of the filter come first.
        convolution = Convolution((0, 2, 1)[kind], 0, filters, inputs, outputs, (c_int64 * 3)(*stride))
        for engine, tile, step, _, whole, m, n, without, on_gpu in found:
            kernel = Kernel(engine, tile, step, whole, m, n)
            described, there = (
                rules.partials_bytes(byref(convolution), byref(kernel), blocks, CYCLES)
                for blocks in (rules.blocks_without_gpu(m * n), rules.blocks_of_gpu(m * n, MULTIPROCESSORS))
            )
            yield Answer(convolution, kernel, without, on_gpu, without - described + there)


def check() -> None:
    """Prints how many rows the rules give to the byte."""
    with tempfile.TemporaryDirectory() as folder:
        found = list(answers(build(folder)))
    print(f"{len(found)} configurations, {sum(each.on_gpu != each.described for each in found)} differ on the GPU; to the byte: {sum(each.on_gpu == each.said for each in found)}")


if __name__ == "__main__":
    command(__doc__, measure, check)
