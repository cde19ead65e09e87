"""Speech to text with Whisper: features of half a minute, greedy decoding."""
import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

config = WhisperConfig(
    vocab_size=5000, d_model=384, encoder_layers=4, decoder_layers=4, encoder_attention_heads=6, decoder_attention_heads=6, encoder_ffn_dim=1536,
    decoder_ffn_dim=1536, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=3,
)
model = WhisperForConditionalGeneration(config).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(8):
    sounds, texts = torch.randn(8, 80, 3000, device="cuda"), torch.randint(5, 5000, (8, 100), device="cuda")
    with torch.autocast("cuda", torch.bfloat16):
        loss = model(input_features=sounds, labels=texts).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
model.eval()
with torch.no_grad():
    state = model.get_encoder()(torch.randn(4, 80, 3000, device="cuda"))
    ids = torch.full((4, 1), 3, device="cuda")
    cache = None
    for _ in range(60):
        out = model(encoder_outputs=state, decoder_input_ids=ids[:, -1:], past_key_values=cache, use_cache=True)
        cache = out.past_key_values
        ids = torch.cat([ids, out.logits[:, -1:].argmax(-1)], 1)
