"""Preference training of a language model beside a frozen reference."""
import copy

import torch
import torch.nn.functional as F
from transformers import Qwen2Config, Qwen2ForCausalLM

torch.manual_seed(0)
model = Qwen2ForCausalLM(Qwen2Config(vocab_size=20000, hidden_size=512, intermediate_size=1408, num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=2)).cuda().bfloat16()
reference = copy.deepcopy(model).eval().requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)


def likelihood(net, ids):
    logits = net(input_ids=ids).logits[:, :-1].float()
    return logits.log_softmax(-1).gather(2, ids[:, 1:, None]).squeeze(-1).sum(-1)


for step in range(10):
    chosen, rejected = torch.randint(0, 20000, (4, 384), device="cuda"), torch.randint(0, 20000, (4, 384), device="cuda")
    with torch.no_grad():
        base = likelihood(reference, chosen) - likelihood(reference, rejected)
    own = likelihood(model, chosen) - likelihood(model, rejected)
    loss = -F.logsigmoid(0.1 * (own - base)).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
