"""timm: a ConvNeXt with exponential averages of its weights and mixup, evaluated with the averages."""
import timm
import timm.loss
import timm.optim
import torch
from timm.data import Mixup
from timm.utils import ModelEmaV2

model = timm.create_model("convnext_nano", num_classes=50, drop_path_rate=0.1).cuda()
averages = ModelEmaV2(model, decay=0.99)
mixup = Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=50)
optimizer = timm.optim.create_optimizer_v2(model, opt="lamb", lr=1e-3)
scaler = torch.amp.GradScaler("cuda")
for step in range(16):
    x, y = mixup(torch.randn(48, 3, 192, 192, device="cuda"), torch.randint(0, 50, (48,), device="cuda"))
    with torch.autocast("cuda", torch.float16):
        loss = timm.loss.SoftTargetCrossEntropy()(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    averages.update(model)
averages.module.eval()
with torch.inference_mode():
    for _ in range(3):
        averages.module(torch.randn(128, 3, 224, 224, device="cuda")).softmax(-1).topk(5)
