import torch, torch.nn.functional as F
from torch_geometric.nn import GCNConv, SAGEConv, JumpingKnowledge

torch.manual_seed(0)
N, E, C = 60_000, 900_000, 40
x = torch.randn(N, 128).cuda()
edge_index = torch.randint(0, N, (2, E)).cuda()
y = torch.randint(0, C, (N,)).cuda()
train_mask = torch.rand(N).cuda() < 0.5

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = GCNConv(128, 256, cached=True)
        self.c2 = GCNConv(256, 256, cached=True)
        self.c3 = SAGEConv(256, 256)
        self.jk = JumpingKnowledge("max")
        self.out = torch.nn.Linear(256, C)
    def forward(self, x):
        h1 = F.dropout(F.relu(self.c1(x, edge_index)), 0.5, self.training)
        h2 = F.dropout(F.relu(self.c2(h1, edge_index)), 0.5, self.training)
        h3 = F.relu(self.c3(h2, edge_index))
        return self.out(self.jk([h1, h2, h3]))

net = Net().cuda()
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
for epoch in range(20):
    net.train()
    opt.zero_grad()
    out = net(x)
    loss = F.cross_entropy(out[train_mask], y[train_mask])
    loss.backward()
    opt.step()
    if epoch % 5 == 4:
        net.eval()
        with torch.no_grad():
            acc = (net(x).argmax(1) == y)[~train_mask].float().mean()
        print(epoch, loss.item(), acc.item())
