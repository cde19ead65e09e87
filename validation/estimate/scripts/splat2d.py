"""Fits a picture with 2-D Gaussians: depth sort, alpha compositing by a cumulative sum of logarithms, densification."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
device = "cuda"
SIDE = 160


def target_picture():
    y, x = torch.meshgrid(torch.linspace(0, 1, SIDE), torch.linspace(0, 1, SIDE), indexing="ij")
    rings = 0.5 + 0.5 * torch.sin(40 * ((x - 0.5) ** 2 + (y - 0.5) ** 2))
    checks = ((x * 8).floor() + (y * 8).floor()) % 2
    return torch.stack([rings, checks * 0.8, x * y], dim=-1).to(device)


class Gaussians(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.centre = nn.Parameter(torch.rand(n, 2))
        self.log_scale = nn.Parameter(torch.full((n, 2), math.log(0.03)))
        self.angle = nn.Parameter(torch.rand(n) * math.pi)
        self.colour = nn.Parameter(torch.randn(n, 3))
        self.opacity = nn.Parameter(torch.zeros(n))
        self.depth = nn.Parameter(torch.rand(n))

    def render(self, pixels):
        order = self.depth.argsort()
        centre, angle = self.centre[order], self.angle[order]
        scale = self.log_scale[order].exp()
        d = pixels[:, None, :] - centre[None]
        c, s = angle.cos(), angle.sin()
        u = (d[..., 0] * c + d[..., 1] * s) / scale[:, 0]
        v = (d[..., 1] * c - d[..., 0] * s) / scale[:, 1]
        alpha = torch.sigmoid(self.opacity[order]) * torch.exp(-0.5 * (u**2 + v**2))
        alpha = alpha.clamp(max=0.99)
        log_keep = torch.log1p(-alpha)
        transmittance = torch.exp(log_keep.cumsum(dim=1) - log_keep)
        weight = alpha * transmittance
        return weight @ torch.sigmoid(self.colour[order])

    @torch.no_grad()
    def densify(self, gradient, count):
        """Clones the Gaussians whose centres want to move most, with a little jitter."""
        chosen = gradient.norm(dim=1).topk(count).indices
        for name, p in list(self.named_parameters()):
            extra = p[chosen].clone()
            if name == "centre":
                extra += 0.01 * torch.randn_like(extra)
            if name == "log_scale":
                extra -= math.log(1.6)
            setattr(self, name, nn.Parameter(torch.cat([p, extra])))


def make_optimizer(model):
    return torch.optim.Adam([
        {"params": [model.centre], "lr": 2e-3},
        {"params": [model.log_scale, model.angle], "lr": 1e-2},
        {"params": [model.colour, model.opacity], "lr": 5e-2},
    ])


picture = target_picture().view(-1, 3)
axis = (torch.arange(SIDE, device=device) + 0.5) / SIDE
pixels = torch.stack(torch.meshgrid(axis, axis, indexing="ij")[::-1], dim=-1).view(-1, 2)
model = Gaussians(1000).to(device)
optimizer = make_optimizer(model)

for step in range(60):
    image = model.render(pixels)
    loss = 0.8 * F.l1_loss(image, picture) + 0.2 * F.mse_loss(image, picture)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step in (15, 30, 45):
        model.densify(model.centre.grad, 400)
        optimizer = make_optimizer(model)
    if step % 10 == 0:
        psnr = -10 * math.log10(F.mse_loss(image.detach(), picture).item())
        print(f"step {step} gaussians {len(model.centre)} loss {loss.item():.4f} psnr {psnr:.2f}")
