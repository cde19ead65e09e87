"""A small Llama written from scratch, trained in fp16 with a GradScaler."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1337)
dim, n_layers, n_heads, n_kv_heads, head_dim, hidden = 1024, 12, 16, 4, 64, 2816
vocab_size, seq_len, batch_size, max_steps, warmup = 32000, 1024, 4, 20, 4


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return (x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * self.weight


def precompute_freqs_cis(dim, end):
    freqs = torch.outer(torch.arange(end).float(), 10000.0 ** (-torch.arange(0, dim, 2).float() / dim))
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rope(x, freqs_cis):
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis[None, :, None, :]).flatten(3).type_as(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        linear = lambda i, o: nn.Linear(i, o, bias=False)
        self.wq, self.wo = linear(dim, dim), linear(dim, dim)
        self.wk, self.wv = linear(dim, n_kv_heads * head_dim), linear(dim, n_kv_heads * head_dim)
        self.w1, self.w2, self.w3 = linear(dim, hidden), linear(hidden, dim), linear(dim, hidden)
        self.attn_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)

    def forward(self, x, freqs_cis):
        b, t, _ = x.shape
        h = self.attn_norm(x)
        q = apply_rope(self.wq(h).view(b, t, n_heads, head_dim), freqs_cis).transpose(1, 2)
        k = apply_rope(self.wk(h).view(b, t, n_kv_heads, head_dim), freqs_cis).transpose(1, 2)
        v = self.wv(h).view(b, t, n_kv_heads, head_dim).transpose(1, 2)
        k, v = (a.repeat_interleave(n_heads // n_kv_heads, dim=1) for a in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.wo(y.transpose(1, 2).reshape(b, t, dim))
        h = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, dim)
        self.layers = nn.ModuleList(Block() for _ in range(n_layers))
        self.norm = RMSNorm(dim)
        self.output = nn.Linear(dim, vocab_size, bias=False)
        self.register_buffer("freqs_cis", precompute_freqs_cis(head_dim, seq_len), persistent=False)

    def forward(self, ids, targets):
        x = self.tok(ids)
        for layer in self.layers:
            x = layer(x, self.freqs_cis[: ids.shape[1]])
        logits = self.output(self.norm(x))
        return F.cross_entropy(logits.float().view(-1, vocab_size), targets.reshape(-1))


model = Llama().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda s: min(1, (s + 1) / warmup) * 0.5 * (1 + math.cos(math.pi * s / max_steps)))
scaler = torch.amp.GradScaler("cuda")
data = torch.randint(0, vocab_size, (400_000,))

for step in range(max_steps):
    start = torch.randint(len(data) - seq_len - 1, (batch_size,))
    chunk = torch.stack([data[i : i + seq_len + 1] for i in start]).cuda()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(chunk[:, :-1], chunk[:, 1:])
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    scheduler.step()
    print(f"step {step} loss {loss.item():.4f} scale {scaler.get_scale():.0f}")
