"""A little DETR: ResNet-18 features, encoder-decoder transformer, set prediction with greedy matching."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torchvision.ops import box_convert, generalized_box_iou

CLASSES, QUERIES, DIM = 20, 60, 256
torch.manual_seed(2)


class MiniDETR(nn.Module):
    def __init__(self):
        super().__init__()
        resnet = torchvision.models.resnet18(weights=None)
        self.backbone = nn.Sequential(*list(resnet.children())[:-2])
        self.project = nn.Conv2d(512, DIM, 1)
        self.transformer = nn.Transformer(DIM, 8, 4, 4, 1024, dropout=0.1, batch_first=True)
        self.row, self.col = nn.Parameter(torch.rand(32, DIM // 2)), nn.Parameter(torch.rand(32, DIM // 2))
        self.queries = nn.Parameter(torch.rand(QUERIES, DIM))
        self.classify = nn.Linear(DIM, CLASSES + 1)
        self.box = nn.Sequential(nn.Linear(DIM, DIM), nn.ReLU(), nn.Linear(DIM, DIM), nn.ReLU(), nn.Linear(DIM, 4))

    def forward(self, images):
        f = self.project(self.backbone(images))
        b, _, h, w = f.shape
        pos = torch.cat([self.col[:w].unsqueeze(0).expand(h, w, -1), self.row[:h].unsqueeze(1).expand(h, w, -1)], -1)
        source = f.flatten(2).transpose(1, 2) + pos.flatten(0, 1)
        out = self.transformer(source, self.queries.expand(b, -1, -1))
        return self.classify(out), self.box(out).sigmoid()


@torch.no_grad()
def greedy_match(logits, boxes, labels, targets):
    """Takes the cheapest (query, target) pair again and again."""
    cost = -logits.softmax(-1)[:, labels] + 5 * torch.cdist(boxes, targets, p=1)
    cost = cost - 2 * generalized_box_iou(box_convert(boxes, "cxcywh", "xyxy"), box_convert(targets, "cxcywh", "xyxy"))
    cost = cost.cpu()
    queries, objects = [], []
    for _ in range(cost.shape[1]):
        q, t = divmod(int(cost.argmin()), cost.shape[1])
        queries.append(q), objects.append(t)
        cost[q] = float("inf")
        cost[:, t] = float("inf")
    return torch.tensor(queries, device=logits.device), torch.tensor(objects, device=logits.device)


def detection_loss(logits, boxes, targets):
    wanted = torch.full(logits.shape[:2], CLASSES, device=logits.device)
    l1 = giou = 0.0
    n = sum(len(t["labels"]) for t in targets)
    for i, t in enumerate(targets):
        q, o = greedy_match(logits[i], boxes[i], t["labels"], t["boxes"])
        wanted[i, q] = t["labels"][o]
        a, b = boxes[i, q], t["boxes"][o]
        l1 = l1 + F.l1_loss(a, b, reduction="sum")
        pairs = generalized_box_iou(box_convert(a, "cxcywh", "xyxy"), box_convert(b, "cxcywh", "xyxy"))
        giou = giou + (1 - pairs.diag()).sum()
    weight = torch.ones(CLASSES + 1, device=logits.device)
    weight[-1] = 0.1
    return F.cross_entropy(logits.transpose(1, 2), wanted, weight), l1 / n, giou / n


def make_batch(size):
    height, width = (torch.randint(10, 21, (2,)) * 32).tolist()
    targets = []
    for _ in range(size):
        k = int(torch.randint(1, 12, (1,)))
        boxes = torch.cat([torch.rand(k, 2) * 0.6 + 0.2, torch.rand(k, 2) * 0.3 + 0.05], 1)
        targets.append({"labels": torch.randint(0, CLASSES, (k,)).cuda(), "boxes": boxes.cuda()})
    return torch.randn(size, 3, height, width).cuda(), targets


model = MiniDETR().cuda()
backbone = list(model.backbone.parameters())
others = [p for n, p in model.named_parameters() if not n.startswith("backbone")]
optimizer = torch.optim.AdamW([{"params": backbone, "lr": 1e-5}, {"params": others}], lr=1e-4, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=15)
for step in range(24):
    images, targets = make_batch(12)
    ce, l1, giou = detection_loss(*model(images), targets)
    loss = ce + 5 * l1 + 2 * giou
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    scheduler.step()
    print(f"{step:2d} {tuple(images.shape[-2:])} ce {ce.item():.3f} l1 {l1.item():.3f} giou {giou.item():.3f}")
