"""DeepLabV3 with a MobileNetV3 backbone on random street scenes of three sizes; poly schedule, mIoU by a confusion matrix."""
from dataclasses import dataclass, field
from typing import List, Tuple

import torch
import torch.nn as nn
from torchvision.models.segmentation import deeplabv3_mobilenet_v3_large


@dataclass
class Config:
    classes: int = 19
    batch: int = 8
    iterations: int = 18
    base_lr: float = 0.01
    sizes: List[Tuple[int, int]] = field(default_factory=lambda: [(384, 768), (320, 640), (448, 896)])
    ignore: int = 255
    ohem_fraction: float = 0.25


class Ohem(nn.Module):
    """Cross entropy of the hardest pixels only."""

    def __init__(self, ignore, fraction):
        super().__init__()
        self.criterion = nn.CrossEntropyLoss(ignore_index=ignore, reduction="none")
        self.fraction = fraction

    def forward(self, logits, labels):
        losses = self.criterion(logits, labels).flatten()
        k = int(self.fraction * losses.numel())
        values, _ = torch.topk(losses, k)
        return values.mean()


class ConfusionMatrix:
    def __init__(self, n):
        self.n = n
        self.mat = None

    def update(self, truth, predicted):
        if self.mat is None:
            self.mat = torch.zeros((self.n, self.n), dtype=torch.int64, device=truth.device)
        with torch.inference_mode():
            known = (truth >= 0) & (truth < self.n)
            indices = self.n * truth[known].to(torch.int64) + predicted[known]
            self.mat += torch.bincount(indices, minlength=self.n**2).reshape(self.n, self.n)

    def mean_iou(self):
        h = self.mat.float()
        return (torch.diag(h) / (h.sum(1) + h.sum(0) - torch.diag(h)).clamp(min=1)).mean().item()


def scene(cfg: Config, size, g):
    labels = torch.randint(0, cfg.classes, (cfg.batch, size[0] // 32, size[1] // 32), generator=g)
    labels = labels.repeat_interleave(32, 1).repeat_interleave(32, 2)
    images = torch.randn(cfg.batch, 3, *size, generator=g) + labels.unsqueeze(1) / cfg.classes
    labels[torch.rand(labels.shape, generator=g) < 0.03] = cfg.ignore
    return images, labels


def main():
    cfg = Config()
    torch.manual_seed(0)
    g = torch.Generator().manual_seed(1)
    model = deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=cfg.classes, aux_loss=True).cuda()
    groups = [
        {"params": model.backbone.parameters(), "lr": cfg.base_lr},
        {"params": list(model.classifier.parameters()) + list(model.aux_classifier.parameters()), "lr": cfg.base_lr * 10},
    ]
    optimizer = torch.optim.SGD(groups, momentum=0.9, weight_decay=1e-4)
    poly = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=cfg.iterations, power=0.9)
    ohem = Ohem(cfg.ignore, cfg.ohem_fraction)
    for it in range(cfg.iterations):
        images, labels = scene(cfg, cfg.sizes[it % len(cfg.sizes)], g)
        images, labels = images.cuda(), labels.cuda()
        out = model(images)
        loss = ohem(out["out"], labels) + 0.4 * ohem(out["aux"], labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        poly.step()
        if it % 6 == 5:
            print(f"[{it + 1}/{cfg.iterations}] loss={loss.item():.3f} lr={poly.get_last_lr()[0]:.5f}")

    model.eval()
    confusion = ConfusionMatrix(cfg.classes)
    with torch.inference_mode():
        for size in cfg.sizes:
            images, labels = scene(cfg, size, g)
            images, labels = images.cuda(), labels.cuda()
            # test-time augmentation: the picture and its mirror image
            probability = model(images)["out"].softmax(1) + model(images.flip(-1))["out"].flip(-1).softmax(1)
            confusion.update(labels.flatten(), probability.argmax(1).flatten())
    print("mean IoU", confusion.mean_iou())
    print(f"peak memory {torch.cuda.max_memory_allocated() / 2**30:.2f} GiB")


if __name__ == "__main__":
    main()
