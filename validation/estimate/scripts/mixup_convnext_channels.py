import torch, timm
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import AverageMeter, accuracy

model = timm.create_model("convnextv2_atto", num_classes=100, drop_path_rate=0.1).to("cuda", memory_format=torch.channels_last)
opt = create_optimizer_v2(model, opt="lamb", lr=2e-3, weight_decay=0.05, layer_decay=0.9)
sched = CosineLRScheduler(opt, t_initial=3, warmup_t=1, warmup_lr_init=1e-5)
mixup = Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=100)
crit = SoftTargetCrossEntropy()
for epoch in range(3):
    meter = AverageMeter()
    model.train()
    for i in range(5):
        x, y = torch.randn(64, 3, 224, 224, device="cuda").contiguous(memory_format=torch.channels_last), torch.randint(0, 100, (64,), device="cuda")
        x, t = mixup(x, y)
        with torch.autocast("cuda", torch.bfloat16):
            loss = crit(model(x), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        meter.update(loss.item(), x.size(0))
    sched.step(epoch + 1)
    model.eval()
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
        x, y = torch.randn(128, 3, 256, 256, device="cuda").contiguous(memory_format=torch.channels_last), torch.randint(0, 100, (128,), device="cuda")
        a1, a5 = accuracy(model(x), y, topk=(1, 5))
    print(epoch, meter.avg, a1.item(), a5.item())
