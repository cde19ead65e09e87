import torch, torch.nn as nn, torch.nn.functional as F

class VQ(nn.Module):
    def __init__(self, k=1024, d=64, decay=0.99):
        super().__init__()
        self.register_buffer("codes", torch.randn(k, d))
        self.register_buffer("count", torch.ones(k))
        self.register_buffer("sums", self.codes.clone())
        self.decay = decay
    def forward(self, z):
        flat = z.permute(0, 2, 3, 1).reshape(-1, z.size(1))
        dist = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.codes.t() + self.codes.pow(2).sum(1)
        idx = dist.argmin(1)
        q = self.codes[idx]
        if self.training:
            with torch.no_grad():
                onehot = F.one_hot(idx, self.codes.size(0)).type_as(flat)
                self.count.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
                self.sums.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
                self.codes.copy_(self.sums / self.count.clamp(min=1e-5).unsqueeze(1))
        q = q.view(z.size(0), z.size(2), z.size(3), -1).permute(0, 3, 1, 2)
        return z + (q - z).detach(), F.mse_loss(z, q.detach())

def block(i, o, s):
    return nn.Sequential(nn.Conv2d(i, o, 4 if s == 2 else 3, s, 1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

enc = nn.Sequential(block(3, 64, 2), block(64, 128, 2), block(128, 128, 1), nn.Conv2d(128, 64, 1))
dec = nn.Sequential(block(64, 128, 1), nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(64, 3, 4, 2, 1))
vq = VQ()
model = nn.ModuleList([enc, vq, dec]).cuda()
opt = torch.optim.Adam(model.parameters(), 2e-4)
data = torch.utils.data.TensorDataset(torch.rand(512, 3, 128, 128))
for epoch in range(2):
    for (x,) in torch.utils.data.DataLoader(data, 64, shuffle=True, pin_memory=True, drop_last=True):
        x = x.cuda(non_blocking=True)
        z = enc(x)
        q, commit = vq(z)
        rec = dec(q)
        loss = F.mse_loss(rec, x) + 0.25 * commit
        opt.zero_grad(); loss.backward(); opt.step()
    print(f"epoch {epoch}: {loss.item():.4f} max mem {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB")
