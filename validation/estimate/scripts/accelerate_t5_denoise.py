"""Span denoising of a small T5 with accelerate: gradient accumulation, bf16, gather_for_metrics in the evaluation, state saved and loaded."""
import argparse
import math
import random
import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, Dataset
from transformers import T5Config, T5ForConditionalGeneration, get_cosine_schedule_with_warmup


class Tokens(Dataset):
    def __init__(self, rows, vocab, seed):
        draw = random.Random(seed)
        self.rows = [[draw.randrange(2, vocab - 100) for _ in range(draw.randint(96, 400))] for _ in range(rows)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class SpanCorruption:
    def __init__(self, vocab, density=0.15, span=3, multiple=16):
        self.vocab, self.density, self.span, self.multiple = vocab, density, span, multiple

    def corrupt(self, row, draw):
        source, target, sentinel, i = [], [], self.vocab - 1, 0
        while i < len(row):
            if draw.random() < self.density / self.span and sentinel > self.vocab - 100:
                n = max(1, round(draw.expovariate(1 / self.span)))
                source.append(sentinel)
                target += [sentinel, *row[i:i + n]]
                sentinel -= 1
                i += n
            else:
                source.append(row[i])
                i += 1
        return source + [1], target + [1]

    def pad(self, rows, value):
        longest = math.ceil(max(map(len, rows)) / self.multiple) * self.multiple
        return torch.tensor([r + [value] * (longest - len(r)) for r in rows])

    def __call__(self, rows):
        draw = random.Random(len(rows[0]))
        sources, targets = zip(*(self.corrupt(r, draw) for r in rows))
        ids = self.pad(sources, 0)
        return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": self.pad(targets, -100)}


def evaluate(accelerator, model, loader):
    model.eval()
    losses, right, seen = [], 0, 0
    for batch in loader:
        with torch.no_grad():
            out = model(**batch)
        losses.append(accelerator.gather_for_metrics(out.loss.repeat(len(batch["labels"]))))
        known = batch["labels"] != -100
        right += (out.logits.argmax(-1)[known] == batch["labels"][known]).sum().item()
        seen += known.sum().item()
    model.train()
    return torch.cat(losses).mean().item(), right / seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vocab", type=int, default=16384)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--accumulate", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    set_seed(99)
    accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=args.accumulate)
    config = T5Config(vocab_size=args.vocab, d_model=512, d_kv=64, d_ff=1024, num_layers=6, num_heads=8, feed_forward_proj="gated-gelu", decoder_start_token_id=0)
    model = T5ForConditionalGeneration(config)
    collate = SpanCorruption(args.vocab)
    train = DataLoader(Tokens(240, args.vocab, 1), batch_size=args.batch, shuffle=True, collate_fn=collate)
    valid = DataLoader(Tokens(60, args.vocab, 2), batch_size=2 * args.batch, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    updates = math.ceil(len(train) / args.accumulate) * args.epochs
    schedule = get_cosine_schedule_with_warmup(optimizer, 2, updates)
    model, optimizer, train, valid, schedule = accelerator.prepare(model, optimizer, train, valid, schedule)
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(args.epochs):
            total = torch.zeros((), device=accelerator.device)
            for batch in train:
                with accelerator.accumulate(model):
                    loss = model(**batch).loss
                    accelerator.backward(loss)
                    if accelerator.sync_gradients:
                        accelerator.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    schedule.step()
                    optimizer.zero_grad()
                total += loss.detach()
            loss, accuracy = evaluate(accelerator, model, valid)
            accelerator.print(f"epoch {epoch}: train {total.item() / len(train):.3f} valid {loss:.3f} accuracy {accuracy:.4f}")
            accelerator.save_state(folder)
        accelerator.load_state(folder)
        accelerator.print("after loading", evaluate(accelerator, model, valid))


if __name__ == "__main__":
    main()
