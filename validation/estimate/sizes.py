"""What cuSOLVER, cuFFT and cuDNN answer on a GPU when they are asked for the sizes of workspaces: python3 sizes.py FOLDER [--only KIND] [--share S].

Makes FOLDER/sizes.json.xz, which is kept as measured/sizes.json.xz. Nothing is computed and no memory is taken but the context's: functions that tell a
size are called through ctypes, with the libraries that PyTorch brings. Shapes are drawn from a fixed seed. A row is what was asked for and the
answers, null where the library refused:

    solver  function, its shape (see `solver_arguments`), elements or, for functions that begin with X, bytes on the GPU and on the host
    fft     c2c, r2c or c2r; 0 single, 1 double, 2 half precision; sides; batch; bytes
    rnn     cell (0 ReLU, 1 tanh, 2 LSTM, 3 GRU), type, both directions, layers, dropout, hidden, input, projection, length, batch, bias, packed, algorithm,
            math, steps of all sequences, two codes; for inference and for training: workspace, reserve, code
    ctc     time, batch, classes, longest label asked for, longest and sum of labels, longest and sum of times; bytes of version 8, of the
            deterministic and of the other algorithm, or a code below 0

`sizes.py --check` says how well the rules of the mock driver give each row again, without a GPU.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import glob
import json
import lzma
import os
import random
import shutil
import subprocess
import tempfile
from ctypes import byref, c_double, c_float, c_int, c_longlong, c_size_t, c_ulonglong, c_void_p
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured/sizes.json.xz"
SOURCES = HERE.parent.parent / "workloads/python/allocsim/estimate"
#: Units of the mock driver that have the rules of `check`, and what they need of the others.
UNITS = ("linear.c", "solvers.c", "transforms.c")
REST = "int standin_capability(void) { return 90; } void standin_guess(void) {} void standin_infer(long bytes) { (void)bytes; }"

#: Of a letter of cuSOLVER's functions: CUDA's number of the type and of its real part.
TYPES = {"S": (0, 0), "D": (1, 1), "C": (4, 0), "Z": (5, 1)}
#: Functions of complex matrices, by the name of those of real ones.
REAL_NAMES = {"ungqr": "orgqr", "unmqr": "ormqr", "heevd": "syevd", "heevj": "syevj", "heevjBatched": "syevjBatched"}
COMPLEX_NAMES = {real: name for name, real in REAL_NAMES.items()}
#: Of cuFFT: real types and complex types by precision.
REAL_TYPES, COMPLEX_TYPES = (0, 1, 2), (4, 5, 6)
KINDS = ("c2c", "r2c", "c2r")

NULL = c_void_p(0)
Row = list[Any]


def solver_arguments(name: str, shape: Sequence[Any], answers: Sequence[Any], objects: Sequence[Any] = (NULL, NULL, NULL)) -> tuple[Any, ...]:
    """What a function of cuSOLVER takes after its handle.

    Args:
        name: without cusolverDn and _bufferSize.
        shape: as in a row.
        answers: references to an int, or for functions that begin with X to two size_t.
        objects: parameters of functions with X, of gesvdj and of syevj.
    """
    params, gesvdj, syevj = objects
    if name[0] == "X":
        kind, real = TYPES[shape[0]]
        sizes = [c_longlong(each) for each in shape[1:]]
        n = sizes[-1]
        if name == "Xpotrf":
            return params, c_int(shape[1]), n, kind, NULL, n, kind, *answers
        if name == "Xgetrf":
            return params, *sizes, kind, NULL, sizes[0], kind, *answers
        if name == "Xgeqrf":
            return params, *sizes, kind, NULL, sizes[0], kind, NULL, kind, *answers
        if name == "Xsyevd":
            return params, c_int(shape[1]), 0, n, kind, NULL, n, real, NULL, kind, *answers
        if name == "XsyevBatched":
            n = sizes[1]
            return params, c_int(shape[1]), 0, n, kind, NULL, n, real, NULL, kind, *answers, sizes[2]
        if name == "Xgeev":
            values = kind if shape[0] in "CZ" else kind + 4
            return params, 0, 1, n, kind, NULL, n, values, NULL, kind, NULL, n, kind, NULL, n, kind, *answers
        raise KeyError(name)
    work = answers[0]
    stem = REAL_NAMES.get(name[1:], name[1:])
    if stem in ("gesvd", "gesvdj", "gesvdjBatched", "gesvdaStridedBatched"):
        m, n = shape if stem == "gesvd" else shape[-2:] if stem == "gesvdj" else shape[-3:-1]
        matrices = (NULL, m, NULL, NULL, m, NULL, n)
        if stem == "gesvd":
            return m, n, work
        if stem == "gesvdj":
            return *shape[:2], m, n, *matrices, work, gesvdj
        if stem == "gesvdjBatched":
            return shape[0], m, n, *matrices, work, gesvdj, shape[3]
        job, rank, _, _, batch = shape
        a, s, u, v = map(c_longlong, (m * n, rank, m * rank, n * rank))
        return job, rank, m, n, NULL, m, a, NULL, s, NULL, m, u, NULL, n, v, work, batch
    if stem in ("syevd", "syevj", "syevjBatched"):
        job, n, *batch = shape
        return job, 0, n, NULL, n, NULL, work, *((syevj,) if stem != "syevd" else ()), *batch
    rows = shape[2 if stem == "ormqr" else 1 if stem == "potrf" else 0]
    if stem == "ormqr":
        side, transposed, m, n, k = shape
        return side, transposed, m, n, k, NULL, (m, n)[side], NULL, NULL, m, work
    return *shape, NULL, rows, *((NULL,) if stem == "orgqr" else ()), work


def solver_shapes(draw: "Draw") -> Iterator[tuple[str, list[Any]]]:
    """Functions and shapes that are asked for."""
    sides = [*range(1, 70), *range(70, 260, 5), *sorted({draw.even(64, 20000) for _ in range(120)}), 128, 192, 255, 256, 257, 384, 511, 512, 513]
    sides += [768, 1000, 1024, 1025, 2048, 4096, 8192, 16384]
    pairs = [(draw.even(1, 8192), draw.even(1, 8192)) for _ in range(300)]
    pairs += [(a, b) for a in (1, 2, 8, 31, 32, 33, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096) for b in (1, 2, 8, 31, 32, 33, 64, 128, 256, 512, 1000, 1024)]
    for letter in TYPES:
        def named(stem: str) -> str:
            return letter + (COMPLEX_NAMES.get(stem, stem) if letter in "CZ" else stem)

        for n in sides:
            for upper in (0, 1):
                yield named("potrf"), [upper, n]
                yield "Xpotrf", [letter, upper, n]
            yield named("sytrf"), [n]
            for vectors in (0, 1):
                yield named("syevd"), [vectors, n]
                yield "Xsyevd", [letter, vectors, n]
                yield named("syevj"), [vectors, n]
            for batch in (2, 7, 64, draw.even(1, 1000)) if n <= 4096 else ():
                yield "XsyevBatched", [letter, 1, n, batch]
                yield named("syevjBatched"), [1, n, batch]
            yield "Xgeev", [letter, 1, n]
        for m, n in pairs:
            k = min(m, n)
            for stem in ("getrf", "geqrf"):
                yield letter + stem, [m, n]
                yield "X" + stem, [letter, m, n]
            for columns, reflectors in ((n, k), (m, k), (k, k)):
                if columns <= m:
                    yield named("orgqr"), [m, columns, reflectors]
            for side in (0, 1):
                reflectors = min((m, n)[side], draw.even(1, 4096))
                yield named("ormqr"), [side, draw.choice((0, 2 if letter in "CZ" else 1)), m, n, reflectors]
            if m >= n:
                yield letter + "gesvd", [m, n]
            for vectors, economy in ((1, 0), (1, 1), (0, 0)):
                yield letter + "gesvdj", [vectors, economy, m, n]
            batch = draw.even(1, 500)
            if max(m, n) <= 32:
                yield letter + "gesvdjBatched", [1, m, n, batch]
            if m <= 4096:
                yield letter + "gesvdaStridedBatched", [1, k, m, n, batch]


class Draw(random.Random):
    """Draws shapes."""

    def even(self, low: int, high: int) -> int:
        """An integer whose logarithm is spread evenly."""
        return round(low * (high / low) ** self.random())

    def side(self, most: int) -> int:
        """A side of a transform: a power of two, a product of small primes, a large prime or twice that, or any."""
        kind = self.random()
        if kind < 0.3:
            return 2 ** self.randint(0, most.bit_length() - 1)
        if kind < 0.6:
            n = 1
            while True:
                factor = self.choice((2, 2, 2, 3, 3, 5, 7, 11, 13))
                if n * factor > most or self.random() < 0.06:
                    return n
                n *= factor
        if kind < 0.7:
            return min(most, self.choice((101, 127, 251, 509, 1009, 2039, 4099, 10007, 65537, 100003)) * self.choice((1, 1, 2)))
        return self.even(1, most)


class Libraries:
    """Those that the installed PyTorch brings, with a context on the GPU."""

    def __init__(self) -> None:
        import torch

        torch.zeros(1, device="cuda")
        self.torch = torch
        self._folder = Path(torch.__file__).parent.parent / "nvidia"

    def load(self, name: str) -> ctypes.CDLL:
        found = glob.glob(f"{self._folder}/*/lib/{name}.so.*")
        return ctypes.CDLL(min(found, key=len), mode=ctypes.RTLD_GLOBAL)


def made(create: Callable[..., int], *arguments: Any) -> c_void_p:
    """An object of a library."""
    found = c_void_p()
    create(*arguments, byref(found))
    return found


def solver(libraries: Libraries, draw: Draw, share: float) -> Iterator[Row]:
    library = libraries.load("libcusolver")
    handle, *objects = (made(getattr(library, f"cusolverDnCreate{name}")) for name in ("", "Params", "GesvdjInfo", "SyevjInfo"))
    elements, on_gpu, on_host = c_int(), c_size_t(), c_size_t()
    for name, shape in solver_shapes(draw):
        if draw.random() >= share:
            continue
        answers = (byref(on_gpu), byref(on_host)) if name[0] == "X" else (byref(elements),)
        code = getattr(library, f"cusolverDn{name}_bufferSize")(handle, *solver_arguments(name, shape, answers, objects))
        yield [name, *shape, *((None if code else on_gpu.value, on_host.value) if name[0] == "X" else (None if code else elements.value,))]


def fft(libraries: Libraries, draw: Draw, share: float) -> Iterator[Row]:
    library = libraries.load("libcufft")
    for _ in range(round(3000 * share)):
        rank = draw.choice((1, 1, 1, 2, 2, 3))
        most = {1: 1 << draw.randint(4, 21), 2: 2048, 3: 256}[rank]
        sides = [draw.side(most) for _ in range(rank)]
        elements = 1
        for side in sides:
            elements *= side
        batch, kind, precision = draw.even(1, max(1, min(4096, (1 << 26) // elements))), draw.choice(KINDS), draw.choice((0, 0, 0, 1, 2))
        if precision == 2 and any(side & (side - 1) for side in sides):
            precision = 0  # Half precision is for powers of two.
        taken, given = fft_types(kind, precision)
        plan, size, one = c_int(), c_size_t(), c_longlong(1)
        library.cufftCreate(byref(plan))
        library.cufftSetAutoAllocation(plan, 0)
        code = library.cufftXtMakePlanMany(
            plan, rank, (c_longlong * rank)(*sides), None, one, one, taken, None, one, one, given, c_longlong(batch), byref(size), COMPLEX_TYPES[precision],
        )
        library.cufftDestroy(plan)
        yield [kind, precision, sides, batch, None if code else size.value]


def fft_types(kind: str, precision: int) -> tuple[int, int]:
    """CUDA's numbers of the types that a transform takes and gives."""
    real, complex_ = REAL_TYPES[precision], COMPLEX_TYPES[precision]
    return {"c2c": (complex_, complex_), "r2c": (real, complex_), "c2r": (complex_, real)}[kind]


