"""Accelerate: a vision transformer in mixed precision, evaluated after each epoch."""
import torch
import timm
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
model = timm.create_model("vit_small_patch16_224", num_classes=100)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
train = DataLoader(TensorDataset(torch.randn(260, 3, 224, 224), torch.randint(0, 100, (260,))), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(torch.randn(200, 3, 224, 224), torch.randint(0, 100, (200,))), batch_size=100)
model, optimizer, train, test = accelerator.prepare(model, optimizer, train, test)
for epoch in range(3):
    model.train()
    for images, labels in train:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    model.eval()
    right = 0
    with torch.no_grad():
        for images, labels in test:
            right += accelerator.gather_for_metrics((model(images).argmax(-1) == labels)).sum().item()
    accelerator.print(epoch, right)
