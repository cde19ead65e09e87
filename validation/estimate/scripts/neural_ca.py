# Growing neural cellular automata with a pool of samples (after Mordvintsev et al.)
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CHANNELS = 16
SIZE = 72
POOL = 1024
BATCH = 16
FIRE = 0.5
dev = torch.device("cuda:0")


def emblem(size):
    y, x = np.mgrid[-1:1:size * 1j, -1:1:size * 1j]
    r, a = np.hypot(x, y), np.arctan2(y, x)
    shape = (r < 0.6 + 0.2 * np.sin(5 * a)).astype(np.float32)
    return torch.tensor(np.stack([shape * (0.5 + 0.5 * np.cos(a)), shape * (1 - r), shape * r, shape]).astype(np.float32)).clamp(0, 1)


class CA(nn.Module):
    def __init__(self, hidden=128):
        super().__init__()
        identity = torch.tensor([[0.0, 0, 0], [0, 1, 0], [0, 0, 0]])
        sobel = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 8
        kernel = torch.stack([identity, sobel, sobel.T]).repeat(CHANNELS, 1, 1).unsqueeze(1)
        self.register_buffer("kernel", kernel)
        self.w1 = nn.Conv2d(CHANNELS * 3, hidden, 1)
        self.w2 = nn.Conv2d(hidden, CHANNELS, 1, bias=False)
        nn.init.zeros_(self.w2.weight)

    def alive(self, x):
        return F.max_pool2d(x[:, 3:4], 3, 1, 1) > 0.1

    def forward(self, x):
        before = self.alive(x)
        y = F.conv2d(x, self.kernel, padding=1, groups=CHANNELS)
        dx = self.w2(F.relu(self.w1(y)))
        x = x + dx * (torch.rand_like(x[:, :1]) < FIRE).float()
        return x * (before & self.alive(x)).float()


def damage(x, count):
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, SIZE, device=dev), torch.linspace(-1, 1, SIZE, device=dev), indexing="ij")
    centre = torch.rand(count, 2, 1, 1, device=dev) - 0.5
    radius = 0.1 + 0.3 * torch.rand(count, 1, 1, device=dev)
    hole = ((xx - centre[:, 0]) ** 2 + (yy - centre[:, 1]) ** 2) < radius**2
    x[-count:] = x[-count:] * (~hole).float().unsqueeze(1)
    return x


torch.manual_seed(0)
np.random.seed(0)
target = F.pad(emblem(40), [16] * 4).to(dev)
seed = torch.zeros(CHANNELS, SIZE, SIZE, device=dev)
seed[3:, SIZE // 2, SIZE // 2] = 1.0
pool = seed.repeat(POOL, 1, 1, 1)

ca = CA().to(dev)
opt = torch.optim.Adam(ca.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.MultiStepLR(opt, [8], gamma=0.1)
for it in range(12):
    idx = torch.randint(0, POOL, (BATCH,), device=dev)
    x = pool[idx]
    with torch.no_grad():
        loss_rank = (x[:, :4] - target).square().mean((1, 2, 3)).argsort(descending=True)
        x, idx = x[loss_rank], idx[loss_rank]
        x[:1] = seed
        if it > 4:
            x = damage(x, 3)
    steps = np.random.randint(48, 80)
    for _ in range(steps):
        x = ca(x)
    overflow = (x - x.clamp(-2.0, 2.0))[:, :CHANNELS].square().sum()
    loss = F.mse_loss(x[:, :4], target.expand(BATCH, -1, -1, -1)) + 1e-5 * overflow
    opt.zero_grad()
    loss.backward()
    for p in ca.parameters():
        if p.grad is not None:
            p.grad /= p.grad.norm() + 1e-8
    opt.step()
    sched.step()
    pool[idx] = x.detach()
    print(f"{it:3d} steps {steps} loss {loss.item():.5f} log10 {np.log10(loss.item() + 1e-12):.2f}")

with torch.no_grad():
    x = seed[None].clone()
    film = []
    for i in range(120):
        x = ca(x)
        if i % 10 == 0:
            film.append(x[0, :4].cpu())
print("film", torch.stack(film).shape, "peak", torch.cuda.max_memory_reserved() >> 20, "MiB")
