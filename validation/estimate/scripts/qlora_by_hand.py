"""QLoRA without libraries: 4-bit weights in blocks with an autograd function of our own, adapters in bf16, checkpointed layers."""
import math
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

CODE = torch.tensor([-1.0, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0, 0.0796, 0.1609, 0.2461, 0.3379, 0.4407, 0.5626, 0.7230, 1.0])
BLOCK = 64


def quantize(w):
    flat = w.float().reshape(-1, BLOCK)
    absmax = flat.abs().amax(1, keepdim=True).clamp(min=1e-8)
    nearest = torch.bucketize(flat / absmax, ((CODE[1:] + CODE[:-1]) / 2).to(w.device)).to(torch.uint8).view(-1, 2)
    return nearest[:, 0] << 4 | nearest[:, 1], absmax.squeeze(1).to(torch.bfloat16)


def dequantize(packed, absmax, shape, code):
    idx = torch.stack([packed >> 4, packed & 15], 1).int()
    return (code[idx].view(-1, BLOCK) * absmax[:, None]).view(shape)


class Matmul4Bit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, packed, absmax, shape, code):
        ctx.save_for_backward(packed, absmax, code)
        ctx.shape = shape
        return x @ dequantize(packed, absmax, shape, code).t()

    @staticmethod
    def backward(ctx, grad):
        packed, absmax, code = ctx.saved_tensors
        return grad @ dequantize(packed, absmax, ctx.shape, code), None, None, None, None


class QLoRALinear(nn.Module):
    def __init__(self, linear, r=16, alpha=32, p=0.05):
        super().__init__()
        packed, absmax = quantize(linear.weight.data)
        self.shape = tuple(linear.weight.shape)
        self.register_buffer("packed", packed)
        self.register_buffer("absmax", absmax)
        self.register_buffer("code", CODE.to(linear.weight.device, torch.bfloat16), persistent=False)
        self.A = nn.Parameter(torch.empty(r, self.shape[1], device=packed.device, dtype=torch.bfloat16))
        self.B = nn.Parameter(torch.zeros(self.shape[0], r, device=packed.device, dtype=torch.bfloat16))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale, self.drop = alpha / r, nn.Dropout(p)

    def forward(self, x):
        return Matmul4Bit.apply(x, self.packed, self.absmax, self.shape, self.code) + F.linear(F.linear(self.drop(x), self.A), self.B) * self.scale


class Layer(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.RMSNorm(d), nn.RMSNorm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.gate, self.up, self.down = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, 3 * d, bias=False), nn.Linear(3 * d, d, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        h = self.n1(x)
        q, k, v = (f(h).view(b, t, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        h = self.n2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Model(nn.Module):
    def __init__(self, vocab=16000, d=1536, depth=12, heads=12):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList(Layer(d, heads) for _ in range(depth))
        self.norm, self.head = nn.RMSNorm(d), nn.Linear(d, vocab, bias=False)

    def forward(self, ids):
        x = self.embed(ids)
        x.requires_grad_(self.training)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True) if self.training else layer(x)
        return self.head(self.norm(x))


def replace(module):
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            setattr(module, name, QLoRALinear(child))
        else:
            replace(child)


torch.manual_seed(0)
with torch.device("cuda"):
    model = Model().to(torch.bfloat16)
model.requires_grad_(False)
before = torch.cuda.memory_allocated()
for layer in model.layers:
    replace(layer)
torch.cuda.empty_cache()
print(f"weights {before >> 20} -> {torch.cuda.memory_allocated() >> 20} MiB")
train = [p for p in model.parameters() if p.requires_grad]
print(f"{sum(p.numel() for p in train) / 1e6:.1f} M to train")
opt = torch.optim.AdamW(train, lr=2e-4)
model.train()
for step in range(6):
    for micro in range(2):
        ids = torch.randint(0, 16000, (4, 512 if step % 2 else 384), device="cuda")
        logits = model(ids)
        loss = F.cross_entropy(logits[:, :-1].float().flatten(0, 1), ids[:, 1:].flatten()) / 2
        loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(train, 0.3)
    opt.step()
    opt.zero_grad()
    print(step, loss.item() * 2, norm.item())
with tempfile.TemporaryDirectory() as d:
    torch.save({n: p.detach().cpu() for n, p in model.named_parameters() if p.requires_grad}, os.path.join(d, "adapter.pt"))
    print("adapter", os.path.getsize(os.path.join(d, "adapter.pt")) >> 20, "MiB")
