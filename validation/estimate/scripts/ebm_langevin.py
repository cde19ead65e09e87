"""Energy-based model: short-run Langevin chains from a replay buffer, spectral norm, and an out-of-distribution score."""
import random

import torch
import torch.nn as nn
from torch.nn.utils.parametrizations import spectral_norm


class ResBlock(nn.Module):
    def __init__(self, i, o, down):
        super().__init__()
        self.a, self.b = spectral_norm(nn.Conv2d(i, o, 3, padding=1)), spectral_norm(nn.Conv2d(o, o, 3, padding=1))
        self.skip = spectral_norm(nn.Conv2d(i, o, 1)) if i != o else nn.Identity()
        self.down = nn.AvgPool2d(2) if down else nn.Identity()
        self.act = nn.SiLU()

    def forward(self, x):
        return self.down(self.b(self.act(self.a(self.act(x)))) + self.skip(x))


class Energy(nn.Module):
    def __init__(self, w=64):
        super().__init__()
        self.body = nn.Sequential(
            spectral_norm(nn.Conv2d(3, w, 3, padding=1)), ResBlock(w, w, True), ResBlock(w, w, False), ResBlock(w, 2 * w, True),
            ResBlock(2 * w, 2 * w, False), ResBlock(2 * w, 4 * w, True), ResBlock(4 * w, 4 * w, False),
        )
        self.out = nn.Linear(4 * w, 1)

    def forward(self, x):
        return self.out(torch.relu(self.body(x)).sum((2, 3))).squeeze(-1)


class Sampler:
    def __init__(self, model, shape, size, steps=40, alpha=10.0, max_len=4096):
        self.model, self.shape, self.size, self.steps, self.alpha, self.max_len = model, shape, size, steps, alpha, max_len
        self.examples = [torch.rand((1, *shape)) * 2 - 1 for _ in range(size)]

    def new(self):
        fresh = sum(random.random() < 0.05 for _ in range(self.size))
        noise = torch.rand((fresh, *self.shape)) * 2 - 1
        old = torch.cat(random.choices(self.examples, k=self.size - fresh), dim=0)
        start = torch.cat([noise, old], 0).cuda()
        chains = self.langevin(start)
        self.examples = list(chains.cpu().chunk(self.size, dim=0)) + self.examples
        self.examples = self.examples[: self.max_len]
        return chains

    def langevin(self, x):
        was = self.model.training
        self.model.eval()
        for p in self.model.parameters():
            p.requires_grad = False
        x.requires_grad = True
        noise = torch.randn_like(x)
        for _ in range(self.steps):
            noise.normal_(0, 0.005)
            x.data.add_(noise)
            x.data.clamp_(-1, 1)
            energy = self.model(x)
            energy.sum().backward()
            x.grad.data.clamp_(-0.03, 0.03)
            x.data.add_(-self.alpha * x.grad.data)
            x.grad.detach_()
            x.grad.zero_()
            x.data.clamp_(-1, 1)
        for p in self.model.parameters():
            p.requires_grad = True
        self.model.train(was)
        return x.detach()


random.seed(1)
torch.manual_seed(1)
model = Energy().cuda()
sampler = Sampler(model, (3, 32, 32), 96)
opt = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.0, 0.999))
sched = torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.97)
data = torch.rand(960, 3, 32, 32) * 2 - 1
for epoch in range(2):
    for real in data.split(96)[:4]:
        real = real.cuda()
        real = (real + torch.randn_like(real) * 0.005).clamp(-1, 1)
        fake = sampler.new()
        e_real, e_fake = model(torch.cat([real, fake])).chunk(2)
        reg = 0.1 * (e_real**2 + e_fake**2).mean()
        loss = reg + e_real.mean() - e_fake.mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        opt.step()
    sched.step()
    print(f"epoch {epoch} loss {loss.item():.4f} gap {(e_real.mean() - e_fake.mean()).item():.4f} buffer {len(sampler.examples)}")

model.eval()
with torch.no_grad():
    inside = torch.cat([model(x.cuda()) for x in data.split(320)])
    outside = torch.cat([model(torch.zeros_like(x).cuda()) for x in data.split(320)])
scores = torch.cat([inside, outside])
order = scores.argsort()
ranks = torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device=order.device))
auroc = (ranks[len(inside):].float().sum() - len(outside) * (len(outside) - 1) / 2) / (len(inside) * len(outside))
print("AUROC", auroc.item())
