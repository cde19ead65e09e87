"""torchvision: DeepLabV3 with an auxiliary head."""
import torch
import torchvision

model = torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=12, aux_loss=True).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for step in range(10):
    x, y = torch.randn(12, 3, 256, 256, device="cuda"), torch.randint(0, 12, (12, 256, 256), device="cuda")
    out = model(x)
    loss = torch.nn.functional.cross_entropy(out["out"], y) + 0.5 * torch.nn.functional.cross_entropy(out["aux"], y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
confusion = torch.zeros(12, 12, dtype=torch.long, device="cuda")
with torch.inference_mode():
    for _ in range(4):
        x, y = torch.randn(12, 3, 256, 256, device="cuda"), torch.randint(0, 12, (12, 256, 256), device="cuda")
        found = model(x)["out"].argmax(1)
        confusion += torch.bincount(12 * y.flatten() + found.flatten(), minlength=144).reshape(12, 12)
print(confusion.sum().item())
