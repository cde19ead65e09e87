"""Sentence embeddings: contrastive tuning of MPNet with in-batch negatives, then a corpus is embedded
(longest documents first, batches shrinking to fit a token budget) and clustered with k-means."""
import numpy as np
import torch
import torch.nn.functional as F
from transformers import MPNetConfig, MPNetModel

rng = np.random.default_rng(0)
torch.manual_seed(0)
device = "cuda"
PAD, VOCAB = 1, 30527

model = MPNetModel(MPNetConfig(vocab_size=VOCAB), add_pooling_layer=False).to(device)


def tokenize(lengths):
    """Stands in for a tokenizer: random ids, padded to the longest."""
    ids = np.full((len(lengths), max(lengths)), PAD)
    for row, n in zip(ids, lengths):
        row[:n] = rng.integers(5, VOCAB, n)
    ids = torch.from_numpy(ids)
    return ids.to(device), (ids != PAD).long().to(device)


def embed(ids, mask):
    hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
    m = mask.unsqueeze(-1).to(hidden.dtype)
    mean = (hidden * m).sum(1) / m.sum(1).clamp(min=1e-9)
    return F.normalize(mean.float(), dim=-1)


# --- contrastive training
model.train()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
for step in range(15):
    queries = tokenize(rng.integers(6, 32, 64))
    answers = tokenize(rng.integers(20, 128, 64))
    with torch.autocast(device, dtype=torch.bfloat16):
        q, a = embed(*queries), embed(*answers)
    scores = q @ a.T * 20.0
    labels = torch.arange(len(scores), device=device)
    loss = (F.cross_entropy(scores, labels) + F.cross_entropy(scores.T, labels)) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        print(f"step {step} loss {loss.item():.4f}")
del optimizer, loss, scores, q, a
model.zero_grad()

# --- embed a corpus
model.eval().half()
lengths = np.sort(np.clip(rng.lognormal(4.6, 0.7, 3000).astype(int), 8, 384))[::-1]
embeddings, start = [], 0
with torch.no_grad():
    while start < len(lengths):
        size = max(1, min(256, 40_000 // int(lengths[start])))
        batch = lengths[start : start + size]
        embeddings.append(embed(*tokenize(batch)))
        start += size
corpus = torch.cat(embeddings)
print("corpus", tuple(corpus.shape), "in", len(embeddings), "batches")

# --- k-means, distances in chunks
k = 50
centers = corpus[torch.randperm(len(corpus), device=device)[:k]].clone()
for it in range(10):
    assign = torch.cat([torch.cdist(c, centers).argmin(1) for c in corpus.split(1024)])
    sums = torch.zeros_like(centers).index_add_(0, assign, corpus)
    counts = torch.bincount(assign, minlength=k).clamp(min=1).unsqueeze(1)
    shift = (sums / counts - centers).norm()
    centers = sums / counts
    print(f"k-means {it}: shift {shift.item():.5f}")
