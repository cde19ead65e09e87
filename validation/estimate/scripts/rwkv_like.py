import torch, torch.nn as nn, torch.nn.functional as F

class LinearAttention(nn.Module):
    """Causal linear attention in chunks."""
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv, self.o = h, nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.decay = nn.Parameter(torch.linspace(1, 4, h))
    def forward(self, x, chunk=64):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        g = torch.sigmoid(self.decay).view(1, -1, 1, 1)
        n = torch.arange(chunk, device=x.device)
        mask = torch.tril(g ** (n[:, None] - n[None, :]).clamp(min=0))
        state = x.new_zeros(B, self.h, D // self.h, D // self.h)
        out = []
        for qc, kc, vc in zip(q.split(chunk, 2), k.split(chunk, 2), v.split(chunk, 2)):
            inner = (qc @ kc.transpose(-1, -2) * mask) @ vc
            cross = (qc * g ** (n + 1)[None, None, :, None]) @ state
            out.append(inner + cross)
            state = state * g ** chunk + (kc * g ** (chunk - 1 - n)[None, None, :, None]).transpose(-1, -2) @ vc
        return self.o(torch.cat(out, 2).transpose(1, 2).reshape(B, T, D))

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n1, self.n2, self.att = nn.RMSNorm(d), nn.RMSNorm(d), LinearAttention(d, 8)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.down(F.relu(self.up(self.n2(x))).square())

torch.manual_seed(8)
d, V = 512, 8192
emb, body, head = nn.Embedding(V, d).cuda(), nn.Sequential(*[Block(d) for _ in range(6)], nn.RMSNorm(d)).cuda(), nn.Linear(d, V, bias=False).cuda()
params = [*emb.parameters(), *body.parameters(), *head.parameters()]
opt = torch.optim.AdamW(params, 6e-4, betas=(0.9, 0.95))
for step in range(10):
    ids = torch.randint(0, V, (8, 1025), device="cuda")
    loss = F.cross_entropy(head(body(emb(ids[:, :-1]))).flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    for p in params:
        p.grad = None
    print(step, loss.item())
