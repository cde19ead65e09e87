"""Gaussian process regression: marginal likelihood by Cholesky, then predictions."""
import torch

x, y = torch.rand(1500, 8, device="cuda"), torch.randn(1500, device="cuda")
scale, amplitude, noise = (torch.zeros(1, device="cuda", requires_grad=True) for _ in range(3))
optimizer = torch.optim.Adam([scale, amplitude, noise], lr=0.05)
for step in range(10):
    kernel = amplitude.exp() * torch.exp(-0.5 * torch.cdist(x, x).pow(2) / scale.exp()) + (noise.exp() + 1e-3) * torch.eye(1500, device="cuda")
    factor = torch.linalg.cholesky(kernel)
    weights = torch.cholesky_solve(y[:, None], factor)
    loss = 0.5 * (y @ weights.squeeze()) + factor.diagonal().log().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    at = torch.rand(800, 8, device="cuda")
    cross = torch.exp(-0.5 * torch.cdist(at, x).pow(2))
    mean = cross @ weights
    spread = torch.linalg.solve_triangular(factor, cross.T, upper=False)
    print(mean.shape, spread.shape, torch.linalg.eigvalsh(kernel)[0].item())
