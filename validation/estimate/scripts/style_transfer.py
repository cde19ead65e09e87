"""Style transfer by optimising the pixels of an image through VGG features with L-BFGS."""
import torch
import torch.nn.functional as F
import torchvision

layers = torchvision.models.vgg16(weights=None).features[:23].cuda().eval().requires_grad_(False)
content, style = torch.rand(1, 3, 384, 384, device="cuda"), torch.rand(1, 3, 384, 384, device="cuda")


def features(image):
    kept = []
    for layer in layers:
        image = layer(image)
        if isinstance(layer, torch.nn.ReLU):
            kept.append(image)
    return kept


def gram(x):
    x = x.flatten(2)
    return x @ x.transpose(1, 2) / x.numel()


with torch.no_grad():
    of_content, of_style = features(content)[-2], [gram(each) for each in features(style)]
image = content.clone().requires_grad_(True)
optimizer = torch.optim.LBFGS([image], max_iter=8, history_size=10)
for step in range(3):

    def closure():
        optimizer.zero_grad()
        found = features(image)
        loss = F.mse_loss(found[-2], of_content) + 1e4 * sum(F.mse_loss(gram(a), b) for a, b in zip(found, of_style))
        loss.backward()
        return loss

    optimizer.step(closure)