class Cudnn:
    """cuDNN with a handle."""

    def __init__(self, libraries: Libraries) -> None:
        self.library = libraries.load("libcudnn")
        self.handle = made(self.library.cudnnCreate)
        self.torch = libraries.torch

    def descriptor(self, name: str) -> c_void_p:
        return made(getattr(self.library, f"cudnnCreate{name}Descriptor"))


def rnn(libraries: Libraries, draw: Draw, share: float) -> Iterator[Row]:
    cudnn = Cudnn(libraries)
    library, choice = cudnn.library, draw.choice
    size = c_size_t()
    library.cudnnDropoutGetStatesSize(cudnn.handle, byref(size))
    states = cudnn.torch.zeros(size.value, dtype=cudnn.torch.uint8, device="cuda")
    drops = [cudnn.descriptor("Dropout") for _ in range(2)]
    library.cudnnSetDropoutDescriptor(drops[0], cudnn.handle, c_float(0), NULL, c_size_t(0), c_ulonglong(0))
    library.cudnnSetDropoutDescriptor(drops[1], cudnn.handle, c_float(0.3), c_void_p(states.data_ptr()), size, c_ulonglong(1))
    for _ in range(round(6000 * share)):
        cell, kind, both, layers = choice((0, 1, 2, 2, 2, 3, 3, 3)), choice((0, 0, 9, 9, 2, 1)), choice((0, 0, 1)), choice((1, 1, 1, 2, 2, 3, 4, 6))
        dropout = choice((0, 0, 0, 1)) if layers > 1 else 0
        hidden = choice((draw.even(1, 2048), choice((64, 128, 256, 320, 384, 512, 768, 1024))))
        width = choice((draw.even(1, 2048), choice((40, 64, 80, 128, 256, 300, 512, 1024))))
        projection = draw.even(1, hidden - 1) if cell == 2 and hidden > 1 and draw.random() < 0.15 else hidden
        length, batch = draw.even(1, 1500), choice((draw.even(1, 300), choice((1, 8, 16, 32, 64, 128))))
        bias, packed, algorithm = choice((2, 2, 2, 0)), choice((0, 0, 1)), 0
        plain = kind == 2 and projection == hidden and layers == 1 and not both and not packed
        if plain and hidden <= 1024 and hidden % 128 == 0 and width % 128 == 0 and batch % 8 == 0:
            algorithm = choice((0, 1))  # PyTorch takes the persistent one for such.
        math = choice((0, 1)) if kind == 0 else 0 if kind == 1 else 1
        lengths = [length] * batch
        if draw.random() < 0.5:
            lengths = [length, *sorted((draw.randint(1, length) for _ in range(batch - 1)), reverse=True)]
        network, data, filler = cudnn.descriptor("RNN"), cudnn.descriptor("RNNData"), c_double(0)
        codes = (
            library.cudnnSetRNNDescriptor_v8(
                network, algorithm, cell, bias, both, 0, kind, 1 if kind == 1 else 0, math, width, hidden, projection, layers, drops[dropout], 1 - packed,
            ),
            library.cudnnSetRNNDataDescriptor(data, kind, packed, length, batch, width, (c_int * batch)(*lengths), byref(filler)),
        )
        answers: list[int] = []
        for training in (0, 1):
            work, reserve = c_size_t(), c_size_t()
            code = library.cudnnGetRNNTempSpaceSizes(cudnn.handle, network, training, data, byref(work), byref(reserve))
            answers += [code or work.value, code or reserve.value, code]
        library.cudnnDestroyRNNDescriptor(network)
        library.cudnnDestroyRNNDataDescriptor(data)
        yield [cell, kind, both, layers, dropout, hidden, width, projection, length, batch, bias, packed, algorithm, math, sum(lengths), *codes, *answers]


