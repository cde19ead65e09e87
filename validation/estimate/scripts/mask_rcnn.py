"""torchvision: Mask R-CNN trained on images of several sizes, then asked for detections."""
import random

import torch
import torchvision

random.seed(0)
torch.manual_seed(0)
model = torchvision.models.detection.maskrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=5, min_size=320, max_size=512).cuda()
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.005, momentum=0.9)


def sample():
    height, width = random.randint(260, 420), random.randint(260, 420)
    boxes = torch.tensor([[10.0, 20.0, 100.0, 140.0], [50.0, 60.0, 200.0, 220.0], [30.0, 30.0, 90.0, 90.0]])
    masks = torch.zeros(3, height, width, dtype=torch.uint8)
    for mask, (x1, y1, x2, y2) in zip(masks, boxes.long().tolist()):
        mask[y1:y2, x1:x2] = 1
    return torch.rand(3, height, width).cuda(), {"boxes": boxes.cuda(), "labels": torch.tensor([1, 2, 3]).cuda(), "masks": masks.cuda()}


model.train()
for step in range(12):
    images, targets = zip(*(sample() for _ in range(4)))
    losses = model(list(images), [dict(each) for each in targets])
    loss = sum(losses.values())
    assert torch.isfinite(loss)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    print([len(each["boxes"]) for each in model([sample()[0] for _ in range(4)])])
