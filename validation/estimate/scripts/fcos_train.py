import torch
from torchvision.models.detection import fcos_resnet50_fpn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(0)

class Boxes(Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        n = 1 + i % 4
        xy = torch.rand(n, 2, generator=g) * 300
        wh = 30 + torch.rand(n, 2, generator=g) * 100
        return torch.rand(3, 480, 480, generator=g), {"boxes": torch.cat([xy, xy + wh], 1), "labels": torch.randint(1, 5, (n,), generator=g)}

loader = DataLoader(Boxes(), batch_size=4, shuffle=True, collate_fn=lambda b: tuple(zip(*b)))
model = fcos_resnet50_fpn(weights=None, weights_backbone=None, num_classes=5, min_size=480, max_size=480).cuda()
opt = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, weight_decay=1e-4)
for epoch in range(2):
    model.train()
    for images, targets in loader:
        images = [x.cuda() for x in images]
        targets = [{k: v.cuda() for k, v in t.items()} for t in targets]
        losses = model(images, targets)
        loss = sum(losses.values())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, {k: round(v.item(), 3) for k, v in losses.items()})
