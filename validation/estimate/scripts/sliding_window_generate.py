"""Batched generation with grouped-query attention, rotary embeddings and a KV cache: full layers and layers with a sliding window."""
import dataclasses
import time

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclasses.dataclass(frozen=True)
class Args:
    vocab: int = 32768
    dim: int = 2048
    layers: int = 12
    heads: int = 16
    kv_heads: int = 4
    window: int = 512
    global_every: int = 4
    max_seq: int = 2048
    max_batch: int = 16

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


def rope(x: Tensor, freqs: Tensor) -> Tensor:
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs[None, :, None]).flatten(3).type_as(x)


class RollingCache:
    """Keeps the last ``size`` keys and values; the oldest go first."""

    def __init__(self, batch: int, size: int, args: Args, device):
        shape = (batch, args.kv_heads, size, args.head_dim)
        self.k, self.v = torch.zeros(shape, dtype=torch.bfloat16, device=device), torch.zeros(shape, dtype=torch.bfloat16, device=device)
        self.positions = torch.full((size,), -1, dtype=torch.long, device=device)
        self.size = size

    def update(self, k: Tensor, v: Tensor, positions: Tensor):
        if len(positions) > self.size:
            k, v, positions = k[:, :, -self.size:], v[:, :, -self.size:], positions[-self.size:]
        slots = positions % self.size
        self.k[:, :, slots], self.v[:, :, slots] = k, v
        self.positions[slots] = positions
        return self.k, self.v, self.positions


class Layer(nn.Module):
    def __init__(self, args: Args, window: int | None):
        super().__init__()
        self.args, self.window = args, window
        kv = args.kv_heads * args.head_dim
        self.wq, self.wk, self.wv = nn.Linear(args.dim, args.dim, False), nn.Linear(args.dim, kv, False), nn.Linear(args.dim, kv, False)
        self.wo = nn.Linear(args.dim, args.dim, False)
        self.w1, self.w2, self.w3 = nn.Linear(args.dim, 5504, False), nn.Linear(5504, args.dim, False), nn.Linear(args.dim, 5504, False)
        self.attention_norm, self.ffn_norm = nn.RMSNorm(args.dim, eps=1e-5), nn.RMSNorm(args.dim, eps=1e-5)

    def forward(self, x: Tensor, freqs: Tensor, positions: Tensor, cache: RollingCache) -> Tensor:
        b, t, _ = x.shape
        h, a = self.attention_norm(x), self.args
        q = rope(self.wq(h).view(b, t, a.heads, -1), freqs).transpose(1, 2)
        k = rope(self.wk(h).view(b, t, a.kv_heads, -1), freqs).transpose(1, 2)
        v = self.wv(h).view(b, t, a.kv_heads, -1).transpose(1, 2)
        if t == 1:
            k, v, at = cache.update(k, v, positions)
        else:  # the prompt: attends to itself, the cache keeps its end
            cache.update(k, v, positions)
            at = positions
        seen = (at[None] <= positions[:, None]) & (at[None] >= 0)
        if self.window is not None:
            seen &= at[None] > positions[:, None] - self.window
        if a.heads != a.kv_heads:
            k, v = (each.repeat_interleave(a.heads // a.kv_heads, 1) for each in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=seen[None, None])
        x = x + self.wo(y.transpose(1, 2).reshape(b, t, -1))
        h = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class Model(nn.Module):
    def __init__(self, args: Args):
        super().__init__()
        self.args = args
        self.tok = nn.Embedding(args.vocab, args.dim)
        self.layers = nn.ModuleList(Layer(args, None if i % args.global_every == args.global_every - 1 else args.window) for i in range(args.layers))
        self.norm, self.output = nn.RMSNorm(args.dim), nn.Linear(args.dim, args.vocab, False)
        angles = torch.outer(torch.arange(args.max_seq).float(), 10000.0 ** (-torch.arange(0, args.head_dim, 2).float() / args.head_dim))
        self.freqs = torch.polar(torch.ones_like(angles), angles)

    def caches(self, batch: int):
        return [RollingCache(batch, layer.window or self.args.max_seq, self.args, "cuda") for layer in self.layers]

    def forward(self, ids: Tensor, start: int, caches) -> Tensor:
        positions = torch.arange(start, start + ids.shape[1], device=ids.device)
        self.freqs = self.freqs.to(ids.device)
        x, freqs = self.tok(ids), self.freqs[positions]
        for layer, cache in zip(self.layers, caches):
            x = layer(x, freqs, positions, cache)
        return self.output(self.norm(x)).float()


def top_p(logits: Tensor, p: float = 0.9, temperature: float = 0.8) -> Tensor:
    probs = (logits / temperature).softmax(-1)
    ordered, index = probs.sort(dim=-1, descending=True)
    ordered[ordered.cumsum(-1) - ordered > p] = 0.0
    choice = torch.multinomial(ordered / ordered.sum(-1, keepdim=True), 1)
    return index.gather(-1, choice)


@torch.inference_mode()
def generate(model: Model, prompts: Tensor, new: int, eos: int = 2) -> Tensor:
    caches, ids = model.caches(len(prompts)), prompts
    finished = torch.zeros(len(prompts), 1, dtype=torch.bool, device="cuda")
    logits = model(ids, 0, caches)[:, -1]
    for at in range(prompts.shape[1], prompts.shape[1] + new):
        token = torch.where(finished, eos, top_p(logits))
        ids = torch.cat([ids, token], 1)
        finished |= token == eos
        if finished.all():
            break
        logits = model(token, at, caches)[:, -1]
    return ids


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = Model(Args()).eval()
    model.freqs = model.freqs.to(torch.complex64)
    for batch, prompt, new in ((4, 256, 48), (16, 1024, 64), (1, 1500, 32)):
        began = time.time()
        out = generate(model, torch.randint(3, 32768, (batch, prompt), device="cuda"), new)
        torch.cuda.synchronize()
        print(f"batch {batch}: {out.shape[1] - prompt} tokens, {batch * (out.shape[1] - prompt) / (time.time() - began):.0f} per second")
