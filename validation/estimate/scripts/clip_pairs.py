"""Contrastive learning of pairs of images and texts, with a large matrix of similarities."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision


class Texts(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20_000, 256)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, norm_first=True), 4, enable_nested_tensor=False)

    def forward(self, ids):
        return self.layers(self.words(ids)).mean(1)


images, texts = torchvision.models.resnet34(num_classes=256).cuda(), Texts().cuda()
heat = nn.Parameter(torch.tensor(2.6, device="cuda"))
parameters = [*images.parameters(), *texts.parameters(), heat]
optimizer = torch.optim.AdamW(parameters, lr=5e-4)
scaler = torch.amp.GradScaler("cuda")
for step in range(10):
    x, ids = torch.randn(96, 3, 128, 128, device="cuda"), torch.randint(0, 20_000, (96, 64), device="cuda")
    with torch.autocast("cuda", torch.float16):
        a, b = F.normalize(images(x), dim=-1), F.normalize(texts(ids), dim=-1)
        logits = heat.exp() * a @ b.T
        target = torch.arange(96, device="cuda")
        loss = (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(parameters, 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
