"""Finds faulty parts on a belt: SSDLite on MobileNetV3, with an evaluation after each epoch."""
import argparse
import time

import torch
import torchvision
from torch.utils.data import DataLoader, Dataset
from torchvision.models.detection import ssdlite320_mobilenet_v3_large
from torchvision.ops import box_iou


class Belt(Dataset):
    def __init__(self, size, seed, num_classes):
        self.size = size
        self.seed = seed
        self.num_classes = num_classes

    def __len__(self):
        return self.size

    def __getitem__(self, idx):
        g = torch.Generator().manual_seed(self.seed * 100003 + idx)
        h, w = (360, 480) if idx % 3 else (480, 640)
        image = torch.rand(3, h, w, generator=g) * 0.2
        n = int(torch.randint(1, 9, (1,), generator=g))
        x = torch.rand(n, generator=g) * (w - 90)
        y = torch.rand(n, generator=g) * (h - 90)
        side = torch.rand(n, 2, generator=g) * 60 + 25
        boxes = torch.stack([x, y, x + side[:, 0], y + side[:, 1]], dim=1)
        labels = torch.randint(1, self.num_classes, (n,), generator=g)
        for (x0, y0, x1, y1), label in zip(boxes.int().tolist(), labels.tolist()):
            image[label % 3, y0:y1, x0:x1] += 0.6
        return image.clamp(0, 1), {"boxes": boxes, "labels": labels, "image_id": idx}


def collate(batch):
    return [b[0] for b in batch], [b[1] for b in batch]


def to(targets, device):
    return [{k: v.to(device) if torch.is_tensor(v) else v for k, v in t.items()} for t in targets]


def train_one_epoch(model, optimizer, loader, device, epoch, warmup):
    model.train()
    running = 0.0
    for i, (images, targets) in enumerate(loader):
        if epoch == 0:
            for group in optimizer.param_groups:
                group["lr"] = group["initial"] * min(1.0, (i + 1) / warmup)
        images = [im.to(device) for im in images]
        loss_dict = model(images, to(targets, device))
        losses = sum(loss_dict.values())
        optimizer.zero_grad()
        losses.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        running += losses.item()
    return running / len(loader)


@torch.inference_mode()
def evaluate(model, loader, device, threshold=0.5):
    model.eval()
    hits = total = found = 0
    for images, targets in loader:
        outputs = model([im.to(device) for im in images])
        for out, target in zip(outputs, targets):
            keep = out["scores"] > 0.05
            boxes = out["boxes"][keep]
            found += len(boxes)
            total += len(target["boxes"])
            if len(boxes) == 0:
                continue
            iou = box_iou(target["boxes"].to(device), boxes)
            hits += int((iou.max(dim=1).values > threshold).sum())
    return hits / max(total, 1), found


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=24)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--num-classes", type=int, default=6)
    args = p.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    model = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=args.num_classes).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=4e-5)
    for group in optimizer.param_groups:
        group["initial"] = group["lr"]
    train = DataLoader(Belt(192, 1, args.num_classes), args.batch_size, shuffle=True, collate_fn=collate, num_workers=2)
    val = DataLoader(Belt(48, 2, args.num_classes), args.batch_size, collate_fn=collate)
    print("torchvision", torchvision.__version__)
    for epoch in range(args.epochs):
        t = time.time()
        loss = train_one_epoch(model, optimizer, train, device, epoch, warmup=len(train))
        recall, found = evaluate(model, val, device)
        print(f"epoch {epoch}: loss {loss:.3f}  recall {recall:.3f}  boxes {found}  {time.time() - t:.1f}s")


if __name__ == "__main__":
    main()
