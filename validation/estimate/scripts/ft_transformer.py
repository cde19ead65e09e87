import torch, torch.nn as nn

torch.manual_seed(3)

class FTTransformer(nn.Module):
    def __init__(self, cats, n_num, d=192, blocks=4):
        super().__init__()
        self.emb = nn.ModuleList([nn.Embedding(c, d) for c in cats])
        self.w = nn.Parameter(torch.randn(n_num, d) * 0.02)
        self.b = nn.Parameter(torch.zeros(n_num, d))
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        layer = nn.TransformerEncoderLayer(d, 8, 256, 0.1, "gelu", batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, blocks, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(d), nn.ReLU(), nn.Linear(d, 1))
    def forward(self, xc, xn):
        tok = [e(xc[:, i]).unsqueeze(1) for i, e in enumerate(self.emb)]
        tok += [xn.unsqueeze(-1) * self.w + self.b, self.cls.expand(len(xn), -1, -1)]
        return self.head(self.enc(torch.cat(tok, 1))[:, -1]).squeeze(-1)

cats = [10, 50, 1000, 7, 24, 365]
N = 20_000
xc = torch.stack([torch.randint(0, c, (N,)) for c in cats], 1)
xn = torch.randn(N, 26)
y = (xn[:, 0] > 0).float()
model = FTTransformer(cats, 26).cuda()
opt = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=1e-5)
best, patience = 0, 2
for epoch in range(5):
    model.train()
    for idx in torch.randperm(N - 4000).split(1024)[:8]:
        loss = nn.functional.binary_cross_entropy_with_logits(model(xc[idx].cuda(), xn[idx].cuda()), y[idx].cuda())
        opt.zero_grad(); loss.backward(); opt.step()
    model.eval()
    with torch.no_grad():
        pred = torch.cat([model(xc[i].cuda(), xn[i].cuda()).sigmoid().cpu() for i in torch.arange(N - 4000, N).split(2000)])
    acc = ((pred > 0.5) == (y[-4000:] > 0.5)).float().mean().item()
    print(epoch, loss.item(), acc)
    if acc > best:
        best, patience = acc, 2
        torch.save(model.state_dict(), "ft_best.pt")
    else:
        patience -= 1
        if patience == 0:
            break
