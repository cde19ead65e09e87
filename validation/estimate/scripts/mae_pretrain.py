"""Masked autoencoder pretraining with transformers."""
import torch
from transformers import ViTMAEConfig, ViTMAEForPreTraining, get_cosine_schedule_with_warmup

torch.manual_seed(1)
cfg = ViTMAEConfig(hidden_size=384, num_hidden_layers=8, num_attention_heads=6, intermediate_size=1536, decoder_hidden_size=256,
                   decoder_num_hidden_layers=4, decoder_num_attention_heads=8, decoder_intermediate_size=1024, image_size=224, mask_ratio=0.75)
model = ViTMAEForPreTraining(cfg).to("cuda")
optim = torch.optim.AdamW(model.parameters(), lr=1.5e-4, betas=(0.9, 0.95), weight_decay=0.05)
sched = get_cosine_schedule_with_warmup(optim, 2, 15)
accum = 2
for it in range(15):
    for _ in range(accum):
        pixels = torch.rand(48, 3, 224, 224, device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            out = model(pixel_values=pixels)
        (out.loss / accum).backward()
    optim.step()
    sched.step()
    optim.zero_grad()
print("loss", out.loss.item(), "lr", sched.get_last_lr())
