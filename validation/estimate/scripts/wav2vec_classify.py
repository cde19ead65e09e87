import torch
from transformers import Wav2Vec2Config, Wav2Vec2ForSequenceClassification

cfg = Wav2Vec2Config(hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536, num_labels=12, conv_dim=(256,) * 7, mask_time_prob=0.05, layerdrop=0.0)
torch.manual_seed(21)
import numpy; numpy.random.seed(21)
model = Wav2Vec2ForSequenceClassification(cfg).cuda()
model.freeze_feature_encoder()
opt = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=3e-5)
model.train()
for step in range(10):
    n = [16000, 32000, 24000, 40000, 48000][step % 5]
    with torch.autocast("cuda", torch.float16):
        out = model(torch.randn(8, n, device="cuda"), labels=torch.randint(0, 12, (8,), device="cuda"))
    out.loss.backward()
    opt.step()
    opt.zero_grad()
    print(n, out.loss.item())
