import torch, torchvision
from lightning.fabric import Fabric, seed_everything

seed_everything(1234)
fabric = Fabric(accelerator="cuda", devices=1, precision="bf16-mixed")
fabric.launch()
model = torchvision.models.resnet34(num_classes=100)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
model, opt = fabric.setup(model, opt)
ds = torchvision.datasets.FakeData(320, (3, 192, 192), 100, transform=torchvision.transforms.ToTensor())
loader = fabric.setup_dataloaders(torch.utils.data.DataLoader(ds, batch_size=64, shuffle=True))
for epoch in range(2):
    model.train()
    for i, (x, y) in enumerate(loader):
        is_accum = i % 2 == 0
        with fabric.no_backward_sync(model, enabled=is_accum):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            fabric.backward(loss)
        if not is_accum:
            fabric.clip_gradients(model, opt, max_norm=1.0)
            opt.step()
            opt.zero_grad()
    fabric.print(f"epoch {epoch} loss {loss.item():.3f}")
    fabric.save("fabric_ckpt.pt", {"model": model, "opt": opt, "epoch": epoch})
