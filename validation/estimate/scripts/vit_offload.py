"""ViT-B/16 on synthetic pictures; large saved activations go to pinned CPU memory through autograd hooks."""
import torch
import torch.nn as nn
import torchvision
from torch.autograd.graph import saved_tensors_hooks

torch.manual_seed(0)
torch.backends.cudnn.benchmark = True


class OffloadActivations(saved_tensors_hooks):
    def __init__(self, min_bytes=4 * 2**20):
        self.min_bytes = min_bytes
        self.moved = 0
        super().__init__(self.pack, self.unpack)

    def pack(self, tensor):
        size = tensor.numel() * tensor.element_size()
        if not tensor.is_cuda or size < self.min_bytes or isinstance(tensor, nn.Parameter):
            return tensor
        host = torch.empty(tensor.size(), dtype=tensor.dtype, pin_memory=True)
        host.copy_(tensor, non_blocking=True)
        self.moved += size
        return tensor.device, host

    def unpack(self, packed):
        if isinstance(packed, torch.Tensor):
            return packed
        device, host = packed
        return host.to(device, non_blocking=True)


model = torchvision.models.vit_b_16(weights=None, num_classes=200).cuda()
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
decay = [p for p in model.parameters() if p.ndim > 1]
rest = [p for p in model.parameters() if p.ndim <= 1]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}], lr=1e-4)
steps, accumulate = 12, 2
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps // accumulate)

model.train()
for step in range(steps):
    x = torch.rand(48, 3, 224, 224).cuda(non_blocking=True)
    y = torch.randint(0, 200, (48,)).cuda(non_blocking=True)
    x = torchvision.transforms.functional.normalize(x, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    hooks = OffloadActivations()
    with hooks, torch.autocast("cuda", dtype=torch.bfloat16):
        loss = criterion(model(x), y) / accumulate
    loss.backward()
    if (step + 1) % accumulate == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
    print(f"step {step} loss {loss.item() * accumulate:.4f} offloaded {hooks.moved / 2**20:.0f} MiB")

model.eval()
with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
    predictions = model(torch.rand(64, 3, 224, 224, device="cuda")).argmax(1)
print("distinct predictions", predictions.unique().numel())
