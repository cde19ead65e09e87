"""K-fold cross-validation over a small grid: many short trainings in one process."""
import gc, itertools, torch, torchvision
from torch.utils.data import TensorDataset, DataLoader, Subset

torch.manual_seed(0)
data = TensorDataset(torch.randn(240, 3, 160, 160), torch.randint(0, 4, (240,)))
folds = torch.arange(240).chunk(3)
results = {}
for arch, lr in itertools.product(("mobilenet_v3_large", "shufflenet_v2_x1_0", "regnet_y_400mf"), (1e-3, 1e-2)):
    accs = []
    for k, val in enumerate(folds):
        train = torch.cat([f for i, f in enumerate(folds) if i != k])
        model = getattr(torchvision.models, arch)(num_classes=4).cuda()
        opt = torch.optim.Adam(model.parameters(), lr)
        model.train()
        for x, y in DataLoader(Subset(data, train.tolist()), batch_size=40, shuffle=True):
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            opt.zero_grad(); loss.backward(); opt.step()
        model.eval()
        hits = 0
        with torch.no_grad():
            for x, y in DataLoader(Subset(data, val.tolist()), batch_size=80):
                hits += (model(x.cuda()).argmax(1).cpu() == y).sum().item()
        accs.append(hits / len(val))
        del model, opt
        gc.collect()
        torch.cuda.empty_cache()
    results[arch, lr] = sum(accs) / len(accs)
    print(arch, lr, results[arch, lr])
print(max(results, key=results.get))
