"""E(n)-equivariant graph network: radius graphs built on the GPU, messages added with index_add, energies and forces by autograd."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


def radius_graph(pos, batch, r):
    dist = torch.cdist(pos, pos)
    near = (dist < r) & (batch[:, None] == batch[None, :])
    near.fill_diagonal_(False)
    return near.nonzero(as_tuple=False).t()


def segment_sum(values, index, n):
    return values.new_zeros(n, *values.shape[1:]).index_add_(0, index, values)


def segment_softmax(scores, index, n):
    top = torch.full((n,), float("-inf"), device=scores.device, dtype=scores.dtype).scatter_reduce(0, index, scores, "amax", include_self=True)
    e = (scores - top[index]).exp()
    return e / (segment_sum(e, index, n)[index] + 1e-9)


class EGCL(nn.Module):
    def __init__(self, h, rbf):
        super().__init__()
        self.edge = nn.Sequential(nn.Linear(2 * h + rbf, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU())
        self.att = nn.Linear(h, 1)
        self.coord = nn.Sequential(nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 1, bias=False))
        self.node = nn.Sequential(nn.Linear(2 * h, h), nn.SiLU(), nn.Linear(h, h))
        self.norm = nn.LayerNorm(h)

    def forward(self, h, x, edges, rbf):
        i, j = edges
        n = len(h)
        diff = x[i] - x[j]
        m = self.edge(torch.cat([h[i], h[j], rbf(diff.norm(dim=-1))], -1))
        m = m * segment_softmax(self.att(m).squeeze(-1), i, n).unsqueeze(-1)
        count = torch.bincount(i, minlength=n).clamp(min=1).unsqueeze(-1)
        x = x + segment_sum(diff / (diff.norm(dim=-1, keepdim=True) + 1) * self.coord(m), i, n) / count
        h = self.norm(h + self.node(torch.cat([h, segment_sum(m, i, n)], -1)))
        return h, x


class EGNN(nn.Module):
    def __init__(self, hidden=192, depth=5, cutoff=4.0, bases=32):
        super().__init__()
        self.cutoff = cutoff
        self.species = nn.Embedding(20, hidden)
        self.register_buffer("centers", torch.linspace(0, cutoff, bases))
        self.layers = nn.ModuleList(EGCL(hidden, bases) for _ in range(depth))
        self.readout = nn.Sequential(nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def rbf(self, d):
        cut = 0.5 * (torch.cos(torch.pi * d / self.cutoff) + 1) * (d < self.cutoff)
        return torch.exp(-10 * (d.unsqueeze(-1) - self.centers) ** 2) * cut.unsqueeze(-1)

    def forward(self, z, pos, batch, molecules):
        edges = radius_graph(pos.detach(), batch, self.cutoff)
        h, x = self.species(z), pos
        for layer in self.layers:
            h, x = layer(h, x, edges, self.rbf)
        return segment_sum(self.readout(h).squeeze(-1), batch, molecules), edges.shape[1]


def molecule(rng):
    n = rng.randint(9, 29)
    g = torch.Generator().manual_seed(rng.randrange(1 << 30))
    return torch.randint(1, 20, (n,), generator=g), torch.randn(n, 3, generator=g) * n ** (1 / 3) * 0.9, torch.randn(1, generator=g), torch.randn(n, 3, generator=g) * 0.1


def collate(mols):
    z, pos, energy, force = (torch.cat(part) for part in zip(*mols))
    batch = torch.repeat_interleave(torch.arange(len(mols)), torch.tensor([len(m[0]) for m in mols]))
    return z, pos, energy, force, batch


def main():
    rng = random.Random(0)
    torch.manual_seed(0)
    data = [molecule(rng) for _ in range(1000)]
    loader = torch.utils.data.DataLoader(data, batch_size=128, shuffle=True, collate_fn=collate)
    model = EGNN().cuda()
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=1e-12, amsgrad=True)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=1)
    for epoch in range(2):
        total = seen = 0
        for z, pos, energy, force, batch in loader:
            z, pos, energy, force, batch = (t.cuda() for t in (z, pos, energy, force, batch))
            pos.requires_grad_(True)
            predicted, edges = model(z, pos, batch, len(energy))
            forces = -torch.autograd.grad(predicted.sum(), pos, create_graph=True)[0]
            loss = F.l1_loss(predicted, energy) + 10 * F.mse_loss(forces, force)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(energy)
            seen += len(energy)
        plateau.step(total / seen)
        print(f"epoch {epoch} loss {total / seen:.4f} edges {edges} lr {opt.param_groups[0]['lr']:.1e}")


if __name__ == "__main__":
    main()
