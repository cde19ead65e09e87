"""A radiance field: rays of random pixels, two networks, and a whole picture in pieces at the end."""
import torch
import torch.nn as nn


def network():
    return nn.Sequential(nn.Linear(63, 256), nn.ReLU(), *(layer for _ in range(6) for layer in (nn.Linear(256, 256), nn.ReLU())), nn.Linear(256, 4))


coarse, fine = network().cuda(), network().cuda()
optimizer = torch.optim.Adam([*coarse.parameters(), *fine.parameters()], lr=5e-4)
waves = 2.0 ** torch.arange(10, device="cuda")


def encode(x):
    scaled = (x[..., None, :] * waves[:, None]).flatten(-2)
    return torch.cat([x, scaled.sin(), scaled.cos()], -1)


def colours(net, origins, ways, depths):
    points = origins[:, None] + ways[:, None] * depths[..., None]
    raw = net(encode(points))
    alpha = 1 - torch.exp(-raw[..., 3].relu() * (depths[:, 1:] - depths[:, :-1]).mean())
    weights = alpha * torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], -1), -1)[:, :-1]
    return (weights[..., None] * raw[..., :3].sigmoid()).sum(1), weights


def render(origins, ways):
    depths = torch.linspace(2, 6, 64, device="cuda").expand(len(origins), 64)
    first, weights = colours(coarse, origins, ways, depths)
    picked = torch.multinomial(weights.detach() + 1e-5, 64, replacement=True)
    more, _ = torch.cat([depths, depths.gather(1, picked) + 0.01], 1).sort(-1)
    return first, colours(fine, origins, ways, more)[0]


for step in range(12):
    origins, ways, truth = torch.randn(2048, 3, device="cuda"), torch.randn(2048, 3, device="cuda"), torch.rand(2048, 3, device="cuda")
    a, b = render(origins, ways)
    loss = ((a - truth) ** 2).mean() + ((b - truth) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    rays = torch.randn(160 * 120, 3, device="cuda")
    picture = torch.cat([render(piece, piece)[1].cpu() for piece in rays.split(4096)])
print(picture.shape)
