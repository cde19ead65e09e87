import random

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

# UNet++ (nested U-Net) with deep supervision, bf16 autocast, gradients of 4 micro-batches


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Nuclei(Dataset):
    def __init__(self, n, size=256):
        self.n, self.size = n, size
        self.grid = np.stack(np.meshgrid(np.arange(size), np.arange(size), indexing="ij"))

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.RandomState(i)
        mask = np.zeros((self.size, self.size), dtype=bool)
        for _ in range(rng.randint(3, 12)):
            cy, cx = rng.randint(0, self.size, 2)
            r = rng.randint(6, 24)
            mask |= (self.grid[0] - cy) ** 2 + (self.grid[1] - cx) ** 2 < r * r
        img = mask[None].repeat(3, 0) * 0.5 + rng.rand(3, self.size, self.size) * 0.5
        if rng.rand() < 0.5:
            img, mask = img[:, :, ::-1].copy(), mask[:, ::-1].copy()
        return torch.from_numpy(img).float(), torch.from_numpy(mask[None]).float()


class VGGBlock(nn.Module):
    def __init__(self, i, m, o):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(i, m, 3, padding=1), nn.BatchNorm2d(m)
        self.conv2, self.bn2 = nn.Conv2d(m, o, 3, padding=1), nn.BatchNorm2d(o)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)))


class NestedUNet(nn.Module):
    def __init__(self, classes=1, nb=(32, 64, 128, 256, 512)):
        super().__init__()
        self.depth = len(nb)
        self.pool = nn.MaxPool2d(2, 2)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.blocks = nn.ModuleDict()
        for i in range(self.depth):
            self.blocks[f"{i}_0"] = VGGBlock(3 if i == 0 else nb[i - 1], nb[i], nb[i])
        for j in range(1, self.depth):
            for i in range(self.depth - j):
                self.blocks[f"{i}_{j}"] = VGGBlock(nb[i] * j + nb[i + 1], nb[i], nb[i])
        self.heads = nn.ModuleList(nn.Conv2d(nb[0], classes, 1) for _ in range(self.depth - 1))

    def forward(self, x):
        nodes = {}
        for i in range(self.depth):
            nodes[i, 0] = self.blocks[f"{i}_0"](x if i == 0 else self.pool(nodes[i - 1, 0]))
            for j in range(1, i + 1):
                k = i - j
                before = [nodes[k, m] for m in range(j)]
                nodes[k, j] = self.blocks[f"{k}_{j}"](torch.cat([*before, self.up(nodes[k + 1, j - 1])], 1))
        return [head(nodes[0, j + 1]) for j, head in enumerate(self.heads)]


class BCEDice(nn.Module):
    def forward(self, logits, target):
        bce = F.binary_cross_entropy_with_logits(logits, target)
        p = torch.sigmoid(logits).flatten(1)
        t = target.flatten(1)
        dice = (2 * (p * t).sum(1) + 1e-5) / (p.sum(1) + t.sum(1) + 1e-5)
        return 0.5 * bce + (1 - dice).mean()


def iou(logits, target):
    p, t = torch.sigmoid(logits).float().cpu().numpy() > 0.5, target.cpu().numpy() > 0.5
    return ((p & t).sum() + 1e-5) / ((p | t).sum() + 1e-5)


seed_everything(7)
ACCUMULATE = 4
net = NestedUNet().cuda()
loss_fn = BCEDice()
opt = torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9, nesterov=True, weight_decay=1e-4)
loader = DataLoader(Nuclei(96), batch_size=6, shuffle=True, num_workers=2, persistent_workers=True)
valid = DataLoader(Nuclei(20), batch_size=10)
print(sum(p.numel() for p in net.parameters()) / 1e6, "M parameters")
for epoch in range(2):
    net.train()
    opt.zero_grad()
    for it, (img, mask) in enumerate(loader):
        img, mask = img.cuda(), mask.cuda()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            outs = net(img)
        loss = sum(loss_fn(o.float(), mask) for o in outs) / len(outs)
        (loss / ACCUMULATE).backward()
        if (it + 1) % ACCUMULATE == 0:
            opt.step()
            opt.zero_grad()
    net.eval()
    with torch.no_grad():
        scores = [iou(net(img.cuda())[-1], mask) for img, mask in valid]
    print(f"epoch {epoch} loss {loss.item():.4f} iou {np.mean(scores):.4f}")
