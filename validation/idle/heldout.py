"""Programs that nothing in `allocsim idle` was fitted to, in the form of programs.py: recorded after the predictions were settled.

    python3 heldout.py FOLDER --only rnn,gan,detector,tokens,jpegs,evaluations,server,micro_batches,graphed
    python3 heldout.py FOLDER --only ddp_gradients,ddp_straggler

The first line needs one GPU, eight processors and Torchvision, and should take less than five minutes; the second two GPUs of one host,
which NCCL links, and less than three. Each program writes its files when it is done, so that the lists can be divided. Options and files
are those of programs.py. In addition, PROGRAM.json has the change of each variant as
`allocsim idle FOLDER/PROGRAM.base.trace.json.gz --what-if CHANGE` takes it (`what_if`). Ranks have a folder each:
FOLDER/rank-1/ddp_straggler.base.trace.json.gz.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import io
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import programs
import torch
import torchvision
from PIL import Image
from programs import Options, Samples, Step, Transformer, batches, captured, convolutions, end, pictures, trained, words
from torch import Tensor, nn
from torch.nn import functional as F

RANKS = 2
RANK_SECONDS = 180


def copied(data: Any, options: Options) -> Any:
    """A batch on the GPU, whatever it consists of."""
    if isinstance(data, Tensor):
        return data.cuda(non_blocking=options.non_blocking)
    if isinstance(data, dict):
        return {key: copied(each, options) for key, each in data.items()}
    return [copied(each, options) for each in data]


def counted() -> Iterator[int]:
    return iter(range(1 << 30))


class Cells(nn.Module):
    """A recurrent network with a loop over time and a look at the state before."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(classes, width), nn.Linear(width, classes)
        self.cells = nn.ModuleList(nn.GRUCell(width, width) for _ in range(2))

    def forward(self, tokens: Tensor) -> Tensor:
        embedded = self.embed(tokens)
        states = [embedded.new_zeros(len(tokens), embedded.shape[-1]) for _ in self.cells]
        outputs = []
        for at in range(tokens.shape[1]):
            below = embedded[:, at]
            for layer, cell in enumerate(self.cells):
                below = states[layer] = cell(below, states[layer])
            outputs.append(below)
        return self.head(torch.stack(outputs, 1))


def rnn(options: Options) -> Step:
    """Kernels too small for their launches, and two waits in each step."""
    tokens, targets = (torch.randint(0, 512, (16, 40), device="cuda") for _ in range(2))
    model = Cells(256, 512).cuda()
    optimizer = torch.optim.RMSprop(model.parameters(), 1e-3, capturable=True)

    def work() -> Tensor:
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    once, steps = captured(work) if options.graphed else work, counted()
    return lambda: end(options, next(steps), once())


def gan(options: Options) -> Step:
    """Two networks, two optimizers, two losses that are printed."""
    made = nn.Sequential(
        nn.ConvTranspose2d(64, 256, 4), nn.BatchNorm2d(256), nn.ReLU(), nn.ConvTranspose2d(256, 128, 4, 2, 1), nn.BatchNorm2d(128), nn.ReLU(),
        nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.BatchNorm2d(64), nn.ReLU(), nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh(),
    ).cuda()
    judged = nn.Sequential(
        nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(64, 128, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(128, 256, 4, 2, 1),
        nn.LeakyReLU(0.2), nn.Conv2d(256, 1, 8), nn.Flatten(),
    ).cuda()
    makes, judges = (torch.optim.Adam(each.parameters(), 2e-4, (0.5, 0.999)) for each in (made, judged))
    data, steps = batches(Samples(pictures(64), work=24), 64, options), counted()

    def step() -> None:
        number = next(steps)
        real = copied(next(data), options)[0]
        fake = made(torch.randn(len(real), 64, 1, 1, device="cuda"))
        judgement = F.softplus(-judged(real)).mean() + F.softplus(judged(fake.detach())).mean()
        judges.zero_grad()
        judgement.backward()
        judges.step()
        if options.item_every and number % options.item_every == 0:
            judgement.item()
        deception = F.softplus(-judged(fake)).mean()
        makes.zero_grad()
        deception.backward()
        makes.step()
        end(options, number, deception)

    return step


def boxes(size: int) -> Callable[[int], tuple[Tensor, dict[str, Tensor]]]:
    """A picture with one to twelve objects."""

    def make(index: int) -> tuple[Tensor, dict[str, Tensor]]:
        drawn = torch.Generator().manual_seed(index)
        count = 1 + index * 7 % 12
        corners = torch.rand(count, 2, generator=drawn) * size * 0.6
        sides = size * (0.1 + 0.25 * torch.rand(count, 2, generator=drawn))
        where = torch.cat((corners, corners + sides), 1)
        return torch.rand(3, size, size, generator=drawn), {"boxes": where, "labels": 1 + torch.arange(count) % 8}

    return make


def detector(options: Options) -> Step:
    """Shapes that follow from values: the host waits for suppressions and selections many times in a step."""
    model = torchvision.models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=9).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 1e-3, 0.9)
    data, steps = batches(Samples(boxes(320), work=48), 4, options, collate=list), counted()

    def step() -> None:
        losses = model(*map(list, zip(*copied(next(data), options))))
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        end(options, next(steps), loss)

    return step


