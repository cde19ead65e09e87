"""StyleGAN2-like generator (mapping network, modulated convolutions, noise) with lazy R1 penalty and EMA."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

Z, SIZE, BATCH, ITERS = 256, 128, 24, 28
CHANNELS = {4: 256, 8: 256, 16: 256, 32: 128, 64: 64, 128: 32}


class ModConv(nn.Module):
    def __init__(self, cin, cout, kernel, demodulate=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(cout, cin, kernel, kernel))
        self.scale, self.demodulate = 1 / math.sqrt(cin * kernel**2), demodulate
        self.affine = nn.Linear(Z, cin)
        nn.init.ones_(self.affine.bias)
        self.bias, self.noise = nn.Parameter(torch.zeros(cout)), nn.Parameter(torch.zeros(1))

    def forward(self, x, w):
        b, c, height, width = x.shape
        weight = self.scale * self.weight[None] * self.affine(w).view(b, 1, c, 1, 1)
        if self.demodulate:
            weight = weight * torch.rsqrt(weight.square().sum([2, 3, 4], keepdim=True) + 1e-8)
        x = F.conv2d(x.reshape(1, b * c, height, width), weight.flatten(0, 1), padding=weight.shape[-1] // 2, groups=b)
        x = x.view(b, -1, height, width) + self.bias.view(1, -1, 1, 1)
        noise = self.noise * torch.randn(b, 1, height, width, device=x.device)
        return F.leaky_relu(x + noise, 0.2) * math.sqrt(2) if self.demodulate else x


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.mapping = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(Z, Z), nn.LeakyReLU(0.2))])
        widths = list(CHANNELS.values())
        self.const = nn.Parameter(torch.randn(1, widths[0], 4, 4))
        self.conv1 = nn.ModuleList(ModConv(i, o, 3) for i, o in zip(widths[:1] + widths, widths))
        self.conv2 = nn.ModuleList(ModConv(c, c, 3) for c in widths)
        self.rgb = nn.ModuleList(ModConv(c, 3, 1, demodulate=False) for c in widths)

    def forward(self, z):
        w = self.mapping(F.normalize(z) * math.sqrt(Z))
        x, image = self.const.expand(len(z), -1, -1, -1), 0
        for i, (a, b, rgb) in enumerate(zip(self.conv1, self.conv2, self.rgb)):
            if i > 0:
                x, image = (F.interpolate(t, scale_factor=2, mode="bilinear") for t in (x, image))
            x = b(a(x, w), w)
            image = image + rgb(x, w)
        return image


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        widths = list(CHANNELS.values())[::-1]
        act = lambda: nn.LeakyReLU(0.2)
        layers = [nn.Conv2d(3, widths[0], 1), act()]
        for i, o in zip(widths, widths[1:]):
            layers += [nn.Conv2d(i, i, 3, padding=1), act(), nn.Conv2d(i, o, 3, padding=1), act(), nn.AvgPool2d(2)]
        self.body = nn.Sequential(*layers)
        self.head = nn.Sequential(nn.Conv2d(widths[-1] + 1, 256, 3, padding=1), act(), nn.Flatten(), nn.Linear(4096, 1))

    def forward(self, x):
        h = self.body(x)
        return self.head(torch.cat([h, (h.var(0) + 1e-8).sqrt().mean().expand(len(h), 1, 4, 4)], 1))


G, D = Generator().cuda(), Discriminator().cuda()
ema = copy.deepcopy(G).eval().requires_grad_(False)
opt_g, opt_d = (torch.optim.Adam(net.parameters(), lr=2e-3, betas=(0.0, 0.99)) for net in (G, D))
for it in range(ITERS):
    real = torch.rand(BATCH, 3, SIZE, SIZE, device="cuda") * 2 - 1
    fake = G(torch.randn(BATCH, Z, device="cuda")).detach()
    d_loss = F.softplus(D(fake)).mean() + F.softplus(-D(real)).mean()
    opt_d.zero_grad(), d_loss.backward(), opt_d.step()
    if it % 4 == 0:
        real.requires_grad_(True)
        grad, = torch.autograd.grad(D(real).sum(), real, create_graph=True)
        penalty = 5 * 4 * grad.square().sum([1, 2, 3]).mean()
        opt_d.zero_grad(), penalty.backward(), opt_d.step()
    g_loss = F.softplus(-D(G(torch.randn(BATCH, Z, device="cuda")))).mean()
    opt_g.zero_grad(), g_loss.backward(), opt_g.step()
    with torch.no_grad():
        for p, q in zip(ema.parameters(), G.parameters()):
            p.lerp_(q, 0.01)
    if it % 4 == 0:
        print(f"{it} d {d_loss.item():.3f} g {g_loss.item():.3f} r1 {penalty.item():.4f}")
print("samples", ema(torch.randn(64, Z, device="cuda")).shape)
