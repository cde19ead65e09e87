import torch
from transformers import OPTConfig, OPTForCausalLM
from peft import LoraConfig, get_peft_model

torch.manual_seed(0)
model = OPTForCausalLM(OPTConfig(hidden_size=768, num_hidden_layers=8, ffn_dim=3072, num_attention_heads=12, word_embed_proj_dim=768, vocab_size=20000, dropout=0.0)).to("cuda", torch.bfloat16)
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
model.enable_input_require_grads()
model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, use_dora=True, target_modules=["q_proj", "v_proj", "fc1", "fc2"], task_type="CAUSAL_LM"))
model.print_trainable_parameters()
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-4, fused=True)
for step in range(10):
    ids = torch.randint(5, 20000, (8, 512), device="cuda")
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    opt.zero_grad(set_to_none=True)
    print(step, loss.item())
merged = model.merge_and_unload()
with torch.no_grad():
    print(merged(torch.randint(5, 20000, (1, 128), device="cuda")).logits.shape)
