"""SimCLR with a timm ConvNeXt V2 (channels_last, bf16), then a linear probe on frozen features."""
import math

import timm
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.backends.cudnn.benchmark = True
device = "cuda"
BATCH, IMAGE, TAU, STEPS = 96, 160, 0.2, 24


class SimCLR(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = timm.create_model("convnextv2_nano", pretrained=False, num_classes=0, drop_path_rate=0.1)
        width = self.backbone.num_features
        self.projector = nn.Sequential(
            nn.Linear(width, 2048), nn.BatchNorm1d(2048), nn.ReLU(inplace=True), nn.Linear(2048, 128))

    def forward(self, x):
        return self.projector(self.backbone(x))


def augment(x):
    """Random resized crop with flip (one affine grid per image), colour jitter, random grey."""
    b = len(x)
    scale = torch.rand(b, device=device) * 0.6 + 0.4
    flip = torch.where(torch.rand(b, device=device) < 0.5, -1.0, 1.0)
    shift = (torch.rand(b, 2, device=device) * 2 - 1) * (1 - scale).unsqueeze(1)
    theta = torch.zeros(b, 2, 3, device=device)
    theta[:, 0, 0], theta[:, 1, 1], theta[:, :, 2] = scale * flip, scale, shift
    grid = F.affine_grid(theta, [b, 3, IMAGE, IMAGE], align_corners=False)
    x = F.grid_sample(x, grid, padding_mode="reflection", align_corners=False)
    brightness = torch.rand(b, 1, 1, 1, device=device) * 0.8 + 0.6
    contrast = torch.rand(b, 1, 1, 1, device=device) * 0.8 + 0.6
    mean = x.mean((1, 2, 3), keepdim=True)
    x = ((x - mean) * contrast + mean) * brightness
    grey = x.mean(1, keepdim=True).expand_as(x)
    x = torch.where(torch.rand(b, 1, 1, 1, device=device) < 0.2, grey, x)
    return x.clamp(0, 1)


def nt_xent(z1, z2):
    z = F.normalize(torch.cat([z1, z2]).float(), dim=1)
    n = len(z1)
    sim = z @ z.T / TAU
    sim.fill_diagonal_(-float("inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)]).to(device)
    return F.cross_entropy(sim, target)


images = torch.randint(0, 256, (1500, 3, 192, 192), dtype=torch.uint8)
labels = torch.randint(0, 10, (1500,))
model = SimCLR().to(device, memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3 * BATCH / 256, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 0.5 * (1 + math.cos(math.pi * s / STEPS)))

for step in range(STEPS):
    pick = torch.randint(0, len(images), (BATCH,))
    x = images[pick].to(device).float() / 255
    views = torch.cat([augment(x), augment(x)]).contiguous(memory_format=torch.channels_last)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        z1, z2 = model(views).chunk(2)
    loss = nt_xent(z1, z2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 4 == 0:
        print(f"step {step} loss {loss.item():.4f} lr {scheduler.get_last_lr()[0]:.4f}")

model.eval()
features = []
with torch.no_grad():
    for chunk in images[:, :, 16:176, 16:176].split(250):
        features.append(model.backbone(chunk.to(device, memory_format=torch.channels_last).float() / 255))
features = torch.cat(features)
labels = labels.to(device)
probe = nn.Linear(features.shape[1], 10).to(device)
opt = torch.optim.Adam(probe.parameters(), lr=1e-2)
for epoch in range(20):
    loss = F.cross_entropy(probe(features), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("probe accuracy", (probe(features).argmax(1) == labels).float().mean().item())
