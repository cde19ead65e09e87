"""Weight-only int8 encoder behind a toy request loop: batch sizes and lengths vary, with a seed."""
import random
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0), random.seed(0)
DIM, HEADS, LAYERS, VOCAB, CLASSES = 1536, 16, 18, 50000, 40


class Int8Linear(nn.Module):
    """Weights in int8 with a scale per output channel; expanded to the type of the input when used."""

    def __init__(self, linear):
        super().__init__()
        w = linear.weight.detach()
        scale = w.abs().amax(dim=1, keepdim=True) / 127
        self.register_buffer("weight", torch.round(w / scale).clamp(-128, 127).to(torch.int8))
        self.register_buffer("scale", scale.half())
        self.register_buffer("bias", linear.bias.detach().half())

    def forward(self, x):
        return F.linear(x, self.weight.to(x.dtype) * self.scale, self.bias)


def quantize(module):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, Int8Linear(child))
        else:
            quantize(child)
    return module


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.qkv, self.out = nn.Linear(DIM, 3 * DIM), nn.Linear(DIM, DIM)
        self.up, self.down = nn.Linear(DIM, 4 * DIM), nn.Linear(4 * DIM, DIM)

    def forward(self, x, mask):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(a.transpose(1, 2).reshape(b, t, DIM))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, DIM)
        self.position = nn.Embedding(512, DIM)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(DIM, CLASSES)

    def forward(self, ids, lengths):
        steps = torch.arange(ids.shape[1], device=ids.device)
        valid = steps[None] < lengths[:, None]
        x = self.embed(ids) + self.position(steps)
        for layer in self.layers:
            x = layer(x, valid[:, None, None, :])
        pooled = (x * valid.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1)
        return self.head(pooled.to(x.dtype)).float().softmax(-1)


with torch.device("cuda"):
    model = Classifier()
model = quantize(model).half().eval()
print("weights", sum(b.numel() * b.element_size() for b in model.state_dict().values()) // 2**20, "MiB")

latencies, tokens = [], 0
with torch.inference_mode():
    for request in range(50):
        batch = random.choice([1, 2, 4, 8, 16, 32, 48])
        lengths = torch.tensor([random.randint(8, 512) for _ in range(batch)])
        ids = torch.randint(0, VOCAB, (batch, int(lengths.max())))
        began = time.perf_counter()
        probs = model(ids.cuda(), lengths.cuda())
        score, label = probs.max(-1)
        answer = list(zip(label.tolist(), score.tolist()))
        latencies.append(time.perf_counter() - began)
        tokens += int(lengths.sum())
        if request % 10 == 0:
            print(f"request {request} batch {batch} width {ids.shape[1]} first answer {answer[0]}")
print(f"median {1000 * statistics.median(latencies):.1f} ms, {tokens / sum(latencies):.0f} tokens/s")
