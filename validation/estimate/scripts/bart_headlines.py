"""Fine-tune a BART-base sized model for headline writing, with beam search in the evaluation."""
import os
import random
import tempfile

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
from transformers import BartConfig, BartForConditionalGeneration, get_linear_schedule_with_warmup

random.seed(0)
torch.manual_seed(0)
device = torch.device("cuda")
EPOCHS = 2

config = BartConfig(
    vocab_size=30000, d_model=768, encoder_layers=6, decoder_layers=6,
    encoder_attention_heads=12, decoder_attention_heads=12,
    encoder_ffn_dim=3072, decoder_ffn_dim=3072, max_position_embeddings=640,
)
PAD, EOS = config.pad_token_id, config.eos_token_id


def make_article():
    n = random.randint(200, 600)
    article = torch.randint(3, config.vocab_size, (n,))
    headline = article[: random.randint(8, 40)].clone()
    return torch.cat([article, torch.tensor([EOS])]), torch.cat([headline, torch.tensor([EOS])])


def collate(pairs):
    src = pad_sequence([p[0] for p in pairs], batch_first=True, padding_value=PAD)
    tgt = pad_sequence([p[1] for p in pairs], batch_first=True, padding_value=-100)
    return {"input_ids": src, "attention_mask": (src != PAD).long(), "labels": tgt}


train_loader = DataLoader([make_article() for _ in range(192)], batch_size=16, shuffle=True, collate_fn=collate)
eval_loader = DataLoader([make_article() for _ in range(32)], batch_size=8, collate_fn=collate)

model = BartForConditionalGeneration(config).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
total_steps = EPOCHS * len(train_loader)
scheduler = get_linear_schedule_with_warmup(optimizer, int(0.1 * total_steps), total_steps)

for epoch in range(EPOCHS):
    model.train()
    running = 0.0
    for batch in train_loader:
        batch = {k: v.to(device) for k, v in batch.items()}
        with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
            loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        running += loss.item()
    print(f"epoch {epoch}: train loss {running / len(train_loader):.4f}")

    model.eval()
    overlap, count = 0.0, 0
    with torch.no_grad():
        for batch in eval_loader:
            generated = model.generate(
                input_ids=batch["input_ids"].to(device),
                attention_mask=batch["attention_mask"].to(device),
                num_beams=4, max_new_tokens=24, no_repeat_ngram_size=3,
                decoder_start_token_id=EOS,
            ).cpu()
            for hypothesis, reference in zip(generated, batch["labels"]):
                ref = set(reference[reference != -100].tolist())
                overlap += len(ref & set(hypothesis.tolist())) / max(1, len(ref))
                count += 1
    print(f"epoch {epoch}: unigram recall {overlap / count:.4f}")

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "bart.pt")
    torch.save(model.state_dict(), path)
    print("saved", os.path.getsize(path) // 2**20, "MiB")
