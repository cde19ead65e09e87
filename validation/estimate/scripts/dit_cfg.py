"""
DiT on latents, trained with a rectified flow objective in bf16; afterwards sampling with classifier-free guidance
(Heun steps, batch doubled for the guidance, different numbers of pictures).
"""
from contextlib import nullcontext
from dataclasses import dataclass
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Cfg:
    side: int = 32
    channels: int = 4
    patch: int = 2
    width: int = 768
    depth: int = 12
    heads: int = 12
    classes: int = 1000
    batch: int = 48
    steps: int = 10
    drop: float = 0.1
    guidance: float = 4.0
    sampling_steps: int = 12


def modulate(x, shift, scale):
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


def sincos(t, dim):
    freqs = torch.exp(-torch.arange(dim // 2, device=t.device) / (dim // 2) * 9.21)
    args = t[:, None].float() * 1000 * freqs
    return torch.cat([args.cos(), args.sin()], -1)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c.heads
        self.norm1 = nn.LayerNorm(c.width, elementwise_affine=False, eps=1e-6)
        self.norm2 = nn.LayerNorm(c.width, elementwise_affine=False, eps=1e-6)
        self.qkv, self.proj = nn.Linear(c.width, 3 * c.width), nn.Linear(c.width, c.width)
        self.mlp = nn.Sequential(nn.Linear(c.width, 4 * c.width), nn.GELU(approximate="tanh"), nn.Linear(4 * c.width, c.width))
        self.ada = nn.Sequential(nn.SiLU(), nn.Linear(c.width, 6 * c.width))
        nn.init.zeros_(self.ada[1].weight)
        nn.init.zeros_(self.ada[1].bias)

    def forward(self, x, cond):
        s1, c1, g1, s2, c2, g2 = self.ada(cond).chunk(6, -1)
        b, n, d = x.shape
        q, k, v = self.qkv(modulate(self.norm1(x), s1, c1)).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        x = x + g1.unsqueeze(1) * self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, d))
        return x + g2.unsqueeze(1) * self.mlp(modulate(self.norm2(x), s2, c2))


class DiT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        n = (c.side // c.patch) ** 2
        self.patchify = nn.Conv2d(c.channels, c.width, c.patch, c.patch)
        self.pos = nn.Parameter(torch.randn(1, n, c.width) * 0.02)
        self.time = nn.Sequential(nn.Linear(256, c.width), nn.SiLU(), nn.Linear(c.width, c.width))
        self.label = nn.Embedding(c.classes + 1, c.width)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c.depth))
        self.final = nn.Linear(c.width, c.patch**2 * c.channels)

    def forward(self, x, t, y):
        h = self.patchify(x).flatten(2).transpose(1, 2) + self.pos
        cond = self.time(sincos(t, 256)) + self.label(y)
        for block in self.blocks:
            h = block(h, cond)
        h = self.final(F.layer_norm(h, h.shape[-1:]))
        s, p = self.c.side // self.c.patch, self.c.patch
        return h.view(len(x), s, s, p, p, -1).permute(0, 5, 1, 3, 2, 4).reshape_as(x)


@torch.no_grad()
def sample(model, cfg, labels):
    n = len(labels)
    x = torch.randn(n, cfg.channels, cfg.side, cfg.side, device="cuda")
    nothing = torch.full_like(labels, cfg.classes)
    grid = torch.linspace(0, 1, cfg.sampling_steps + 1, device="cuda")

    def velocity(x, t):
        v = model(torch.cat([x, x]), t.expand(2 * n), torch.cat([labels, nothing])).float()
        with_label, without = v.chunk(2)
        return without + cfg.guidance * (with_label - without)

    for now, then in zip(grid[:-1], grid[1:]):
        v = velocity(x, now)
        guess = x + (then - now) * v
        x = x + (then - now) * 0.5 * (v + velocity(guess, then)) if then < 1 else guess
    return x


def main():
    cfg = Cfg()
    torch.manual_seed(0)
    model = DiT(cfg).cuda()
    ema = copy.deepcopy(model).requires_grad_(False)
    amp = torch.autocast("cuda", dtype=torch.bfloat16) if torch.cuda.is_bf16_supported() else nullcontext()
    opt = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=0.0, fused=True)
    for step in range(cfg.steps):
        x = torch.randn(cfg.batch, cfg.channels, cfg.side, cfg.side).cuda() * 0.18
        y = torch.randint(0, cfg.classes, (cfg.batch,), device="cuda")
        y = torch.where(torch.rand(cfg.batch, device="cuda") < cfg.drop, cfg.classes, y)
        t = torch.sigmoid(torch.randn(cfg.batch, device="cuda"))
        noise = torch.randn_like(x)
        mixed = (1 - t.view(-1, 1, 1, 1)) * noise + t.view(-1, 1, 1, 1) * x
        with amp:
            loss = F.mse_loss(model(mixed, t, y).float(), x - noise)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(ema.parameters()), list(model.parameters()), 0.001)
        if step % 5 == 0:
            print(step, loss.item())
    with amp:
        for count in (4, 16, 64):
            out = sample(ema, cfg, torch.randint(0, cfg.classes, (count,), device="cuda"))
            print(count, out.mean().item(), out.std().item())


main()
