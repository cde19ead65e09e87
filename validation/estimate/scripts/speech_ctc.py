"""A speech recogniser with bidirectional GRUs and CTC on utterances of random lengths."""
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

draw = random.Random(3)
utterances = [(torch.randn(draw.randint(200, 900), 80), torch.randint(1, 40, (draw.randint(10, 50),))) for _ in range(240)]


def collate(rows):
    sounds, texts = zip(*rows)
    return (
        pad_sequence(sounds, batch_first=True), torch.tensor([len(each) for each in sounds]),
        pad_sequence(texts, batch_first=True), torch.tensor([len(each) for each in texts]),
    )


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(nn.Conv2d(1, 32, 3, (2, 2), 1), nn.BatchNorm2d(32), nn.Hardtanh(0, 20))
        self.recurrent = nn.GRU(32 * 40, 384, num_layers=3, bidirectional=True, batch_first=True, dropout=0.1)
        self.out = nn.Linear(768, 40)

    def forward(self, x):
        y = self.front(x.unsqueeze(1))
        y, _ = self.recurrent(y.permute(0, 2, 1, 3).flatten(2))
        return self.out(y).log_softmax(-1)


model = Recogniser().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
lossfunction = nn.CTCLoss(zero_infinity=True)
for epoch in range(2):
    for sounds, lengths, texts, counts in DataLoader(utterances, batch_size=16, shuffle=True, collate_fn=collate):
        out = model(sounds.cuda())
        loss = lossfunction(out.transpose(0, 1), texts.cuda(), (lengths + 1) // 2, counts)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
