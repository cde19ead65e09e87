"""torch.compile: a ResNet-18 in channels-last bf16."""
import torch
import torchvision

model = torchvision.models.resnet18(num_classes=100).cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
compiled = torch.compile(model)
for step in range(10):
    x = torch.randn(64, 3, 160, 160, device="cuda").to(memory_format=torch.channels_last)
    y = torch.randint(0, 100, (64,), device="cuda")
    with torch.autocast("cuda", torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(compiled(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
