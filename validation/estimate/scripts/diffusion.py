"""A denoising diffusion model of small images: training with averages, then sampling."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Residual(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(8, inputs), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, padding=1))
        self.time = nn.Linear(256, outputs)
        self.second = nn.Sequential(nn.GroupNorm(8, outputs), nn.SiLU(), nn.Dropout(0.1), nn.Conv2d(outputs, outputs, 3, padding=1))
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, t):
        return self.skip(x) + self.second(self.first(x) + self.time(t)[:, :, None, None])


class UNet(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(128, 256), nn.SiLU(), nn.Linear(256, 256))
        self.begin = nn.Conv2d(3, width, 3, padding=1)
        self.down = nn.ModuleList([Residual(width, width), Residual(width, 2 * width), Residual(2 * width, 4 * width)])
        self.middle = Residual(4 * width, 4 * width)
        self.up = nn.ModuleList([Residual(8 * width, 2 * width), Residual(4 * width, width), Residual(2 * width, width)])
        self.end = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x, t):
        waves = t[:, None] * torch.exp(torch.linspace(0, -9, 64, device=x.device))
        t = self.time(torch.cat([waves.sin(), waves.cos()], -1))
        x, kept = self.begin(x), []
        for layer in self.down:
            x = layer(x, t)
            kept.append(x)
            x = F.avg_pool2d(x, 2)
        x = self.middle(x, t)
        for layer in self.up:
            x = layer(torch.cat([F.interpolate(x, scale_factor=2), kept.pop()], 1), t)
        return self.end(x)


model = UNet().cuda()
averages = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000, device="cuda"), 0)
for step in range(12):
    x = torch.randn(32, 3, 64, 64, device="cuda")
    t = torch.randint(0, 1000, (32,), device="cuda")
    noise = torch.randn_like(x)
    a = alphas[t][:, None, None, None]
    loss = F.mse_loss(model(a.sqrt() * x + (1 - a).sqrt() * noise, t.float()), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for own, other in zip(averages.parameters(), model.parameters()):
            own.lerp_(other, 0.01)
with torch.no_grad():
    x = torch.randn(64, 3, 64, 64, device="cuda")
    for t in reversed(range(0, 1000, 100)):
        x = x - 0.1 * averages(x, torch.full((64,), float(t), device="cuda"))
