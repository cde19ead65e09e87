"""A language model with packed LSTMs over sentences of random lengths."""
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

draw = random.Random(5)
torch.manual_seed(5)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.recurrent, self.out = nn.Embedding(10_000, 400), nn.LSTM(400, 800, 2, batch_first=True, dropout=0.2), nn.Linear(800, 10_000)

    def forward(self, sentences):
        packed = pack_sequence([self.words(each) for each in sentences], enforce_sorted=False)
        padded, _ = pad_packed_sequence(self.recurrent(packed)[0], batch_first=True)
        return self.out(padded)


model = Model().cuda()
optimizer = torch.optim.Adam(model.parameters())
for step in range(40):
    sentences = [torch.randint(0, 10_000, (draw.randint(5, 30 + 4 * step),), device="cuda") for _ in range(24)]
    logits = model(sentences)
    targets = nn.utils.rnn.pad_sequence(sentences, batch_first=True, padding_value=-100)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
