"""Byte-level language model with a minimal Mamba block (the selective scan is a plain python loop)."""
import argparse
import pathlib

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--d_model", type=int, default=384)
parser.add_argument("--n_layer", type=int, default=4)
parser.add_argument("--d_state", type=int, default=16)
parser.add_argument("--length", type=int, default=256)
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--steps", type=int, default=12)
args = parser.parse_args()


class MambaBlock(nn.Module):
    def __init__(self, d_model, d_state, expand=2, d_conv=4):
        super().__init__()
        self.d_inner, self.d_state = expand * d_model, d_state
        self.dt_rank = d_model // 16
        self.norm = nn.LayerNorm(d_model)
        self.in_proj = nn.Linear(d_model, 2 * self.d_inner, bias=False)
        self.conv1d = nn.Conv1d(self.d_inner, self.d_inner, d_conv, groups=self.d_inner, padding=d_conv - 1)
        self.x_proj = nn.Linear(self.d_inner, self.dt_rank + 2 * d_state, bias=False)
        self.dt_proj = nn.Linear(self.dt_rank, self.d_inner)
        A = torch.arange(1, d_state + 1).float().repeat(self.d_inner, 1)
        self.A_log = nn.Parameter(torch.log(A))
        self.D = nn.Parameter(torch.ones(self.d_inner))
        self.out_proj = nn.Linear(self.d_inner, d_model, bias=False)

    def forward(self, inputs):
        b, l, _ = inputs.shape
        x, z = self.in_proj(self.norm(inputs)).chunk(2, dim=-1)
        x = self.conv1d(x.transpose(1, 2))[:, :, :l].transpose(1, 2)
        y = self.ssm(F.silu(x))
        return inputs + self.out_proj(y * F.silu(z))

    def ssm(self, u):
        A = -torch.exp(self.A_log)
        dt, B, C = self.x_proj(u).split([self.dt_rank, self.d_state, self.d_state], dim=-1)
        delta = F.softplus(self.dt_proj(dt))
        return self.selective_scan(u, delta, A, B, C) + u * self.D

    def selective_scan(self, u, delta, A, B, C):
        b, l, d = u.shape
        deltaA = torch.exp(torch.einsum("bld,dn->bldn", delta, A))
        deltaB_u = torch.einsum("bld,bln,bld->bldn", delta, B, u)
        h = torch.zeros(b, d, self.d_state, device=u.device)
        ys = []
        for i in range(l):
            h = deltaA[:, i] * h + deltaB_u[:, i]
            ys.append(torch.einsum("bdn,bn->bd", h, C[:, i]))
        return torch.stack(ys, dim=1)


class ByteMamba(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(256, args.d_model)
        self.blocks = nn.Sequential(*[MambaBlock(args.d_model, args.d_state) for _ in range(args.n_layer)])
        self.norm = nn.LayerNorm(args.d_model)
        self.head = nn.Linear(args.d_model, 256, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.embed(ids))))


# the text: the source code of a module of the standard library
text = torch.tensor(list(pathlib.Path(argparse.__file__).read_bytes()), dtype=torch.long)
torch.manual_seed(3)
model = ByteMamba().cuda()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(args.steps):
    idx = torch.randint(len(text) - args.length - 1, (args.batch,))
    batch = torch.stack([text[i : i + args.length + 1] for i in idx]).cuda()
    logits = model(batch[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, 256), batch[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{step:3d} bits per byte {loss.item() / 0.6931:.3f}")
