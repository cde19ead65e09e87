"""Click-through prediction: EmbeddingBags with sparse gradients (SparseAdam) and a cross network (Adam)."""
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.default_rng(12)
torch.manual_seed(12)
SIZES = [1_000_000, 500_000, 300_000, 200_000, 50_000, 10_000, 1000, 100]
DIM, DENSE, BATCH, STEPS = 48, 13, 8192, 40


class CrossNetwork(nn.Module):
    def __init__(self, width, depth=3, rank=64):
        super().__init__()
        self.u = nn.ModuleList(nn.Linear(width, rank, bias=False) for _ in range(depth))
        self.v = nn.ModuleList(nn.Linear(rank, width) for _ in range(depth))

    def forward(self, x0):
        x = x0
        for u, v in zip(self.u, self.v):
            x = x0 * v(u(x)) + x
        return x


class ClickModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(n, DIM, mode="mean", sparse=True) for n in SIZES)
        for bag in self.bags:
            nn.init.normal_(bag.weight, std=0.01)
        width = DENSE + DIM * len(SIZES)
        self.cross = CrossNetwork(width)
        self.deep = nn.Sequential(
            nn.Linear(width, 1024), nn.ReLU(), nn.Dropout(0.1), nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 256))
        self.out = nn.Linear(width + 256, 1)

    def forward(self, dense, ids, offsets):
        x = torch.cat([dense] + [bag(i, o) for bag, i, o in zip(self.bags, ids, offsets)], dim=1)
        return self.out(torch.cat([self.cross(x), self.deep(x)], dim=1)).squeeze(1)


def batch():
    dense = rng.standard_normal((BATCH, DENSE)).astype(np.float32)
    ids, offsets = [], []
    for n in SIZES:
        counts = rng.integers(1, 6, BATCH)
        values = (n * rng.random(counts.sum()) ** 3).astype(np.int64)  # popular items come first
        ids.append(torch.from_numpy(values).cuda())
        offsets.append(torch.from_numpy(np.concatenate([[0], counts.cumsum()[:-1]])).cuda())
    y = (dense[:, 0] + rng.standard_normal(BATCH) > 1).astype(np.float32)
    return torch.from_numpy(dense).cuda(), ids, offsets, torch.from_numpy(y).cuda()


def auc(score, y):
    rank = torch.empty_like(score)
    rank[score.argsort()] = torch.arange(1, len(score) + 1, device=score.device, dtype=score.dtype)
    pos = y.sum()
    return ((rank[y == 1].sum() - pos * (pos + 1) / 2) / (pos * (len(y) - pos))).item()


model = ClickModel().cuda()
sparse_opt = torch.optim.SparseAdam(list(model.bags.parameters()), lr=1e-3)
dense_params = [p for n, p in model.named_parameters() if not n.startswith("bags")]
dense_opt = torch.optim.Adam(dense_params, lr=1e-3)

for step in range(STEPS):
    dense, ids, offsets, y = batch()
    loss = F.binary_cross_entropy_with_logits(model(dense, ids, offsets), y)
    sparse_opt.zero_grad()
    dense_opt.zero_grad()
    loss.backward()
    sparse_opt.step()
    dense_opt.step()
    if (step + 1) % 10 == 0:
        model.eval()
        with torch.no_grad():
            dense, ids, offsets, y = batch()
            print(f"step {step + 1} loss {loss.item():.4f} auc {auc(model(dense, ids, offsets), y):.4f}")
        model.train()

with tempfile.TemporaryDirectory() as folder:
    torch.save(model.state_dict(), os.path.join(folder, "click.pt"))
