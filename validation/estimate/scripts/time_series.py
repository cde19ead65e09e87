"""Forecasts of time series with a transformer, early stopping and the best weights kept on the host."""
import copy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.begin, self.places = nn.Linear(7, 256), nn.Parameter(torch.zeros(1, 336, 256))
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(256, 8, 1024, 0.1, batch_first=True), 3)
        self.end = nn.Linear(256 * 336, 96)

    def forward(self, x):
        return self.end(self.body(self.begin(x) + self.places).flatten(1))


model = Forecaster().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
train = DataLoader(TensorDataset(torch.randn(700, 336, 7), torch.randn(700, 96)), batch_size=64, shuffle=True)
valid = DataLoader(TensorDataset(torch.randn(300, 336, 7), torch.randn(300, 96)), batch_size=150)
best, kept, patience = float("inf"), None, 0
for epoch in range(6):
    model.train()
    for x, y in train:
        loss = nn.functional.huber_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in valid:
            total += nn.functional.mse_loss(model(x.cuda()), y.cuda()).item()
    if total < best:
        best, patience = total, 0
        kept = {name: value.cpu().clone() for name, value in copy.copy(model.state_dict()).items()}
    else:
        patience += 1
        if patience > 2:
            break
if kept is not None:
    model.load_state_dict(kept)
