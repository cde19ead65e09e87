"""PEFT: LoRA adapters on a Llama in bf16, with gradient accumulation and checkpointing."""
import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(vocab_size=16000, hidden_size=1024, intermediate_size=2816, num_hidden_layers=8, num_attention_heads=16, num_key_value_heads=4)
model = LlamaForCausalLM(config).to(torch.bfloat16)
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
model.enable_input_require_grads()
model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj", "up_proj"], task_type="CAUSAL_LM")).cuda()
optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=2e-4)
model.train()
for step in range(12):
    for _ in range(4):
        ids = torch.randint(0, 16000, (2, 1024), device="cuda")
        (model(input_ids=ids, labels=ids).loss / 4).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
model.eval()
with torch.no_grad():
    model.generate(input_ids=torch.randint(5, 16000, (4, 128), device="cuda"), max_new_tokens=32, do_sample=False)
