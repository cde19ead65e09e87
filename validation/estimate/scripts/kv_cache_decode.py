"""Text generation by hand: a 1B decoder in bf16 with rotary embeddings and a growing KV cache."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

DIM, LAYERS, HEADS, KV_HEADS, FFN, VOCAB = 2048, 16, 16, 8, 5632, 32000
HEAD_DIM = DIM // HEADS


def rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(DIM, HEADS * HEAD_DIM, bias=False)
        self.kv = nn.Linear(DIM, 2 * KV_HEADS * HEAD_DIM, bias=False)
        self.o = nn.Linear(DIM, DIM, bias=False)

    def forward(self, x, cos, sin, cache):
        b, t, _ = x.shape
        q = self.q(x).view(b, t, HEADS, HEAD_DIM).transpose(1, 2)
        k, v = self.kv(x).view(b, t, 2, KV_HEADS, HEAD_DIM).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        groups = HEADS // KV_HEADS
        out = F.scaled_dot_product_attention(
            q, k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1), is_causal=cache is None)
        return self.o(out.transpose(1, 2).reshape(b, t, DIM)), (k, v)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, DIM)
        self.attn = nn.ModuleList(Attention() for _ in range(LAYERS))
        self.gate = nn.ModuleList(nn.Linear(DIM, 2 * FFN, bias=False) for _ in range(LAYERS))
        self.down = nn.ModuleList(nn.Linear(FFN, DIM, bias=False) for _ in range(LAYERS))
        self.norms = nn.ModuleList(nn.RMSNorm(DIM) for _ in range(2 * LAYERS + 1))
        inv = 1.0 / 10000 ** (torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM)
        angles = torch.outer(torch.arange(2048).float(), inv)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids, caches, start):
        x = self.embed(ids)
        cos, sin = (t[start : start + ids.shape[1]].to(x.dtype) for t in (self.cos, self.sin))
        for i in range(LAYERS):
            h, caches[i] = self.attn[i](self.norms[2 * i](x), cos, sin, caches[i])
            x = x + h
            a, b = self.gate[i](self.norms[2 * i + 1](x)).chunk(2, dim=-1)
            x = x + self.down[i](F.silu(a) * b)
        return F.linear(self.norms[-1](x), self.embed.weight)


def sample(logits, temperature=0.8, top_p=0.95):
    probs = torch.softmax(logits.float() / temperature, dim=-1)
    sorted_probs, index = probs.sort(dim=-1, descending=True)
    keep = sorted_probs.cumsum(-1) - sorted_probs < top_p
    sorted_probs = sorted_probs * keep
    return index.gather(-1, torch.multinomial(sorted_probs, 1))


torch.manual_seed(0)
with torch.device("cuda"):
    model = Decoder().bfloat16().eval()
print(f"{sum(p.numel() for p in model.parameters()) / 1e9:.2f}B parameters")

with torch.inference_mode():
    for batch, prompt_len, new_tokens in [(4, 256, 100), (16, 768, 80), (1, 1500, 60)]:
        prompt = torch.randint(0, VOCAB, (batch, prompt_len), device="cuda")
        caches = [None] * LAYERS
        began = time.time()
        logits = model(prompt, caches, 0)
        token, generated = sample(logits[:, -1]), []
        for position in range(prompt_len, prompt_len + new_tokens):
            generated.append(token)
            token = sample(model(token, caches, position)[:, -1])
        text = torch.cat(generated, dim=1).cpu()
        print(f"batch {batch}: {text.numel() / (time.time() - began):.0f} tokens/s, cache {caches[0][0].shape[2]}")
