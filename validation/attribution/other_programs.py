"""Programs of libraries, which no rule was made for: the second half of the check of an attribution."""

import torch
import torch.nn.functional as F
from torch import nn

from programs import adamw, classes_loss, images, sgd, tokens


def transformers_model(config, kind="AutoModelForCausalLM", **sizes):
    def make():
        import transformers

        return getattr(transformers, kind).from_config(getattr(transformers, config)(**sizes))

    return make


def timm_model(name):
    def make():
        import timm

        return timm.create_model(name, num_classes=1000)

    return make


def with_adapters(make):
    def made():
        import peft

        return peft.get_peft_model(make(), peft.LoraConfig(r=8, target_modules="all-linear"))

    return made


def labelled_loss(model, batch):
    (words,) = batch
    return model(input_ids=words, labels=words).loss


class Recurrent(nn.Module):
    def __init__(self, words=8000, width=512):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, 2, batch_first=True)
        self.head = nn.Linear(width, words)

    def forward(self, each):
        return self.head(self.lstm(self.words(each))[0])


class AutoEncoder(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, width, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(width, 2 * width, 4, 2, 1), nn.BatchNorm2d(2 * width),
            nn.LeakyReLU(0.2), nn.Conv2d(2 * width, 8, 4, 2, 1),
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(4, 2 * width, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.ReLU(),
            nn.ConvTranspose2d(width, 3, 4, 2, 1),
        )

    def forward(self, pictures):
        mean, spread = self.encoder(pictures).chunk(2, 1)
        return self.decoder(mean + torch.randn_like(mean) * spread.exp()), mean, spread


def likelihood_loss(model, batch):
    pictures, _ = batch
    again, mean, spread = model(pictures)
    return F.mse_loss(again, pictures) + (mean**2 + spread.exp() - spread).mean()


def next_word_loss(model, batch):
    (words,) = batch
    return F.cross_entropy(model(words[:, :-1]).transpose(1, 2), words[:, 1:])


def fused(parameters):
    return torch.optim.AdamW(parameters, lr=1e-4, fused=True)


def one_by_one(parameters):
    return torch.optim.Adam(parameters, lr=1e-4, foreach=False)


LLAMA = dict(hidden_size=768, intermediate_size=2048, num_hidden_layers=6, num_attention_heads=12, num_key_value_heads=4, vocab_size=16000)

OTHERS = {
    "llama": (transformers_model("LlamaConfig", **LLAMA), fused, tokens(6, 512, 16000), labelled_loss, 1, True),
    "peft": (with_adapters(transformers_model("LlamaConfig", **LLAMA)), adamw, tokens(6, 512, 16000), labelled_loss, 2, True),
    "bert": (transformers_model("BertConfig", "AutoModelForMaskedLM", num_hidden_layers=6), adamw, tokens(12, 256, 30000), labelled_loss, 1, False),
    "t5": (
        transformers_model("T5Config", "AutoModelForSeq2SeqLM", d_model=512, num_layers=4, vocab_size=16000, decoder_start_token_id=0, pad_token_id=0),
        one_by_one, tokens(8, 256, 16000), labelled_loss, 1, True,
    ),
    "convnext": (timm_model("convnext_tiny"), adamw, images(16, 224), classes_loss, 1, True),
    "efficientnet": (timm_model("efficientnet_b0"), sgd, images(32, 224), classes_loss, 1, False),
    "swin": (timm_model("swin_tiny_patch4_window7_224"), adamw, images(16, 224), classes_loss, 1, False),
    "lstm": (lambda: Recurrent(), one_by_one, tokens(32, 129, 8000), next_word_loss, 1, False),
    "vae": (lambda: AutoEncoder(), adamw, images(32, 128), likelihood_loss, 1, False),
}
