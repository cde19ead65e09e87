"""Named entity recognition with BERT: token classification, padding to the longest of the batch."""
import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, Dataset
from transformers import BertConfig, BertForTokenClassification

torch.backends.cuda.matmul.allow_tf32 = True
LABELS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC", "B-MISC", "I-MISC"]
VOCAB = 28996


class Sentences(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        lengths = np.clip(rng.lognormal(4.0, 0.6, n).astype(int), 8, 384)
        self.items = []
        for length in lengths:
            ids = rng.integers(1000, VOCAB, length)
            tags = np.where(rng.random(length) < 0.8, 0, ids % len(LABELS))
            self.items.append((ids, tags))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        ids, tags = self.items[i]
        return torch.from_numpy(ids), torch.from_numpy(tags)


def collate(batch):
    ids, tags = zip(*batch)
    input_ids = pad_sequence(ids, batch_first=True, padding_value=0)
    labels = pad_sequence(tags, batch_first=True, padding_value=-100)
    return {"input_ids": input_ids, "attention_mask": (input_ids != 0).long(), "labels": labels}


def main():
    torch.manual_seed(7)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    config = BertConfig(vocab_size=VOCAB, num_labels=len(LABELS))
    model = BertForTokenClassification(config).to(device)

    no_decay = ("bias", "LayerNorm.weight")
    groups = [
        {"params": [p for n, p in model.named_parameters() if not n.endswith(no_decay)], "weight_decay": 0.01},
        {"params": [p for n, p in model.named_parameters() if n.endswith(no_decay)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=3e-5)
    train = DataLoader(Sentences(1200, 0), batch_size=32, shuffle=True, collate_fn=collate,
                       num_workers=2, pin_memory=True, drop_last=True)
    valid = DataLoader(Sentences(256, 1), batch_size=64, collate_fn=collate)
    scheduler = CosineAnnealingLR(optimizer, T_max=len(train))

    model.train()
    for step, batch in enumerate(train):
        batch = {k: v.to(device, non_blocking=True) for k, v in batch.items()}
        out = model(**batch)
        optimizer.zero_grad()
        out.loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if step % 5 == 0:
            print(f"step {step} width {batch['input_ids'].shape[1]} loss {out.loss.item():.4f}")

    model.eval()
    correct = total = 0
    with torch.no_grad():
        for batch in valid:
            batch = {k: v.to(device) for k, v in batch.items()}
            logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
            mask = batch["labels"] != -100
            correct += (logits.argmax(-1)[mask] == batch["labels"][mask]).sum().item()
            total += mask.sum().item()
    print(f"token accuracy {correct / total:.4f}")


if __name__ == "__main__":
    main()
