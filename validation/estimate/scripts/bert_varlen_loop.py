"""A masked language model over batches whose length is drawn anew, without a data loader."""
import random

import torch
from transformers import BertConfig, BertForMaskedLM

draw = random.Random(7)
model = BertForMaskedLM(BertConfig(vocab_size=6000, hidden_size=512, num_hidden_layers=6, num_attention_heads=8, intermediate_size=2048)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
model.train()
for step in range(50):
    length = draw.randint(32, 512)
    ids = torch.randint(5, 6000, (8, length), device="cuda")
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
