import copy, torch, torch.nn as nn, torch.nn.functional as F
import timm

torch.manual_seed(42)

class Head(nn.Module):
    def __init__(self, d, out=4096):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d, 1024), nn.GELU(), nn.Linear(1024, 256))
        self.last = nn.utils.parametrizations.weight_norm(nn.Linear(256, out, bias=False))
    def forward(self, x):
        return self.last(F.normalize(self.mlp(x), dim=-1))

def build():
    b = timm.create_model("vit_tiny_patch16_224", pretrained=False, num_classes=0, dynamic_img_size=True)
    return nn.Sequential(b, Head(b.num_features))

student = build().cuda()
teacher = build().cuda()
teacher.load_state_dict(student.state_dict())
for p in teacher.parameters():
    p.requires_grad_(False)
center = torch.zeros(1, 4096, device="cuda")
opt = torch.optim.AdamW(student.parameters(), 5e-4, weight_decay=0.04)
B = 32
for it in range(10):
    big = [torch.randn(B, 3, 224, 224, device="cuda") for _ in range(2)]
    small = [torch.randn(B, 3, 96, 96, device="cuda") for _ in range(6)]
    with torch.no_grad():
        t = teacher(torch.cat(big))
        probs = F.softmax((t - center) / 0.04, dim=-1).chunk(2)
    s = torch.cat([student(torch.cat(big)), student(torch.cat(small))]).chunk(8)
    loss, n = 0, 0
    for i, q in enumerate(probs):
        for j, v in enumerate(s):
            if i != j:
                loss = loss + torch.sum(-q * F.log_softmax(v / 0.1, dim=-1), dim=-1).mean()
                n += 1
    loss = loss / n
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for a, b in zip(student.parameters(), teacher.parameters()):
            b.mul_(0.996).add_(a, alpha=0.004)
        center = center * 0.9 + t.mean(0, keepdim=True) * 0.1
    print(it, f"{loss.item():.3f}")
