"""Looks for the largest batch that fits into half of the GPU's free memory, then trains with it."""
import torch
import torch.nn as nn
import torchvision

torch.cuda.set_per_process_memory_fraction(0.04)
model = torchvision.models.resnet34(num_classes=10).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(batch):
    loss = nn.functional.cross_entropy(model(torch.randn(batch, 3, 224, 224, device="cuda")), torch.randint(0, 10, (batch,), device="cuda"))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


batch = 8
while True:
    try:
        step(batch)
        batch *= 2
    except torch.cuda.OutOfMemoryError:
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.empty_cache()
        batch //= 2
        break
for _ in range(3):
    step(int(batch * 0.75))
print(batch)
