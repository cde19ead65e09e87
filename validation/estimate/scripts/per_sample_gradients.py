"""Private training: gradients of each sample by torch.func, clipped and made noisy."""
import torch
import torch.nn as nn
from torch.func import functional_call, grad, vmap

model = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.GroupNorm(8, 32), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(64 * 64, 10)).cuda()
parameters = dict(model.named_parameters())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def loss(weights, x, y):
    return nn.functional.cross_entropy(functional_call(model, weights, (x[None],)), y[None])


each = vmap(grad(loss), in_dims=(None, 0, 0))
for step in range(8):
    x, y = torch.randn(64, 3, 32, 32, device="cuda"), torch.randint(0, 10, (64,), device="cuda")
    gradients = each({name: p.detach() for name, p in parameters.items()}, x, y)
    norms = torch.stack([g.flatten(1).norm(2, dim=1) for g in gradients.values()]).norm(2, dim=0)
    shrink = (1.0 / (norms + 1e-6)).clamp(max=1.0)
    for name, p in parameters.items():
        g = torch.einsum("i,i...->...", shrink, gradients[name])
        p.grad = (g + 0.5 * torch.randn_like(g)) / 64
    optimizer.step()
    optimizer.zero_grad()
