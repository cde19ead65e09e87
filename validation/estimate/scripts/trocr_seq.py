"""Handwriting recognition: a ViT encoder and a RoBERTa-like decoder."""
import torch
from transformers import ViTConfig, RobertaConfig, VisionEncoderDecoderConfig, VisionEncoderDecoderModel

torch.manual_seed(0)
enc = ViTConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536, image_size=224)
dec = RobertaConfig(hidden_size=384, num_hidden_layers=4, num_attention_heads=6, intermediate_size=1536, vocab_size=8000, max_position_embeddings=130, is_decoder=True, add_cross_attention=True)
model = VisionEncoderDecoderModel(config=VisionEncoderDecoderConfig.from_encoder_decoder_configs(enc, dec)).cuda()
model.config.decoder_start_token_id, model.config.pad_token_id, model.config.eos_token_id = 0, 1, 2
opt = torch.optim.AdamW(model.parameters(), lr=5e-5)
for step in range(12):
    pix = torch.randn(16, 3, 224, 224).to("cuda")
    labels = torch.randint(3, 8000, (16, 64)).to("cuda")
    labels[:, 50:] = -100
    loss = model(pixel_values=pix, labels=labels).loss
    loss.backward()
    opt.step(); opt.zero_grad()
    if step % 4 == 0: print(step, loss.item())
model.eval()
with torch.no_grad():
    out = model.generate(torch.randn(8, 3, 224, 224, device="cuda"), max_new_tokens=48, num_beams=4, decoder_start_token_id=0, pad_token_id=1, eos_token_id=2)
print(out.shape)
