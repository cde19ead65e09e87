"""Decoder-only language model with top-2 mixture-of-experts layers, tokens sorted by expert."""
import torch
import torch.nn as nn
import torch.nn.functional as F

D, HEADS, LAYERS, EXPERTS, TOP_K, FF = 512, 8, 6, 8, 2, 1536
VOCAB, SEQ, BATCH, STEPS = 16384, 512, 16, 25


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(D, FF)
        self.down = nn.Linear(FF, D)

    def forward(self, x):
        return self.down(F.relu(self.up(x)).square())


class MoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(D, EXPERTS, bias=False)
        self.experts = nn.ModuleList(Expert() for _ in range(EXPERTS))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, D)
        logits = self.router(x).float()
        probs = logits.softmax(-1)
        weights, chosen = probs.topk(TOP_K, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        flat = chosen.flatten()
        order = flat.argsort()
        token = order // TOP_K
        counts = torch.bincount(flat, minlength=EXPERTS)
        outputs = [f(part) for f, part in zip(self.experts, x[token].split(counts.tolist()))]
        y = torch.cat(outputs) * weights.flatten()[order].unsqueeze(-1)
        out = torch.zeros_like(x).index_add(0, token, y.to(x.dtype))

        balance = EXPERTS * (probs.mean(0) * counts / counts.sum()).sum()
        z_loss = logits.logsumexp(-1).square().mean()
        return out.view(shape), 0.01 * balance + 0.001 * z_loss


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.proj = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.moe = MoE()

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, D // HEADS).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, D))
        y, aux = self.moe(self.norm2(x))
        return x + y, aux


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCAB, D), nn.Embedding(SEQ, D)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(D, VOCAB, bias=False)

    def forward(self, ids):
        x = self.tok(ids) + self.pos.weight[: ids.shape[1]]
        total = 0.0
        for layer in self.layers:
            x, aux = layer(x)
            total = total + aux
        return self.head(F.layer_norm(x, (D,))), total


model = Model().to("cuda")
opt = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
for step in range(STEPS):
    ids = torch.randint(0, VOCAB, (BATCH, SEQ + 1), device="cuda")
    with torch.autocast("cuda", torch.bfloat16):
        logits, aux = model(ids[:, :-1])
        ce = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    (ce + aux).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    opt.zero_grad()
    if step % 5 == 0:
        print(step, f"ce {ce.item():.4f} aux {aux.item():.4f}")
