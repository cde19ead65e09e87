"""Second-order MAML for few-shot images, with torch.func."""
import torch, torch.nn as nn, torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(*[m for i in range(4) for m in (nn.Conv2d(3 if i == 0 else 64, 64, 3, padding=1), nn.GroupNorm(8, 64), nn.ReLU(), nn.MaxPool2d(2))], nn.Flatten(), nn.Linear(64 * 5 * 5, 5)).cuda()
meta = torch.optim.Adam(net.parameters(), 1e-3)
for it in range(8):
    total = 0
    for task in range(4):
        xs, ys = torch.randn(25, 3, 84, 84, device="cuda"), torch.arange(5, device="cuda").repeat_interleave(5)
        xq, yq = torch.randn(75, 3, 84, 84, device="cuda"), torch.arange(5, device="cuda").repeat_interleave(15)
        fast = dict(net.named_parameters())
        for _ in range(5):
            inner = F.cross_entropy(functional_call(net, fast, (xs,)), ys)
            grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {k: p - 0.01 * g for (k, p), g in zip(fast.items(), grads)}
        total = total + F.cross_entropy(functional_call(net, fast, (xq,)), yq)
    meta.zero_grad()
    (total / 4).backward()
    meta.step()
    print(it, total.item() / 4)
