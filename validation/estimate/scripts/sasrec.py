"""Sequential recommendation with in-batch and sampled negatives."""
import argparse, torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

p = argparse.ArgumentParser()
p.add_argument("--items", type=int, default=200_000)
p.add_argument("--dim", type=int, default=128)
p.add_argument("--maxlen", type=int, default=100)
p.add_argument("--bs", type=int, default=256)
a = p.parse_args()

class Users(Dataset):
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        seq = torch.randint(1, a.items, (a.maxlen + 1,), generator=g)
        seq[: int(torch.randint(0, a.maxlen - 5, (1,), generator=g))] = 0
        return seq

class SASRec(nn.Module):
    def __init__(self):
        super().__init__()
        self.item = nn.Embedding(a.items, a.dim, padding_idx=0)
        self.pos = nn.Embedding(a.maxlen, a.dim)
        self.att = nn.ModuleList(nn.MultiheadAttention(a.dim, 4, 0.2, batch_first=True) for _ in range(3))
        self.ff = nn.ModuleList(nn.Sequential(nn.LayerNorm(a.dim), nn.Linear(a.dim, 4 * a.dim), nn.GELU(), nn.Dropout(0.2), nn.Linear(4 * a.dim, a.dim)) for _ in range(3))
    def forward(self, s):
        x = self.item(s) * a.dim ** 0.5 + self.pos(torch.arange(s.size(1), device=s.device))
        mask = nn.Transformer.generate_square_subsequent_mask(s.size(1), device=s.device)
        for att, ff in zip(self.att, self.ff):
            x = x + att(x, x, x, attn_mask=mask, need_weights=False, is_causal=True)[0]
            x = x + ff(x)
        return x

model = SASRec().cuda()
opt = torch.optim.Adam(model.parameters(), 1e-3)
for seq in DataLoader(Users(2560), batch_size=a.bs, shuffle=True):
    seq = seq.cuda()
    src, pos = seq[:, :-1], seq[:, 1:]
    h = model(src)
    neg = torch.randint(1, a.items, (*pos.shape, 16), device="cuda")
    good = (h * model.item(pos)).sum(-1)
    bad = torch.einsum("bld,blnd->bln", h, model.item(neg))
    mask = (pos > 0).float()
    loss = -((F.logsigmoid(good) + F.logsigmoid(-bad).mean(-1)) * mask).sum() / mask.sum()
    opt.zero_grad(); loss.backward(); opt.step()
model.eval()
with torch.no_grad():
    scores = model(src)[:, -1] @ model.item.weight.T
    print(loss.item(), scores.topk(20).indices.shape)
