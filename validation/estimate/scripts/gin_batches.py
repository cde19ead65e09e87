import torch, torch.nn.functional as F
from torch.nn import Linear, Sequential, BatchNorm1d, ReLU
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINConv, global_add_pool

def graph(i):
    g = torch.Generator().manual_seed(i)
    n = int(torch.randint(60, 240, (1,), generator=g))
    return Data(x=torch.randn(n, 32, generator=g), edge_index=torch.randint(0, n, (2, n * 6), generator=g), y=torch.tensor([i % 2]))

graphs = [graph(i) for i in range(1200)]
train, test = DataLoader(graphs[:1000], batch_size=100, shuffle=True), DataLoader(graphs[1000:], batch_size=100)

class GIN(torch.nn.Module):
    def __init__(self, i=32, h=256, layers=5):
        super().__init__()
        self.convs = torch.nn.ModuleList(GINConv(Sequential(Linear(i if k == 0 else h, h), BatchNorm1d(h), ReLU(), Linear(h, h), ReLU())) for k in range(layers))
        self.out = Sequential(Linear(h * layers, h), ReLU(), torch.nn.Dropout(0.5), Linear(h, 2))
    def forward(self, x, edge_index, batch):
        hs = []
        for conv in self.convs:
            x = conv(x, edge_index)
            hs.append(global_add_pool(x, batch))
        return self.out(torch.cat(hs, -1))

torch.manual_seed(12)
model = GIN().to("cuda")
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    for b in train:
        b = b.to("cuda")
        loss = F.cross_entropy(model(b.x, b.edge_index, b.batch), b.y)
        opt.zero_grad(); loss.backward(); opt.step()
    model.eval()
    correct = 0
    with torch.no_grad():
        for b in test:
            b = b.to("cuda")
            correct += int((model(b.x, b.edge_index, b.batch).argmax(-1) == b.y).sum())
    print(epoch, loss.item(), correct / 200)
