"""Evolution strategies: a population of small CNNs evaluated at once with vmap and functional_call."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, vmap

torch.manual_seed(77)
device = "cuda"
POPULATION, SIGMA, GENERATIONS, BATCH = 512, 0.05, 25, 128


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, stride=2)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2)
        self.fc1 = nn.Linear(16 * 5 * 5, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


def make_digits(n):
    """Ten fixed random prototypes with noise."""
    prototypes = (torch.rand(10, 1, 28, 28) > 0.6).float()
    labels = torch.randint(0, 10, (n,))
    images = prototypes[labels] * 0.8 + torch.randn(n, 1, 28, 28) * 0.4
    return images.to(device), labels.to(device)


model = SmallNet().to(device).requires_grad_(False)
images, labels = make_digits(10_000)
mean = {k: v.clone() for k, v in model.named_parameters()}
momentum = {k: torch.zeros_like(v) for k, v in mean.items()}


def fitness(params, x, y):
    logits = functional_call(model, params, (x,))
    return -F.cross_entropy(logits, y)


evaluate = vmap(fitness, in_dims=(0, None, None), chunk_size=256)

with torch.no_grad():
    for generation in range(GENERATIONS):
        pick = torch.randint(0, len(images), (BATCH,), device=device)
        half = {k: torch.randn(POPULATION // 2, *v.shape, device=device) for k, v in mean.items()}
        noise = {k: torch.cat([e, -e]) for k, e in half.items()}
        candidates = {k: mean[k] + SIGMA * noise[k] for k in mean}
        scores = evaluate(candidates, images[pick], labels[pick])

        # centred ranks
        ranks = torch.empty_like(scores)
        ranks[scores.argsort()] = torch.linspace(-0.5, 0.5, POPULATION, device=device)
        for k in mean:
            gradient = torch.tensordot(ranks, noise[k], dims=1) / (POPULATION * SIGMA)
            momentum[k] = 0.9 * momentum[k] + gradient
            mean[k] = 0.999 * mean[k] + 0.1 * momentum[k]
        if generation % 5 == 0:
            print(f"generation {generation} best {scores.max().item():.4f} mean {scores.mean().item():.4f}")

    accuracy = (functional_call(model, mean, (images,)).argmax(1) == labels).float().mean()
    print("accuracy", accuracy.item())
