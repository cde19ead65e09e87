"""Statistics on the GPU: principal components, least squares, whitening and a robust covariance."""
import torch

torch.manual_seed(0)
for samples, features in ((4000, 300), (9000, 500)):
    data = torch.randn(samples, features, device="cuda")
    data = data - data.mean(0)
    u, s, v = torch.linalg.svd(data, full_matrices=False)
    scores = data @ v[:20].T
    covariance = data.T @ data / (samples - 1)
    values, vectors = torch.linalg.eigh(covariance)
    white = data @ (vectors * values.clamp(min=1e-6).rsqrt())
    target = torch.randn(samples, 4, device="cuda")
    weights = torch.linalg.lstsq(data, target).solution
    q, r = torch.linalg.qr(data)
    inverse = torch.linalg.inv(covariance + 0.1 * torch.eye(features, device="cuda"))
    distance = (data @ inverse * data).sum(-1)
    kept = data[distance.argsort()[: samples // 2]]
    print(weights.shape, torch.linalg.slogdet(kept.T @ kept)[1].item(), white.shape, scores.shape, r.shape)
