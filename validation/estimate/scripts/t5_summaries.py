"""A T5 trained on pairs, which writes summaries by beam search in its evaluation."""
import torch
from torch.utils.data import DataLoader
from transformers import T5Config, T5ForConditionalGeneration

torch.manual_seed(0)
model = T5ForConditionalGeneration(T5Config(vocab_size=8000, d_model=384, d_ff=1024, num_layers=6, num_heads=6, decoder_start_token_id=0)).cuda()
optimizer = torch.optim.Adafactor(model.parameters(), lr=1e-3)
pairs = [(torch.randint(5, 8000, (256,)), torch.randint(5, 8000, (64,))) for _ in range(96)]
for epoch in range(2):
    model.train()
    for x, y in DataLoader(pairs, batch_size=8, shuffle=True):
        loss = model(input_ids=x.cuda(), labels=y.cuda()).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    for x, y in DataLoader(pairs[:24], batch_size=12):
        texts = model.generate(input_ids=x.cuda(), num_beams=4, max_new_tokens=48)
        print(texts.shape)
