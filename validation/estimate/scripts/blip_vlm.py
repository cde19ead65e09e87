"""A small LLaVA-like model: vision tower, projector, language model, generation with images."""
import torch, torch.nn as nn
from transformers import SiglipVisionConfig, SiglipVisionModel, Qwen2Config, Qwen2ForCausalLM

torch.manual_seed(2)

class VLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.vision = SiglipVisionModel(SiglipVisionConfig(hidden_size=384, intermediate_size=1536, num_hidden_layers=6, num_attention_heads=6, image_size=224, patch_size=16))
        self.lm = Qwen2ForCausalLM(Qwen2Config(hidden_size=768, intermediate_size=2048, num_hidden_layers=8, num_attention_heads=12, num_key_value_heads=2, vocab_size=24000))
        self.proj = nn.Sequential(nn.Linear(384, 768), nn.GELU(), nn.Linear(768, 768))
        for p in self.vision.parameters():
            p.requires_grad = False
    def embed(self, pixels, ids):
        with torch.no_grad():
            v = self.vision(pixel_values=pixels).last_hidden_state
        return torch.cat([self.proj(v), self.lm.get_input_embeddings()(ids)], 1)
    def forward(self, pixels, ids):
        e = self.embed(pixels, ids)
        labels = torch.cat([ids.new_full((len(ids), e.size(1) - ids.size(1)), -100), ids], 1)
        return self.lm(inputs_embeds=e, labels=labels).loss

model = VLM().cuda().bfloat16()
opt = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), 1e-4)
for step in range(10):
    loss = model(torch.randn(8, 3, 224, 224, device="cuda", dtype=torch.bfloat16), torch.randint(5, 24000, (8, 128), device="cuda"))
    loss.backward(); opt.step(); opt.zero_grad()
print(loss.item())
model.eval()
with torch.no_grad():
    e = model.embed(torch.randn(4, 3, 224, 224, device="cuda", dtype=torch.bfloat16), torch.randint(5, 24000, (4, 16), device="cuda"))
    print(model.lm.generate(inputs_embeds=e, max_new_tokens=40, do_sample=True, top_p=0.9, pad_token_id=0).shape)
