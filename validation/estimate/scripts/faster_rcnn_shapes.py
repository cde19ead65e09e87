"""Faster R-CNN (ResNet-50 FPN v2) trained from scratch on drawn rectangles of three kinds."""
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.models.detection import fasterrcnn_resnet50_fpn_v2


class Shapes(Dataset):
    def __init__(self, n, seed):
        self.n, self.seed = n, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(self.seed * 10_000 + i)
        r = lambda lo, hi: int(torch.randint(lo, hi, (1,), generator=g))
        h, w = r(360, 640), r(360, 800)
        image = torch.rand(3, h, w, generator=g) * 0.3
        boxes, labels = [], []
        for _ in range(r(1, 9)):
            bw, bh = r(30, 200), r(30, 200)
            x, y, label = r(0, w - bw), r(0, h - bh), r(1, 4)
            image[label - 1, y : y + bh, x : x + bw] += 0.7
            boxes.append([x, y, x + bw, y + bh])
            labels.append(label)
        target = {"boxes": torch.tensor(boxes, dtype=torch.float32), "labels": torch.tensor(labels)}
        return image.clamp_(0, 1), target


def collate_fn(batch):
    return tuple(zip(*batch))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda:0")
    train_loader = DataLoader(Shapes(80, 1), batch_size=4, shuffle=True, num_workers=2, collate_fn=collate_fn)
    test_loader = DataLoader(Shapes(8, 2), batch_size=2, num_workers=0, collate_fn=collate_fn)

    model = fasterrcnn_resnet50_fpn_v2(
        weights=None, weights_backbone=None, num_classes=4, min_size=480, max_size=800
    ).to(device)
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=0.002, momentum=0.9, weight_decay=0.0005)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=10)

    model.train()
    for i, (images, targets) in enumerate(train_loader):
        images = [image.to(device) for image in images]
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
        losses = model(images, targets)
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 10.0)
        optimizer.step()
        warmup.step()
        if i % 4 == 0:
            print(i, {k: round(v.item(), 4) for k, v in losses.items()})

    model.eval()
    found = 0
    with torch.inference_mode():
        for images, _ in test_loader:
            outputs = model([image.to(device) for image in images])
            found += sum((o["scores"] > 0.05).sum().item() for o in outputs)
    print("boxes found", found)

    with tempfile.TemporaryDirectory() as folder:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, os.path.join(folder, "m.pth"))


if __name__ == "__main__":
    main()
