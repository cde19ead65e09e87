"""MoCo v2 with a ResNet-18: a momentum encoder, a queue of keys on the GPU, then a linear probe and k-nearest neighbours."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torchvision.transforms import v2


class MoCo(nn.Module):
    def __init__(self, base, dim=128, K=16384, m=0.999, T=0.2):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q = base(num_classes=dim)
        self.encoder_k = base(num_classes=dim)
        mlp = self.encoder_q.fc.weight.shape[1]
        self.encoder_q.fc = nn.Sequential(nn.Linear(mlp, mlp), nn.ReLU(), self.encoder_q.fc)
        self.encoder_k.fc = nn.Sequential(nn.Linear(mlp, mlp), nn.ReLU(), self.encoder_k.fc)
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data.copy_(q.data)
            k.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum_update(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data = k.data * self.m + q.data * (1.0 - self.m)

    @torch.no_grad()
    def _dequeue_and_enqueue(self, keys):
        ptr = int(self.queue_ptr)
        assert self.K % len(keys) == 0
        self.queue[:, ptr:ptr + len(keys)] = keys.T
        self.queue_ptr[0] = (ptr + len(keys)) % self.K

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            self._momentum_update()
            shuffle = torch.randperm(len(im_k), device=im_k.device)
            k = F.normalize(self.encoder_k(im_k[shuffle]), dim=1)
            k = k[shuffle.argsort()]
        l_pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", q, self.queue.clone().detach())
        logits = torch.cat([l_pos, l_neg], dim=1) / self.T
        self._dequeue_and_enqueue(k)
        return logits, torch.zeros(len(logits), dtype=torch.long, device=logits.device)


augment = v2.Compose([
    v2.RandomResizedCrop(112, scale=(0.2, 1.0)),
    v2.RandomHorizontalFlip(),
    v2.ColorJitter(0.4, 0.4, 0.4, 0.1),
    v2.RandomGrayscale(0.2),
    v2.GaussianBlur(9, (0.1, 2.0)),
    v2.ToDtype(torch.float32, scale=True),
])
torch.manual_seed(0)
images = torch.randint(0, 256, (768, 3, 128, 128), dtype=torch.uint8)
labels = torch.randint(0, 10, (768,))
model = MoCo(torchvision.models.resnet18).cuda()
optimizer = torch.optim.SGD(model.encoder_q.parameters(), 0.03, momentum=0.9, weight_decay=1e-4)
criterion = nn.CrossEntropyLoss().cuda()
for epoch in range(2):
    for idx in torch.randperm(len(images)).split(128):
        # views are made on the GPU, picture by picture so that each gets its own
        batch = images[idx].cuda()
        im_q = torch.stack([augment(im) for im in batch])
        im_k = torch.stack([augment(im) for im in batch])
        logits, target = model(im_q, im_k)
        loss = criterion(logits, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    top = logits.topk(5, 1)[1].eq(target[:, None]).any(1).float().mean()
    print(f"epoch {epoch}  loss {loss.item():.3f}  acc@5 {top.item():.3f}  ptr {int(model.queue_ptr)}")

# evaluation on frozen features
backbone = model.encoder_q
backbone.fc = nn.Identity()
backbone.eval()
with torch.no_grad():
    feats = torch.cat([backbone(F.interpolate(x.cuda().float() / 255, 112)) for x in images.split(192)])
bank, known = F.normalize(feats[:512]), labels[:512].cuda()
sim, near = (F.normalize(feats[512:]) @ bank.T).topk(20, dim=1)
weights = (sim / 0.07).exp()
votes = torch.zeros(len(near), 10, device="cuda").scatter_add_(1, known[near], weights)
print("kNN accuracy", (votes.argmax(1).cpu() == labels[512:]).float().mean().item())
probe = nn.Linear(feats.shape[1], 10).cuda()
lbfgs = torch.optim.LBFGS(probe.parameters(), max_iter=20, history_size=10, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = criterion(probe(feats[:512]), known) + 1e-4 * probe.weight.square().sum()
    loss.backward()
    return loss


print("probe", lbfgs.step(closure).item(), (probe(feats[512:]).argmax(1).cpu() == labels[512:]).float().mean().item())
