"""Cell segmentation with a U-Net: crops of a different size each batch, sliding-window validation."""
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SIZES = [256, 320, 384, 448, 512]

class Cells(Dataset):
    """Grey images with bright discs, and their masks."""

    def __init__(self, n, size=640):
        rng = np.random.default_rng(n)
        yy, xx = np.mgrid[:size, :size]
        self.images, self.masks = [], []
        for _ in range(n):
            mask = np.zeros((size, size), np.uint8)
            for cy, cx, r in zip(rng.integers(0, size, 12), rng.integers(0, size, 12), rng.integers(15, 60, 12)):
                mask[(yy - cy) ** 2 + (xx - cx) ** 2 < r * r] = 1
            self.images.append((mask * 0.6 + rng.random(mask.shape) * 0.4).astype(np.float32))
            self.masks.append(mask)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.masks[i]


def crop_collate(items):
    size = random.choice(SIZES)
    images, masks = [], []
    for image, mask in items:
        y, x = random.randint(0, image.shape[0] - size), random.randint(0, image.shape[1] - size)
        image, mask = image[y : y + size, x : x + size], mask[y : y + size, x : x + size]
        if random.random() < 0.5:
            image, mask = image[:, ::-1].copy(), mask[:, ::-1].copy()
        images.append(torch.from_numpy(image)[None])
        masks.append(torch.from_numpy(mask).long())
    return torch.stack(images), torch.stack(masks)


def double_conv(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        nn.Conv2d(o, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256, 512)):
        super().__init__()
        self.down = nn.ModuleList(double_conv(i, o) for i, o in zip((1,) + widths, widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(o, i, 2, stride=2) for i, o in zip(widths, widths[1:]))
        self.merge = nn.ModuleList(double_conv(2 * i, i) for i in widths[:-1])
        self.final = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        skips = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else F.max_pool2d(x, 2))
            skips.append(x)
        for i in reversed(range(len(self.up))):
            x = self.merge[i](torch.cat([skips[i], self.up[i](x)], dim=1))
        return self.final(x)


if __name__ == "__main__":
    random.seed(1), torch.manual_seed(1)
    loader = DataLoader(Cells(48), batch_size=8, shuffle=True, collate_fn=crop_collate)
    net = UNet().cuda()
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.99, nesterov=True)
    for epoch in range(4):
        net.train()
        for image, mask in loader:
            image, mask = image.cuda(), mask.cuda()
            logits = net(image)
            p = logits.softmax(1)[:, 1]
            dice = 1 - (2 * (p * mask).sum() + 1) / (p.sum() + mask.sum() + 1)
            loss = F.cross_entropy(logits, mask) + dice
            opt.zero_grad(), loss.backward(), opt.step()
        net.eval()
        with torch.no_grad():
            big, votes = torch.rand(1, 1, 1024, 1024, device="cuda"), torch.zeros(1, 2, 1024, 1024, device="cuda")
            for y in range(0, 769, 256):
                for x in range(0, 769, 256):
                    votes[..., y : y + 256, x : x + 256] += net(big[..., y : y + 256, x : x + 256]).softmax(1)
        print(f"epoch {epoch} crop {image.shape[-1]} loss {loss.item():.4f} area {votes.argmax(1).float().mean().item():.3f}")
