"""A server of a language model: prompts of several lengths, sampled answers with a cache."""
import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(vocab_size=32000, hidden_size=1024, intermediate_size=2816, num_hidden_layers=12, num_attention_heads=16, num_key_value_heads=8, eos_token_id=2, pad_token_id=0)
model = LlamaForCausalLM(config).half().cuda().eval()
for prompts, length in ((1, 300), (4, 120), (8, 700), (2, 1500)):
    ids = torch.randint(5, 32000, (prompts, length), device="cuda")
    out = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=64, min_new_tokens=64, do_sample=True, top_k=50, top_p=0.95, temperature=0.8)
    print(out.shape)
