"""Reward model: a Mistral-like sequence classifier with LoRA, pairwise preference loss, checkpointing."""
import os
import tempfile

import torch
import torch.nn.functional as F
from peft import LoraConfig, TaskType, get_peft_model
from torch.utils.data import DataLoader, Dataset
from transformers import MistralConfig, MistralForSequenceClassification

torch.manual_seed(11)
PAD = 0


class Preferences(Dataset):
    def __init__(self, n, vocab):
        self.n, self.vocab = n, vocab

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        prompt = torch.randint(3, self.vocab, (int(torch.randint(50, 250, (1,), generator=g)),), generator=g)
        answers = []
        for _ in range(2):
            n = int(torch.randint(30, 500, (1,), generator=g))
            answers.append(torch.cat([prompt, torch.randint(3, self.vocab, (n,), generator=g)])[:640])
        return answers


def collate(pairs):
    # the chosen answers first, then the rejected ones
    rows = [p[0] for p in pairs] + [p[1] for p in pairs]
    width = max(len(r) for r in rows)
    ids = torch.full((len(rows), width), PAD)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    return ids, (ids != PAD).long()


config = MistralConfig(
    vocab_size=32000, hidden_size=1536, intermediate_size=4096, num_hidden_layers=16,
    num_attention_heads=12, num_key_value_heads=4, max_position_embeddings=2048,
    pad_token_id=PAD, num_labels=1,
)
config.use_cache = False
model = MistralForSequenceClassification(config).to("cuda", torch.bfloat16)
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
model.enable_input_require_grads()
model = get_peft_model(model, LoraConfig(
    task_type=TaskType.SEQ_CLS, r=16, lora_alpha=32, lora_dropout=0.05,
    target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
))
model.print_trainable_parameters()

loader = DataLoader(Preferences(192, config.vocab_size), batch_size=8, shuffle=True, collate_fn=collate)
trainable = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=1e-4)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1.0, end_factor=0.1, total_iters=24)

model.train()
for step, (ids, mask) in enumerate(loader):
    ids, mask = ids.cuda(), mask.cuda()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        rewards = model(input_ids=ids, attention_mask=mask).logits.squeeze(-1)
    chosen, rejected = rewards.float().chunk(2)
    loss = -F.logsigmoid(chosen - rejected).mean() + 0.01 * (chosen + rejected).pow(2).mean()
    loss.backward()
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    if step % 4 == 0:
        accuracy = (chosen > rejected).float().mean().item()
        print(f"step {step} tokens {ids.numel()} loss {loss.item():.4f} accuracy {accuracy:.2f}")

with tempfile.TemporaryDirectory() as folder:
    adapter = {k: v.cpu() for k, v in model.state_dict().items() if "lora_" in k or "score" in k}
    torch.save(adapter, os.path.join(folder, "adapter.pt"))
    print("adapter tensors:", len(adapter))
