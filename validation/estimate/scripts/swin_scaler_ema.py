# Swin-T on 224px images: fp16 + GradScaler, channels_last, EMA of the weights, best checkpoint kept
import copy
import math
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torchvision.models import swin_t

EPOCHS, BATCH, LR, CLASSES = 2, 48, 5e-4, 37
device = "cuda"
torch.backends.cudnn.benchmark = True
torch.manual_seed(42)


def make(n):
    y = torch.randint(0, CLASSES, (n,))
    x = torch.randn(n, 3, 224, 224) * 0.5 + (y.float() / CLASSES).view(-1, 1, 1, 1)
    return TensorDataset(x, y)


train_loader = DataLoader(make(400), batch_size=BATCH, shuffle=True, pin_memory=True, drop_last=False)
val_loader = DataLoader(make(160), batch_size=2 * BATCH, pin_memory=True)

model = swin_t(weights=None, num_classes=CLASSES).to(device, memory_format=torch.channels_last)
ema = copy.deepcopy(model).eval()
for p in ema.parameters():
    p.requires_grad_(False)

decay, no_decay = [], []
for name, p in model.named_parameters():
    (no_decay if p.ndim == 1 or "relative_position_bias_table" in name else decay).append(p)
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": no_decay, "weight_decay": 0.0}], lr=LR)
total = EPOCHS * len(train_loader)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 0.5 * (1 + math.cos(math.pi * s / total)))
scaler = torch.amp.GradScaler("cuda", init_scale=2.0**14)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)


@torch.no_grad()
def update_ema(d=0.998):
    for e, p in zip(ema.state_dict().values(), model.state_dict().values()):
        if e.dtype.is_floating_point:
            e.mul_(d).add_(p.detach(), alpha=1 - d)
        else:
            e.copy_(p)


def accuracy(net):
    net.eval()
    right = seen = 0
    with torch.no_grad(), torch.autocast("cuda", dtype=torch.float16):
        for x, y in val_loader:
            x = x.to(device, non_blocking=True, memory_format=torch.channels_last)
            out = net(x)
            top5 = out.topk(5, dim=1).indices
            right += (top5 == y.to(device, non_blocking=True)[:, None]).any(1).sum().item()
            seen += len(y)
    return right / seen


folder = tempfile.mkdtemp()
best = -1.0
for epoch in range(EPOCHS):
    model.train()
    for i, (x, y) in enumerate(train_loader):
        x = x.to(device, non_blocking=True, memory_format=torch.channels_last)
        y = y.to(device, non_blocking=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        update_ema()
        if i % 4 == 0:
            print(f"e{epoch} it{i} loss {loss.item():.3f} |g| {norm.item():.2f} scale {scaler.get_scale():.0f}")
    acc, acc_ema = accuracy(model), accuracy(ema)
    print(f"top-5: {acc:.3f} (ema {acc_ema:.3f})")
    if acc_ema > best:
        best = acc_ema
        torch.save({"model": model.state_dict(), "ema": ema.state_dict(), "opt": optimizer.state_dict()}, os.path.join(folder, "best.pt"))

state = torch.load(os.path.join(folder, "best.pt"), map_location=device)
ema.load_state_dict(state["ema"])
print("best", best, "again", accuracy(ema))
