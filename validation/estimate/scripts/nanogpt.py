"""A small GPT in the style of nanoGPT: batches by random places in a text, evaluation every few steps, samples at the end."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

LAYERS, HEADS, WIDTH, BLOCK, VOCABULARY, BATCH = 8, 8, 512, 512, 12000, 12
torch.manual_seed(1337)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attend, self.project = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.feed = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (each.view(b, t, HEADS, c // HEADS).transpose(1, 2) for each in self.attend(self.norm1(x)).split(c, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.1 if self.training else 0)
        x = x + self.project(y.transpose(1, 2).reshape(b, t, c))
        return x + self.feed(self.norm2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids, targets=None):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        if targets is None:
            return self.head(x[:, [-1]]), None
        logits = self.head(x)
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


text = torch.randint(0, VOCABULARY, (200_000,))


def batch():
    at = torch.randint(len(text) - BLOCK, (BATCH,))
    x = torch.stack([text[i : i + BLOCK] for i in at]).pin_memory().to("cuda", non_blocking=True)
    y = torch.stack([text[i + 1 : i + 1 + BLOCK] for i in at]).pin_memory().to("cuda", non_blocking=True)
    return x, y


@torch.no_grad()
def evaluate(model):
    model.eval()
    losses = torch.zeros(8)
    for i in range(8):
        with torch.autocast("cuda", torch.bfloat16):
            losses[i] = model(*batch())[1].item()
    model.train()
    return losses.mean()


model = GPT().cuda()
decay = [p for p in model.parameters() if p.dim() >= 2]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": [p for p in model.parameters() if p.dim() < 2]}], lr=6e-4, fused=True)
for step in range(40):
    if step % 10 == 0:
        print(step, float(evaluate(model)))
    for group in optimizer.param_groups:
        group["lr"] = 6e-4 * min(1, (step + 1) / 10) * 0.5 * (1 + math.cos(math.pi * step / 40))
    for _ in range(2):
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(*batch())[1] / 2
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
model.eval()
ids = torch.zeros((1, 1), dtype=torch.long, device="cuda")
with torch.no_grad():
    for _ in range(100):
        logits, _ = model(ids[:, -BLOCK:])
        probabilities = F.softmax(logits[:, -1] / 0.8, dim=-1)
        ids = torch.cat((ids, torch.multinomial(probabilities, 1)), dim=1)
