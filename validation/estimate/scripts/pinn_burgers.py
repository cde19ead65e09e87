"""Physics-informed network for the viscous Burgers equation: double backward, Adam first and LBFGS after."""
import math

import torch
import torch.nn as nn

torch.manual_seed(1234)
device = "cuda"
NU = 0.01 / math.pi


class PINN(nn.Module):
    def __init__(self, width=128, depth=7):
        super().__init__()
        sizes = [2] + [width] * depth + [1]
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes, sizes[1:]))
        for layer in self.layers:
            nn.init.xavier_normal_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x, t):
        h = torch.cat([x, t], dim=1)
        for layer in self.layers[:-1]:
            h = torch.tanh(layer(h))
        return self.layers[-1](h)


def residual(model, x, t):
    u = model(x, t)
    u_x, u_t = torch.autograd.grad(u, (x, t), torch.ones_like(u), create_graph=True)
    u_xx = torch.autograd.grad(u_x, x, torch.ones_like(u_x), create_graph=True)[0]
    return u_t + u * u_x - NU * u_xx


def sample(n_inside, n_edge):
    x = (torch.rand(n_inside, 1, device=device) * 2 - 1).requires_grad_()
    t = torch.rand(n_inside, 1, device=device).requires_grad_()
    x0 = torch.rand(n_edge, 1, device=device) * 2 - 1
    tb = torch.rand(n_edge, 1, device=device)
    side = torch.where(torch.rand(n_edge, 1, device=device) < 0.5, -1.0, 1.0)
    return x, t, x0, tb, side


def total_loss(model, points):
    x, t, x0, tb, side = points
    physics = residual(model, x, t).square().mean()
    initial = (model(x0, torch.zeros_like(x0)) + torch.sin(math.pi * x0)).square().mean()
    boundary = model(side, tb).square().mean()
    return physics + 10 * initial + 10 * boundary, physics


model = PINN().to(device)

adam = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(adam, gamma=0.97)
for step in range(40):
    points = sample(60_000, 5_000)
    loss, physics = total_loss(model, points)
    adam.zero_grad()
    loss.backward()
    adam.step()
    scheduler.step()
    if step % 10 == 0:
        print(f"adam {step}: loss {loss.item():.5f} physics {physics.item():.5f}")

lbfgs = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=8, history_size=20, line_search_fn="strong_wolfe")
points = sample(80_000, 10_000)


def closure():
    lbfgs.zero_grad()
    loss, _ = total_loss(model, points)
    loss.backward()
    return loss


for step in range(3):
    loss = lbfgs.step(closure)
    print(f"lbfgs {step}: loss {loss.item():.5f}")

with torch.no_grad():
    xs, ts = torch.meshgrid(torch.linspace(-1, 1, 512), torch.linspace(0, 1, 512), indexing="ij")
    field = model(xs.reshape(-1, 1).to(device), ts.reshape(-1, 1).to(device)).view(512, 512)
print("field", field.min().item(), field.max().item())
