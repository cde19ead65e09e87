"""What operations ask of the allocator beside their results, measured on a GPU: python3 hidden.py FOLDER [--part I --parts N] [--only KIND].

Each row of FOLDER/hidden.json names the operation, its shapes and the type of its elements, the requests in their order, and the bytes of
the results. What is requested and is no result is hidden: a workspace of a library, or a temporary inside of an operation. Trials are
convolutions under torch.backends.cudnn.benchmark: the first call, in which cuDNN tries its kernels, and the second.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import time
from pathlib import Path

import torch
import torch.nn.functional as F

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def requests(action) -> tuple[list[int], int]:
    """The sizes that an action requests, in their order, and the bytes that it keeps."""
    before = torch.cuda.memory_stats()["requested_bytes.all.current"]
    torch.cuda.memory._record_memory_history("all", context=None, max_entries=1000, clear_history=True)
    first = len(history())
    try:
        result = action()
        kept = torch.cuda.memory_stats()["requested_bytes.all.current"] - before
        sizes = [each["size"] for each in history()[first:] if each["action"] == "alloc"]
    finally:
        torch.cuda.memory._record_memory_history(None)
    del result
    return sizes, kept


def history() -> list[dict]:
    return torch.cuda.memory._snapshot()["device_traces"][0]


def convolutions():
    """Shapes of common networks, as N, C, K, size, kernel, stride, groups, and dimensions of space."""
    for n in (1, 4, 16, 64):
        for c, k, size, kernels in (
            (3, 64, 224, (3, 7)), (3, 32, 224, (3,)), (3, 96, 224, (4, 16)), (64, 64, 56, (1, 3)), (64, 256, 56, (1,)), (256, 64, 56, (1,)), (64, 128, 112, (3,)), (32, 32, 256, (3,)),
            (64, 64, 128, (3,)), (64, 2, 128, (1,)), (128, 256, 28, (1, 3)), (128, 128, 28, (3,)), (256, 256, 14, (1, 3)), (256, 512, 14, (1, 3)), (512, 512, 7, (1, 3)), (512, 2048, 7, (1,)),
            (2048, 256, 16, (1, 3)), (96, 192, 56, (2,)), (192, 384, 28, (2,)), (24, 144, 56, (1,)), (144, 40, 28, (1,)),
        ):
            for kernel in kernels:
                for stride in ((1, 2) if kernel < 4 else (2, kernel)):
                    yield n, c, k, size, kernel, stride, 1, 2
        for c, size in ((32, 112), (96, 56), (384, 14), (672, 14)):
            for kernel, stride in ((3, 1), (3, 2), (5, 1), (7, 1)):
                yield n, c, c, size, kernel, stride, c, 2
    for n, c, k, size, kernel, stride in ((4, 1, 256, 16000, 10, 5), (16, 256, 256, 1599, 3, 2), (4, 80, 256, 3000, 3, 1), (4, 256, 256, 3000, 3, 2), (4, 512, 512, 6399, 3, 2), (8, 64, 64, 1024, 5, 1)):
        yield n, c, k, size, kernel, stride, 1, 1
    for n, c, k, size, kernel, stride in ((2, 3, 32, 32, 3, 2), (4, 16, 32, 32, 3, 1), (4, 32, 64, 28, 3, 2), (2, 64, 128, 16, 3, 1)):
        yield n, c, k, size, kernel, stride, 1, 3


def drawn():
    """Shapes at random, of sounds, images and films, within what networks have."""
    chooser = random.Random(7)
    channels = (1, 2, 3, 8, 16, 32, 40, 64, 80, 96, 128, 192, 256, 384, 512, 768, 1024)
    for space, count, least, most, kernels in ((1, 1000, 32, 65536, (1, 2, 3, 4, 5, 7, 10, 15, 31)), (2, 600, 4, 512, (1, 2, 3, 4, 5, 7)), (3, 400, 4, 96, (1, 2, 3, 5))):
        for _ in range(count):
            size = round(least * (most / least) ** chooser.random())
            kernel = chooser.choice([each for each in kernels if each <= size])
            stride = chooser.choice([1, 1, 2, 2, 3, 4, 5] if space == 1 else [1, 1, 2])
            c, k = chooser.choice(channels), chooser.choice(channels)
            n = chooser.choice((1, 2, 4, 8, 16, 32, 64))
            yield n, c, c if chooser.random() < 0.1 else k, size, kernel, min(stride, size), 1, space
    for kernel, c, n in itertools.product((14, 16, 32), (192, 384, 768, 1024, 1280), (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128)):
        for size in {14: (224, 336, 518), 16: (224, 256, 384), 32: (224, 384)}[kernel]:
            yield n, 3, c, size, kernel, kernel, 1, 2
    for _ in range(150):  # images cut into patches, at random
        kernel = chooser.choice((8, 14, 16, 32))
        yield chooser.choice((1, 2, 4, 8, 16, 32, 64, 128)), 3, chooser.choice((192, 384, 512, 768, 1024, 1280)), chooser.choice((224, 256, 384, 518)), kernel, kernel, 1, 2


def grouped_and_dilated():
    """Shapes at random: one group for each channel, some groups, and holes in the kernel, whose distance comes last."""
    chooser = random.Random(11)
    for _ in range(260):
        c = chooser.choice((16, 32, 64, 72, 96, 120, 144, 192, 240, 288, 336, 384, 480, 576, 672, 768, 960, 1152, 1536))
        size = chooser.choice((7, 8, 12, 14, 16, 24, 28, 32, 48, 56, 64, 80, 96, 112, 128))
        yield chooser.choice((1, 4, 8, 16, 32, 64, 128)), c, c, size, chooser.choice((3, 3, 3, 5, 5, 7, 9)), chooser.choice((1, 1, 2)), c, 2, 1
    for _ in range(100):
        width, groups = chooser.choice((8, 16, 24, 32, 48, 64)), chooser.choice((2, 3, 4, 6, 8, 16, 32))
        yield chooser.choice((1, 8, 16, 32, 64)), width * groups, width * groups, chooser.choice((7, 14, 16, 28, 32, 48, 56, 112)), 3, chooser.choice((1, 1, 2)), groups, 2, 1
    for _ in range(100):
        c, k = chooser.choice((32, 64, 128, 256, 512, 1024, 2048)), chooser.choice((32, 64, 128, 256, 512))
        yield chooser.choice((1, 2, 4, 8, 16)), c, k, chooser.choice((16, 28, 32, 33, 48, 64, 96)), 3, 1, 1, 2, chooser.choice((2, 4, 6, 12, 18, 24, 36))


def segmentation():
    """Heads and last stages of networks that label pixels, whose kernels have holes; their distance comes last."""
    for n, size in itertools.product((1, 2, 4, 8, 16), (28, 32, 33, 64, 65)):
        for rate in (6, 12, 18, 24, 36):
            yield n, 2048, 256, size, 3, 1, 1, 2, rate
        for c, rate in ((256, 2), (512, 2), (512, 4)):
            yield n, c, c, size, 3, 1, 1, 2, rate


def convolution_cases():
    shapes = [("convolution", *each, 1) for each in (*convolutions(), *drawn())]
    shapes += [("dilated" if each[-1] > 1 else "grouped", *each) for each in grouped_and_dilated()]
    shapes += [("segmentation", *each) for each in segmentation()]
    for (kind, *shape, dilation), dtype, last in itertools.product(shapes, TYPES, (False, True)):
        n, c, k, size, kernel, stride, groups, space = shape
        if n * max(c * size**space, k * (size // stride) ** space) > 30_000_000 or (last and space != 2):
            continue
        yield {"operation": kind, "type": dtype, "channels_last": last, "shape": [*shape, dilation] if dilation > 1 else shape}


def trial_cases():
    """Convolutions of networks, in the types that differ, and some of those at random."""
    chosen = (*(each for each in convolutions() if each[0] in (4, 16, 64)), *random.Random(3).sample([*drawn()], 250))
    for shape, dtype, last in itertools.product(chosen, ("fp32", "bf16"), (False, True)):
        n, c, k, size, _, stride, _, space = shape
        if n * max(c * size**space, k * (size // stride) ** space) <= 30_000_000 and not (last and space != 2):
            yield {"operation": "trial", "type": dtype, "channels_last": last, "shape": [*shape]}


def padding(kernel: int, stride: int, space: int) -> int:
    """Half of the kernel; patches have none. As in rules.py and workspaces.c."""
    return 0 if space == 2 and kernel == stride and kernel >= 8 else kernel // 2


def measure_convolution(case: dict) -> dict:
    n, c, k, size, kernel, stride, groups, space, *dilated = case["shape"]
    dilation = dilated[0] if dilated else 1
    dtype = TYPES[case["type"]]
    layout = torch.channels_last if case["channels_last"] else torch.contiguous_format
    x = torch.zeros(n, c, *[size] * space, device="cuda", dtype=dtype).to(memory_format=layout)
    w = torch.zeros(k, c // groups, *[kernel] * space, device="cuda", dtype=dtype).to(memory_format=layout)
    common = [stride] * space, [padding(kernel, stride, space) * dilation] * space, [dilation] * space, False, [0] * space, groups
    torch.backends.cudnn.benchmark = case["operation"] == "trial"
    out = (size + 2 * common[1][0] - dilation * (kernel - 1) - 1) // stride + 1
    g = torch.zeros(n, k, *[out] * space, device="cuda", dtype=dtype).to(memory_format=layout)
    calls = {"forward": lambda: torch.ops.aten.convolution(x, w, None, *common)}
    for name, mask in (("data", [True, False, False]), ("filter", [False, True, False])):
        calls[name] = lambda mask=mask: torch.ops.aten.convolution_backward(g, x, w, None, *common, mask)
    found = {name: requests(call) for name, call in calls.items()}
    if case["operation"] == "trial":
        found |= {f"second {name}": requests(call) for name, call in calls.items()}
    return found


def other_cases():
    """Operations by name, each with the function that runs it."""

    def made(*shape, dtype=torch.float32, grad=False):
        if dtype in (torch.int64, torch.int32):
            return torch.randint(0, 1000, shape, device="cuda", dtype=dtype)
        return torch.randn(*shape, device="cuda").to(dtype).requires_grad_(grad)

    for name, dtype in TYPES.items():
        for m, k, n in ((64, 64, 64), (512, 512, 512), (512, 4096, 1000), (4096, 1024, 32000), (2048, 4096, 4096)):
            a, b, bias = made(m, k, dtype=dtype), made(k, n, dtype=dtype), made(n, dtype=dtype)
            yield f"mm {m} {k} {n}", name, lambda a=a, b=b: a @ b
            yield f"addmm {m} {k} {n}", name, lambda a=a, b=b, c=bias: torch.addmm(c, a, b)
            yield f"linear {m} {k} {n}", name, lambda a=a, b=b, c=bias: F.linear(a, b.t(), c)
        for b, s, d in ((8, 128, 64), (96, 512, 64)):
            q = made(b, s, d, dtype=dtype)
            yield f"bmm {b} {s} {d}", name, lambda q=q: q @ q.mT
        for rows, classes in ((4096, 32000), (512, 1000), (8, 2)):
            x, y = made(rows, classes, dtype=dtype, grad=True), torch.randint(0, classes, (rows,), device="cuda")
            yield f"cross_entropy {rows} {classes}", name, lambda x=x, y=y: F.cross_entropy(x, y)
            yield f"cross_entropy backward {rows} {classes}", name, lambda x=x, y=y: torch.autograd.grad(F.cross_entropy(x, y), x)
            yield f"softmax backward {rows} {classes}", name, lambda x=x: torch.autograd.grad(x.softmax(-1).sum(), x)
        for rows, width in ((4096, 768), (64, 1024), (100_000, 256)):
            x, w, c = made(rows, width, dtype=dtype, grad=True), made(width, dtype=dtype, grad=True), made(width, dtype=dtype, grad=True)
            yield f"layer_norm backward {rows} {width}", name, lambda x=x, w=w, c=c: torch.autograd.grad(F.layer_norm(x, (x.shape[1],), w, c).sum(), (x, w, c))
            yield f"rms_norm backward {rows} {width}", name, lambda x=x, w=w: torch.autograd.grad(F.rms_norm(x, (x.shape[1],), w).sum(), (x, w))
        for b, h, s, d, causal in ((4, 8, 512, 64, True), (4, 8, 700, 64, False), (1, 16, 2048, 128, True), (16, 12, 197, 64, False), (2, 4, 1, 64, False), (3, 5, 77, 96, True), (2, 8, 1000, 80, False), (2, 2, 300, 256, True), (2, 2, 300, 36, False), (128, 16, 64, 128, True), (1, 1, 33, 8, False)):
            q, k, v = (made(b, h, s, d, dtype=dtype, grad=True) for _ in range(3))
            mask = torch.ones(b, 1, s, s, device="cuda", dtype=torch.bool)
            yield f"attention {b} {h} {s} {d} {causal}", name, lambda q=q, k=k, v=v, c=causal: F.scaled_dot_product_attention(q, k, v, is_causal=c)
            yield f"attention backward {b} {h} {s} {d} {causal}", name, lambda q=q, k=k, v=v, c=causal: torch.autograd.grad(F.scaled_dot_product_attention(q, k, v, is_causal=c).sum(), (q, k, v))
            one = made(b, 1, s, d, dtype=dtype, grad=True)
            yield f"attention grouped backward {b} {h} {s} {d}", name, lambda q=q, k=one: torch.autograd.grad(F.scaled_dot_product_attention(q, k, k, enable_gqa=True).sum(), (q, k))
            yield f"attention dropout backward {b} {h} {s} {d} {causal}", name, lambda q=q, k=k, v=v, c=causal: torch.autograd.grad(F.scaled_dot_product_attention(q, k, v, is_causal=c, dropout_p=0.1).sum(), (q, k, v))
            yield f"attention masked backward {b} {h} {s} {d}", name, lambda q=q, k=k, v=v, m=mask: torch.autograd.grad(F.scaled_dot_product_attention(q, k, v, attn_mask=m).sum(), (q, k, v))
        for count, rows, width in ((4096, 32000, 512), (100, 1000, 64), (40000, 200000, 32)):
            ids, table = torch.randint(0, rows, (count,), device="cuda"), made(rows, width, dtype=dtype, grad=True)
            yield f"embedding backward {count} {rows} {width}", name, lambda i=ids, t=table: torch.autograd.grad(F.embedding(i, t).sum(), t)
        for count in (1000, 100_000, 4_000_000):
            x = made(count, dtype=dtype)
            ids = torch.randint(0, count, (count,), device="cuda")
            yield f"sort {count}", name, lambda x=x: torch.sort(x)
            yield f"topk {count}", name, lambda x=x: torch.topk(x, 10)
            yield f"cumsum {count}", name, lambda x=x: x.cumsum(0)
            yield f"sum {count}", name, lambda x=x: x.sum()
            yield f"max {count}", name, lambda x=x: x.max()
            yield f"nonzero {count}", name, lambda x=x: (x > 0).nonzero()
            yield f"masked {count}", name, lambda x=x: x[x > 0]
            yield f"index_put {count}", name, lambda x=x, i=ids: x.index_put_((i,), x, accumulate=True)
            yield f"index backward {count}", name, lambda x=x, i=ids: torch.ops.aten.index_put(x, [i], x, True)
            yield f"scatter_add {count}", name, lambda x=x, i=ids: torch.zeros_like(x).scatter_add_(0, i, x)
            yield f"index_add {count}", name, lambda x=x, i=ids: torch.zeros_like(x).index_add_(0, i, x)
            yield f"unique {count}", name, lambda i=ids: torch.unique(i)
            yield f"bincount {count}", name, lambda i=ids: torch.bincount(i)
            yield f"randperm {count}", name, lambda c=count: torch.randperm(c, device="cuda")
            yield f"multinomial {count}", name, lambda x=x: torch.multinomial(x.float().abs()[: 1 << 20], 1)
            yield f"dropout {count}", name, lambda x=x: F.dropout(x)
            yield f"norm {count}", name, lambda x=x: torch.nn.utils.get_total_norm([x, x])
        for c, size in ((64, 56), (256, 14)):
            x, w, b = made(16, c, size, size, dtype=dtype, grad=True), made(c, grad=True), made(c, grad=True)
            yield f"batch_norm backward {c} {size}", name, lambda x=x, w=w, b=b: torch.autograd.grad(F.batch_norm(x, None, None, w, b, True).sum(), (x, w, b))
            yield f"batch_norm channels_last backward {c} {size}", name, lambda x=x.detach().to(memory_format=torch.channels_last).requires_grad_(), w=w, b=b: torch.autograd.grad(F.batch_norm(x, None, None, w, b, True).sum(), (x, w, b))
            yield f"group_norm backward {c} {size}", name, lambda x=x, w=w, b=b: torch.autograd.grad(F.group_norm(x, 8, w.to(x.dtype), b.to(x.dtype)).sum(), (x,))
            yield f"interpolate backward {c} {size}", name, lambda x=x: torch.autograd.grad(F.interpolate(x, scale_factor=2, mode="bilinear").sum(), x)
            yield f"max_pool backward {c} {size}", name, lambda x=x: torch.autograd.grad(F.max_pool2d(x, 2).sum(), x)
    for b, n in ((1, 64), (1, 512), (1, 2048), (8, 64), (8, 256), (4, 1024)):
        x = made(b, n, n)
        x = x @ x.mT + n * torch.eye(n, device="cuda")
        y = made(b, n, 4)
        for name in ("cholesky", "inv", "qr", "eigh", "svd", "det", "lu"):
            yield f"linalg {name} {b} {n}", "fp32", lambda f=getattr(torch.linalg, name), x=x: f(x)
        yield f"linalg solve {b} {n}", "fp32", lambda x=x, y=y: torch.linalg.solve(x, y)
    for layers, both, hidden, width, batch, length, cell in (
        (1, False, 128, 64, 8, 20, "LSTM"), (2, False, 128, 64, 8, 20, "LSTM"), (1, False, 512, 256, 64, 120, "LSTM"), (1, True, 512, 256, 64, 120, "LSTM"), (1, False, 512, 256, 32, 120, "LSTM"),
        (1, False, 512, 256, 64, 60, "LSTM"), (1, False, 256, 256, 64, 120, "LSTM"), (1, False, 512, 512, 64, 120, "LSTM"), (2, False, 512, 256, 64, 120, "LSTM"), (3, False, 512, 256, 64, 120, "LSTM"),
        (2, True, 256, 128, 16, 50, "LSTM"), (1, False, 512, 256, 64, 120, "GRU"), (2, True, 256, 128, 16, 50, "GRU"), (1, False, 320, 80, 16, 200, "GRU"), (3, True, 320, 80, 16, 200, "GRU"), (1, False, 512, 256, 64, 120, "RNN"),
    ):
        for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
            net = getattr(torch.nn, cell)(width, hidden, layers, bidirectional=both).cuda().to(dtype)
            x = torch.zeros(length, batch, width, device="cuda", dtype=dtype, requires_grad=True)
            shape = f"{layers} {int(both)} {hidden} {width} {batch} {length}"
            yield f"{cell} forward {shape}", name, lambda net=net, x=x: net(x)
            yield f"{cell} inference {shape}", name, lambda net=net, x=x.detach(): torch.no_grad()(net.eval())(x)
            yield f"{cell} backward {shape}", name, lambda net=net.train(), x=x: torch.autograd.grad(net.train()(x)[0].sum(), (x, *net.parameters()))


def others(rows: list[dict], until: float, only: str = "") -> None:
    """Adds the rows of all but convolutions."""
    for name, dtype, action in other_cases():
        if not name.startswith(only):
            continue
        if time.time() > until:
            print("out of time", flush=True)
            return
        try:
            action()
            rows.append({"operation": name, "type": dtype, "requests": requests(action)})
        except RuntimeError as problem:
            rows.append({"operation": name, "type": dtype, "problem": str(problem).splitlines()[0]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--only", default="", help="start of the operations' names")
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.randn(8, 8, device="cuda") @ torch.randn(8, 8, device="cuda")
    began, rows = time.time(), []
    for number, case in enumerate((*convolution_cases(), *trial_cases())):
        if number % options.parts != options.part or not case["operation"].startswith(options.only):
            continue
        if time.time() - began > options.seconds:
            print(f"part {options.part}: out of time at case {number}", flush=True)
            break
        try:
            rows.append(case | measure_convolution(case))
        except RuntimeError as problem:
            rows.append(case | {"problem": str(problem).splitlines()[0]})
    if options.part == 0:
        try:
            others(rows, began + 1.5 * options.seconds, options.only)
        except Exception as problem:
            print(f"other operations end early: {problem!r}", flush=True)
    head = {"device": torch.cuda.get_device_name(), "pytorch": torch.__version__, "cudnn": torch.backends.cudnn.version()}
    name = "hidden.json" if options.parts == 1 else f"hidden-{options.part}.json"
    (options.folder / name).write_text(json.dumps(head | {"rows": rows}) + "\n")
    print(f"part {options.part}: {len(rows)} rows, {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
