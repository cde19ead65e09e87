"""Makes convolutions.h, the measured workspaces of cuDNN's convolutions as the stand-in reads them: python3 rules.py

cuDNN's fast kernels want tensors in their own layout, with channels filled up to 16 bytes. Where they come in another one, they are
copied into the workspace: it is the sum of the input, the filter and the output, of those that are copied. What is left over are sums
of partial results, which depend on how a kernel divides its work. Each row of the table says which tensors a measured
convolution copied, and the bytes that are left over. `rules.py --check` says how well the table predicts each of its rows without the
rows of the same shape.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import statistics
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured/workspaces.json.xz"
HIDDEN = HERE / "measured/hidden.json.xz"
TABLE = HERE.parent.parent / "workloads/python/allocsim/estimate/convolutions.h"

#: cuDNN's numbers.
TYPES = {"float32": 0, "float16": 2, "bfloat16": 9}
#: The type of a row where both types of half precision ask for the same.
BOTH_HALVES = 11
KINDS = ("forward", "filter", "input")
#: Kinds from here on are the largest of what cuDNN's trials ask for, under torch.backends.cudnn.benchmark.
TRIALS = len(KINDS)
OPERATIONS = ("convolution", "grouped", "dilated", "segmentation", "trial")


#: A number of partial gradients, each a filter in single precision; cuDNN divides the work among images, or by the card.
MAX_PARTIALS = 250
ONE_FOR_EACH_IMAGE = 255

#: Fields of a row before its bytes.
SHAPE = 12


class Row(NamedTuple):
    """A convolution and its workspace."""

    type: int
    last: int
    kind: int
    n: int
    c: int
    k: int
    size: int
    kernel: int
    stride: int
    groups: int
    space: int
    dilation: int
    bytes: int

    @property
    def out(self) -> int:
        # As in hidden.py; the padding makes up for dilation.
        padding = 0 if self.is_patches else self.kernel // 2
        return (self.size + 2 * padding - self.kernel) // self.stride + 1

    @property
    def is_patches(self) -> bool:
        return self.space == 2 and self.kernel == self.stride and self.kernel >= 8

    def tensors(self) -> tuple[int, int, int]:
        """The bytes of input, filter and output in the layout of the kernels."""
        element, whole = (4, 4) if self.type == 0 else (2, 8)
        c, k = (-(-each // whole) * whole if self.groups == 1 else each for each in (self.c, self.k))
        of_filter = c if self.groups == 1 else c // self.groups
        return (
            self.n * c * self.size**self.space * element,
            k * of_filter * self.kernel**self.space * element,
            self.n * k * self.out**self.space * element,
        )

    def copied(self) -> tuple[int, int]:
        """Which tensors are copied, as bits, and the bytes that are left over."""
        best = 0, self.bytes
        for bits in range(1, 8):
            total = sum(each for i, each in enumerate(self.tensors()) if bits >> i & 1)
            rest = self.bytes - total
            if rest < 0:
                continue
            fits = rest <= max(4096, total // 100)
            if not self.last:
                # In this layout all is copied first, and a large part may be left over.
                fits = fits or rest < self.bytes // 2 or (self.kind % TRIALS == 1 and self.groups == 1 and bits & 5 == 5)
            if fits and rest < best[1]:
                best = bits, rest
        return best

    def parts(self) -> tuple[int, int, int]:
        """Which tensors are copied, as bits, how many partial gradients of the filter there are, and the bytes that are left over."""
        bits, rest = self.copied()
        best = bits, 0, rest
        if self.kind != 1 or rest <= max(4096, self.bytes // 50):
            return best
        tensors, found = self.tensors(), []
        gradient = tensors[1] if self.type == 0 else 2 * tensors[1]
        for bits in range(8):
            rest = self.bytes - sum(each for i, each in enumerate(tensors) if bits >> i & 1)
            count = round(rest / gradient)
            rest -= count * gradient
            if 1 <= count <= MAX_PARTIALS and abs(rest) <= max(600, gradient // 1000):
                found.append((count, bits, rest))
        if not found:
            return best
        count, bits, rest = min(found)
        return bits, ONE_FOR_EACH_IMAGE if count == self.n > 4 else count, rest

    def spectra(self) -> int:
        """The bytes of a trial that transforms images, or 0, as in workspaces.c."""
        if self.kind < TRIALS or self.type != 0 or self.last or self.space != 2 or self.stride != 1 or self.groups != 1 or self.dilation != 1:
            return 0
        square, kind = 16, self.kind - TRIALS
        while square < self.size + self.kernel // 2 * 2:
            square *= 2
        if square > 256 or (kind == 2 and self.kernel == 1):
            return 0
        inputs, filters, outputs = self.n * self.c, self.c * self.k, self.n * self.k
        if kind == 2:
            return 8 * 32 * 17 * (filters + (inputs + outputs) * (2 if square > 32 else 1))
        each = 2 * 8 * square * (square // 2 + 1)
        if kind == 0:
            return each * max(inputs + filters, outputs) + filters * self.kernel**2 * 4
        return each * max(inputs + outputs, filters) + outputs * self.out**2 * 4

    def distance(self, other: "Row") -> float:
        """As in workspaces.c."""
        def far(a: float, b: float) -> float:
            return abs(math.log2(a / b))

        return (
            far(self.n * self.out**self.space, other.n * other.out**other.space) + 0.01 * far(self.n, other.n) + far(self.c, other.c) + far(self.k, other.k)
            + 2 * far(self.kernel, other.kernel) + 3 * (self.stride != other.stride)
            + far(self.dilation, other.dilation) + 6 * ((self.dilation > 1) != (other.dilation > 1))
            + 20 * ((self.groups > 1) != (other.groups > 1)) + (far(self.c / self.groups, other.c / other.groups) if self.groups > 1 else 0) + 40 * (self.space != other.space) + 0.5 * (self.type != other.type)
        )


def rows() -> list[Row]:
    """All that was measured."""
    found = []
    for each in json.loads(lzma.decompress(MEASURED.read_bytes())):
        if "shape" not in each or "problem" in each:
            continue
        n, c, k, size, kernel, stride, groups = each["shape"]
        element = 4 if each["dtype"] == "float32" else 2
        for kind, name in enumerate(KINDS):
            row = Row(TYPES[each["dtype"]], int(each["channels_last"]), kind, n, c, k, size, kernel, stride, groups, 2, 1, 0)
            if row.is_patches:
                continue  # These were measured with a padding.
            result = (n * k * row.out**2, k * c // groups * kernel**2, n * c * size**2)[kind] * element
            requests = list(each[name])
            requests.remove(result)
            found.append(row._replace(bytes=sum(requests)))
    seen = {row[:SHAPE] for row in found}
    for each in json.loads(lzma.decompress(HIDDEN.read_bytes()))["rows"]:
        if each["operation"] not in OPERATIONS or "problem" in each:
            continue
        for kind, name in enumerate(("forward", "filter", "data")):
            if name not in each:
                continue
            requests, kept = each[name]
            size = sum(requests) - kept
            if each["operation"] == "trial":
                again, kept = each[f"second {name}"]
                size -= sum(again) - kept
                kind += TRIALS
            type_name = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}[each["type"]]
            shape, dilation = each["shape"][:8], each["shape"][8] if len(each["shape"]) > 8 else 1
            row = Row(TYPES[type_name], int(each["channels_last"]), kind, *shape, dilation, size)
            if row[:SHAPE] not in seen:
                seen.add(row[:SHAPE])
                found.append(row)
    return found


def write() -> None:
    lines = [
        "/* Made by validation/estimate/rules.py of what an H100 with cuDNN 9.19 (PyTorch 2.11) was measured to ask for: type (11: both of half precision), channels last, kind",
        "   (from 3 on: trials), N, C, K, size, kernel, stride, groups, dimensions of space, dilation, tensors that are copied (1 input, 2 filter, 4 output),",
        "   partial gradients of the filter in single precision (255: one for each image), bytes left over. */",
    ]
    known = {row[:SHAPE]: row.parts() for row in rows()}
    for key in [key for key in known if key[0] == TYPES["float16"]]:
        other = (TYPES["bfloat16"], *key[1:])
        if known[key] == known.get(other):
            known[(BOTH_HALVES, *key[1:])] = known.pop(key)
            del known[other]
    kept = sorted(known)
    text = ["{" + ",".join(str(each) for each in (*key, *known[key])) + "}," for key in kept]
    line = ""
    for each in text:
        if len(line) + len(each) > 150:
            lines.append(line)
            line = ""
        line += each
    TABLE.write_text("\n".join([*lines, line]) + "\n")


def check() -> None:
    known = rows()
    for kind, name in enumerate(KINDS):
        trials = [row for row in known if row.kind == kind + TRIALS and row.spectra()]
        print(f"trials that transform images, {name:8} {sum(row.bytes == row.spectra() for row in trials)} of {len(trials)} to the byte")
    print("of input + filter + output: error of the workspace, every tenth row predicted from the others")
    for kind, name in enumerate((*KINDS, *(f"trials {each}" for each in KINDS))):
        for last, space, grouped in ((0, 2, 0), (1, 2, 0), (0, 2, 1), (1, 2, 1), (0, 1, 0), (0, 3, 0)):
            errors = []
            for row in known[::10]:
                if row.kind != kind or row.last != last or row.space != space or (row.groups > 1) != grouped:
                    continue
                others = (o for o in known if o.kind == kind and o.last == last and (o.type == 0) == (row.type == 0) and o[3:SHAPE] != row[3:SHAPE])
                nearest = min(others, key=row.distance)
                bits, count, rest = nearest.parts()
                predicted = (row.n if count == ONE_FOR_EACH_IMAGE else count) * row.tensors()[1] * (1 if row.type == 0 else 2)
                predicted += rest * sum(row.tensors()) / sum(nearest.tensors()) + sum(each for i, each in enumerate(row.tensors()) if bits >> i & 1)
                errors.append(abs(predicted - row.bytes) / sum(row.tensors()))
            if not errors:
                continue
            close = sum(each < 0.05 for each in errors) / len(errors)
            print(f"{name:14} {space}-D {'channels last' if last else 'plain':13} {'grouped' if grouped else '':7} {len(errors):4}  median {statistics.median(errors):.3f}  within 0.05: {close:.0%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    (check if parser.parse_args().check else write)()
