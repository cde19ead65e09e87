"""Clustering a million vectors on the GPU."""
import torch

torch.manual_seed(0)
x = torch.randn(1_000_000, 64, device="cuda")
mean = x.mean(0)
u, s, v = torch.pca_lowrank(x - mean, q=16, niter=2)
z = (x - mean) @ v
k = 256
centers = z[torch.randperm(len(z), device="cuda")[:k]].clone()
for it in range(10):
    labels = torch.empty(len(z), dtype=torch.long, device="cuda")
    for chunk in torch.arange(len(z), device="cuda").split(100_000):
        labels[chunk] = torch.cdist(z[chunk], centers).argmin(1)
    sums = torch.zeros_like(centers).index_add_(0, labels, z)
    counts = torch.bincount(labels, minlength=k).clamp(min=1)
    new = sums / counts.unsqueeze(1)
    shift = (new - centers).norm()
    centers = new
    if shift < 1e-4:
        break
inertia = sum((z[c] - centers[labels[c]]).pow(2).sum() for c in torch.arange(len(z), device="cuda").split(100_000))
print(it, inertia.item(), counts.max().item())
