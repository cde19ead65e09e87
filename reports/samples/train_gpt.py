"""Trains a small GPT on documents of varying length and keeps a memory snapshot when it runs out of memory."""

import argparse
import random

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary, width, heads, layers, longest):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def batches(args):
    """Every batch is as long as its longest document."""
    lengths = random.Random(args.seed)
    for _ in range(args.steps):
        length = max(int(lengths.lognormvariate(5.6, 0.6)) for _ in range(args.batch))
        yield torch.randint(args.vocabulary, (args.batch, min(length, args.longest)))


def loss_of(model, tokens):
    logits = model(tokens[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())


def train_step(model, optimizer, tokens):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = loss_of(model, tokens)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in dict(vocabulary=32000, width=1024, heads=16, layers=6, longest=1024, batch=12, steps=20, seed=1).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--fraction", type=float, default=1.0, help="share of the GPU's memory that this process may use")
    parser.add_argument("--snapshot", default="train_gpt.pickle")
    args = parser.parse_args()

    torch.cuda.set_per_process_memory_fraction(args.fraction)
    torch.cuda.memory._record_memory_history(stacks="python")
    model = GPT(args.vocabulary, args.width, args.heads, args.layers, args.longest).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    try:
        for step, tokens in enumerate(batches(args)):
            loss = train_step(model, optimizer, tokens.cuda())
            print(f"step {step}: {tokens.shape[1]} tokens, loss {loss.item():.3f}")
    finally:
        torch.cuda.memory._dump_snapshot(args.snapshot)


if __name__ == "__main__":
    main()
