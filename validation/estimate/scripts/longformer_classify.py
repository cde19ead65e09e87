import torch
from transformers import LongformerConfig, LongformerForSequenceClassification

torch.manual_seed(99)
cfg = LongformerConfig(attention_window=256, hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536, vocab_size=30522, max_position_embeddings=4098, num_labels=5)
model = LongformerForSequenceClassification(cfg).cuda()
opt = torch.optim.AdamW(model.parameters(), lr=3e-5)
lengths = [1500, 2048, 900, 1900, 1200, 2048, 700, 1750]
model.train()
for n in lengths:
    ids = torch.randint(10, 30000, (2, n), device="cuda")
    mask = torch.ones_like(ids)
    glob = torch.zeros_like(ids)
    glob[:, 0] = 1
    out = model(ids, attention_mask=mask, global_attention_mask=glob, labels=torch.randint(0, 5, (2,), device="cuda"))
    out.loss.backward()
    opt.step()
    opt.zero_grad()
    print(n, round(out.loss.item(), 3))
model.eval()
with torch.no_grad():
    print(model(torch.randint(10, 30000, (4, 4000), device="cuda")).logits.argmax(-1))
