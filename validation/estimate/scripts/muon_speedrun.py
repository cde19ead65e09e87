# speedrun-style GPT: Muon for the matrices, AdamW for the rest, torch.compile, tied embeddings, squared ReLU, value residual
import math
import time
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_float32_matmul_precision("high")
torch.manual_seed(1337)
V, D, L, H, T, B = 50304, 768, 8, 6, 1024, 8


@torch.no_grad()
def newton_schulz(G, steps=5):
    a, b, c = 3.4445, -4.7750, 2.0315
    X = G.bfloat16()
    if X.size(0) > X.size(1):
        X = X.T
    X = X / (X.norm() + 1e-7)
    for _ in range(steps):
        A = X @ X.T
        X = a * X + (b * A + c * A @ A) @ X
    return X.T if G.size(0) > G.size(1) else X


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr=0.02, momentum=0.95, nesterov=True):
        super().__init__(params, dict(lr=lr, momentum=momentum, nesterov=nesterov))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "buf" not in state:
                    state["buf"] = torch.zeros_like(p)
                buf = state["buf"].lerp_(p.grad, 1 - group["momentum"])
                g = p.grad.lerp(buf, group["momentum"]) if group["nesterov"] else buf
                p.add_(newton_schulz(g).type_as(p), alpha=-group["lr"] * max(1, p.size(0) / p.size(1)) ** 0.5)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(D, D, bias=False) for _ in range(4))
        self.lamb = nn.Parameter(torch.tensor(0.5))
        nn.init.zeros_(self.o.weight)

    def forward(self, x, v1, cos, sin):
        B, T, C = x.size()
        q, k, v = (f(x).view(B, T, H, C // H) for f in (self.q, self.k, self.v))
        v1 = v if v1 is None else v1
        v = (1 - self.lamb) * v + self.lamb * v1
        q, k = F.rms_norm(q, (C // H,)), F.rms_norm(k, (C // H,))
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
        return self.o(y.transpose(1, 2).contiguous().view_as(x)), v1

    def rotate(self, x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos + b * sin, b * cos - a * sin], -1).type_as(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Attention()
        self.fc, self.proj = nn.Linear(D, 4 * D, bias=False), nn.Linear(4 * D, D, bias=False)
        self.mix = nn.Parameter(torch.tensor([1.0, 0.0]))
        nn.init.zeros_(self.proj.weight)

    def forward(self, x, x0, v1, cos, sin):
        x = self.mix[0] * x + self.mix[1] * x0
        y, v1 = self.attn(F.rms_norm(x, (D,)), v1, cos, sin)
        x = x + y
        return x + self.proj(F.relu(self.fc(F.rms_norm(x, (D,)))).square()), v1


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(V, D)
        self.blocks = nn.ModuleList(Block() for _ in range(L))
        self.lm_head = nn.Linear(D, V, bias=False)
        self.lm_head.weight = self.wte.weight
        angles = torch.outer(torch.arange(T).float(), (1 / 10000) ** torch.linspace(0, 1, D // H // 2))
        self.register_buffer("cos", angles.cos()[None, :, None], persistent=False)
        self.register_buffer("sin", angles.sin()[None, :, None], persistent=False)

    def forward(self, idx, targets):
        x = x0 = F.rms_norm(self.wte(idx), (D,))
        v1 = None
        for block in self.blocks:
            x, v1 = block(x, x0, v1, self.cos, self.sin)
        logits = 30 * torch.tanh(self.lm_head(F.rms_norm(x, (D,))) / 30)
        return F.cross_entropy(logits.float().view(-1, V), targets.view(-1))


model = GPT().cuda()
nn.init.normal_(model.wte.weight, std=0.02)
compiled = torch.compile(model)
matrices = [p for p in model.blocks.parameters() if p.ndim == 2]
scalars = [p for p in model.blocks.parameters() if p.ndim < 2]
optimizers = [
    torch.optim.AdamW([model.wte.weight], lr=0.003, betas=(0.9, 0.95), fused=True),
    torch.optim.AdamW(scalars, lr=0.02, betas=(0.9, 0.95), fused=True),
    Muon(matrices),
]
tokens = torch.randint(0, 50257, (400_000,), dtype=torch.int32)
STEPS, ACC = 8, 2
for step in range(STEPS):
    t0 = time.time()
    for micro in range(ACC):
        at = torch.randint(0, len(tokens) - T - 1, (B,))
        window = torch.stack([tokens[i:i + T + 1] for i in at]).pin_memory().to("cuda", non_blocking=True).long()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = compiled(window[:, :-1].contiguous(), window[:, 1:].contiguous())
        (loss / ACC).backward()
    frac = min(step / 4, 1)
    for group in optimizers[2].param_groups:
        group["momentum"] = (1 - frac) * 0.85 + frac * 0.95
    for opt in optimizers:
        for group in opt.param_groups:
            group.setdefault("initial_lr", group["lr"])
            group["lr"] = group["initial_lr"] * min(1.0, (STEPS - step) / (STEPS * 0.4))
        opt.step()
    model.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    print(f"step {step} loss {loss.item():.4f} {1000 * (time.time() - t0):.0f}ms")
with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
    val = tokens[: 2 * B * T + 1].cuda().long()
    losses = [model(val[i * B * T:(i + 1) * B * T].view(B, T), val[i * B * T + 1:(i + 1) * B * T + 1].view(B, T)) for i in range(2)]
print("val", torch.stack(losses).mean().item(), "peak MiB", torch.cuda.max_memory_allocated() // 1024**2)
