"""Soft actor-critic on a toy continuous-control task."""
import copy, math, torch, torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(7)
dev = "cuda"
obs_dim, act_dim, N = 17, 6, 200_000

def mlp(i, o, h=512):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, o)).to(dev)

actor, q1, q2 = mlp(obs_dim, 2 * act_dim), mlp(obs_dim + act_dim, 1), mlp(obs_dim + act_dim, 1)
t1, t2 = copy.deepcopy(q1), copy.deepcopy(q2)
log_alpha = torch.zeros(1, device=dev, requires_grad=True)
oa, oq, ol = torch.optim.Adam(actor.parameters(), 3e-4), torch.optim.Adam([*q1.parameters(), *q2.parameters()], 3e-4), torch.optim.Adam([log_alpha], 3e-4)
buf = {"s": torch.zeros(N, obs_dim, device=dev), "a": torch.zeros(N, act_dim, device=dev), "r": torch.zeros(N, 1, device=dev), "n": torch.zeros(N, obs_dim, device=dev), "d": torch.zeros(N, 1, device=dev)}

def act(s):
    mu, ls = actor(s).chunk(2, -1)
    d = Normal(mu, ls.clamp(-5, 2).exp())
    u = d.rsample()
    a = torch.tanh(u)
    return a, (d.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(-1, keepdim=True)

state, ptr = torch.randn(1, obs_dim, device=dev), 0
for step in range(300):
    with torch.no_grad():
        a, _ = act(state)
    nxt = 0.95 * state + 0.1 * torch.randn_like(state)
    reward = -(state.pow(2).mean() + 0.1 * a.pow(2).mean())
    for k, v in zip("sarnd", (state, a, reward.view(1, 1), nxt, torch.zeros(1, 1, device=dev))):
        buf[k][ptr:ptr + 1] = v
    state, ptr = nxt, (ptr + 1) % N
    if step < 50:
        continue
    i = torch.randint(0, ptr, (256,), device=dev)
    s, a, r, n, d = (buf[k][i] for k in "sarnd")
    with torch.no_grad():
        na, lp = act(n)
        sa = torch.cat([n, na], 1)
        y = r + 0.99 * (1 - d) * (torch.min(t1(sa), t2(sa)) - log_alpha.exp() * lp)
    x = torch.cat([s, a], 1)
    lq = (q1(x) - y).pow(2).mean() + (q2(x) - y).pow(2).mean()
    oq.zero_grad(); lq.backward(); oq.step()
    pa, lp = act(s)
    x = torch.cat([s, pa], 1)
    la = (log_alpha.exp().detach() * lp - torch.min(q1(x), q2(x))).mean()
    oa.zero_grad(); la.backward(); oa.step()
    ll = -(log_alpha * (lp + (-act_dim)).detach()).mean()
    ol.zero_grad(); ll.backward(); ol.step()
    with torch.no_grad():
        for p, tp in zip([*q1.parameters(), *q2.parameters()], [*t1.parameters(), *t2.parameters()]):
            tp.lerp_(p, 0.005)
print(lq.item(), la.item(), log_alpha.exp().item())
