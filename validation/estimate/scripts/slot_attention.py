import torch, torch.nn as nn, torch.nn.functional as F

class SlotAttention(nn.Module):
    def __init__(self, slots=7, d=64, iters=3):
        super().__init__()
        self.k, self.iters, self.scale = slots, iters, d ** -0.5
        self.mu, self.ls = nn.Parameter(torch.randn(1, 1, d)), nn.Parameter(torch.zeros(1, 1, d))
        self.q, self.kk, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.gru, self.mlp = nn.GRUCell(d, d), nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 128), nn.ReLU(), nn.Linear(128, d))
        self.ni, self.ns = nn.LayerNorm(d), nn.LayerNorm(d)
    def forward(self, x):
        b, n, d = x.shape
        x = self.ni(x)
        k, v = self.kk(x), self.v(x)
        s = self.mu + self.ls.exp() * torch.randn(b, self.k, d, device=x.device)
        for _ in range(self.iters):
            a = (self.q(self.ns(s)) @ k.transpose(1, 2) * self.scale).softmax(1) + 1e-8
            u = (a / a.sum(-1, keepdim=True)) @ v
            s = self.gru(u.reshape(-1, d), s.reshape(-1, d)).view(b, self.k, d)
            s = s + self.mlp(s)
        return s

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(*[m for i in range(4) for m in (nn.Conv2d(3 if i == 0 else 64, 64, 5, padding=2), nn.ReLU())])
        self.slots = SlotAttention()
        self.dec = nn.Sequential(nn.ConvTranspose2d(64, 64, 5, 2, 2, 1), nn.ReLU(), nn.ConvTranspose2d(64, 64, 5, 2, 2, 1), nn.ReLU(), nn.ConvTranspose2d(64, 64, 5, 2, 2, 1), nn.ReLU(), nn.Conv2d(64, 4, 3, padding=1))
        g = torch.stack(torch.meshgrid(torch.linspace(-1, 1, 64), torch.linspace(-1, 1, 64), indexing="ij"))
        self.register_buffer("grid", g)
        self.pos = nn.Conv2d(2, 64, 1)
    def forward(self, x):
        f = self.enc(x) + self.pos(self.grid[None])
        s = self.slots(f.flatten(2).transpose(1, 2))
        y = self.dec(s.reshape(-1, 64, 1, 1).expand(-1, -1, 8, 8)).view(len(x), 7, 4, 64, 64)
        rgb, m = y.split([3, 1], 2)
        return (rgb * m.softmax(1)).sum(1)

model = Model().cuda()
opt = torch.optim.Adam(model.parameters(), 4e-4)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 5) * 0.5 ** (s / 100))
for step in range(15):
    x = torch.rand(24, 3, 64, 64, device="cuda")
    loss = F.mse_loss(model(x), x)
    opt.zero_grad(); loss.backward(); opt.step(); sched.step()
print(loss.item())
