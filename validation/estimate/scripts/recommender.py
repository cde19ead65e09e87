"""A click model with many embedding tables, sparse gradients and a dense part."""
import torch
import torch.nn as nn

ROWS = [200_000, 80_000, 50_000, 10_000, 5_000, 400]


class Clicks(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum", sparse=True) for rows in ROWS)
        self.bottom = nn.Sequential(nn.Linear(13, 256), nn.ReLU(), nn.Linear(256, width), nn.ReLU())
        pairs = (len(ROWS) + 1) * len(ROWS) // 2
        self.top = nn.Sequential(nn.Linear(pairs + width, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, dense, bags, offsets):
        first = self.bottom(dense)
        vectors = torch.stack([first, *(table(bag, offset) for table, bag, offset in zip(self.tables, bags, offsets))], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        i, j = torch.tril_indices(vectors.shape[1], vectors.shape[1], -1, device=dense.device)
        return self.top(torch.cat([first, products[:, i, j]], 1)).squeeze(-1)


model = Clicks().cuda()
sparse = torch.optim.SparseAdam(list(model.tables.parameters()), lr=1e-3)
dense = torch.optim.Adagrad([*model.bottom.parameters(), *model.top.parameters()], lr=1e-2)
for step in range(12):
    bags = [torch.randint(0, rows, (4096 * 4,), device="cuda") for rows in ROWS]
    offsets = [torch.arange(0, 4096 * 4, 4, device="cuda") for _ in ROWS]
    out = model(torch.randn(4096, 13, device="cuda"), bags, offsets)
    loss = nn.functional.binary_cross_entropy_with_logits(out, torch.randint(0, 2, (4096,), device="cuda").float())
    sparse.zero_grad()
    dense.zero_grad()
    loss.backward()
    sparse.step()
    dense.step()
with torch.no_grad():
    model(torch.randn(16384, 13, device="cuda"), [torch.randint(0, rows, (16384,), device="cuda") for rows in ROWS], [torch.arange(16384, device="cuda") for _ in ROWS]).sigmoid()
