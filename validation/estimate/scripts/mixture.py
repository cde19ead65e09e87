"""A transformer whose feed-forward layers are experts chosen by a router, with capacity and an auxiliary loss."""
import torch
import torch.nn as nn
import torch.nn.functional as F

WIDTH, EXPERTS = 384, 8
torch.manual_seed(0)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.up = nn.Parameter(torch.randn(EXPERTS, WIDTH, 4 * WIDTH) * 0.02)
        self.down = nn.Parameter(torch.randn(EXPERTS, 4 * WIDTH, WIDTH) * 0.02)

    def forward(self, x):
        tokens = x.flatten(0, 1)
        capacity = 2 * len(tokens) // EXPERTS
        weights, chosen = self.router(tokens).softmax(-1).topk(2)
        out = torch.zeros_like(tokens)
        for expert in range(EXPERTS):
            at, slot = torch.where(chosen == expert)
            at, slot = at[:capacity], slot[:capacity]
            hidden = F.gelu(tokens[at] @ self.up[expert])
            out.index_add_(0, at, (hidden @ self.down[expert]) * weights[at, slot, None])
        return out.view_as(x)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.experts = nn.MultiheadAttention(WIDTH, 6, batch_first=True), Experts()

    def forward(self, x, mask):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, attn_mask=mask, need_weights=False)[0]
        return x + self.experts(self.norm2(x))


words, layers, head = nn.Embedding(8000, WIDTH).cuda(), nn.ModuleList(Layer() for _ in range(4)).cuda(), nn.Linear(WIDTH, 8000).cuda()
optimizer = torch.optim.AdamW([*words.parameters(), *layers.parameters(), *head.parameters()], lr=1e-3)
mask = torch.triu(torch.full((256, 256), float("-inf"), device="cuda"), 1)
for step in range(10):
    ids = torch.randint(0, 8000, (16, 257), device="cuda")
    x = words(ids[:, :-1])
    for layer in layers:
        x = layer(x, mask)
    loss = F.cross_entropy(head(x).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
