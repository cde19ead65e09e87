import itertools, random, torch, torch.nn as nn

random.seed(3); torch.manual_seed(3)
device = torch.device("cuda")

class Res(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.b = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(c, c, 3), nn.InstanceNorm2d(c), nn.ReLU(True), nn.ReflectionPad2d(1), nn.Conv2d(c, c, 3), nn.InstanceNorm2d(c))
    def forward(self, x):
        return x + self.b(x)

def G(n=6):
    layers = [nn.ReflectionPad2d(3), nn.Conv2d(3, 64, 7), nn.InstanceNorm2d(64), nn.ReLU(True)]
    for c in (64, 128):
        layers += [nn.Conv2d(c, c * 2, 3, 2, 1), nn.InstanceNorm2d(c * 2), nn.ReLU(True)]
    layers += [Res(256) for _ in range(n)]
    for c in (256, 128):
        layers += [nn.ConvTranspose2d(c, c // 2, 3, 2, 1, output_padding=1), nn.InstanceNorm2d(c // 2), nn.ReLU(True)]
    return nn.Sequential(*layers, nn.ReflectionPad2d(3), nn.Conv2d(64, 3, 7), nn.Tanh()).to(device)

def D():
    return nn.Sequential(nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Conv2d(64, 128, 4, 2, 1), nn.InstanceNorm2d(128), nn.LeakyReLU(0.2, True),
                         nn.Conv2d(128, 256, 4, 2, 1), nn.InstanceNorm2d(256), nn.LeakyReLU(0.2, True), nn.Conv2d(256, 1, 4, 1, 1)).to(device)

class Pool:
    def __init__(self, size=20):
        self.size, self.images = size, []
    def query(self, batch):
        out = []
        for im in batch.detach().split(1):
            if len(self.images) < self.size:
                self.images.append(im.clone()); out.append(im)
            elif random.random() > 0.5:
                k = random.randrange(self.size); out.append(self.images[k]); self.images[k] = im.clone()
            else:
                out.append(im)
        return torch.cat(out)

gab, gba, da, db = G(), G(), D(), D()
og = torch.optim.Adam(itertools.chain(gab.parameters(), gba.parameters()), 2e-4, betas=(0.5, 0.999))
od = torch.optim.Adam(itertools.chain(da.parameters(), db.parameters()), 2e-4, betas=(0.5, 0.999))
pa, pb, mse, l1 = Pool(), Pool(), nn.MSELoss(), nn.L1Loss()
for step in range(16):
    a, b = torch.rand(2, 3, 160, 160, device=device) * 2 - 1, torch.rand(2, 3, 160, 160, device=device) * 2 - 1
    fb, fa = gab(a), gba(b)
    pfb, pfa = db(fb), da(fa)
    lg = mse(pfb, torch.ones_like(pfb)) + mse(pfa, torch.ones_like(pfa)) + 10 * (l1(gba(fb), a) + l1(gab(fa), b)) + 5 * (l1(gab(b), b) + l1(gba(a), a))
    og.zero_grad(); lg.backward(); og.step()
    ld = 0
    for d, real, fake in ((da, a, pa.query(fa)), (db, b, pb.query(fb))):
        pr, pf = d(real), d(fake)
        ld = ld + 0.5 * (mse(pr, torch.ones_like(pr)) + mse(pf, torch.zeros_like(pf)))
    od.zero_grad(); ld.backward(); od.step()
print(lg.item(), ld.item())