def ctc(libraries: Libraries, draw: Draw, share: float) -> Iterator[Row]:
    cudnn = Cudnn(libraries)
    library = cudnn.library
    for _ in range(round(600 * share)):
        time, batch, classes, longest = draw.even(2, 2000), draw.even(1, 256), draw.even(2, 5000), draw.even(1, 255)
        probabilities, loss = cudnn.descriptor("Tensor"), cudnn.descriptor("CTCLoss")
        library.cudnnSetTensorNdDescriptor(probabilities, 0, 3, (c_int * 3)(time, batch, classes), (c_int * 3)(batch * classes, classes, 1))
        labels = [draw.randint(1, longest) for _ in range(batch)]
        times = [draw.randint(1, time) for _ in range(batch)]
        size, answers = c_size_t(), []
        library.cudnnSetCTCLossDescriptor_v8(loss, 0, 1, 0, longest)
        code = library.cudnnGetCTCLossWorkspaceSize_v8(cudnn.handle, 0, loss, probabilities, probabilities, byref(size))
        answers.append(-code or size.value)
        library.cudnnSetCTCLossDescriptorEx(loss, 0, 1, 0)
        chosen = (c_int * sum(labels))(*(draw.randint(1, classes - 1) for _ in range(sum(labels))))
        for algorithm in (0, 1):
            code = library.cudnnGetCTCLossWorkspaceSize(
                cudnn.handle, probabilities, probabilities, chosen, (c_int * batch)(*labels), (c_int * batch)(*times), algorithm, loss, byref(size),
            )
            answers.append(-code or size.value)
        yield [time, batch, classes, longest, max(labels), sum(labels), max(times), sum(times), *answers]


