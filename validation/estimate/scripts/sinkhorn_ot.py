import torch

def sinkhorn(x, y, eps=0.05, iters=50):
    c = torch.cdist(x, y).pow(2)
    c = c / c.max().detach()
    f, g = torch.zeros(len(x), device=x.device), torch.zeros(len(y), device=y.device)
    loga, logb = -torch.full_like(f, float(len(x))).log(), -torch.full_like(g, float(len(y))).log()
    for _ in range(iters):
        f = -eps * torch.logsumexp((g[None, :] - c) / eps + logb[None, :], dim=1)
        g = -eps * torch.logsumexp((f[:, None] - c) / eps + loga[:, None], dim=0)
    p = torch.exp((f[:, None] + g[None, :] - c) / eps + loga[:, None] + logb[None, :])
    return (p * c).sum()

net = torch.nn.Sequential(torch.nn.Linear(16, 256), torch.nn.SiLU(), torch.nn.Linear(256, 256), torch.nn.SiLU(), torch.nn.Linear(256, 32)).cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for step in range(12):
    target = torch.randn(1536, 32, device="cuda") * 0.5 + 1
    loss = sinkhorn(net(torch.randn(1536, 16, device="cuda")), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("OT", loss.item())
