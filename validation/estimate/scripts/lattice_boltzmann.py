"""Flow around a cylinder with the lattice Boltzmann method (D2Q9)."""
import torch
torch.set_grad_enabled(False)
nx, ny, steps = 2400, 600, 200
dev = "cuda"
c = torch.tensor([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]], device=dev)
w = torch.tensor([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, device=dev)
opp = [0, 3, 4, 1, 2, 7, 8, 5, 6]
tau = 0.56
X, Y = torch.meshgrid(torch.arange(nx, device=dev), torch.arange(ny, device=dev), indexing="ij")
solid = (X - nx // 4) ** 2 + (Y - ny // 2) ** 2 < (ny // 9) ** 2

def equilibrium(rho, u):
    cu = 3 * torch.einsum("qd,dxy->qxy", c.float(), u)
    return rho * w[:, None, None] * (1 + cu + 0.5 * cu ** 2 - 1.5 * (u ** 2).sum(0))

u = torch.zeros(2, nx, ny, device=dev); u[0] = 0.08
f = equilibrium(torch.ones(nx, ny, device=dev), u)
for it in range(steps):
    rho = f.sum(0)
    u = torch.einsum("qd,qxy->dxy", c.float(), f) / rho
    feq = equilibrium(rho, u)
    out = f - (f - feq) / tau
    for i in range(9):
        out[i] = torch.where(solid, f[opp[i]], out[i])
    for i in range(9):
        f[i] = torch.roll(out[i], (int(c[i, 0]), int(c[i, 1])), (0, 1))
    f[[1, 5, 8], 0] = f[[1, 5, 8], 1]
curl = (torch.roll(u[1], -1, 0) - torch.roll(u[1], 1, 0)) - (torch.roll(u[0], -1, 1) - torch.roll(u[0], 1, 1))
print(curl.abs().mean().item(), torch.cuda.max_memory_allocated() >> 20, "MiB")
