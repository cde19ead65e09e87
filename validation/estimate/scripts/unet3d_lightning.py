import torch, torch.nn as nn, lightning as L
from torch.utils.data import DataLoader, Dataset

class Volumes(Dataset):
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, i): return torch.randn(1, 64, 64, 64), (torch.rand(64, 64, 64) > 0.8).long()

def conv(i, o): return nn.Sequential(nn.Conv3d(i, o, 3, padding=1), nn.InstanceNorm3d(o), nn.LeakyReLU(inplace=True), nn.Conv3d(o, o, 3, padding=1), nn.InstanceNorm3d(o), nn.LeakyReLU(inplace=True))

class Seg(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.d1, self.d2, self.d3 = conv(1, 16), conv(16, 32), conv(32, 64)
        self.u2, self.c2, self.u1, self.c1 = nn.ConvTranspose3d(64, 32, 2, 2), conv(64, 32), nn.ConvTranspose3d(32, 16, 2, 2), conv(32, 16)
        self.out, self.pool = nn.Conv3d(16, 2, 1), nn.MaxPool3d(2)
    def forward(self, x):
        a = self.d1(x); b = self.d2(self.pool(a)); c = self.d3(self.pool(b))
        b = self.c2(torch.cat([self.u2(c), b], 1))
        return self.out(self.c1(torch.cat([self.u1(b), a], 1)))
    def training_step(self, batch, i):
        x, y = batch
        p = self(x)
        soft = p.softmax(1)[:, 1]
        dice = 1 - 2 * (soft * y).sum() / (soft.sum() + y.sum() + 1)
        loss = nn.functional.cross_entropy(p, y) + dice
        self.log("loss", loss, prog_bar=True)
        return loss
    def validation_step(self, batch, i):
        self.log("val", nn.functional.cross_entropy(self(batch[0]), batch[1]))
    def configure_optimizers(self):
        o = torch.optim.AdamW(self.parameters(), 1e-3)
        return {"optimizer": o, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(o, 10)}

L.seed_everything(0)
trainer = L.Trainer(max_epochs=2, accelerator="gpu", devices=1, precision="16-mixed", accumulate_grad_batches=2, gradient_clip_val=1.0, logger=False, enable_progress_bar=False,
                    callbacks=[L.pytorch.callbacks.StochasticWeightAveraging(1e-3, swa_epoch_start=1), L.pytorch.callbacks.ModelCheckpoint(monitor="val")])
trainer.fit(Seg(), DataLoader(Volumes(16), batch_size=4), DataLoader(Volumes(4), batch_size=2))