MEASURES = {"rnn": rnn, "ctc": ctc, "solver": solver, "fft": fft}


def measure(folder: Path, only: str | None, share: float) -> None:
    libraries = Libraries()
    torch = libraries.torch
    found: dict[str, Any] = {"device": torch.cuda.get_device_name(), "pytorch": torch.__version__, "cudnn": torch.backends.cudnn.version()}
    for kind, rows in MEASURES.items():
        if only in (None, kind):
            found[kind] = list(rows(libraries, Draw(5), share))
            print(kind, len(found[kind]), flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MEASURED.name).write_bytes(lzma.compress(json.dumps(found, separators=(",", ":")).encode()))


def measured() -> dict[str, Any]:
    """What was measured."""
    return json.loads(lzma.decompress(MEASURED.read_bytes()))


def build(folder: str) -> ctypes.CDLL:
    """The mock's rules as a library.

    Raises:
        FileNotFoundError: there is no C compiler.
    """
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise FileNotFoundError("there is no C compiler")
    rest, library = os.path.join(folder, "rest.c"), os.path.join(folder, "rules.so")
    Path(rest).write_text(REST)
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", *(str(SOURCES / unit) for unit in UNITS), rest, "-o", library], check=True)
    return ctypes.CDLL(library)


def solver_rows(rows: list[Row], library: ctypes.CDLL) -> Iterator[tuple[str, int | None, int | None]]:
    """Of each row the function, what was measured and what the mock says, None where it was refused."""
    elements, on_gpu, on_host = c_int(), c_size_t(), c_size_t()
    for name, *shape in rows:
        any_type = name[0] == "X"
        expected = shape.pop(-2 if any_type else -1)
        if any_type:
            shape.pop()
        answers = (byref(on_gpu), byref(on_host)) if any_type else (byref(elements),)
        code = getattr(library, f"cusolverDn{name}_bufferSize")(NULL, *solver_arguments(name, shape, answers))
        yield name, expected, None if code else on_gpu.value if any_type else elements.value


