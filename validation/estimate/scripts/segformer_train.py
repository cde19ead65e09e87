import torch
from transformers import SegformerConfig, SegformerForSemanticSegmentation

cfg = SegformerConfig(num_labels=19, depths=[2, 2, 2, 2], hidden_sizes=[32, 64, 160, 256], decoder_hidden_size=256)
model = SegformerForSemanticSegmentation(cfg).to("cuda")
decay, no_decay = [], []
for n, p in model.named_parameters():
    (no_decay if p.ndim == 1 else decay).append(p)
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": no_decay, "weight_decay": 0.0}], lr=6e-5)
sched = torch.optim.lr_scheduler.PolynomialLR(opt, 20, power=1.0)
best = 1e9
for epoch in range(2):
    model.train()
    for i in range(6):
        img, lab = torch.randn(8, 3, 320, 320), torch.randint(0, 19, (8, 320, 320))
        lab[torch.rand_like(lab, dtype=torch.float) < 0.05] = 255
        out = model(pixel_values=img.cuda(), labels=lab.cuda())
        opt.zero_grad(); out.loss.backward(); opt.step(); sched.step()
    model.eval()
    inter = torch.zeros(19, device="cuda"); union = torch.zeros(19, device="cuda")
    with torch.inference_mode():
        for i in range(2):
            lab = torch.randint(0, 19, (8, 320, 320), device="cuda")
            logits = torch.nn.functional.interpolate(model(pixel_values=torch.randn(8, 3, 320, 320, device="cuda")).logits, size=lab.shape[-2:], mode="bilinear", align_corners=False)
            pred = logits.argmax(1)
            conf = torch.bincount(19 * lab.flatten() + pred.flatten(), minlength=361).view(19, 19)
            inter += conf.diag(); union += conf.sum(0) + conf.sum(1) - conf.diag()
    print(epoch, out.loss.item(), (inter / union).nanmean().item())
