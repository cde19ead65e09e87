import torch, torch.nn.utils.prune as prune, torchvision

torch.manual_seed(4)
m = torchvision.models.vgg11_bn(num_classes=20).cuda()
opt = torch.optim.SGD(m.parameters(), 0.01, momentum=0.9)
def epoch(n=4):
    m.train()
    for _ in range(n):
        x, y = torch.randn(32, 3, 192, 192, device="cuda"), torch.randint(0, 20, (32,), device="cuda")
        loss = torch.nn.functional.cross_entropy(m(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()
print("dense", epoch())
params = [(mod, "weight") for mod in m.modules() if isinstance(mod, (torch.nn.Conv2d, torch.nn.Linear))]
for amount in (0.3, 0.5):
    prune.global_unstructured(params, pruning_method=prune.L1Unstructured, amount=amount)
    opt = torch.optim.SGD(m.parameters(), 0.005, momentum=0.9)
    print(amount, epoch())
    print("sparsity", sum((mod.weight == 0).sum().item() for mod, _ in params) / sum(mod.weight.numel() for mod, _ in params))
for mod, name in params:
    prune.remove(mod, name)
torch.save(m.state_dict(), "pruned.pt")
