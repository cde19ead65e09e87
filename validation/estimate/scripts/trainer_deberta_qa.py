# DeBERTa-v3-like question answering with Hugging Face's Trainer: a trainer of its own loss, bf16, bucketing by length, metrics
import random
import tempfile
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import DebertaV2Config, DebertaV2Model, Trainer, TrainerCallback, TrainingArguments


@dataclass
class Span:
    ids: list
    question: int
    start: int
    end: int


class Questions(Dataset):
    def __init__(self, n, seed, vocab=12000):
        rng = random.Random(seed)
        self.spans = []
        for _ in range(n):
            q, c = rng.randint(8, 24), rng.randint(60, 360)
            start = rng.randint(q, q + c - 12)
            self.spans.append(Span([rng.randrange(4, vocab) for _ in range(q + c)], q, start, start + rng.randint(0, 10)))

    def __len__(self):
        return len(self.spans)

    def __getitem__(self, i):
        s = self.spans[i]
        return {"input_ids": s.ids, "token_type_ids": [0] * s.question + [1] * (len(s.ids) - s.question), "start": s.start, "end": s.end}


def collate(features):
    n = max(len(f["input_ids"]) for f in features)
    n = (n + 7) // 8 * 8
    pad = lambda key: torch.tensor([f[key] + [0] * (n - len(f[key])) for f in features])
    ids = pad("input_ids")
    return {
        "input_ids": ids, "attention_mask": ids.ne(0).long(), "token_type_ids": pad("token_type_ids"),
        "labels": torch.tensor([[f["start"], f["end"]] for f in features]),
    }


class QuestionAnswerer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.deberta = DebertaV2Model(config)
        self.start, self.end = nn.Linear(config.hidden_size, 1), nn.Bilinear(config.hidden_size, config.hidden_size, 1)

    def forward(self, input_ids, attention_mask, token_type_ids, labels=None):
        h = self.deberta(input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state
        closed = (attention_mask == 0) | (token_type_ids == 0)
        start = self.start(h).squeeze(-1).float().masked_fill(closed, -1e4)
        at = labels[:, 0] if labels is not None and self.training else start.argmax(-1)
        anchor = h[torch.arange(len(h), device=h.device), at].unsqueeze(1).expand_as(h)
        end = self.end(h.contiguous(), anchor.contiguous()).squeeze(-1).float().masked_fill(closed, -1e4)
        return {"start": start, "end": end}


class SpanTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs["labels"]
        out = model(**inputs)
        loss = nn.functional.cross_entropy(out["start"], labels[:, 0]) + nn.functional.cross_entropy(out["end"], labels[:, 1])
        return (loss, {"loss": loss, "span": torch.stack([out["start"].argmax(-1), out["end"].argmax(-1)], 1)}) if return_outputs else loss


class Printer(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if state.is_world_process_zero and logs:
            print({k: round(v, 4) for k, v in logs.items() if isinstance(v, float)})


def metrics(prediction):
    span, truth = np.asarray(prediction.predictions), prediction.label_ids
    return {"exact": float((span == truth).all(1).mean()), "start": float((span[:, 0] == truth[:, 0]).mean())}


if __name__ == "__main__":
    torch.manual_seed(0)
    config = DebertaV2Config(
        vocab_size=12000, hidden_size=512, num_hidden_layers=6, num_attention_heads=8, intermediate_size=2048, type_vocab_size=2,
        relative_attention=True, max_relative_positions=-1, position_buckets=128, norm_rel_ebd="layer_norm", share_att_key=True,
        pos_att_type=["p2c", "c2p"], position_biased_input=False, max_position_embeddings=512,
    )
    arguments = TrainingArguments(
        output_dir=tempfile.mkdtemp(), per_device_train_batch_size=12, per_device_eval_batch_size=16, num_train_epochs=2, bf16=True, learning_rate=5e-5,
        eval_strategy="epoch", save_strategy="no", logging_steps=5, gradient_accumulation_steps=2, max_grad_norm=1.0, report_to=[], disable_tqdm=True,
        lr_scheduler_type="cosine", warmup_steps=2, label_smoothing_factor=0.0, optim="adamw_torch", remove_unused_columns=False,
    )
    trainer = SpanTrainer(
        QuestionAnswerer(config), arguments, train_dataset=Questions(240, 1), eval_dataset=Questions(64, 2), data_collator=collate,
        compute_metrics=metrics, callbacks=[Printer()],
    )
    trainer.train()
    print(trainer.evaluate())
