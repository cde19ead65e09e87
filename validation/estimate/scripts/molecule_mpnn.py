"""Message passing on batches of random molecules: edge attention by scatter_reduce, sums by index_add."""
import torch
import torch.nn as nn
import torch.nn.functional as F

ATOMS, BONDS, DIM, LAYERS = 40, 6, 256, 5


def random_batch(n_graphs):
    """A tree per molecule plus a few ring closures, as one big disconnected graph."""
    sizes = torch.randint(10, 45, (n_graphs,))
    sources, targets, offset = [], [], 0
    for n in sizes.tolist():
        child = torch.arange(1, n)
        parent = (torch.rand(n - 1) * child).long()
        ring = torch.randint(0, n, (2, n // 5))
        sources += [child + offset, ring[0] + offset]
        targets += [parent + offset, ring[1] + offset]
        offset += n
    s, t = torch.cat(sources), torch.cat(targets)
    edges = torch.stack([torch.cat([s, t]), torch.cat([t, s])])
    atoms = torch.randint(0, ATOMS, (offset,))
    bonds = torch.randint(0, BONDS, (edges.shape[1],))
    graph = torch.repeat_interleave(torch.arange(n_graphs), sizes)
    energy = torch.zeros(n_graphs).index_add_(0, graph, atoms.float()) / sizes / ATOMS
    return [x.cuda() for x in (atoms, bonds, edges, graph, energy)]


def segment_softmax(score, index, n):
    top = torch.full((n, score.shape[1]), -torch.inf, device=score.device)
    top = top.scatter_reduce(0, index[:, None].expand_as(score), score, reduce="amax")
    e = (score - top.detach()[index]).exp()
    total = torch.zeros(n, score.shape[1], device=score.device).index_add(0, index, e)
    return e / (total[index] + 1e-9)


class MessageLayer(nn.Module):
    def __init__(self, heads=8):
        super().__init__()
        self.message = nn.Sequential(nn.Linear(3 * DIM, DIM), nn.SiLU(), nn.Linear(DIM, DIM))
        self.score = nn.Linear(DIM, heads)
        self.update = nn.GRUCell(DIM, DIM)
        self.norm = nn.LayerNorm(DIM)

    def forward(self, x, e, edges):
        source, target = edges
        m = self.message(torch.cat([x[source], x[target], e], dim=-1))
        a = segment_softmax(self.score(m), target, len(x))
        m = (m.view(len(m), a.shape[1], -1) * a.unsqueeze(-1)).flatten(1)
        gathered = torch.zeros_like(x).index_add(0, target, m)
        return self.norm(self.update(gathered, x)), e + m


class MPNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.atom, self.bond = nn.Embedding(ATOMS, DIM), nn.Embedding(BONDS, DIM)
        self.layers = nn.ModuleList(MessageLayer() for _ in range(LAYERS))
        self.readout = nn.Sequential(nn.Linear(DIM, DIM), nn.SiLU(), nn.Dropout(0.1), nn.Linear(DIM, 1))

    def forward(self, atoms, bonds, edges, graph, n_graphs):
        x, e = self.atom(atoms), self.bond(bonds)
        for layer in self.layers:
            x, e = layer(x, e, edges)
        pooled = torch.zeros(n_graphs, DIM, device=x.device).index_add(0, graph, x)
        count = torch.bincount(graph, minlength=n_graphs).unsqueeze(1)
        return self.readout(pooled / count).squeeze(-1)


torch.manual_seed(8)
model = MPNN().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, amsgrad=True)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3, factor=0.5)
for step in range(40):
    n = int(torch.randint(400, 1200, (1,)))
    atoms, bonds, edges, graph, energy = random_batch(n)
    loss = F.smooth_l1_loss(model(atoms, bonds, edges, graph, n), energy)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step(loss.item())
    if step % 5 == 0:
        print(f"step {step} graphs {n} atoms {len(atoms)} edges {edges.shape[1]} loss {loss.item():.5f}")
