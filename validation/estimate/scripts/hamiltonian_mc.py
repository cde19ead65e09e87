"""HMC for a Bayesian neural network on the GPU."""
import torch
from torch.func import functional_call, vmap, grad

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(32, 128), torch.nn.Tanh(), torch.nn.Linear(128, 128), torch.nn.Tanh(), torch.nn.Linear(128, 1)).cuda()
x = torch.randn(20_000, 32, device="cuda")
y = torch.sin(x[:, :1]) + 0.1 * torch.randn(20_000, 1, device="cuda")
shapes = {k: v.shape for k, v in net.named_parameters()}
sizes = [v.numel() for v in net.parameters()]

def unflatten(q):
    return {k: p.view(s) for (k, s), p in zip(shapes.items(), q.split(sizes))}

def potential(q):
    pred = functional_call(net, unflatten(q), (x,))
    return 0.5 * ((pred - y) ** 2).sum() / 0.01 + 0.5 * (q ** 2).sum()

force = vmap(grad(potential))
energy = vmap(potential)
chains = 8
q = torch.cat([p.detach().flatten() for p in net.parameters()]).repeat(chains, 1) + 0.01 * torch.randn(chains, sum(sizes), device="cuda")
accepted = 0
for it in range(5):
    p0 = torch.randn_like(q)
    qn, p = q.clone(), p0 - 0.5e-4 * force(q)
    for leap in range(10):
        qn = qn + 1e-4 * p
        p = p - 1e-4 * force(qn)
    dh = energy(q) + 0.5 * (p0 ** 2).sum(1) - energy(qn) - 0.5 * (p ** 2).sum(1)
    ok = torch.rand(chains, device="cuda").log() < dh
    q = torch.where(ok[:, None], qn, q)
    accepted += ok.sum().item()
print(accepted, energy(q).mean().item())