def fft_rows(rows: list[Row], library: ctypes.CDLL) -> Iterator[tuple[Row, int, int]]:
    """Of each row what was measured and what the mock says."""
    library.transform_bytes.restype = c_longlong
    for row in rows:
        kind, precision, sides, batch, expected = row
        yield row, expected, library.transform_bytes(KINDS.index(kind), len(sides), (c_longlong * len(sides))(*sides), c_longlong(batch), (8, 16, 4)[precision])


def error(expected: int | None, answer: int | None) -> float:
    """As a share of what was measured; infinite where one is none and the other is some."""
    if not expected or not answer:
        return 0.0 if expected == answer else float("inf")
    return abs(answer / expected - 1)


def check() -> None:
    rows = measured()
    errors = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder)
        for name, expected, answer in solver_rows(rows["solver"], library):
            errors[name if name[0] == "X" else REAL_NAMES.get(name[1:], name[1:])].append(error(expected, answer))
        for (kind, precision, sides, *_), expected, answer in fft_rows(rows["fft"], library):
            errors[f"fft {kind} {('single', 'double', 'half')[precision]} {len(sides)}-D"].append(error(expected, answer))
    for name, found in errors.items():
        shares = (f"{sum(each <= most for each in found) / len(found):7.1%}" for most in (0, 0.005, 0.02, 0.05))
        print(f"{name:24} {len(found):6}   exact, within 0.5, 2 and 5 %: {'  '.join(shares)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", choices=MEASURES)
    parser.add_argument("--share", type=float, default=1.0, help="of all shapes, as 0.01 for a trial")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        check()
    elif options.folder:
        measure(options.folder, options.only, options.share)
    else:
        parser.error("a folder or --check")
