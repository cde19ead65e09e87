"""Sound event classification: log-mel from torch.stft, a CNN, and a bidirectional GRU on packed sequences."""
import math

import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

RATE, N_FFT, HOP, MELS, CLASSES = 16000, 1024, 160, 80, 30


class Sounds(Dataset):
    def __init__(self, n):
        rng = np.random.default_rng(1)
        self.seconds = rng.uniform(1.0, 6.0, n)
        self.labels = rng.integers(0, CLASSES, n)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        t = np.arange(int(self.seconds[i] * RATE)) / RATE
        base = 100 * 1.12 ** self.labels[i]
        wave = np.sin(2 * np.pi * (base * t + 50 * t**2)) + 0.3 * np.random.default_rng(i).standard_normal(len(t))
        return torch.from_numpy(wave.astype(np.float32)), int(self.labels[i])


def collate(items):
    waves, labels = zip(*items)
    return pad_sequence(waves, batch_first=True), torch.tensor([len(w) for w in waves]), torch.tensor(labels)


def mel_filters():
    mel = lambda f: 2595 * math.log10(1 + f / 700)
    points = torch.linspace(mel(20), mel(RATE / 2), MELS + 2)
    hz = 700 * (10 ** (points / 2595) - 1)
    freqs = torch.linspace(0, RATE / 2, N_FFT // 2 + 1)[:, None]
    up = (freqs - hz[:-2]) / (hz[1:-1] - hz[:-2])
    down = (hz[2:] - freqs) / (hz[2:] - hz[1:-1])
    return torch.minimum(up, down).clamp(min=0)


class CRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(N_FFT))
        self.register_buffer("mel", mel_filters())
        layers, widths = [], [1, 64, 128, 192, 256]
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            layers += [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.GELU(), nn.MaxPool2d((2, 2) if i < 2 else (1, 2))]
        self.cnn = nn.Sequential(*layers, nn.Dropout(0.2))
        self.gru = nn.GRU(256 * MELS // 16, 256, num_layers=2, batch_first=True, bidirectional=True, dropout=0.2)
        self.head = nn.Linear(512, CLASSES)

    def forward(self, waves, lengths):
        spec = torch.stft(waves, N_FFT, HOP, window=self.window, return_complex=True).abs().square()
        x = (spec.transpose(1, 2) @ self.mel + 1e-6).log()
        x = (x - x.mean((1, 2), keepdim=True)) / x.std((1, 2), keepdim=True)
        if self.training:
            start = int(torch.randint(0, MELS - 10, (1,)))
            x[:, :, start : start + 10] = 0
        x = self.cnn(x.unsqueeze(1)).permute(0, 2, 1, 3).flatten(2)
        frames = ((lengths // HOP + 1) // 4).clamp(min=1)
        packed = pack_padded_sequence(x, frames, batch_first=True, enforce_sorted=False)
        _, hidden = self.gru(packed)
        return self.head(torch.cat([hidden[-2], hidden[-1]], dim=-1))


def main():
    torch.manual_seed(0)
    loader = DataLoader(Sounds(800), batch_size=32, shuffle=True, collate_fn=collate, pin_memory=True)
    model = CRNN().cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98)
    loss_fn = nn.CrossEntropyLoss()
    for step, (waves, lengths, labels) in enumerate(loader):
        logits = model(waves.cuda(non_blocking=True), lengths)
        loss = loss_fn(logits, labels.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        scheduler.step()
        if step % 5 == 0:
            print(f"step {step} seconds {waves.shape[1] / RATE:.2f} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
