"""Gated PixelCNN as a LightningModule: masked convolutions, validation each epoch, a callback that samples, checkpoints."""
import tempfile

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, Dataset


class Stripes(Dataset):
    def __init__(self, n, seed):
        self.n, self.seed = n, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(self.seed + i)
        phase, freq = torch.rand(2, generator=g)
        x = torch.linspace(0, 6.28 * (1 + 3 * freq), 28)
        img = (torch.sin(x[None] + phase * x[:, None]) + 1) / 2
        return (img.unsqueeze(0) * 15).round().long(), i % 10


class MaskedConv(nn.Conv2d):
    def __init__(self, mask, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.register_buffer("mask", mask[None, None])

    def forward(self, x):
        return self._conv_forward(x, self.weight * self.mask, self.bias)


def vertical(i, o, k, center):
    mask = torch.ones(k, k)
    mask[k // 2 + 1:] = 0
    if not center:
        mask[k // 2] = 0
    return MaskedConv(mask, i, o, k, padding=k // 2)


def horizontal(i, o, k, center):
    mask = torch.ones(1, k)
    mask[0, k // 2 + 1:] = 0
    if not center:
        mask[0, k // 2] = 0
    return MaskedConv(mask, i, o, (1, k), padding=(0, k // 2))


class Gated(nn.Module):
    def __init__(self, c, classes):
        super().__init__()
        self.v, self.h = vertical(c, 2 * c, 3, True), horizontal(c, 2 * c, 3, True)
        self.v2h, self.out, self.label = nn.Conv2d(2 * c, 2 * c, 1), nn.Conv2d(c, c, 1), nn.Embedding(classes, 4 * c)

    def forward(self, v, h, y):
        bias_v, bias_h = self.label(y)[:, :, None, None].chunk(2, 1)
        fv = self.v(v)
        a, b = (fv + bias_v).chunk(2, 1)
        c, d = (self.h(h) + self.v2h(fv) + bias_h).chunk(2, 1)
        return torch.tanh(a) * torch.sigmoid(b), h + self.out(torch.tanh(c) * torch.sigmoid(d))


class PixelCNN(L.LightningModule):
    def __init__(self, channels=96, depth=10, levels=16, classes=10, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.v0, self.h0 = vertical(1, channels, 7, False), horizontal(1, channels, 7, False)
        self.layers = nn.ModuleList(Gated(channels, classes) for _ in range(depth))
        self.head = nn.Sequential(nn.ELU(), nn.Conv2d(channels, 256, 1), nn.ELU(), nn.Conv2d(256, levels, 1))

    def forward(self, x, y):
        x = x.float() / (self.hparams.levels - 1) * 2 - 1
        v, h = self.v0(x), self.h0(x)
        for layer in self.layers:
            v, h = layer(v, h, y)
        return self.head(h)

    def loss(self, batch):
        x, y = batch
        return F.cross_entropy(self(x, y), x.squeeze(1))

    def training_step(self, batch, _):
        loss = self.loss(batch)
        self.log("train_loss", loss, prog_bar=False)
        return loss

    def validation_step(self, batch, _):
        self.log("val_loss", self.loss(batch), on_epoch=True)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)]

    @torch.no_grad()
    def sample(self, n, side=12):
        x, y = torch.zeros(n, 1, side, side, dtype=torch.long, device=self.device), torch.arange(n, device=self.device) % 10
        for i in range(side):
            for j in range(side):
                probs = self(x[:, :, : i + 1], y)[:, :, i, j].softmax(1)
                x[:, 0, i, j] = torch.multinomial(probs, 1).squeeze(1)
        return x


class Sampling(Callback):
    def on_validation_epoch_end(self, trainer, module):
        if not trainer.sanity_checking:
            print("sample mean", module.sample(16).float().mean().item())


if __name__ == "__main__":
    L.seed_everything(3)
    folder = tempfile.mkdtemp()
    trainer = L.Trainer(
        max_epochs=2, accelerator="gpu", devices=1, precision="16-mixed", gradient_clip_val=1.0, default_root_dir=folder, logger=False,
        enable_progress_bar=False, callbacks=[ModelCheckpoint(folder, monitor="val_loss", save_top_k=1), EarlyStopping("val_loss"), Sampling()],
    )
    train, valid = DataLoader(Stripes(1024, 0), 128, shuffle=True, num_workers=2), DataLoader(Stripes(300, 10**6), 200)
    model = PixelCNN()
    trainer.fit(model, train, valid)
    print(trainer.validate(model, valid, ckpt_path="best"))
