import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
def make(layers, d):
    return LlamaForCausalLM(LlamaConfig(hidden_size=d, num_hidden_layers=layers, num_attention_heads=d // 64, num_key_value_heads=max(1, d // 256), intermediate_size=3 * d,
                                        vocab_size=16000, max_position_embeddings=2048)).to("cuda", torch.float16).eval()

target, draft = make(12, 1024), make(2, 512)
ids = torch.randint(3, 16000, (1, 256), device="cuda")
accepted = 0
with torch.inference_mode():
    while ids.shape[1] < 384:
        cand = ids
        for _ in range(4):
            cand = torch.cat([cand, draft(cand).logits[:, -1:].argmax(-1)], 1)
        pred = target(cand).logits[:, ids.shape[1] - 1:].argmax(-1)
        new = cand[:, ids.shape[1]:]
        agree = (pred[:, :-1] == new).long().cumprod(1).sum().item()
        ids = torch.cat([ids, new[:, :agree], pred[:, agree:agree + 1]], 1)
        accepted += agree
    print(ids.shape, accepted)
    out = target.generate(ids, assistant_model=draft, max_new_tokens=32, do_sample=False, pad_token_id=0)
print(out.shape)
