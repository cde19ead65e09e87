"""A U-Net of volumes, as for medical images, in mixed precision."""
import torch
import torch.nn as nn


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv3d(inputs, outputs, 3, padding=1), nn.InstanceNorm3d(outputs), nn.LeakyReLU(inplace=True),
        nn.Conv3d(outputs, outputs, 3, padding=1), nn.InstanceNorm3d(outputs), nn.LeakyReLU(inplace=True),
    )


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = block(1, 24), block(24, 48), block(48, 96)
        self.up2, self.up1 = nn.ConvTranspose3d(96, 48, 2, 2), nn.ConvTranspose3d(48, 24, 2, 2)
        self.right2, self.right1, self.out = block(96, 48), block(48, 24), nn.Conv3d(24, 3, 1)

    def forward(self, x):
        a = self.one(x)
        b = self.two(nn.functional.max_pool3d(a, 2))
        c = self.three(nn.functional.max_pool3d(b, 2))
        b = self.right2(torch.cat([self.up2(c), b], 1))
        return self.out(self.right1(torch.cat([self.up1(b), a], 1)))


model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.99, nesterov=True)
scaler = torch.amp.GradScaler("cuda")
for step in range(8):
    x, y = torch.randn(2, 1, 64, 96, 96, device="cuda"), torch.randint(0, 3, (2, 64, 96, 96), device="cuda")
    with torch.autocast("cuda"):
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y)
        shares = logits.softmax(1)
        truth = nn.functional.one_hot(y, 3).movedim(-1, 1)
        loss = loss - (2 * (shares * truth).sum() + 1) / ((shares + truth).sum() + 1)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
