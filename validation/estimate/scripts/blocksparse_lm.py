"""Byte LM with a BigBird-like block-sparse mask: a 4-D mask per batch, checked before use, with padding and documents."""
import argparse
import logging

import torch
from torch import nn
import torch.nn.functional as F

log = logging.getLogger("blocksparse")


def get_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--block", type=int, default=64)
    p.add_argument("--seq-len", type=int, default=1536)
    p.add_argument("--batch-size", type=int, default=6)
    p.add_argument("--dim", type=int, default=512)
    p.add_argument("--layers", type=int, default=8)
    p.add_argument("--heads", type=int, default=8)
    p.add_argument("--random-blocks", type=int, default=2)
    p.add_argument("--max-steps", type=int, default=8)
    p.add_argument("--dtype", choices=["fp32", "bf16"], default="bf16")
    return p.parse_args()


def layout(blocks, random_blocks, g):
    near = (torch.arange(blocks)[:, None] - torch.arange(blocks)[None]).abs() <= 1
    near[0, :] = True
    near[:, 0] = True
    for row in range(blocks):
        near[row, torch.randperm(blocks, generator=g)[:random_blocks]] = True
    return near


def build_mask(documents, padding, blocks, size):
    """(batch, 1, queries, keys): True where a query may look."""
    causal = torch.ones(size, size, dtype=torch.bool, device=documents.device).tril()
    sparse = blocks.to(documents.device).repeat_interleave(size // len(blocks), 0).repeat_interleave(size // len(blocks), 1)
    same = documents[:, :, None] == documents[:, None, :]
    mask = (causal & sparse)[None] & same & padding[:, None, :]
    empty = ~mask.any(dim=-1)
    if empty.any():
        # a row that sees nothing gives NaN: let it see itself
        rows = empty.nonzero()
        mask[rows[:, 0], rows[:, 1], rows[:, 1]] = True
    assert mask.any(dim=-1).all()
    return mask[:, None]


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, x, mask):
        B, T, D = x.shape
        if mask is not None and mask.all():
            mask = None
        q, k, v = (t.view(B, T, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(B, T, D))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.RMSNorm(dim), nn.RMSNorm(dim)
        self.attn = Attention(dim, heads)
        self.gate, self.up, self.down = (nn.Linear(dim, 4 * dim), nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim))

    def forward(self, x, mask):
        x = x + self.attn(self.n1(x), mask)
        h = self.n2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class LM(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.tok, self.pos = nn.Embedding(260, a.dim), nn.Embedding(a.seq_len, a.dim)
        self.layers = nn.ModuleList(Layer(a.dim, a.heads) for _ in range(a.layers))
        self.norm, self.head = nn.RMSNorm(a.dim), nn.Linear(a.dim, 260, bias=False)

    def forward(self, ids, mask, labels=None):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1], device=ids.device))
        for layer in self.layers:
            x = layer(x, mask)
        logits = self.head(self.norm(x))
        return logits if labels is None else F.cross_entropy(logits.float().view(-1, 260), labels.view(-1), ignore_index=-100)


def batch(a, g):
    ids = torch.randint(0, 256, (a.batch_size, a.seq_len), generator=g)
    lengths = torch.randint(a.seq_len // 2, a.seq_len + 1, (a.batch_size,), generator=g)
    padding = torch.arange(a.seq_len)[None] < lengths[:, None]
    documents = (torch.rand(a.batch_size, a.seq_len, generator=g) < 0.003).cumsum(1)
    labels = ids.roll(-1, 1).masked_fill(~padding, -100)
    labels[:, -1] = -100
    return ids, documents, padding, labels


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    a = get_args()
    g = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    blocks = layout(a.seq_len // a.block, a.random_blocks, g)
    model = LM(a).cuda()
    opt = torch.optim.AdamW(model.parameters(), 3e-4, betas=(0.9, 0.95))
    log.info("density %.3f", blocks.float().mean())
    for step in range(a.max_steps):
        ids, documents, padding, labels = (t.cuda() for t in batch(a, g))
        with torch.autocast("cuda", torch.bfloat16, enabled=a.dtype == "bf16"):
            loss = model(ids, build_mask(documents, padding, blocks, a.seq_len), labels)
        loss.backward()
        if not torch.isfinite(loss):
            raise RuntimeError("the loss is not finite")
        opt.step()
        opt.zero_grad()
        log.info("step %d loss %.3f", step, loss)
    model.eval()
    with torch.no_grad():
        ids, documents, padding, labels = (t.cuda() for t in batch(a, g))
        logits = model(ids, build_mask(documents, padding, blocks, a.seq_len))
        picked = logits[padding]
        log.info("accuracy %.4f of %d bytes", (picked.argmax(-1) == labels[padding]).float().mean(), len(picked))


if __name__ == "__main__":
    main()
