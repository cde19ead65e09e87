"""Anomaly detection with a memory bank of patch features."""
import torch, torchvision, torch.nn.functional as F
from torchvision.models.feature_extraction import create_feature_extractor

torch.manual_seed(0)
net = create_feature_extractor(torchvision.models.wide_resnet50_2(), {"layer2": "a", "layer3": "b"}).cuda().eval()

@torch.no_grad()
def patches(x):
    f = net(x)
    a = F.avg_pool2d(f["a"], 3, 1, 1)
    b = F.interpolate(F.avg_pool2d(f["b"], 3, 1, 1), size=a.shape[-2:], mode="bilinear", align_corners=False)
    return torch.cat([a, b], 1).permute(0, 2, 3, 1).flatten(0, 2)

bank = torch.cat([patches(torch.rand(16, 3, 224, 224, device="cuda")) for _ in range(4)])
proj = torch.randn(bank.size(1), 128, device="cuda") / 128 ** 0.5
z = bank @ proj
chosen = [0]
dist = (z - z[0]).norm(dim=1)
for _ in range(500):
    i = int(dist.argmax())
    chosen.append(i)
    dist = torch.minimum(dist, (z - z[i]).norm(dim=1))
core = bank[chosen]
print("coreset", core.shape)
for _ in range(3):
    q = patches(torch.rand(8, 3, 224, 224, device="cuda"))
    score = torch.cdist(q, core).topk(3, largest=False).values.mean(1).view(8, 28, 28)
    heat = F.interpolate(score[:, None], size=224, mode="bilinear")
    print(heat.amax((1, 2, 3)).tolist()[:2])
