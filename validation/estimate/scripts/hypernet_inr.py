"""A hypernetwork makes the weights of small SIREN networks that represent signed distances; torch.func for the batch of networks."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap


class Siren(nn.Module):
    def __init__(self, hidden=64, layers=3, omega=30.0):
        super().__init__()
        dims = [3] + [hidden] * layers + [1]
        self.linears = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.omega = omega
        for i, linear in enumerate(self.linears):
            bound = 1 / dims[i] if i == 0 else (6 / dims[i]) ** 0.5 / omega
            nn.init.uniform_(linear.weight, -bound, bound)

    def forward(self, x):
        for linear in self.linears[:-1]:
            x = torch.sin(self.omega * linear(x))
        return self.linears[-1](x)


class SetEncoder(nn.Module):
    """A cloud of points with their distances becomes a code."""

    def __init__(self, width=256, code=256):
        super().__init__()
        self.embed = nn.Linear(4, width)
        layer = nn.TransformerEncoderLayer(width, 4, 512, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.pool = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.out = nn.Linear(width, code)

    def forward(self, points, distances):
        x = self.embed(torch.cat([points, distances], -1))
        x = torch.cat([self.pool.expand(len(x), -1, -1), x], 1)
        return self.out(self.layers(x)[:, 0])


class HyperNetwork(nn.Module):
    def __init__(self, target, code=256, rank=16):
        super().__init__()
        self.base = nn.ParameterDict({n.replace(".", "_"): nn.Parameter(p.detach().clone()) for n, p in target.named_parameters()})
        self.shapes = {n: p.shape for n, p in target.named_parameters()}
        self.trunk = nn.Sequential(nn.Linear(code, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU())
        self.heads = nn.ModuleDict()
        for n, s in self.shapes.items():
            size = sum(s) * rank if len(s) == 2 else s.numel()
            self.heads[n.replace(".", "_")] = nn.Linear(512, size)
            nn.init.normal_(self.heads[n.replace(".", "_")].weight, std=1e-3)
        self.rank = rank

    def forward(self, code):
        h, out = self.trunk(code), {}
        for n, s in self.shapes.items():
            key = n.replace(".", "_")
            change = self.heads[key](h)
            if len(s) == 2:
                left, right = change.split([s[0] * self.rank, s[1] * self.rank], -1)
                change = left.view(-1, s[0], self.rank) @ right.view(-1, self.rank, s[1])
            out[n] = self.base[key] + 0.1 * change
        return out


def shapes(batch, count, generator):
    """Ellipsoids: points, and how far they are from the surface (about)."""
    radii = 0.3 + 0.5 * torch.rand(batch, 1, 3, generator=generator, device="cuda")
    points = torch.rand(batch, count, 3, generator=generator, device="cuda") * 2 - 1
    k0 = (points / radii).norm(dim=-1, keepdim=True)
    k1 = (points / radii**2).norm(dim=-1, keepdim=True).clamp(min=1e-4)
    return points, k0 * (k0 - 1) / k1


siren = Siren().cuda()
encoder, hyper = SetEncoder().cuda(), None
hyper = HyperNetwork(siren).cuda()


def distance(weights, point):
    return functional_call(siren, weights, (point.unsqueeze(0),)).squeeze()


values = vmap(vmap(distance, in_dims=(None, 0)))
gradients = vmap(vmap(grad(distance, argnums=1), in_dims=(None, 0)))

generator = torch.Generator("cuda").manual_seed(3)
params = [*encoder.parameters(), *hyper.parameters()]
optimizer = torch.optim.Adam(params, 1e-4)
for step in range(10):
    seen, d = shapes(24, 512, generator)
    asked, wanted = shapes(24, 2048, torch.Generator("cuda").manual_seed(step))
    weights = hyper(encoder(seen, d))
    predicted = values(weights, asked)
    normals = gradients(weights, asked[:, :512])
    eikonal = (normals.norm(dim=-1) - 1).square().mean()
    loss = F.l1_loss(predicted.clamp(-0.1, 0.1), wanted.squeeze(-1).clamp(-0.1, 0.1)) + 0.05 * eikonal
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
    print(f"{step} loss {loss.item():.4f} eikonal {eikonal.item():.3f}")

# a grid of one shape, in pieces
with torch.no_grad():
    seen, d = shapes(1, 512, generator)
    weights = {n: w[0] for n, w in hyper(encoder(seen, d)).items()}
    line = torch.linspace(-1, 1, 96, device="cuda")
    grid = torch.cartesian_prod(line, line, line)
    field = torch.cat([functional_call(siren, weights, (piece,)) for piece in grid.split(100_000)]).view(96, 96, 96)
    inside = (field < 0).nonzero()
print("inside", len(inside), "of", field.numel())
