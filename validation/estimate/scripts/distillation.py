"""A small network learns from the answers of a large one, which computes no gradients."""
import torch
import torch.nn.functional as F
import torchvision
from torch.utils.data import DataLoader, TensorDataset

teacher = torchvision.models.resnet50(num_classes=100).cuda().eval().requires_grad_(False)
student = torchvision.models.mobilenet_v3_small(num_classes=100).cuda()
optimizer = torch.optim.AdamW(student.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
data = TensorDataset(torch.randn(330, 3, 160, 160), torch.randint(0, 100, (330,)))
for epoch in range(2):
    student.train()
    for x, y in DataLoader(data, batch_size=32, shuffle=True, num_workers=2, pin_memory=True):
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        with torch.no_grad():
            soft = teacher(x)
        out = student(x)
        loss = F.kl_div((out / 4).log_softmax(-1), (soft / 4).softmax(-1), reduction="batchmean") * 16 + F.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()
    student.eval()
    with torch.no_grad():
        right = sum((student(x.cuda()).argmax(-1).cpu() == y).sum().item() for x, y in DataLoader(data, batch_size=110))
    print(epoch, right)
