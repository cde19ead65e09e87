"""Pre-train a GPT-2 small sized model from scratch with the Hugging Face Trainer."""
import math
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

BLOCK_SIZE = 512


class PackedTokens(Dataset):
    """Blocks of tokens with a roughly Zipfian distribution."""

    def __init__(self, n_blocks, vocab_size, seed):
        g = torch.Generator().manual_seed(seed)
        u = torch.rand(n_blocks * BLOCK_SIZE, generator=g)
        ids = (torch.exp(u * math.log(vocab_size)) - 1).long().clamp_(0, vocab_size - 1)
        self.blocks = ids.view(n_blocks, BLOCK_SIZE)

    def __len__(self):
        return len(self.blocks)

    def __getitem__(self, i):
        block = self.blocks[i]
        return {"input_ids": block, "labels": block.clone()}


def main():
    set_seed(42)
    config = GPT2Config(
        vocab_size=50257,
        n_positions=BLOCK_SIZE,
        n_embd=768,
        n_layer=12,
        n_head=12,
        bos_token_id=50256,
        eos_token_id=50256,
    )
    model = GPT2LMHeadModel(config)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f}M parameters")

    train_set = PackedTokens(2000, config.vocab_size, seed=0)
    eval_set = PackedTokens(40, config.vocab_size, seed=1)

    with tempfile.TemporaryDirectory() as output_dir:
        args = TrainingArguments(
            output_dir=output_dir,
            per_device_train_batch_size=8,
            per_device_eval_batch_size=8,
            gradient_accumulation_steps=4,
            max_steps=12,
            learning_rate=6e-4,
            lr_scheduler_type="cosine",
            warmup_steps=3,
            weight_decay=0.1,
            max_grad_norm=1.0,
            bf16=True,
            logging_steps=2,
            save_strategy="steps",
            save_steps=12,
            save_total_limit=1,
            dataloader_num_workers=2,
            report_to="none",
            disable_tqdm=True,
        )
        trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=eval_set)
        result = trainer.train()
        print("train loss", result.training_loss)
        metrics = trainer.evaluate()
        print("perplexity", math.exp(metrics["eval_loss"]))


if __name__ == "__main__":
    main()
