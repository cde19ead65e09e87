import heapq
import math
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

# seq2seq translation with a packed bidirectional GRU, additive attention, scheduled sampling and a beam search by hand
PAD, BOS, EOS = 0, 1, 2
SRC, TGT = 12000, 10000
device = torch.device("cuda")


class Encoder(nn.Module):
    def __init__(self, emb=256, hid=512):
        super().__init__()
        self.emb = nn.Embedding(SRC, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hid, bidirectional=True, num_layers=2, dropout=0.3)
        self.bridge = nn.Linear(2 * hid, hid)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.emb(src), lengths.cpu(), enforce_sorted=False)
        out, h = self.rnn(packed)
        out, _ = pad_packed_sequence(out)
        return out, torch.tanh(self.bridge(torch.cat([h[-2], h[-1]], 1)))


class Attention(nn.Module):
    def __init__(self, hid=512):
        super().__init__()
        self.attn = nn.Linear(3 * hid, hid)
        self.v = nn.Linear(hid, 1, bias=False)

    def forward(self, h, enc, mask):
        s = enc.shape[0]
        energy = torch.tanh(self.attn(torch.cat([h.unsqueeze(0).expand(s, -1, -1), enc], 2)))
        scores = self.v(energy).squeeze(2).t().masked_fill(~mask, -1e9)
        return F.softmax(scores, dim=1)


class Decoder(nn.Module):
    def __init__(self, emb=256, hid=512):
        super().__init__()
        self.emb = nn.Embedding(TGT, emb, padding_idx=PAD)
        self.attention = Attention(hid)
        self.rnn = nn.GRU(emb + 2 * hid, hid)
        self.out = nn.Linear(3 * hid + emb, TGT)
        self.drop = nn.Dropout(0.3)

    def forward(self, token, h, enc, mask):
        e = self.drop(self.emb(token)).unsqueeze(0)
        a = self.attention(h, enc, mask).unsqueeze(1)
        ctx = torch.bmm(a, enc.permute(1, 0, 2)).permute(1, 0, 2)
        o, h = self.rnn(torch.cat([e, ctx], 2), h.unsqueeze(0))
        return self.out(torch.cat([o, ctx, e], 2).squeeze(0)), h.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Encoder(), Decoder()

    def forward(self, src, lengths, tgt, teacher=0.5):
        enc, h = self.encoder(src, lengths)
        mask = (src != PAD).t()
        outs = torch.zeros(tgt.shape[0], tgt.shape[1], TGT, device=src.device)
        token = tgt[0]
        for t in range(1, tgt.shape[0]):
            outs[t], h = self.decoder(token, h, enc, mask)
            token = tgt[t] if random.random() < teacher else outs[t].argmax(1)
        return outs

    @torch.no_grad()
    def beam(self, src, width=5, longest=40):
        enc, h = self.encoder(src, torch.tensor([src.shape[0]]))
        mask = (src != PAD).t()
        beams, done = [(0.0, [BOS], h)], []
        for _ in range(longest):
            grown = []
            for score, words, h in beams:
                logits, h2 = self.decoder(torch.tensor([words[-1]], device=device), h, enc, mask)
                logp, ids = logits.log_softmax(-1).topk(width)
                for lp, i in zip(logp[0].tolist(), ids[0].tolist()):
                    grown.append((score + lp, words + [i], h2))
            beams = []
            for candidate in heapq.nlargest(width, grown, key=lambda c: c[0]):
                (done if candidate[1][-1] == EOS else beams).append(candidate)
            if not beams or len(done) >= width:
                break
        return max(done or beams, key=lambda c: c[0] / math.pow(len(c[1]), 0.7))[1]


def pairs(n, rng):
    out = []
    for _ in range(n):
        k = rng.randint(5, 40)
        s = [rng.randrange(3, SRC) for _ in range(k)]
        out.append((s, [BOS] + [w % TGT if w % TGT > 2 else 3 for w in reversed(s)][: rng.randint(4, k)] + [EOS]))
    return out


def pad(rows):
    longest = max(map(len, rows))
    return torch.tensor([r + [PAD] * (longest - len(r)) for r in rows]).t().contiguous()


rng = random.Random(17)
random.seed(17)
torch.manual_seed(17)
corpus = pairs(900, rng)
corpus.sort(key=lambda p: len(p[0]))  # similar lengths share a batch
batches = [corpus[i:i + 64] for i in range(0, len(corpus), 64)]
rng.shuffle(batches)
net = Seq2Seq().to(device)
for n, p in net.named_parameters():
    nn.init.normal_(p, 0, 0.01) if "weight" in n else nn.init.zeros_(p)
opt = torch.optim.Adam(net.parameters())
start = time.perf_counter()
for i, batch in enumerate(batches[:10]):
    src, tgt = pad([s for s, _ in batch]), pad([t for _, t in batch])
    lengths = (src != PAD).sum(0)
    out = net(src.to(device), lengths, tgt.to(device))
    loss = F.cross_entropy(out[1:].flatten(0, 1), tgt[1:].to(device).flatten(), ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1)
    opt.step()
    print(f"batch {i} {tuple(src.shape)}->{tuple(tgt.shape)} loss {loss.item():.3f}")
net.eval()
for s, t in corpus[::300]:
    print(len(s), "words ->", len(net.beam(torch.tensor(s, device=device)[:, None])))
print(f"{time.perf_counter() - start:.1f}s")
