import math

import torch
import torch.nn as nn
import torch.nn.functional as F

# ECAPA-TDNN speaker embeddings: log-mel features on the GPU, AAM-softmax, verification by cosine scores


class LogMel(nn.Module):
    def __init__(self, sr=16000, n_fft=512, hop=160, n_mels=80):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hamming_window(400))
        mel = lambda f: 2595 * math.log10(1 + f / 700)
        edges = 700 * (10 ** (torch.linspace(mel(20), mel(7600), n_mels + 2) / 2595) - 1)
        freqs = torch.linspace(0, sr / 2, n_fft // 2 + 1)
        up = (freqs[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
        down = (edges[2:, None] - freqs[None]) / (edges[2:] - edges[1:-1])[:, None]
        self.register_buffer("bank", torch.minimum(up, down).clamp(min=0))

    @torch.no_grad()
    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, win_length=400, window=self.window, return_complex=True).abs().square()
        feats = torch.log(self.bank @ spec + 1e-6)
        return feats - feats.mean(-1, keepdim=True)


class SE(nn.Module):
    def __init__(self, c, b=128):
        super().__init__()
        self.se = nn.Sequential(nn.AdaptiveAvgPool1d(1), nn.Conv1d(c, b, 1), nn.ReLU(), nn.BatchNorm1d(b), nn.Conv1d(b, c, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.se(x)


class Res2(nn.Module):
    def __init__(self, c, k, d, scale=8):
        super().__init__()
        self.width, self.nums = c // scale, scale - 1
        self.conv1, self.bn1 = nn.Conv1d(c, c, 1), nn.BatchNorm1d(c)
        self.convs = nn.ModuleList(nn.Conv1d(self.width, self.width, k, dilation=d, padding=k // 2 * d) for _ in range(self.nums))
        self.bns = nn.ModuleList(nn.BatchNorm1d(self.width) for _ in range(self.nums))
        self.conv3, self.bn3 = nn.Conv1d(c, c, 1), nn.BatchNorm1d(c)
        self.se = SE(c)

    def forward(self, x):
        residual, out = x, self.bn1(F.relu(self.conv1(x)))
        parts = torch.split(out, self.width, 1)
        y = []
        for i in range(self.nums):
            sp = parts[i] if i == 0 else sp + parts[i]
            sp = self.bns[i](F.relu(self.convs[i](sp)))
            y.append(sp)
        y.append(parts[self.nums])
        return self.se(self.bn3(F.relu(self.conv3(torch.cat(y, 1))))) + residual


class ECAPA(nn.Module):
    def __init__(self, C=768, dim=192):
        super().__init__()
        self.features = LogMel()
        self.conv1, self.bn1 = nn.Conv1d(80, C, 5, padding=2), nn.BatchNorm1d(C)
        self.layers = nn.ModuleList(Res2(C, 3, d) for d in (2, 3, 4))
        self.layer4 = nn.Conv1d(3 * C, 1536, 1)
        self.attention = nn.Sequential(nn.Conv1d(4608, 256, 1), nn.ReLU(), nn.BatchNorm1d(256), nn.Tanh(), nn.Conv1d(256, 1536, 1), nn.Softmax(dim=2))
        self.bn5, self.fc6, self.bn6 = nn.BatchNorm1d(3072), nn.Linear(3072, dim), nn.BatchNorm1d(dim)

    def forward(self, wav):
        x = self.bn1(F.relu(self.conv1(self.features(wav))))
        x1 = self.layers[0](x)
        x2 = self.layers[1](x + x1)
        x3 = self.layers[2](x + x1 + x2)
        x = F.relu(self.layer4(torch.cat((x1, x2, x3), 1)))
        t = x.size(-1)
        g = torch.cat((x, x.mean(2, keepdim=True).expand(-1, -1, t), torch.sqrt(x.var(2, keepdim=True).clamp(min=1e-4)).expand(-1, -1, t)), 1)
        w = self.attention(g)
        mu = torch.sum(x * w, 2)
        sg = torch.sqrt((torch.sum(x**2 * w, 2) - mu**2).clamp(min=1e-4))
        return self.bn6(self.fc6(self.bn5(torch.cat((mu, sg), 1))))


class AAM(nn.Module):
    def __init__(self, classes, dim=192, m=0.2, s=30.0):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dim))
        nn.init.xavier_normal_(self.weight)
        self.m, self.s = m, s

    def forward(self, x, label):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight))
        sine = torch.sqrt((1.0 - cosine**2).clamp(0, 1))
        phi = cosine * math.cos(self.m) - sine * math.sin(self.m)
        phi = torch.where(cosine - math.cos(math.pi - self.m) > 0, phi, cosine - math.sin(math.pi - self.m) * self.m)
        one_hot = torch.zeros_like(cosine).scatter_(1, label.view(-1, 1), 1)
        return F.cross_entropy(self.s * (one_hot * phi + (1 - one_hot) * cosine), label)


torch.manual_seed(11)
net, head = ECAPA().cuda(), AAM(5994).cuda()
opt = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-3, weight_decay=2e-5)
for step in range(10):
    seconds = 2 if step % 2 else 3
    wav = (torch.randn(64, 16000 * seconds) * 0.1).cuda()
    speaker = torch.randint(0, 5994, (64,)).cuda()
    loss = head(net(wav), speaker)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 3 == 0:
        print("step", step, "loss", float(loss))
net.eval()
embeddings = []
with torch.no_grad():
    for seconds in (1, 4, 7, 10):  # trials are as long as they are
        embeddings.append(F.normalize(net(torch.randn(8, 16000 * seconds, device="cuda"))))
scores = torch.cat(embeddings) @ torch.cat(embeddings).T
print("scores", scores.shape, scores.fill_diagonal_(0).max().item())
