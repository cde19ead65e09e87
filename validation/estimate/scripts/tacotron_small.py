"""A small Tacotron 2: location-sensitive attention, teacher forcing, and speech of learned length at the end."""
import random

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class Encoder(nn.Module):
    def __init__(self, symbols=60, width=256):
        super().__init__()
        self.embedding = nn.Embedding(symbols, width, padding_idx=0)
        self.convs = nn.ModuleList(nn.Sequential(nn.Conv1d(width, width, 5, padding=2), nn.BatchNorm1d(width)) for _ in range(3))
        self.lstm = nn.LSTM(width, width // 2, batch_first=True, bidirectional=True)

    def forward(self, text, lengths):
        x = self.embedding(text).transpose(1, 2)
        for conv in self.convs:
            x = F.dropout(F.relu(conv(x)), 0.5, self.training)
        packed = pack_padded_sequence(x.transpose(1, 2), lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.lstm(packed)
        return pad_packed_sequence(out, batch_first=True)[0]


class LocationAttention(nn.Module):
    def __init__(self, query, memory, width=128, filters=32, kernel=31):
        super().__init__()
        self.q = nn.Linear(query, width, bias=False)
        self.m = nn.Linear(memory, width, bias=False)
        self.conv = nn.Conv1d(2, filters, kernel, padding=kernel // 2, bias=False)
        self.loc = nn.Linear(filters, width, bias=False)
        self.v = nn.Linear(width, 1, bias=False)

    def forward(self, query, memory, keys, previous, mask):
        energies = self.v(torch.tanh(self.q(query).unsqueeze(1) + keys + self.loc(self.conv(previous).transpose(1, 2)))).squeeze(-1)
        weights = energies.masked_fill(mask, float("-inf")).softmax(-1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


class Decoder(nn.Module):
    def __init__(self, mels=80, memory=256, hidden=512):
        super().__init__()
        self.mels, self.hidden = mels, hidden
        self.prenet = nn.Sequential(nn.Linear(mels, 256), nn.ReLU(), nn.Dropout(0.5), nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.5))
        self.attention_rnn = nn.LSTMCell(256 + memory, hidden)
        self.attention = LocationAttention(hidden, memory)
        self.decoder_rnn = nn.LSTMCell(hidden + memory, hidden)
        self.project = nn.Linear(hidden + memory, mels)
        self.gate = nn.Linear(hidden + memory, 1)

    def start(self, memory):
        b, t, w = memory.shape
        zeros = lambda: memory.new_zeros(b, self.hidden)
        return {"a": (zeros(), zeros()), "d": (zeros(), zeros()), "ctx": memory.new_zeros(b, w), "w": memory.new_zeros(b, t), "cum": memory.new_zeros(b, t)}

    def step(self, frame, s, memory, keys, mask):
        s["a"] = self.attention_rnn(torch.cat([frame, s["ctx"]], -1), s["a"])
        s["ctx"], s["w"] = self.attention(s["a"][0], memory, keys, torch.stack([s["w"], s["cum"]], 1), mask)
        s["cum"] = s["cum"] + s["w"]
        s["d"] = self.decoder_rnn(torch.cat([s["a"][0], s["ctx"]], -1), s["d"])
        out = torch.cat([s["d"][0], s["ctx"]], -1)
        return self.project(out), self.gate(out).squeeze(-1)

    def forward(self, memory, mask, target):
        keys, s = self.attention.m(memory), self.start(memory)
        frames = self.prenet(torch.cat([target.new_zeros(len(target), 1, self.mels), target[:, :-1]], 1))
        outs = [self.step(frames[:, i], s, memory, keys, mask) for i in range(target.shape[1])]
        return torch.stack([o[0] for o in outs], 1), torch.stack([o[1] for o in outs], 1)

    @torch.no_grad()
    def infer(self, memory, mask, longest=160, threshold=0.5):
        keys, s = self.attention.m(memory), self.start(memory)
        frame, frames = memory.new_zeros(len(memory), self.mels), []
        while len(frames) < longest:
            frame, gate = self.step(self.prenet(frame), s, memory, keys, mask)
            frames.append(frame)
            if (torch.sigmoid(gate) > threshold).all():
                break
        return torch.stack(frames, 1)


def batch(size, rng):
    texts = [torch.tensor([rng.randrange(1, 60) for _ in range(rng.randint(20, 60))]) for _ in range(size)]
    mels = [torch.randn(len(t) * rng.randint(3, 5), 80) for t in texts]
    lengths = torch.tensor([len(t) for t in texts])
    gates = pad_sequence([torch.cat([torch.zeros(len(m) - 1), torch.ones(1)]) for m in mels], batch_first=True, padding_value=1.0)
    return pad_sequence(texts, batch_first=True), lengths, pad_sequence(mels, batch_first=True), gates


rng = random.Random(5)
torch.manual_seed(5)
encoder, decoder = Encoder().cuda(), Decoder().cuda()
params = [*encoder.parameters(), *decoder.parameters()]
opt = torch.optim.Adam(params, lr=1e-3, eps=1e-6, weight_decay=1e-6)
for it in range(6):
    text, lengths, mel, gate = batch(32, rng)
    text, mel, gate = text.cuda(), mel.cuda(), gate.cuda()
    memory = encoder(text, lengths)
    mel_out, gate_out = decoder(memory, text == 0, mel)
    loss = F.mse_loss(mel_out, mel) + F.binary_cross_entropy_with_logits(gate_out, gate)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    print(it, tuple(mel.shape), loss.item())
encoder.eval()
text, lengths, _, _ = batch(4, rng)
text = text.cuda()
print("spoken", decoder.infer(encoder(text, lengths), text == 0).shape)
