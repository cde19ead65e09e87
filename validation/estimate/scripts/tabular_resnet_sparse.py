"""A scikit-learn style classifier for tables: tabular ResNet, embeddings with sparse gradients, early stopping, Lion for the dense part."""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.mul_(1 - group["lr"] * group["weight_decay"])
                m = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                p.add_(torch.sign(m * b1 + p.grad * (1 - b1)), alpha=-group["lr"])
                m.mul_(b2).add_(p.grad, alpha=1 - b2)


class Net(nn.Module):
    def __init__(self, cardinalities, numeric, classes, emb=64, width=512, depth=6):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(c, emb, sparse=True) for c in cardinalities)
        self.norm = nn.BatchNorm1d(numeric)
        self.first = nn.Linear(len(cardinalities) * emb + numeric, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.BatchNorm1d(width), nn.Linear(width, 2 * width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(2 * width, width)) for _ in range(depth)
        )
        self.last = nn.Sequential(nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, classes))

    def forward(self, cats, nums):
        x = torch.cat([table(cats[:, i]) for i, table in enumerate(self.tables)] + [self.norm(nums)], 1)
        x = self.first(x)
        for block in self.blocks:
            x = x + block(x)
        return self.last(x)


class TabularClassifier:
    def __init__(self, batch_size=8192, max_epochs=4, patience=2, device="cuda", random_state=0):
        self.batch_size, self.max_epochs, self.patience, self.device, self.random_state = batch_size, max_epochs, patience, device, random_state

    def _encode(self, df):
        codes = []
        for c in self.cat_columns_:
            known = self.categories_[c]
            at = np.searchsorted(known, df[c]).clip(max=len(known) - 1)
            codes.append(np.where(known[at] == df[c], at + 1, 0))  # 0: not seen in training
        cats = np.stack(codes, 1).astype(np.int64)
        nums = np.stack([df[c] for c in self.num_columns_], 1)
        return torch.from_numpy(cats), torch.from_numpy(np.nan_to_num((nums - self.mean_) / self.std_))

    def fit(self, df, y, eval_set):
        torch.manual_seed(self.random_state)
        self.cat_columns_ = [c for c in df if df[c].dtype.kind == "i"]
        self.num_columns_ = [c for c in df if c not in self.cat_columns_]
        self.categories_ = {c: np.unique(df[c]) for c in self.cat_columns_}
        values = np.stack([df[c] for c in self.num_columns_], 1)
        self.mean_, self.std_ = np.nanmean(values, 0), np.nanstd(values, 0) + 1e-6
        self.classes_ = np.unique(y)
        cats, nums = (t.to(self.device) for t in self._encode(df))
        target = torch.from_numpy(np.searchsorted(self.classes_, y)).to(self.device)
        self.net_ = Net([len(self.categories_[c]) + 1 for c in self.cat_columns_], len(self.num_columns_), len(self.classes_)).to(self.device)
        dense = [p for n, p in self.net_.named_parameters() if not n.startswith("tables")]
        optimizers = [torch.optim.SparseAdam(list(self.net_.tables.parameters()), lr=1e-3), Lion(dense, lr=1e-4, weight_decay=1e-2)]
        weight = 1 / torch.bincount(target).clamp(min=1).float()
        best, wait = -np.inf, 0
        for epoch in range(self.max_epochs):
            self.net_.train()
            for rows in torch.randperm(len(target), device=self.device).split(self.batch_size):
                noisy = nums[rows] + 0.05 * torch.randn_like(nums[rows])
                loss = F.cross_entropy(self.net_(cats[rows], noisy), target[rows], weight=weight)
                for o in optimizers:
                    o.zero_grad(set_to_none=True)
                loss.backward()
                for o in optimizers:
                    o.step()
            score = (self.predict(eval_set[0]) == eval_set[1]).mean()
            print(f"epoch {epoch} loss {loss.item():.4f} accuracy {score:.4f}")
            if score > best:
                best, wait, kept = score, 0, copy.deepcopy(self.net_.state_dict())
            else:
                wait += 1
                if wait >= self.patience:
                    break
        self.net_.load_state_dict(kept)
        return self

    @torch.no_grad()
    def predict_proba(self, df):
        self.net_.eval()
        cats, nums = self._encode(df)
        parts = [self.net_(c.to(self.device), n.to(self.device)).softmax(1).cpu() for c, n in zip(cats.split(32768), nums.split(32768))]
        return torch.cat(parts).numpy()

    def predict(self, df):
        return self.classes_[self.predict_proba(df).argmax(1)]


def table(rows, rng):
    counts = {"user": 200_000, "item": 60_000, "shop": 900, "weekday": 7}
    columns = {name: rng.integers(0, count, rows) for name, count in counts.items()}
    return columns | {f"x{i}": rng.normal(size=rows).astype(np.float32) for i in range(24)}


rng = np.random.default_rng(0)
train, valid = table(120_000, rng), table(30_000, rng)
label = lambda df: np.where(df["x0"] + 0.1 * df["weekday"] > 0.6, "buy", np.where(df["x1"] > 1, "return", "none"))
model = TabularClassifier().fit(train, label(train), (valid, label(valid)))
print(dict(zip(*np.unique(model.predict(valid), return_counts=True))))
