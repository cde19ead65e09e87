"""Small programs that train on a GPU, one for each kind of memory use that an attribution has to tell apart."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Attention(nn.Module):
    def __init__(self, width, heads, linear=nn.Linear):
        super().__init__()
        self.heads = heads
        self.qkv = linear(width, 3 * width)
        self.out = linear(width, width)

    def forward(self, x, causal=False):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, linear=nn.Linear, mlp=None):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, linear)
        self.mlp = mlp or nn.Sequential(linear(width, 4 * width), nn.GELU(), linear(4 * width, width))

    def forward(self, x, causal=False):
        x = x + self.attention(self.first(x), causal)
        return x + self.mlp(self.second(x))


class Transformer(nn.Module):
    """A decoder over tokens."""

    def __init__(self, layers=6, width=768, heads=12, words=16000, linear=nn.Linear, mlp=None, checkpointed=False):
        super().__init__()
        self.checkpointed = checkpointed
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(1024, width)
        self.blocks = nn.ModuleList(Block(width, heads, linear, mlp() if mlp else None) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = checkpoint(block, x, True, use_reentrant=True) if self.checkpointed else block(x, True)
        return self.head(self.norm(x))


class LowRank(nn.Module):
    """A frozen layer with a small one beside it that is trained."""

    def __init__(self, inputs, outputs, rank=16):
        super().__init__()
        self.base = nn.Linear(inputs, outputs).requires_grad_(False)
        self.down, self.up = nn.Linear(inputs, rank, bias=False), nn.Linear(rank, outputs, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


class Experts(nn.Module):
    """Every token goes to two of the experts."""

    def __init__(self, width=512, experts=6):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)) for _ in range(experts)
        )

    def forward(self, x):
        flat = x.flatten(0, 1)
        weights, chosen = self.router(flat).softmax(-1).topk(2, dim=-1)
        out = torch.zeros_like(flat)
        for number, expert in enumerate(self.experts):
            rows, slots = (chosen == number).nonzero(as_tuple=True)
            out.index_add_(0, rows, expert(flat[rows]) * weights[rows, slots, None])
        return out.view_as(x)


class VisionTransformer(nn.Module):
    def __init__(self, layers=8, width=512, heads=8, classes=1000):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.place = nn.Parameter(torch.zeros(1, 196, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2) + self.place
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.a, self.b = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.na, self.nb = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.short = nn.Identity() if inputs == outputs and stride == 1 else nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        y = F.relu(self.na(self.a(x)), inplace=True)
        return F.relu(self.nb(self.b(y)) + self.short(x))


class ResNet(nn.Module):
    def __init__(self, widths=(64, 128, 256, 512), classes=1000):
        super().__init__()
        self.stem = nn.Conv2d(3, widths[0], 7, 2, 3, bias=False)
        layers, last = [], widths[0]
        for width in widths:
            layers += [Residual(last, width, 1 if width == last else 2), Residual(width, width)]
            last = width
        self.layers, self.head = nn.Sequential(*layers), nn.Linear(last, classes)

    def forward(self, images):
        x = F.max_pool2d(F.relu(self.stem(images)), 3, 2, 1)
        return self.head(self.layers(x).mean((2, 3)))


class UNet(nn.Module):
    """Predicts the noise of an image at a time of the diffusion."""

    def __init__(self, width=64):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(64, 4 * width), nn.SiLU(), nn.Linear(4 * width, 4 * width))
        self.into, self.out = nn.Conv2d(3, width, 3, 1, 1), nn.Conv2d(width, 3, 3, 1, 1)
        self.down = nn.ModuleList([self.part(width, 2 * width), self.part(2 * width, 4 * width)])
        self.middle, self.attention = self.part(4 * width, 4 * width), Attention(4 * width, 8)
        self.up = nn.ModuleList([self.part(8 * width, 2 * width), self.part(4 * width, width)])

    @staticmethod
    def part(inputs, outputs):
        return nn.Sequential(
            nn.GroupNorm(8, inputs), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, 1, 1),
            nn.GroupNorm(8, outputs), nn.SiLU(), nn.Conv2d(outputs, outputs, 3, 1, 1),
        )

    def forward(self, images, times):
        angles = times[:, None] * torch.exp(-math.log(10000) * torch.arange(32, device=times.device) / 32)
        when = self.time(torch.cat([angles.sin(), angles.cos()], -1))[:, :, None, None]
        x, skips = self.into(images), []
        for part in self.down:
            x = part(x)
            skips.append(x)
            x = F.avg_pool2d(x, 2)
        x = self.middle(x) + when
        batch, width, high, wide = x.shape
        x = x + self.attention(x.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(batch, width, high, wide)
        for part in self.up:
            x = part(torch.cat([F.interpolate(x, scale_factor=2), skips.pop()], 1))
        return self.out(x)


def words_loss(model, batch):
    (tokens,) = batch
    return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1).float(), tokens[:, 1:].flatten())


def classes_loss(model, batch):
    images, labels = batch
    return F.cross_entropy(model(images).float(), labels)


def noise_loss(model, batch):
    images, times = batch
    noise = torch.randn_like(images)
    return F.mse_loss(model(images + noise * times[:, None, None, None], times).float(), noise)


def tokens(batch, length, words):
    return lambda: (torch.randint(words, (batch, length)),)


def images(batch, side):
    return lambda: (torch.randn(batch, 3, side, side), torch.randint(1000, (batch,)))


def diffusion(batch, side):
    return lambda: (torch.randn(batch, 3, side, side), torch.rand(batch))


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=1e-4)


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=1e-2, momentum=0.9)


# Name: model, optimizer, batch, loss, batches for one step, whether lower precision is used.
PROGRAMS = {
    "gpt": (lambda: Transformer(), adamw, tokens(8, 513, 16000), words_loss, 2, True),
    "vit": (lambda: VisionTransformer(), adamw, images(32, 224), classes_loss, 1, True),
    "resnet": (lambda: ResNet(), sgd, images(32, 224), classes_loss, 1, False),
    "lora": (lambda: Transformer(linear=LowRank, checkpointed=True), adamw, tokens(8, 513, 16000), words_loss, 1, True),
    "moe": (lambda: Transformer(4, 512, 8, 8000, mlp=Experts), adamw, tokens(8, 257, 8000), words_loss, 1, False),
    "unet": (lambda: UNet(), adamw, diffusion(16, 64), noise_loss, 1, False),
}
