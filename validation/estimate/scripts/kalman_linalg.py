"""Batched linear algebra: Kalman filter and smoother over many series, then covariances, PCA and ridge."""
import math

import torch

torch.manual_seed(33)
device, dtype = torch.device("cuda"), torch.float64
SERIES, STATE, OBS, TIME = 6000, 32, 16, 20


def random_spd(batch, n, jitter=0.5):
    a = torch.randn(batch, n, n, device=device, dtype=dtype) / math.sqrt(n)
    return a @ a.mT + jitter * torch.eye(n, device=device, dtype=dtype)


def kalman_filter(y, F, H, Q, R):
    mean = torch.zeros(SERIES, STATE, device=device, dtype=dtype)
    cov = torch.eye(STATE, device=device, dtype=dtype).expand(SERIES, -1, -1)
    history, log_likelihood = [], torch.zeros(SERIES, device=device, dtype=dtype)
    for t in range(TIME):
        mean = (F @ mean.unsqueeze(-1)).squeeze(-1)
        cov = F @ cov @ F.mT + Q
        predicted = mean, cov
        innovation = y[t] - mean @ H.T
        S = H @ cov @ H.T + R
        L = torch.linalg.cholesky(S)
        gain = torch.cholesky_solve(H @ cov, L).mT
        white = torch.linalg.solve_triangular(L, innovation.unsqueeze(-1), upper=False).squeeze(-1)
        log_det = 2 * L.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        log_likelihood -= 0.5 * (white.square().sum(-1) + log_det + OBS * math.log(2 * math.pi))
        mean = mean + (gain @ innovation.unsqueeze(-1)).squeeze(-1)
        cov = cov - gain @ S @ gain.mT
        cov = 0.5 * (cov + cov.mT)
        history.append((mean, cov) + predicted)
    return history, log_likelihood


def rts_smoother(history, F):
    mean, cov = history[-1][:2]
    means = [mean]
    for t in range(TIME - 2, -1, -1):
        m, P, m_next, P_next = history[t][0], history[t][1], history[t + 1][2], history[t + 1][3]
        G = torch.linalg.solve(P_next, F @ P).mT
        mean = m + (G @ (mean - m_next).unsqueeze(-1)).squeeze(-1)
        cov = P + G @ (cov - P_next) @ G.mT
        means.append(mean)
    return torch.stack(means[::-1])


with torch.no_grad():
    F = 0.9 * torch.linalg.qr(torch.randn(SERIES, STATE, STATE, device=device, dtype=dtype)).Q
    H = torch.randn(OBS, STATE, device=device, dtype=dtype) / math.sqrt(STATE)
    Q, R = 0.1 * random_spd(SERIES, STATE), random_spd(1, OBS)
    y = torch.randn(TIME, SERIES, OBS, device=device, dtype=dtype)
    history, ll = kalman_filter(y, F, H, Q, R)
    smooth = rts_smoother(history, F)
    print("log likelihood", ll.mean().item(), "smoothed", tuple(smooth.shape))
    del history

    # shrink the spectrum of many covariance matrices, and take their inverse square roots
    covariances = random_spd(4000, 32).float()
    values, vectors = torch.linalg.eigh(covariances)
    whiten = (vectors * values.clamp(min=1e-3).rsqrt().unsqueeze(-2)) @ vectors.mT
    error = (whiten @ covariances @ whiten - torch.eye(32, device=device)).abs().max()
    print("whitening error", error.item(), "log det", torch.logdet(covariances).mean().item())

    # PCA of a tall matrix, low-rank approximation of a stack of images
    data = torch.randn(12000, 300, device=device)
    U, S, Vh = torch.linalg.svd(data - data.mean(0), full_matrices=False)
    print("explained", (S[:10].square().sum() / S.square().sum()).item())
    u, s, vh = torch.linalg.svd(torch.rand(32, 96, 96, device=device), full_matrices=False)
    approx = (u[..., :16] * s[:, None, :16]) @ vh[:, :16]

    # ridge regression for several penalties at once
    target = data @ torch.randn(300, 8, device=device)
    gram = data.T @ data
    penalties = torch.logspace(-2, 4, 32, device=device).view(-1, 1, 1)
    weights = torch.linalg.solve(gram + penalties * torch.eye(300, device=device), data.T @ target)
    errors = (data @ weights - target).square().mean((1, 2))
    print("ridge", errors.min().item(), errors.max().item(), "approx", approx.mean().item())
