"""PyTorch Geometric: GraphSAGE on sampled neighbourhoods, then on the whole graph."""
import torch
import torch.nn.functional as F
from torch_geometric.nn import SAGEConv

torch.manual_seed(0)
NODES = 40_000
edges = torch.randint(0, NODES, (2, 400_000))
features, labels = torch.randn(NODES, 128), torch.randint(0, 20, (NODES,))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([SAGEConv(128, 256), SAGEConv(256, 256), SAGEConv(256, 20)])

    def forward(self, x, links):
        for layer in self.layers[:-1]:
            x = F.dropout(F.relu(layer(x, links)), 0.3, self.training)
        return self.layers[-1](x, links)


model = Net().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(15):
    nodes = torch.randperm(NODES)[:8000]
    place = torch.full((NODES,), -1)
    place[nodes] = torch.arange(8000)
    links = place[edges]
    links = links[:, (links >= 0).all(0)].cuda()
    loss = F.cross_entropy(model(features[nodes].cuda(), links), labels[nodes].cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    print((model(features.cuda(), edges.cuda()).argmax(-1).cpu() == labels).float().mean())
