"""Lightning: a convolutional autoencoder with validation and a checkpoint callback."""
import tempfile

import lightning
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Autoencoder(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(), nn.Conv2d(64, 128, 3, 2, 1))
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 3, 4, 2, 1)
        )

    def training_step(self, batch, index):
        loss = nn.functional.mse_loss(self.decoder(self.encoder(batch[0])), batch[0])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, index):
        self.log("validation", nn.functional.mse_loss(self.decoder(self.encoder(batch[0])), batch[0]))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


data = DataLoader(TensorDataset(torch.randn(500, 3, 128, 128)), batch_size=64, shuffle=True)
other = DataLoader(TensorDataset(torch.randn(250, 3, 128, 128)), batch_size=128)
trainer = lightning.Trainer(max_epochs=3, accelerator="gpu", devices=1, precision="16-mixed", default_root_dir=tempfile.mkdtemp(), logger=False)
trainer.fit(Autoencoder(), data, other)
