"""Masked patch modelling of time series: a pre-norm transformer, each block passed to torch.compile."""
import os
import tempfile
from dataclasses import dataclass

import torch
from torch import nn

torch.set_float32_matmul_precision("high")


@dataclass
class Config:
    patch: int = 32
    patches: int = 512
    dim: int = 768
    heads: int = 12
    depth: int = 8
    batch: int = 16
    steps: int = 30
    lr: float = 2e-4


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.scale1 = nn.Parameter(1e-2 * torch.ones(dim))
        self.scale2 = nn.Parameter(1e-2 * torch.ones(dim))

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.qkv(self.ln1(x)).reshape(b, n, 3, self.heads, d // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        a = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.scale1 * self.out(a.transpose(1, 2).reshape(b, n, d))
        return x + self.scale2 * self.mlp(self.ln2(x))


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed = nn.Linear(c.patch, c.dim)
        self.pos = nn.Parameter(0.02 * torch.randn(1, c.patches, c.dim))
        self.mask_token = nn.Parameter(torch.zeros(c.dim))
        self.blocks = nn.ModuleList(torch.compile(Block(c.dim, c.heads)) for _ in range(c.depth))
        self.head = nn.Linear(c.dim, c.patch)

    def forward(self, x, mask):
        h = torch.where(mask.unsqueeze(-1), self.mask_token.to(x.dtype), self.embed(x)) + self.pos
        for block in self.blocks:
            h = block(h)
        return self.head(h)


def series(c):
    t = torch.linspace(0, 60, c.patch * c.patches).repeat(c.batch, 1)
    freq, phase = torch.rand(c.batch, 1) * 5 + 0.5, torch.rand(c.batch, 1) * 6.28
    x = torch.sin(freq * t + phase) + 0.1 * torch.randn_like(t)
    return x.view(c.batch, c.patches, c.patch).cuda()


def main():
    c = Config()
    torch.manual_seed(0)
    model = Model(c).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=c.lr)
    for step in range(c.steps):
        x = series(c)
        mask = torch.rand(c.batch, c.patches, device="cuda") < 0.4
        with torch.autocast("cuda", dtype=torch.bfloat16):
            prediction = model(x, mask)
        loss = (prediction.float() - x)[mask].square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 5 == 0 or step == c.steps - 1:
            print(f"step {step} loss {loss.item():.4f}")
    with tempfile.TemporaryDirectory() as d:
        torch.save({"model": model.state_dict(), "optim": optimizer.state_dict()}, os.path.join(d, "last.pt"))


if __name__ == "__main__":
    main()
