import torch
from torch_geometric.nn import RotatE

torch.manual_seed(0)
nodes, rels, E = 100_000, 200, 400_000
head, tail, rel = torch.randint(0, nodes, (E,)), torch.randint(0, nodes, (E,)), torch.randint(0, rels, (E,))
model = RotatE(nodes, rels, hidden_channels=200).cuda()
loader = model.loader(head, rel, tail, batch_size=20_000, shuffle=True)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
model.train()
total = 0
for h, r, t in loader:
    opt.zero_grad()
    loss = model.loss(h.cuda(), r.cuda(), t.cuda())
    loss.backward()
    opt.step()
    total += float(loss) * h.numel()
print(total / E)
model.eval()
with torch.no_grad():
    print(model.test(head[:40].cuda(), rel[:40].cuda(), tail[:40].cuda(), batch_size=20_000, log=False))
