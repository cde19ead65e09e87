import torch, torch.nn as nn, torch.nn.functional as F
from torch.nn.utils.parametrizations import weight_norm

torch.manual_seed(11)

class ResBlock(nn.Module):
    def __init__(self, c, k, ds=(1, 3, 5)):
        super().__init__()
        self.a = nn.ModuleList([weight_norm(nn.Conv1d(c, c, k, dilation=d, padding=d * (k - 1) // 2)) for d in ds])
        self.b = nn.ModuleList([weight_norm(nn.Conv1d(c, c, k, padding=(k - 1) // 2)) for _ in ds])
    def forward(self, x):
        for a, b in zip(self.a, self.b):
            x = x + b(F.leaky_relu(a(F.leaky_relu(x, 0.1)), 0.1))
        return x

class Generator(nn.Module):
    def __init__(self, c=256):
        super().__init__()
        self.pre = weight_norm(nn.Conv1d(80, c, 7, padding=3))
        self.ups, self.res = nn.ModuleList(), nn.ModuleList()
        for r, k in ((8, 16), (8, 16), (2, 4), (2, 4)):
            self.ups.append(weight_norm(nn.ConvTranspose1d(c, c // 2, k, r, (k - r) // 2)))
            c //= 2
            self.res.append(nn.ModuleList([ResBlock(c, k) for k in (3, 7, 11)]))
        self.post = weight_norm(nn.Conv1d(c, 1, 7, padding=3))
    def forward(self, x):
        x = self.pre(x)
        for up, res in zip(self.ups, self.res):
            x = up(F.leaky_relu(x, 0.1))
            x = sum(r(x) for r in res) / len(res)
        return torch.tanh(self.post(F.leaky_relu(x)))

class PeriodD(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p
        ch = [1, 32, 128, 256, 512]
        self.convs = nn.ModuleList([weight_norm(nn.Conv2d(i, o, (5, 1), (3, 1), (2, 0))) for i, o in zip(ch, ch[1:])])
        self.post = weight_norm(nn.Conv2d(512, 1, (3, 1), padding=(1, 0)))
    def forward(self, x):
        if x.size(-1) % self.p:
            x = F.pad(x, (0, self.p - x.size(-1) % self.p), "reflect")
        x = x.view(x.size(0), 1, -1, self.p)
        feats = []
        for c in self.convs:
            x = F.leaky_relu(c(x), 0.1)
            feats.append(x)
        return self.post(x), feats

g, ds = Generator().cuda(), nn.ModuleList([PeriodD(p) for p in (2, 3, 5, 7)]).cuda()
og, od = torch.optim.AdamW(g.parameters(), 2e-4, betas=(0.8, 0.99)), torch.optim.AdamW(ds.parameters(), 2e-4, betas=(0.8, 0.99))
win = torch.hann_window(1024, device="cuda")
spec = lambda w: torch.stft(w.squeeze(1), 1024, 256, window=win, return_complex=True).abs()
for step in range(8):
    mel, wav = torch.randn(8, 80, 32, device="cuda"), torch.rand(8, 1, 8192, device="cuda") * 2 - 1
    fake = g(mel)
    ld = sum(((d(wav)[0] - 1) ** 2).mean() + (d(fake.detach())[0] ** 2).mean() for d in ds)
    od.zero_grad(); ld.backward(); od.step()
    lg = 45 * F.l1_loss(spec(fake), spec(wav))
    for d in ds:
        (s, f), (_, r) = d(fake), d(wav)
        lg = lg + ((s - 1) ** 2).mean() + 2 * sum(F.l1_loss(x, y.detach()) for x, y in zip(f, r))
    og.zero_grad(); lg.backward(); og.step()
print(lg.item(), ld.item())
