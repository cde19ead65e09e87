"""Hugging Face Trainer: a classifier of texts of random lengths, with evaluation and checkpoints."""
import random
import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Texts(torch.utils.data.Dataset):
    def __init__(self, count, seed):
        draw = random.Random(seed)
        self.rows = [[draw.randrange(5, 8000) for _ in range(draw.randint(16, 256))] for _ in range(count)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, at):
        return {"input_ids": self.rows[at], "label": at % 2}


def collate(rows):
    longest = max(len(row["input_ids"]) for row in rows)
    ids = torch.tensor([row["input_ids"] + [0] * (longest - len(row["input_ids"])) for row in rows])
    return {"input_ids": ids, "attention_mask": (ids > 0).long(), "labels": torch.tensor([row["label"] for row in rows])}


config = BertConfig(vocab_size=8000, hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536)
arguments = TrainingArguments(
    output_dir=tempfile.mkdtemp(), num_train_epochs=2, per_device_train_batch_size=16, per_device_eval_batch_size=64,
    eval_strategy="epoch", save_strategy="epoch", save_total_limit=1, logging_steps=5, report_to=[], seed=1,
)
trainer = Trainer(
    model=BertForSequenceClassification(config), args=arguments, train_dataset=Texts(480, 1), eval_dataset=Texts(256, 2), data_collator=collate,
)
trainer.train()
print(trainer.evaluate())
