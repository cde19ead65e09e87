"""Optical flow in the way of RAFT: all-pairs correlation pyramid, lookups, a convolutional GRU."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def norm_conv(i, o, stride=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1), nn.InstanceNorm2d(o), nn.ReLU(inplace=True))


def encoder(out):
    return nn.Sequential(
        nn.Conv2d(3, 64, 7, 2, 3), nn.InstanceNorm2d(64), nn.ReLU(inplace=True),
        norm_conv(64, 64), norm_conv(64, 96, 2), norm_conv(96, 96), norm_conv(96, 128, 2), norm_conv(128, 128),
        nn.Conv2d(128, out, 1))


class CorrelationPyramid:
    def __init__(self, f1, f2, levels=4, radius=4):
        (b, c, h, w), self.radius = f1.shape, radius
        corr = f1.flatten(2).transpose(1, 2) @ f2.flatten(2) / c**0.5
        self.levels = [corr.view(b * h * w, 1, h, w)]
        for _ in range(levels - 1):
            self.levels.append(F.avg_pool2d(self.levels[-1], 2))

    def lookup(self, coords):
        b, _, h, w = coords.shape
        d = torch.arange(-self.radius, self.radius + 1, device=coords.device).float()
        offsets = torch.stack(torch.meshgrid(d, d, indexing="ij")[::-1], dim=-1)
        centre = coords.permute(0, 2, 3, 1).reshape(b * h * w, 1, 1, 2)
        out = []
        for i, corr in enumerate(self.levels):
            size = torch.tensor([corr.shape[-1] - 1, corr.shape[-2] - 1], device=coords.device)
            grid = 2 * (centre / 2**i + offsets) / size - 1
            out.append(F.grid_sample(corr, grid, align_corners=True).view(b, h, w, -1))
        return torch.cat(out, dim=-1).permute(0, 3, 1, 2).contiguous()


class ConvGRU(nn.Module):
    def __init__(self, hidden, inputs):
        super().__init__()
        self.zr = nn.Conv2d(hidden + inputs, 2 * hidden, 3, padding=1)
        self.q = nn.Conv2d(hidden + inputs, hidden, 3, padding=1)

    def forward(self, h, x):
        z, r = torch.sigmoid(self.zr(torch.cat([h, x], 1))).chunk(2, 1)
        return (1 - z) * h + z * torch.tanh(self.q(torch.cat([r * h, x], 1)))


class Raft(nn.Module):
    def __init__(self):
        super().__init__()
        self.features, self.context = encoder(192), encoder(192)
        self.motion = nn.Sequential(nn.Conv2d(4 * 81 + 2, 128, 1), nn.ReLU(), nn.Conv2d(128, 94, 3, padding=1), nn.ReLU())
        self.gru = ConvGRU(96, 96 + 96)
        self.head = nn.Sequential(nn.Conv2d(96, 128, 3, padding=1), nn.ReLU(), nn.Conv2d(128, 2, 3, padding=1))

    def forward(self, a, b, iters):
        f1, f2 = self.features(torch.cat([a, b])).chunk(2)
        pyramid = CorrelationPyramid(f1, f2)
        hidden, context = self.context(a).tanh().chunk(2, dim=1)
        n, _, h, w = f1.shape
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        start = torch.stack([xs, ys]).float().to(a.device).expand(n, -1, -1, -1)
        flow, outputs = torch.zeros_like(start), []
        for _ in range(iters):
            flow = flow.detach()
            motion = self.motion(torch.cat([pyramid.lookup(start + flow), flow], 1))
            hidden = self.gru(hidden, torch.cat([motion, flow, context], 1))
            flow = flow + self.head(hidden)
            outputs.append(8 * F.interpolate(flow, scale_factor=8, mode="bilinear", align_corners=True))
        return outputs


torch.manual_seed(0)
model = Raft().cuda()
opt = torch.optim.AdamW(model.parameters(), lr=2e-4)
for step in range(20):
    first = F.interpolate(torch.rand(6, 3, 40, 56), size=(320, 448), mode="bilinear").cuda()
    dx, dy = torch.randint(-12, 13, (2,)).tolist()
    truth = torch.tensor([dx, dy], device="cuda", dtype=torch.float32).view(1, 2, 1, 1)
    flows = model(first, torch.roll(first, (dy, dx), dims=(2, 3)), iters=8)
    loss = sum(0.8 ** (len(flows) - i - 1) * (f - truth).abs().mean() for i, f in enumerate(flows))
    opt.zero_grad(), loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    print(f"step {step} loss {loss.item():.4f} epe {(flows[-1] - truth).norm(dim=1).mean().item():.3f}")
with torch.no_grad():
    flow = model(torch.rand(1, 3, 448, 1024).cuda(), torch.rand(1, 3, 448, 1024).cuda(), iters=16)[-1]
print("large frame", tuple(flow.shape), flow.abs().max().item())
