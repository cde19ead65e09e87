"""Denoising diffusion on 64x64 images: attention U-Net, cosine schedule, EMA weights, DDIM sampling."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

T, BATCH, STEPS, BASE = 1000, 64, 25, 96

def time_embedding(t, dim):
    freqs = torch.exp(-math.log(10000) * torch.arange(dim // 2, device=t.device) / (dim // 2))
    return torch.cat([(t[:, None] * freqs).sin(), (t[:, None] * freqs).cos()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, i, o, emb):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, i), nn.Conv2d(i, o, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(32, o), nn.Conv2d(o, o, 3, padding=1)
        self.emb = nn.Linear(emb, o)
        self.skip = nn.Conv2d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x, e):
        h = self.conv1(F.silu(self.norm1(x))) + self.emb(e)[:, :, None, None]
        h = self.conv2(F.dropout(F.silu(self.norm2(h)), 0.1, self.training))
        return h + self.skip(x)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm, self.qkv, self.out = nn.GroupNorm(32, c), nn.Conv2d(c, 3 * c, 1), nn.Conv2d(c, c, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, 3, 4, c // 4, h * w).transpose(-1, -2).unbind(1)
        return x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(b, c, h, w))


class UNet(nn.Module):
    def __init__(self, c=BASE):
        super().__init__()
        e = 4 * c
        self.time = nn.Sequential(nn.Linear(c, e), nn.SiLU(), nn.Linear(e, e), nn.SiLU())
        self.inp = nn.Conv2d(3, c, 3, padding=1)
        self.d1, self.d2, self.d3 = ResBlock(c, c, e), ResBlock(c, 2 * c, e), ResBlock(2 * c, 4 * c, e)
        self.mid1, self.attn, self.mid2 = ResBlock(4 * c, 4 * c, e), Attention(4 * c), ResBlock(4 * c, 4 * c, e)
        self.u3, self.u2, self.u1 = ResBlock(8 * c, 2 * c, e), ResBlock(4 * c, c, e), ResBlock(2 * c, c, e)
        self.out = nn.Sequential(nn.GroupNorm(32, c), nn.SiLU(), nn.Conv2d(c, 3, 3, padding=1))

    def forward(self, x, t):
        e = self.time(time_embedding(t, BASE))
        h1 = self.d1(self.inp(x), e)
        h2 = self.d2(F.avg_pool2d(h1, 2), e)
        h3 = self.d3(F.avg_pool2d(h2, 2), e)
        h = self.mid2(self.attn(self.mid1(h3, e)), e)
        h = self.u3(torch.cat([h, h3], 1), e)
        h = self.u2(torch.cat([F.interpolate(h, scale_factor=2), h2], 1), e)
        return self.out(self.u1(torch.cat([F.interpolate(h, scale_factor=2), h1], 1), e))


steps = torch.arange(T + 1) / T
alpha_bar = (torch.cos((steps + 0.008) / 1.008 * math.pi / 2) ** 2).clamp(1e-4, 0.9999).cuda()
model = UNet().cuda()
ema = copy.deepcopy(model).eval().requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
for step in range(STEPS):
    x = torch.rand(BATCH, 3, 64, 64, device="cuda") * 2 - 1
    t = torch.randint(0, T, (BATCH,), device="cuda")
    a, noise = alpha_bar[t].view(-1, 1, 1, 1), torch.randn_like(x)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        predicted = model(a.sqrt() * x + (1 - a).sqrt() * noise, t)
    loss = F.mse_loss(predicted.float(), noise)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    for p, q in zip(ema.parameters(), model.parameters()):
        p.mul_(0.99).add_(q.detach(), alpha=0.01)
    if step % 5 == 0:
        print(f"step {step} loss {loss.item():.4f}")

with torch.no_grad():
    x, times = torch.randn(36, 3, 64, 64, device="cuda"), torch.linspace(T - 1, 0, 26).long().tolist()
    for now, after in zip(times, times[1:]):
        eps = ema(x, torch.full((36,), now, device="cuda"))
        clean = ((x - (1 - alpha_bar[now]).sqrt() * eps) / alpha_bar[now].sqrt()).clamp(-1, 1)
        x = alpha_bar[after].sqrt() * clean + (1 - alpha_bar[after]).sqrt() * eps
print("samples", x.mean().item(), x.std().item())
