"""Glow on 32x32 pictures: actnorm, invertible 1x1 convolutions with LU, affine couplings, checkpointed steps; samples at several temperatures."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class ActNorm(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.loc, self.logs = nn.Parameter(torch.zeros(1, c, 1, 1)), nn.Parameter(torch.zeros(1, c, 1, 1))
        self.register_buffer("ready", torch.tensor(0, dtype=torch.uint8))

    def forward(self, x, logdet):
        if self.ready.item() == 0:
            with torch.no_grad():
                flat = x.transpose(0, 1).flatten(1)
                self.loc.copy_(-flat.mean(1).view(1, -1, 1, 1))
                self.logs.copy_(-torch.log(flat.std(1) + 1e-6).view(1, -1, 1, 1))
                self.ready.fill_(1)
        return (x + self.loc) * self.logs.exp(), logdet + self.logs.sum() * x.shape[2] * x.shape[3]

    def inverse(self, y):
        return y * (-self.logs).exp() - self.loc


class InvConvLU(nn.Module):
    def __init__(self, c):
        super().__init__()
        w, _ = torch.linalg.qr(torch.randn(c, c))
        p, l, u = torch.linalg.lu(w)
        self.register_buffer("p", p)
        self.register_buffer("sign", torch.sign(u.diagonal()))
        self.l, self.u, self.s = nn.Parameter(l), nn.Parameter(torch.triu(u, 1)), nn.Parameter(u.diagonal().abs().log())

    def weight(self):
        eye = torch.eye(len(self.s), device=self.s.device)
        return self.p @ (torch.tril(self.l, -1) + eye) @ (torch.triu(self.u, 1) + torch.diag(self.sign * self.s.exp()))

    def forward(self, x, logdet):
        return F.conv2d(x, self.weight()[:, :, None, None]), logdet + self.s.sum() * x.shape[2] * x.shape[3]

    def inverse(self, y):
        return F.conv2d(y, torch.linalg.inv(self.weight())[:, :, None, None])


class Coupling(nn.Module):
    def __init__(self, c, hidden=384):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(c // 2, hidden, 3, padding=1), nn.ReLU(True), nn.Conv2d(hidden, hidden, 1), nn.ReLU(True), nn.Conv2d(hidden, c, 3, padding=1))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x, logdet):
        a, b = x.chunk(2, 1)
        log_s, t = self.net(a).chunk(2, 1)
        s = torch.sigmoid(log_s + 2)
        return torch.cat([a, (b + t) * s], 1), logdet + s.log().flatten(1).sum(1)

    def inverse(self, y):
        a, b = y.chunk(2, 1)
        log_s, t = self.net(a).chunk(2, 1)
        return torch.cat([a, b / torch.sigmoid(log_s + 2) - t], 1)


class Step(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.parts = nn.ModuleList([ActNorm(c), InvConvLU(c), Coupling(c)])

    def forward(self, x, logdet):
        for part in self.parts:
            x, logdet = part(x, logdet)
        return x, logdet

    def inverse(self, y):
        for part in reversed(self.parts):
            y = part.inverse(y)
        return y


class Glow(nn.Module):
    def __init__(self, levels=3, depth=12):
        super().__init__()
        self.levels = nn.ModuleList()
        c = 3
        for i in range(levels):
            c *= 4
            self.levels.append(nn.ModuleList(Step(c) for _ in range(depth)))
            if i < levels - 1:
                c //= 2

    def forward(self, x):
        logdet, total = x.new_zeros(len(x)), 0.0
        for i, steps in enumerate(self.levels):
            x = F.pixel_unshuffle(x, 2)
            for step in steps:
                if self.training:
                    x, logdet = checkpoint(step, x, logdet, use_reentrant=False)
                else:
                    x, logdet = step(x, logdet)
            if i < len(self.levels) - 1:
                x, z = x.chunk(2, 1)
                total = total - 0.5 * (z**2 + math.log(2 * math.pi)).flatten(1).sum(1)
        return total - 0.5 * (x**2 + math.log(2 * math.pi)).flatten(1).sum(1) + logdet

    @torch.no_grad()
    def sample(self, n, temperature):
        x = None
        for i in reversed(range(len(self.levels))):
            side = 32 // 2 ** (i + 1)
            z = torch.randn(n, 6 * 2**i if i < len(self.levels) - 1 else 12 * 2**i, side, side, device="cuda") * temperature
            x = z if x is None else torch.cat([x, z], 1)
            for step in reversed(self.levels[i]):
                x = step.inverse(x)
            x = F.pixel_shuffle(x, 2)
        return x


if __name__ == "__main__":
    torch.manual_seed(0)
    flow = Glow().cuda()
    images = torch.randint(0, 256, (640, 3, 32, 32), dtype=torch.uint8)
    optimizer = torch.optim.Adamax(flow.parameters(), lr=1e-3)
    with torch.no_grad():  # data-dependent initialisation
        flow.eval()
        flow(images[:64].cuda().float() / 256 - 0.5)
        flow.train()
    for step in range(8):
        x = images[step * 64 % 640:][:64].cuda(non_blocking=True).float()
        x = (x + torch.rand_like(x)) / 256 - 0.5
        bits = (-flow(x) / (math.log(2) * 3072) + 8).mean()
        optimizer.zero_grad(set_to_none=True)
        bits.backward()
        nn.utils.clip_grad_value_(flow.parameters(), 5)
        optimizer.step()
        print(step, f"{bits.item():.3f} bits/dim")
    flow.eval()
    for t in (0.5, 0.7, 1.0):
        print("temperature", t, flow.sample(32, t).std().item())
