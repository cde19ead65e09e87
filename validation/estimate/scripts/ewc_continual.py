"""Elastic weight consolidation over three tasks."""
import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(1)
model = nn.Sequential(nn.Flatten(), nn.Linear(3072, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 10)).cuda()
fishers, olds = [], []
for task in range(3):
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step in range(12):
        x, y = torch.randn(256, 3, 32, 32, device="cuda"), torch.randint(0, 10, (256,), device="cuda")
        loss = F.cross_entropy(model(x), y)
        for f, o in zip(fishers, olds):
            loss = loss + 50 * sum((f[n] * (p - o[n]) ** 2).sum() for n, p in model.named_parameters())
        opt.zero_grad()
        loss.backward()
        opt.step()
    fisher = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
    for _ in range(8):
        model.zero_grad()
        logp = F.log_softmax(model(torch.randn(32, 3, 32, 32, device="cuda")), 1)
        label = torch.multinomial(logp.exp(), 1).squeeze(1)
        F.nll_loss(logp, label).backward()
        for n, p in model.named_parameters():
            fisher[n] += p.grad ** 2 / 8
    fishers.append(fisher)
    olds.append({n: p.detach().clone() for n, p in model.named_parameters()})
    print("task", task, loss.item())
