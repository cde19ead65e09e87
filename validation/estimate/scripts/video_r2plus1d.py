import torch, torch.nn as nn
from torchvision.models.video import r2plus1d_18

model = r2plus1d_18(weights=None, num_classes=10).cuda().to(memory_format=torch.channels_last_3d)
opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-3, total_steps=12)
scaler = torch.amp.GradScaler("cuda")
crit = nn.CrossEntropyLoss(label_smoothing=0.1)
for step in range(12):
    clips = torch.randn(6, 3, 16, 112, 112).cuda(non_blocking=True).to(memory_format=torch.channels_last_3d)
    labels = torch.randint(0, 10, (6,)).cuda()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = crit(model(clips), labels)
    opt.zero_grad(set_to_none=True)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    sched.step()
    if step % 4 == 0:
        print(step, loss.item())
