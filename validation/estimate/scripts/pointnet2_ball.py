#!/usr/bin/env python
# coding: utf-8
# PointNet++ (single-scale grouping): farthest point sampling and ball queries in plain PyTorch.
import torch
import torch.nn as nn
import torch.nn.functional as F


# In[1]:
def square_distance(src, dst):
    dist = -2 * torch.matmul(src, dst.permute(0, 2, 1))
    dist += torch.sum(src**2, -1).unsqueeze(-1)
    dist += torch.sum(dst**2, -1).unsqueeze(1)
    return dist


def index_points(points, idx):
    B = points.shape[0]
    view = [B] + [1] * (idx.dim() - 1)
    batch = torch.arange(B, device=points.device).view(view).expand_as(idx)
    return points[batch, idx, :]


def farthest_point_sample(xyz, npoint):
    B, N, _ = xyz.shape
    centroids = torch.zeros(B, npoint, dtype=torch.long, device=xyz.device)
    distance = torch.full((B, N), 1e10, device=xyz.device)
    farthest = torch.randint(0, N, (B,), dtype=torch.long, device=xyz.device)
    rows = torch.arange(B, device=xyz.device)
    for i in range(npoint):
        centroids[:, i] = farthest
        centroid = xyz[rows, farthest, :].view(B, 1, 3)
        dist = torch.sum((xyz - centroid) ** 2, -1)
        mask = dist < distance
        distance[mask] = dist[mask]
        farthest = torch.max(distance, -1)[1]
    return centroids


def query_ball_point(radius, nsample, xyz, new_xyz):
    B, N, _ = xyz.shape
    S = new_xyz.shape[1]
    group = torch.arange(N, device=xyz.device).view(1, 1, N).repeat([B, S, 1])
    sqrdists = square_distance(new_xyz, xyz)
    group[sqrdists > radius**2] = N
    group = group.sort(dim=-1)[0][:, :, :nsample]
    first = group[:, :, 0].view(B, S, 1).repeat([1, 1, nsample])
    mask = group == N
    group[mask] = first[mask]
    return group.clamp(max=N - 1)


# In[2]:
class SetAbstraction(nn.Module):
    def __init__(self, npoint, radius, nsample, cin, mlp):
        super().__init__()
        self.npoint, self.radius, self.nsample = npoint, radius, nsample
        layers = []
        for out in mlp:
            layers += [nn.Conv2d(cin, out, 1), nn.BatchNorm2d(out), nn.ReLU()]
            cin = out
        self.mlp = nn.Sequential(*layers)

    def forward(self, xyz, feats):
        if self.npoint is None:
            new_xyz = xyz.mean(1, keepdim=True)
            grouped = torch.cat([xyz, feats], -1).unsqueeze(1)
        else:
            with torch.no_grad():
                new_xyz = index_points(xyz, farthest_point_sample(xyz, self.npoint))
                idx = query_ball_point(self.radius, self.nsample, xyz, new_xyz)
            local = index_points(xyz, idx) - new_xyz.unsqueeze(2)
            grouped = local if feats is None else torch.cat([local, index_points(feats, idx)], -1)
        out = self.mlp(grouped.permute(0, 3, 2, 1))
        return new_xyz, out.max(2)[0].transpose(1, 2)


class PointNet2(nn.Module):
    def __init__(self, classes=40):
        super().__init__()
        self.sa1 = SetAbstraction(256, 0.2, 32, 3, [64, 64, 128])
        self.sa2 = SetAbstraction(64, 0.4, 64, 128 + 3, [128, 128, 256])
        self.sa3 = SetAbstraction(None, None, None, 256 + 3, [256, 512, 1024])
        self.head = nn.Sequential(nn.Linear(1024, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Dropout(0.4), nn.Linear(512, classes))

    def forward(self, xyz):
        xyz1, f1 = self.sa1(xyz, None)
        xyz2, f2 = self.sa2(xyz1, f1)
        _, f3 = self.sa3(xyz2, f2)
        return self.head(f3.squeeze(1))


# In[3]:
torch.manual_seed(0)
clouds = F.normalize(torch.randn(256, 1024, 3), dim=-1) * torch.rand(256, 1024, 1)
labels = torch.randint(0, 40, (256,))
model = PointNet2().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
for step in range(10):
    pick = torch.randperm(256)[:32]
    x, y = clouds[pick].cuda(), labels[pick].cuda()
    x = x * (0.8 + 0.4 * torch.rand(len(x), 1, 1, device="cuda")) + 0.1 * torch.randn(len(x), 1, 3, device="cuda")
    loss = F.cross_entropy(model(x), y, label_smoothing=0.2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 3))

# In[4]: votes of three passes
model.eval()
with torch.no_grad():
    votes = sum(model(clouds[:64].cuda()).softmax(-1) for _ in range(3))
print("accuracy", (votes.argmax(-1).cpu() == labels[:64]).float().mean().item())
