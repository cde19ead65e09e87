import torch, torch.nn.functional as F, torchvision

torch.manual_seed(5)
net = torchvision.models.wide_resnet50_2(num_classes=10).cuda()
net.conv1 = torch.nn.Conv2d(3, 64, 3, 1, 1, bias=False).cuda()
net.maxpool = torch.nn.Identity()
opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
EPS, ALPHA, STEPS = 8 / 255, 2 / 255, 5

def pgd(x, y):
    delta = torch.empty_like(x).uniform_(-EPS, EPS).requires_grad_(True)
    for _ in range(STEPS):
        loss = F.cross_entropy(net(x + delta), y)
        grad, = torch.autograd.grad(loss, delta)
        delta.data = (delta + ALPHA * grad.sign()).clamp(-EPS, EPS)
        delta.data = (x + delta.data).clamp(0, 1) - x
    return (x + delta).detach()

for step in range(6):
    x, y = torch.rand(64, 3, 32, 32, device="cuda"), torch.randint(0, 10, (64,), device="cuda")
    net.eval()
    adv = pgd(x, y)
    net.train()
    loss = F.cross_entropy(net(adv), y)
    opt.zero_grad(); loss.backward(); opt.step()
    print(step, loss.item(), (adv - x).abs().max().item())