def text(index: int) -> str:
    """Words with few stems; each eighth batch of eight has long texts."""
    drawn = numpy.random.default_rng(index)
    count = int(drawn.integers(320, 420) if index // 8 % 8 == 7 else drawn.integers(60, 120))
    return " ".join("".join(chr(97 + letter) for letter in drawn.integers(0, 12, drawn.integers(2, 9))) for _ in range(count))


class Tokenizer:
    """Merges pairs of letters, as byte-pair encoding does, in plain Python; texts become as long as the longest."""

    def __init__(self, vocabulary: int, longest: int) -> None:
        drawn = numpy.random.default_rng(0)
        pairs = (tuple(chr(97 + letter) for letter in drawn.integers(0, 12, 2)) for _ in range(400))
        self.ranks = {pair: rank for rank, pair in enumerate(dict.fromkeys(pairs))}
        self.vocabulary, self.longest = vocabulary, longest

    def merged(self, word: str) -> list[str]:
        parts = list(word)
        while len(parts) > 1:
            rank, at = min((self.ranks.get(pair, 1 << 30), at) for at, pair in enumerate(zip(parts, parts[1:])))
            if rank == 1 << 30:
                break
            parts[at : at + 2] = ["".join(parts[at : at + 2])]
        return parts

    def __call__(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        rows = []
        for each in texts:
            row = [sum(ord(letter) * 31**at for at, letter in enumerate(part)) % self.vocabulary for word in each.split() for part in self.merged(word)]
            rows.append(row[: self.longest])
        width = max(map(len, rows))
        tokens = torch.tensor([row + [0] * (width - len(row)) for row in rows])
        return tokens, tokens.roll(-1, 1)


def tokens(options: Options) -> Step:
    """Text becomes tokens while the model trains; the batches take unequal times."""
    data = batches(Samples(text), 8, options, collate=Tokenizer(8192, 512))
    return trained(Transformer(8192, 512, 4, 8), data, options, amp=True)


class Jpegs:
    """Decodes a JPEG, crops, scales and mirrors it, as Torchvision's pipelines do with PIL."""

    def __init__(self, count: int, size: int) -> None:
        drawn = numpy.random.default_rng(0)
        self.files, self.size = [], size
        for _ in range(count):
            coarse = Image.fromarray(drawn.integers(0, 256, (12, 16, 3), dtype=numpy.uint8))
            file = io.BytesIO()
            coarse.resize((400, 300), Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
            self.files.append(file.getvalue())

    def __call__(self, index: int) -> tuple[Tensor, Tensor]:
        with Image.open(io.BytesIO(self.files[index % len(self.files)])) as opened:
            picture = opened.convert("RGB")
        left, top = index % 60, index % 45
        picture = picture.resize((self.size, self.size), Image.Resampling.BILINEAR, (left, top, left + 300, top + 240))
        if index % 2:
            picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        pixels = torch.from_numpy(numpy.array(picture)).permute(2, 0, 1).float().div(255)
        return (pixels - 0.45) / 0.225, torch.tensor(index % 10)


def jpegs(options: Options) -> Step:
    return trained(convolutions(96, 6), batches(Samples(Jpegs(16, 160)), 24, options), options, amp=True)


def evaluations(options: Options) -> Step:
    """Each fifth step also evaluates: a cache that is emptied and a collection before it, predictions that go to the host."""
    model = Transformer(8192, 384, 6, 6)
    training = dataclasses.replace(options, empty_cache=False, collect_garbage=False)
    train = trained(model, batches(Samples(words(256, 8192)), 8, options), training, amp=True)
    held, steps = batches(Samples(words(384, 8192)), 16, options), counted()

    def step() -> None:
        train()
        number = next(steps)
        if number % 5 != 4:
            return
        end(dataclasses.replace(options, item_every=0), number, torch.empty(()))
        model.eval()
        right = []
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            for _ in range(3):
                inputs, targets = next(held)
                found = model(copied(inputs, options)).argmax(-1)
                right.append((found.cpu() == targets).float().mean().item())
        model.train()

    return step


def server(options: Options) -> Step:
    """Answers requests of one to eight pictures, one batch after the other; a step is eight batches."""
    model = convolutions(96, 12).cuda().half().to(memory_format=torch.channels_last).eval()
    drawn = numpy.random.default_rng(0)
    requests = [drawn.integers(0, 256, (count, 128, 128, 3), dtype=numpy.uint8) for count in (1, 2, 1, 4, 8, 1, 3, 2)]
    ready = {}

    @torch.inference_mode()
    def answers(inputs: Tensor) -> Tensor:
        scaled = inputs.permute(0, 3, 1, 2).half().sub(117).div(58).contiguous(memory_format=torch.channels_last)
        return model(scaled).float().softmax(-1).topk(3).values

    if options.graphed:
        for count in {len(each) for each in requests}:
            kept = torch.zeros(count, 128, 128, 3, dtype=torch.uint8, device="cuda")
            ready[count] = kept, captured(functools.partial(answers, kept))

    @torch.inference_mode()
    def step() -> None:
        for each in requests:
            received = torch.from_numpy(numpy.ascontiguousarray(each[:, ::-1]))
            inputs = copied(received.pin_memory() if options.pinned else received, options)
            if options.graphed:
                kept, replay = ready[len(each)]
                kept.copy_(inputs)
                found = replay()
            else:
                found = answers(inputs)
            found.tolist()
            if options.synchronize:
                torch.cuda.synchronize()

    return step


def fields(size: int) -> Callable[[int], Any]:
    """A sample of many fields, large and small."""
    return lambda index: {
        "picture": torch.full((3, size, size), index % 251, dtype=torch.uint8), "mask": torch.full((size, size), index % 5),
        "depth": torch.full((1, size, size), 0.5), "label": torch.tensor(index % 10), "camera": torch.eye(4) * (1 + index % 3),
        "weight": torch.tensor(1.0), "time": torch.tensor(index % 24),
    }


class Fields(nn.Module):
    """Pictures, depth, cameras and times become a map of classes and a class."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(4, width, 3, 1, 1)
        self.body = nn.Sequential(*[layer for _ in range(5) for layer in (nn.Conv2d(width, width, 3, 1, 1), nn.BatchNorm2d(width), nn.ReLU())])
        self.place, self.hour = nn.Linear(16, width), nn.Embedding(24, width)
        self.map, self.whole = nn.Conv2d(width, 5, 1), nn.Linear(width, 10)

    def forward(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        hidden = self.first(torch.cat((batch["picture"].float() / 255, batch["depth"]), 1))
        hidden = self.body(hidden + (self.place(batch["camera"].flatten(1)) + self.hour(batch["time"]))[:, :, None, None])
        return self.map(hidden), self.whole(hidden.mean((2, 3)))


def micro_batches(options: Options) -> Step:
    """Four micro-batches for a step, each with copies of seven tensors."""
    model = Fields(64).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    data, steps = batches(Samples(fields(128)), 16, options), counted()

    def step() -> None:
        total = torch.zeros((), device="cuda")
        for _ in range(4):
            batch = copied(next(data), options)
            with torch.autocast("cuda", torch.bfloat16):
                mapped, whole = model(batch)
                loss = F.cross_entropy(mapped, batch["mask"]) + (F.cross_entropy(whole, batch["label"], reduction="none") * batch["weight"]).mean()
            (loss / 4).backward()
            total += loss.detach()
        optimizer.step()
        optimizer.zero_grad()
        end(options, next(steps), total)

    return step


def graphed(options: Options) -> Step:
    """A training step that is one launch, and the data before it."""
    size = max(1, int(48 * options.batch))
    kept = torch.zeros(size, 3, 96, 96, device="cuda"), torch.zeros(size, dtype=torch.long, device="cuda")
    model = convolutions(96, 10).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, capturable=True)

    def work() -> Tensor:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            loss = F.cross_entropy(model(kept[0]), kept[1])
        loss.backward()
        optimizer.step()
        return loss

    replay = captured(work)
    # What threads of the loader ask of the driver would end the capture.
    data, steps = batches(Samples(pictures(96), sleep=0.0004), 48, options), counted()

    def step() -> None:
        for into, each in zip(kept, next(data)):
            into.copy_(each, non_blocking=options.non_blocking)
        end(options, next(steps), replay())

    return step


def wrapped(model: nn.Module) -> nn.Module:
    return nn.parallel.DistributedDataParallel(model.cuda(), device_ids=[torch.cuda.current_device()])


def ddp_gradients(options: Options) -> Step:
    """Many gradients, little work: the GPUs reduce most of the time."""
    with torch.device("cuda"):
        layers = [layer for _ in range(20) for layer in (nn.Linear(4096, 4096), nn.GELU())]
        model = nn.Sequential(*layers, nn.Linear(4096, 10))
    data = batches(Samples(lambda index: (torch.full((4096,), index % 7 / 7), torch.tensor(index % 10))), 64, options)
    return trained(wrapped(model), data, dataclasses.replace(options, fused=True), amp=True)


def ddp_straggler(options: Options) -> Step:
    """The data of the last rank takes longer; the other waits for it in its collectives."""
    late = torch.distributed.get_rank() == RANKS - 1
    data = batches(Samples(pictures(128), sleep=0.0025 if late else 0.0005), 16, options)
    return trained(wrapped(convolutions(96, 8)), data, options, amp=True)


PROGRAMS: programs.Programs = {
    "rnn": (rnn, {
        "base": Options(item_every=1, synchronize=True), "no-item": Options(synchronize=True, what_if="no-item"),
        "no-synchronize": Options(item_every=1, what_if="no-synchronize"), "neither": Options(what_if="no-item,no-synchronize"),
        "graphed": Options(item_every=1, synchronize=True, graphed=True, what_if="graphs"),
    }),
    "gan": (gan, {
        "base": Options(workers=1, item_every=1), "no-item": Options(workers=1, what_if="no-item"),
        "workers-4": Options(workers=4, item_every=1, what_if="workers=4"),
        "pinned": Options(workers=1, item_every=1, pinned=True, non_blocking=True, what_if="pinned,non-blocking"),
        "all": Options(workers=4, pinned=True, non_blocking=True, what_if="workers=4,pinned,non-blocking,no-item"),
    }),
    "detector": (detector, {
        "base": Options(workers=1, item_every=1, empty_cache=True), "no-item": Options(workers=1, empty_cache=True, what_if="no-item"),
        "no-empty-cache": Options(workers=1, item_every=1, what_if="no-empty-cache"),
        "workers-4": Options(workers=4, item_every=1, empty_cache=True, what_if="workers=4"),
        "all": Options(workers=4, pinned=True, non_blocking=True, what_if="workers=4,pinned,non-blocking,no-item,no-empty-cache"),
    }),
    "tokens": (tokens, {
        "base": Options(workers=1), "workers-2": Options(workers=2, what_if="workers=2"), "workers-4": Options(workers=4, what_if="workers=4"),
        "prefetch-8": Options(workers=1, prefetch=8, what_if="prefetch=8"), "item": Options(workers=1, item_every=1, what_if="item"),
    }),
    "jpegs": (jpegs, {
        "base": Options(workers=2), "workers-1": Options(workers=1, what_if="workers=1"), "workers-4": Options(workers=4, what_if="workers=4"),
        "workers-8": Options(workers=8, what_if="workers=8"),
        "pinned": Options(workers=2, pinned=True, non_blocking=True, what_if="pinned,non-blocking"),
    }),
    "evaluations": (evaluations, {
        "base": Options(workers=1, item_every=1, empty_cache=True, collect_garbage=True),
        "no-item": Options(workers=1, empty_cache=True, collect_garbage=True, what_if="no-item"),
        "no-empty-cache": Options(workers=1, item_every=1, collect_garbage=True, what_if="no-empty-cache"),
        "no-collect": Options(workers=1, item_every=1, empty_cache=True, what_if="no-gc"),
        "neither": Options(workers=1, item_every=1, what_if="no-empty-cache,no-gc"),
    }),
    "server": (server, {
        "base": Options(synchronize=True), "no-synchronize": Options(what_if="no-synchronize"),
        "pinned": Options(synchronize=True, pinned=True, non_blocking=True, what_if="pinned,non-blocking"),
        "both": Options(pinned=True, non_blocking=True, what_if="no-synchronize,pinned,non-blocking"),
        "graphed": Options(synchronize=True, graphed=True, what_if="graphs"),
    }),
    "micro_batches": (micro_batches, {
        "base": Options(workers=2, item_every=1), "workers-8": Options(workers=8, item_every=1, what_if="workers=8"),
        "no-item": Options(workers=2, what_if="no-item"), "pinned": Options(workers=2, item_every=1, pinned=True, what_if="pinned"),
        "all": Options(workers=8, pinned=True, non_blocking=True, what_if="workers=8,pinned,non-blocking,no-item"),
    }),
    "graphed": (graphed, {
        "base": Options(workers=1, item_every=1), "workers-4": Options(workers=4, item_every=1, what_if="workers=4"),
        "no-item": Options(workers=1, what_if="no-item"),
        "pinned": Options(workers=1, item_every=1, pinned=True, non_blocking=True, what_if="pinned,non-blocking"),
        "all": Options(workers=4, pinned=True, non_blocking=True, what_if="workers=4,pinned,non-blocking,no-item"),
    }),
    "ddp_gradients": (ddp_gradients, {
        "base": Options(workers=1, item_every=1, synchronize=True), "no-item": Options(workers=1, synchronize=True, what_if="no-item"),
        "neither": Options(workers=1, what_if="no-item,no-synchronize"), "workers-4": Options(workers=4, item_every=1, synchronize=True, what_if="workers=4"),
        "pinned": Options(workers=1, item_every=1, synchronize=True, pinned=True, non_blocking=True, what_if="pinned,non-blocking"),
    }),
    "ddp_straggler": (ddp_straggler, {
        "base": Options(workers=1, item_every=1), "workers-2": Options(workers=2, item_every=1, what_if="workers=2"),
        "workers-4": Options(workers=4, item_every=1, what_if="workers=4"), "no-item": Options(workers=1, what_if="no-item"),
        "pinned": Options(workers=1, item_every=1, pinned=True, non_blocking=True, what_if="pinned,non-blocking"),
    }),
}
ON_RANKS = ("ddp_gradients", "ddp_straggler")


def measure_rank(rank: int, name: str, folder: Path, steps: int, turns: int, traces: bool, port: int) -> None:
    """One rank of a program: its own figures and profiles."""
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group(
        "nccl", f"tcp://127.0.0.1:{port}", datetime.timedelta(seconds=RANK_SECONDS), RANKS, rank, device_id=torch.device("cuda", rank)
    )
    make, variants = PROGRAMS[name]
    own = folder / f"rank-{rank}"
    own.mkdir(parents=True, exist_ok=True)
    figures: dict[str, list[dict]] = {variant: [] for variant in variants}
    for turn in range(turns):
        for variant, options in variants.items():
            files = programs.trace_files(own, name, variant) if traces and turn == 0 else {}
            figures[variant].append(programs.one_turn(make, options, 0, steps, files))
            print(name, variant, f"rank {rank}", json.dumps(figures[variant][-1]), flush=True)
    programs.write(name, own, variants, figures)
    torch.distributed.destroy_process_group()


def measure(name: str, make: Callable[[Options], Step], variants: programs.Variants, folder: Path, steps: int, turns: int, traces: bool) -> None:
    if name not in ON_RANKS:
        programs.measure(name, make, variants, folder, steps, turns, traces)
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(measure_rank, (name, folder, steps, turns, traces, port), RANKS)


if __name__ == "__main__":
    programs.main(PROGRAMS, __doc__, measure, turns=2)
