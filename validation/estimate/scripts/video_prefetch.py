"""Action recognition with R(2+1)D-18; batches are prefetched to the GPU on a stream of their own."""
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from torchvision.models.video import r2plus1d_18

torch.backends.cudnn.benchmark = True


class Clips(Dataset):
    def __init__(self, n, frames=16, size=112, classes=50):
        self.n, self.frames, self.size, self.classes = n, frames, size, classes

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        clip = torch.randint(0, 256, (3, self.frames, self.size, self.size), dtype=torch.uint8, generator=g)
        return clip, i % self.classes


class Prefetcher:
    """Copies the next batch (and normalises it) while the current one is being used."""

    def __init__(self, loader):
        self.loader = iter(loader)
        self.stream = torch.cuda.Stream()
        self.mean = torch.tensor([0.432, 0.395, 0.376], device="cuda").view(1, 3, 1, 1, 1)
        self.std = torch.tensor([0.228, 0.221, 0.217], device="cuda").view(1, 3, 1, 1, 1)
        self.preload()

    def preload(self):
        try:
            clip, label = next(self.loader)
        except StopIteration:
            self.next = None
            return
        with torch.cuda.stream(self.stream):
            clip = clip.cuda(non_blocking=True).float().div_(255)
            clip = clip.sub_(self.mean).div_(self.std)
            self.next = clip, label.cuda(non_blocking=True)

    def __iter__(self):
        while self.next is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
            clip, label = self.next
            clip.record_stream(torch.cuda.current_stream())
            label.record_stream(torch.cuda.current_stream())
            self.preload()
            yield clip, label


def main():
    torch.manual_seed(0)
    loader = DataLoader(Clips(400), batch_size=16, shuffle=True, num_workers=2, pin_memory=True, drop_last=True)
    model = r2plus1d_18(weights=None, num_classes=50).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4, nesterov=True)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[15, 20], gamma=0.1)
    scaler = torch.amp.GradScaler("cuda")
    criterion = nn.CrossEntropyLoss()

    model.train()
    for step, (clip, label) in enumerate(Prefetcher(loader)):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(clip), label)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        if step % 5 == 0:
            print(f"step {step} loss {loss.item():.4f}")

    model.eval()
    right = 0
    with torch.no_grad():
        for clip, label in Prefetcher(DataLoader(Clips(64), batch_size=32, pin_memory=True)):
            right += (model(clip).argmax(1) == label).sum().item()
    print("accuracy", right / 64)
    with tempfile.TemporaryDirectory() as folder:
        torch.save(model.state_dict(), os.path.join(folder, "r2plus1d.pt"))


if __name__ == "__main__":
    main()
