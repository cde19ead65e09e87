"""Convolutional VAE; the entire training step (forward, backward, Adam) is captured in a CUDA graph."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(9)
device = torch.device("cuda")
BATCH, LATENT = 256, 128


def down(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 4, 2, 1), nn.GroupNorm(8, o), nn.SiLU())


def up(i, o):
    return nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(8, o), nn.SiLU())


class VAE(nn.Module):
    def __init__(self, c=64):
        super().__init__()
        self.encoder = nn.Sequential(down(3, c), down(c, 2 * c), down(2 * c, 4 * c), down(4 * c, 4 * c), nn.Flatten())
        self.stats = nn.Linear(4 * c * 16, 2 * LATENT)
        self.start = nn.Linear(LATENT, 4 * c * 16)
        self.decoder = nn.Sequential(up(4 * c, 4 * c), up(4 * c, 2 * c), up(2 * c, c), up(c, c), nn.Conv2d(c, 3, 3, padding=1))
        self.c = c

    def decode(self, z):
        return self.decoder(self.start(z).view(-1, 4 * self.c, 4, 4))

    def forward(self, x):
        mu, logvar = self.stats(self.encoder(x)).chunk(2, dim=1)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.decode(z), mu, logvar


model = VAE().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
dataset = torch.randint(0, 256, (20000, 3, 64, 64), dtype=torch.uint8, device=device)
static_x = torch.zeros(BATCH, 3, 64, 64, device=device)


def load_batch():
    index = torch.randint(0, len(dataset), (BATCH,), device=device)
    static_x.copy_(dataset[index].float() / 255)


def train_step():
    recon, mu, logvar = model(static_x)
    rec = F.mse_loss(recon, static_x, reduction="sum") / BATCH
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum() / BATCH
    loss = rec + kl
    loss.backward()
    optimizer.step()
    return loss


# warm-up on a side stream, as the documentation tells
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        load_batch()
        optimizer.zero_grad(set_to_none=True)
        train_step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    static_loss = train_step()

for step in range(50):
    load_batch()
    graph.replay()
    if step % 10 == 0:
        print(f"step {step} loss {static_loss.item():.2f}")

model.eval()
with torch.no_grad():
    samples = model.decode(torch.randn(64, LATENT, device=device)).clamp(0, 1)
print("samples", tuple(samples.shape), "mean", samples.mean().item())
