"""Programs whose memory is measured on a GPU and estimated without one: python3 programs.py NAME runs one of them.

Each makes its model with random weights and its data itself, so that nothing is fetched. HELD_OUT names those that were
chosen before any result was seen. No rule of the estimate may be made or tuned with them: their recordings are not looked at, and
only their errors are published.
"""

from __future__ import annotations

import sys
from typing import Callable

import torch
import torch.nn as nn
import torch.nn.functional as F

PROGRAMS: dict[str, tuple[str, Callable[[], None]]] = {}

HELD_OUT = (
    "torch_lstm_tagger",
    "torch_unet_bf16",
    "torch_gan",
    "hf_gpt2_varlen",
    "hf_t5_train",
    "hf_qwen3_generate",
    "timm_vit_infer",
    "timm_efficientnet_amp",
    "vision_resnet50_channels_last",
    "geometric_gat",
    "torch_moe_routed",
    "torch_conv1d_audio",
    "hf_vit_mae",
    "sentence_pairs",
)


def program(library: str):
    """Enters a program under its function's name."""

    def enter(function: Callable[[], None]) -> Callable[[], None]:
        PROGRAMS[function.__name__] = (library, function)
        return function

    return enter


def train(model, batches, loss, *, steps=4, lr=1e-3, amp=None, scaler=False, optimizer="AdamW", accumulate=1, **options):
    """An ordinary training loop."""
    model.cuda().train()
    chosen = getattr(torch.optim, optimizer)(model.parameters(), lr=lr, **options)
    scale = torch.amp.GradScaler("cuda", enabled=scaler)
    for step in range(steps * accumulate):
        batch = [each.cuda(non_blocking=True) for each in batches(step)]
        with torch.autocast("cuda", dtype=amp, enabled=amp is not None):
            value = loss(model, *batch) / accumulate
        scale.scale(value).backward()
        if (step + 1) % accumulate == 0:
            scale.step(chosen)
            scale.update()
            chosen.zero_grad(set_to_none=True)


def images(batch, size, classes=1000):
    return lambda step: (torch.randn(batch, 3, size, size), torch.randint(0, classes, (batch,)))


def classify(model, x, y):
    return F.cross_entropy(model(x), y)


def tokens(batch, length, vocabulary):
    return lambda step: (torch.randint(0, vocabulary, (batch, length)),)


def language(model, ids):
    return model(input_ids=ids, labels=ids).loss


# --- plain PyTorch -------------------------------------------------------------------------


@program("torch")
def torch_mlp_adam():
    model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 4096), nn.GELU(), nn.Linear(4096, 1000))
    train(model, lambda step: (torch.randn(512, 1024), torch.randint(0, 1000, (512,))), classify)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.before(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c)
        x = x + self.out(y)
        return x + self.mlp(self.after(x))


class Language(nn.Module):
    def __init__(self, vocabulary=32000, width=512, layers=6, heads=8, length=1024, checkpoint=False):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.checkpoint = checkpoint

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False) if self.checkpoint else block(x)
        return self.head(self.norm(x))


def next_token(model, ids):
    logits = model(ids[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


@program("torch")
def torch_gpt_bf16():
    train(Language(), tokens(8, 513, 32000), next_token, amp=torch.bfloat16)


@program("torch")
def torch_gpt_checkpoint_varlen():
    import torch.utils.checkpoint

    lengths = (257, 700, 129, 1000, 400, 900)
    train(Language(checkpoint=True), lambda step: tokens(8, lengths[step % 6], 32000)(step), next_token, amp=torch.bfloat16, steps=8)


@program("torch")
def torch_gpt_fused_accumulate():
    train(Language(layers=4), tokens(4, 513, 32000), next_token, accumulate=4, fused=True, amp=torch.float16, scaler=True)


@program("torch")
def torch_transformer_nested():
    layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
    model = nn.Sequential(nn.Embedding(10000, 512), nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), nn.Linear(512, 10000))
    train(model, tokens(16, 256, 10000), lambda m, ids: F.cross_entropy(m(ids).flatten(0, 1), ids.flatten()))


@program("torch")
def torch_lstm_tagger():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm, self.out = nn.Embedding(20000, 256), nn.LSTM(256, 512, 2, batch_first=True, bidirectional=True), nn.Linear(1024, 50)

        def forward(self, ids):
            return self.out(self.lstm(self.embed(ids))[0])

    train(Tagger(), tokens(64, 120, 20000), lambda m, ids: F.cross_entropy(m(ids).flatten(0, 1), (ids % 50).flatten()))


class Double(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(True), nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(True))


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        self.down = nn.ModuleList(Double(a, b) for a, b in zip((3, *widths), widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
        self.join = nn.ModuleList(Double(2 * a, a) for a in widths[:-1])
        self.out = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        kept = []
        for i, each in enumerate(self.down):
            x = each(F.max_pool2d(x, 2) if i else x)
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.join[i](torch.cat([kept[i], self.up[i](x)], 1))
        return self.out(x)


def segment(model, x, y):
    return F.cross_entropy(model(x), y)


@program("torch")
def torch_unet_fp32():
    train(UNet(), lambda step: (torch.randn(8, 3, 256, 256), torch.randint(0, 2, (8, 256, 256))), segment)


@program("torch")
def torch_unet_bf16():
    train(UNet((48, 96, 192, 384)), lambda step: (torch.randn(4, 3, 384, 384), torch.randint(0, 2, (4, 384, 384))), segment, amp=torch.bfloat16)


@program("torch")
def torch_gan():
    g = nn.Sequential(
        nn.ConvTranspose2d(128, 256, 4, 1, 0), nn.BatchNorm2d(256), nn.ReLU(True), nn.ConvTranspose2d(256, 128, 4, 2, 1), nn.BatchNorm2d(128),
        nn.ReLU(True), nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.BatchNorm2d(64), nn.ReLU(True), nn.ConvTranspose2d(64, 3, 4, 2, 1), nn.Tanh(),
    ).cuda()
    d = nn.Sequential(
        nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Conv2d(64, 128, 4, 2, 1), nn.BatchNorm2d(128), nn.LeakyReLU(0.2, True),
        nn.Conv2d(128, 1, 8), nn.Flatten(),
    ).cuda()
    og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
    for _ in range(4):
        real, noise = torch.randn(128, 3, 32, 32).cuda(), torch.randn(128, 128, 1, 1, device="cuda")
        fake = g(noise)
        od.zero_grad()
        (F.softplus(-d(real)).mean() + F.softplus(d(fake.detach())).mean()).backward()
        od.step()
        og.zero_grad()
        F.softplus(-d(fake)).mean().backward()
        og.step()


@program("torch")
def torch_cnn_infer_growing():
    model = UNet().cuda().eval().half()
    with torch.inference_mode():
        for size in (64, 128, 192, 256, 320, 384):
            model(torch.randn(4, 3, size, size, device="cuda", dtype=torch.half))


@program("torch")
def torch_item_branches():
    model = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    worst = 0.0
    for step in range(20):
        x = torch.randn(256, 512, device="cuda")
        value = model(x).square().mean()
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        worst = max(worst, value.item())
        if step % 10 == 9:
            order = torch.sort(x.flatten())[0]
            del order


@program("torch")
def torch_sparse_embedding():
    bag = nn.EmbeddingBag(200_000, 64, sparse=True, mode="mean").cuda()
    out = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 2)).cuda()
    sparse, dense = torch.optim.SparseAdam(bag.parameters()), torch.optim.Adam(out.parameters())
    for _ in range(5):
        ids, y = torch.randint(0, 200_000, (4096, 20)).cuda(), torch.randint(0, 2, (4096,)).cuda()
        F.cross_entropy(out(bag(ids)), y).backward()
        sparse.step(), dense.step()
        sparse.zero_grad(), dense.zero_grad()


@program("torch")
def torch_recommender():
    tables = nn.ModuleList(nn.Embedding(50_000 * (i + 1), 32) for i in range(8)).cuda()
    top = nn.Sequential(nn.Linear(8 * 32 + 13, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 1)).cuda()
    optimizer = torch.optim.Adagrad([*tables.parameters(), *top.parameters()])
    for _ in range(4):
        dense, ids, y = torch.randn(8192, 13).cuda(), torch.randint(0, 50_000, (8192, 8)).cuda(), torch.rand(8192, 1).cuda()
        x = torch.cat([dense, *(table(ids[:, i]) for i, table in enumerate(tables))], 1)
        F.binary_cross_entropy_with_logits(top(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()


@program("torch")
def torch_moe_routed():
    class Routed(nn.Module):
        def __init__(self, width=512, experts=8):
            super().__init__()
            self.gate = nn.Linear(width, experts)
            self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)) for _ in range(experts))

        def forward(self, x):
            flat = x.flatten(0, 1)
            weights, chosen = self.gate(flat).softmax(-1).topk(2)
            result = torch.zeros_like(flat)
            for i, expert in enumerate(self.experts):
                token, slot = torch.where(chosen == i)
                result.index_add_(0, token, expert(flat[token]) * weights[token, slot, None])
            return result.view_as(x)

    model = nn.Sequential(nn.Embedding(8000, 512), Routed(), Routed(), nn.Linear(512, 8000))
    train(model, tokens(8, 256, 8000), lambda m, ids: F.cross_entropy(m(ids).flatten(0, 1), ids.flatten()))


@program("torch")
def torch_conv1d_audio():
    layers = [nn.Conv1d(1, 256, 10, 5), nn.GELU()]
    for kernel in (3, 3, 3, 3, 2, 2):
        layers += [nn.Conv1d(256, 256, kernel, 2), nn.GELU()]
    model = nn.Sequential(*layers, nn.Flatten(), nn.LazyLinear(35))
    model(torch.zeros(1, 1, 16000))
    train(model, lambda step: (torch.randn(16, 1, 16000), torch.randint(0, 35, (16,))), classify)


@program("torch")
def torch_conv3d_video():
    model = nn.Sequential(
        nn.Conv3d(3, 32, 3, 2, 1), nn.BatchNorm3d(32), nn.ReLU(True), nn.Conv3d(32, 64, 3, 2, 1), nn.BatchNorm3d(64), nn.ReLU(True),
        nn.Conv3d(64, 128, 3, 2, 1), nn.ReLU(True), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(128, 20),
    )
    train(model, lambda step: (torch.randn(4, 3, 16, 112, 112), torch.randint(0, 20, (4,))), classify)


@program("torch")
def torch_cnn_benchmark():
    torch.backends.cudnn.benchmark = True
    train(UNet((32, 64, 128)), lambda step: (torch.randn(4, 3, 192, 192), torch.randint(0, 2, (4, 192, 192))), segment)


@program("torch")
def torch_gru_packed():
    net, out = nn.GRU(80, 320, 3, batch_first=True, bidirectional=True).cuda(), nn.Linear(640, 40).cuda()
    optimizer = torch.optim.Adam([*net.parameters(), *out.parameters()])
    for step in range(4):
        lengths = torch.tensor([200 - 9 * i for i in range(16)]) - 10 * step
        x = torch.randn(16, int(lengths.max()), 80, device="cuda")
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        y, _ = nn.utils.rnn.pad_packed_sequence(net(packed)[0], batch_first=True)
        F.ctc_loss(out(y).log_softmax(-1).transpose(0, 1), torch.randint(1, 40, (16, 20)).cuda(), lengths, torch.full((16,), 20)).backward()
        optimizer.step()
        optimizer.zero_grad()


@program("torch")
def torch_attention_variants():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    for dtype in (torch.float32, torch.bfloat16):
        for backend in (SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION):
            if backend == SDPBackend.FLASH_ATTENTION and dtype == torch.float32:
                continue
            q, k, v = (torch.randn(4, 8, 700, 64, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3))
            with sdpa_kernel(backend):
                F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()


@program("torch")
def torch_sorts_and_picks():
    for rows in (1, 64, 4096):
        x = torch.randn(rows, (1 << 22) // rows, device="cuda")
        torch.sort(x, -1)
        torch.topk(x, 10, -1)
        x.cumsum(-1)
        torch.unique((x.flatten() * 10).long())
        x[x > 0]
        x.flatten().nonzero()
        torch.randperm(rows * 100, device="cuda")
        torch.bincount((x.flatten().abs() * 10).long())
        x.median(-1)


@program("torch")
def torch_compiled_mlp():
    model = torch.compile(nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.LayerNorm(4096), nn.Linear(4096, 1024)))
    train(model, lambda step: (torch.randn(512, 1024), torch.randint(0, 1000, (512,))), classify)


@program("torch")
def torch_prefetch_stream():
    model = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).cuda()
    optimizer, side = torch.optim.RMSprop(model.parameters()), torch.cuda.Stream()
    ahead = None
    for step in range(7):
        with torch.cuda.stream(side):
            coming = torch.randn(32, 3, 224, 224).cuda(non_blocking=True)
        if ahead is not None:
            torch.cuda.current_stream().wait_stream(side)
            ahead.record_stream(torch.cuda.current_stream())
            F.cross_entropy(model(ahead), torch.zeros(32, dtype=torch.long, device="cuda")).backward()
            optimizer.step()
            optimizer.zero_grad()
        ahead = coming


@program("torch")
def torch_moe_switch():
    class Switch(nn.Module):
        """One expert for each token, as many tokens as the router sends it."""

        def __init__(self, width=384, experts=16):
            super().__init__()
            self.gate = nn.Linear(width, experts)
            self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width)) for _ in range(experts))

        def forward(self, x):
            flat = x.flatten(0, 1)
            weight, chosen = self.gate(flat).softmax(-1).max(-1)
            order = chosen.argsort()
            counts = torch.bincount(chosen, minlength=len(self.experts)).tolist()
            parts = [expert(part) for expert, part in zip(self.experts, flat[order].split(counts))]
            return (torch.empty_like(flat).index_copy(0, order, torch.cat(parts)) * weight[:, None]).view_as(x)

    model = nn.Sequential(nn.Embedding(16000, 384), Switch(), Switch(), Switch(), nn.Linear(384, 16000))
    train(model, tokens(16, 256, 16000), lambda m, ids: F.cross_entropy(m(ids).flatten(0, 1), ids.flatten()))


@program("torch")
def torch_moe_masks():
    class Masked(nn.Module):
        def __init__(self, width=256, experts=6):
            super().__init__()
            self.gate = nn.Linear(width, experts)
            self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 8 * width), nn.SiLU(), nn.Linear(8 * width, width)) for _ in range(experts))

        def forward(self, x):
            scores, chosen = self.gate(x).topk(2, dim=-1)
            weights, result = scores.softmax(-1), torch.zeros_like(x)
            for i, expert in enumerate(self.experts):
                mask = (chosen == i).any(-1)
                share = (weights * (chosen == i)).sum(-1)[mask]
                result[mask] += share[:, None] * expert(x[mask])
            return result

    model = nn.Sequential(nn.Embedding(8000, 256), Masked(), Masked(), nn.Linear(256, 8000))
    train(model, tokens(32, 200, 8000), lambda m, ids: F.cross_entropy(m(ids).flatten(0, 1), ids.flatten()), optimizer="SGD")


@program("torch")
def torch_attention_grouped_bf16():
    class Grouped(nn.Module):
        """Fewer keys than queries, with dropout and a mask of padding."""

        def __init__(self, width=768, heads=12, groups=4):
            super().__init__()
            self.heads, self.groups, self.size = heads, groups, width // heads
            self.q, self.kv, self.out = nn.Linear(width, width), nn.Linear(width, 2 * groups * self.size), nn.Linear(width, width)

        def forward(self, x, mask):
            b, t, c = x.shape
            q = self.q(x).view(b, t, self.heads, self.size).transpose(1, 2)
            k, v = self.kv(x).view(b, t, 2, self.groups, self.size).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.1 if self.training else 0.0, enable_gqa=True)
            return x + self.out(y.transpose(1, 2).reshape(b, t, c))

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.layers, self.head = nn.Embedding(20000, 768), nn.ModuleList(Grouped() for _ in range(6)), nn.Linear(768, 20000)

        def forward(self, ids, lengths):
            mask = (torch.arange(ids.shape[1], device=ids.device) < lengths[:, None])[:, None, None, :]
            x = self.tokens(ids)
            for layer in self.layers:
                x = layer(x, mask)
            return self.head(x)

    def batches(step):
        return torch.randint(0, 20000, (8, 300 + 60 * step)), torch.randint(100, 300, (8,))

    train(Encoder(), batches, lambda m, ids, n: F.cross_entropy(m(ids, n).flatten(0, 1), ids.flatten()), amp=torch.bfloat16)


@program("torch")
def torch_resnet_benchmark():
    torch.backends.cudnn.benchmark = True
    layers = [nn.Conv2d(3, 64, 3, padding=1)]
    for inner, outer in ((64, 128), (128, 256), (256, 256)):
        layers += [nn.BatchNorm2d(inner), nn.ReLU(), nn.Conv2d(inner, outer, 3, 2, 1), nn.ReLU(), nn.Conv2d(outer, outer, 1)]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100)).to(memory_format=torch.channels_last)
    train(model, images(32, 128, 100), classify, amp=torch.bfloat16)


@program("torch")
def torch_depthwise_amp():
    def block(c, k, size, stride):
        e = 4 * c
        return nn.Sequential(
            nn.Conv2d(c, e, 1, bias=False), nn.BatchNorm2d(e), nn.SiLU(), nn.Conv2d(e, e, size, stride, size // 2, groups=e, bias=False), nn.BatchNorm2d(e), nn.SiLU(),
            nn.Conv2d(e, k, 1, bias=False), nn.BatchNorm2d(k),
        )

    model = nn.Sequential(
        nn.Conv2d(3, 24, 3, 2, 1), block(24, 32, 3, 2), block(32, 48, 5, 2), block(48, 96, 3, 1), block(96, 128, 5, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 100)
    )
    train(model, images(48, 192, 100), classify, amp=torch.float16, scaler=True)


@program("torch")
def torch_linear_algebra():
    for n in (64, 256, 1024):
        a = torch.randn(8, n, n, device="cuda")
        a = a @ a.mT + n * torch.eye(n, device="cuda")
        torch.linalg.cholesky(a)
        torch.linalg.solve(a, torch.randn(8, n, 4, device="cuda"))
        torch.linalg.inv(a)
        torch.fft.rfft2(a)


# --- transformers --------------------------------------------------------------------------


@program("transformers")
def hf_llama_checkpoint():
    from transformers import LlamaConfig, LlamaForCausalLM

    model = LlamaForCausalLM(LlamaConfig(vocab_size=32000, hidden_size=768, intermediate_size=2048, num_hidden_layers=8, num_attention_heads=12, num_key_value_heads=4))
    model.gradient_checkpointing_enable()
    train(model, tokens(4, 1024, 32000), language, amp=torch.bfloat16)


@program("transformers")
def hf_bert_classify():
    from transformers import BertConfig, BertForSequenceClassification

    model = BertForSequenceClassification(BertConfig(num_hidden_layers=6, num_labels=4))

    def loss(m, ids, mask, y):
        return m(input_ids=ids, attention_mask=mask, labels=y).loss

    def batch(step):
        length = 64 + 64 * (step % 4)
        mask = torch.ones(16, length, dtype=torch.long)
        mask[:8, length // 2 :] = 0
        return torch.randint(0, 30000, (16, length)), mask, torch.randint(0, 4, (16,))

    train(model, batch, loss, steps=6)


@program("transformers")
def hf_gpt2_varlen():
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(n_layer=6))
    lengths = (100, 333, 512, 64, 700, 256)
    train(model, lambda step: tokens(4, lengths[step % 6], 50257)(step), language, steps=8, amp=torch.bfloat16)


@program("transformers")
def hf_t5_train():
    from transformers import T5Config, T5ForConditionalGeneration

    model = T5ForConditionalGeneration(T5Config(decoder_start_token_id=0, num_layers=4))
    train(model, lambda step: (torch.randint(0, 32000, (8, 256)), torch.randint(0, 32000, (8, 64))), lambda m, a, b: m(input_ids=a, labels=b).loss, optimizer="Adam")


@program("transformers")
def hf_qwen3_generate():
    from transformers import Qwen3Config, Qwen3ForCausalLM

    model = Qwen3ForCausalLM(Qwen3Config(vocab_size=32000, hidden_size=512, intermediate_size=1536, num_hidden_layers=6, num_attention_heads=8, num_key_value_heads=4, head_dim=64)).cuda().to(torch.bfloat16).eval()
    with torch.inference_mode():
        model.generate(torch.randint(5, 32000, (8, 200)).cuda(), max_new_tokens=60, min_new_tokens=60, do_sample=False, eos_token_id=None, pad_token_id=0)


@program("transformers")
def hf_llama_generate():
    from transformers import LlamaConfig, LlamaForCausalLM

    model = LlamaForCausalLM(LlamaConfig(vocab_size=32000, hidden_size=1024, intermediate_size=2816, num_hidden_layers=8, num_attention_heads=16)).cuda().to(torch.bfloat16).eval()
    with torch.inference_mode():
        model.generate(torch.randint(5, 32000, (4, 300)).cuda(), max_new_tokens=40, min_new_tokens=40, do_sample=False, eos_token_id=None, pad_token_id=0)


@program("transformers")
def hf_mixtral_train():
    from transformers import MixtralConfig, MixtralForCausalLM

    model = MixtralForCausalLM(MixtralConfig(vocab_size=8000, hidden_size=256, intermediate_size=512, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2))
    train(model, tokens(4, 256, 8000), language)


@program("transformers")
def hf_whisper_train():
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    model = WhisperForConditionalGeneration(WhisperConfig(d_model=256, encoder_layers=4, decoder_layers=4, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=1024, decoder_ffn_dim=1024))
    train(model, lambda step: (torch.randn(4, 80, 3000), torch.randint(0, 50000, (4, 64))), lambda m, a, b: m(input_features=a, labels=b).loss, amp=torch.bfloat16)


@program("transformers")
def hf_vit_mae():
    from transformers import ViTMAEConfig, ViTMAEForPreTraining

    model = ViTMAEForPreTraining(ViTMAEConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536, decoder_num_hidden_layers=4))
    train(model, lambda step: (torch.randn(32, 3, 224, 224),), lambda m, x: m(pixel_values=x).loss, amp=torch.bfloat16)


@program("transformers")
def hf_gpt2_sample_eager():
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(n_layer=4, attn_implementation="eager")).cuda().eval()
    with torch.inference_mode():
        model.generate(torch.randint(5, 50000, (16, 100)).cuda(), max_new_tokens=30, min_new_tokens=30, do_sample=True, top_k=50, eos_token_id=None, pad_token_id=0)


@program("transformers")
def hf_wav2vec2_infer():
    from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

    model = Wav2Vec2ForCTC(Wav2Vec2Config(num_hidden_layers=4, hidden_size=384, num_attention_heads=6, intermediate_size=1536)).cuda().eval()
    with torch.inference_mode():
        for seconds in (1, 4, 2, 8):
            model(torch.randn(4, 16000 * seconds, device="cuda"))


# --- sentence-transformers -----------------------------------------------------------------


@program("transformers")
def hf_distilbert_pairs():
    from transformers import DistilBertConfig, DistilBertModel

    tower = DistilBertModel(DistilBertConfig(n_layers=5, dim=512, n_heads=8, hidden_dim=2048))

    def loss(m, a, b):
        one, two = (F.normalize(m(input_ids=ids, attention_mask=(ids > 3000).long()).last_hidden_state[:, 0], dim=-1) for ids in (a, b))
        return F.cross_entropy(one @ two.T / 0.05, torch.arange(len(one), device=one.device))

    train(tower, lambda step: (torch.randint(0, 30000, (48, 40 + 4 * step)), torch.randint(0, 30000, (48, 72))), loss, amp=torch.float16, scaler=True)


@program("transformers")
def hf_roberta_embed_infer():
    from transformers import RobertaConfig, RobertaModel

    model = RobertaModel(RobertaConfig(num_hidden_layers=6)).cuda().eval()
    with torch.inference_mode():
        for batch, length in ((1, 40), (16, 120), (64, 200), (32, 64)):
            model(input_ids=torch.randint(5, 30000, (batch, length)).cuda(), attention_mask=torch.ones(batch, length).cuda()).last_hidden_state.mean(1).cpu()


@program("sentence_transformers")
def sentence_pairs():
    import sentence_transformers.losses  # noqa: F401  the library's loss, on a tower of transformers
    from sentence_transformers.util import cos_sim
    from transformers import BertConfig, BertModel

    tower = BertModel(BertConfig(num_hidden_layers=4, hidden_size=384, num_attention_heads=6, intermediate_size=1536))

    def loss(m, a, b):
        one, two = m(input_ids=a).last_hidden_state.mean(1), m(input_ids=b).last_hidden_state.mean(1)
        scores = cos_sim(one, two) * 20
        return F.cross_entropy(scores, torch.arange(len(scores), device=scores.device))

    train(tower, lambda step: (torch.randint(0, 30000, (64, 48)), torch.randint(0, 30000, (64, 64))), loss, amp=torch.float16, scaler=True)


# --- Lightning -----------------------------------------------------------------------------


@program("lightning")
def lightning_autoencoder():
    import pytorch_lightning as lightning

    class Autoencoder(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 64), nn.ReLU(), nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 784))

        def training_step(self, batch, _):
            return F.mse_loss(self.net(batch[0]), batch[0])

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters())

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8192, 784)), 2048)
    trainer = lightning.Trainer(max_epochs=2, accelerator="gpu", devices=1, precision="bf16-mixed", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(Autoencoder(), data)


# --- peft ----------------------------------------------------------------------------------


@program("peft")
def peft_lora_llama():
    from peft import LoraConfig, get_peft_model
    from transformers import LlamaConfig, LlamaForCausalLM

    model = LlamaForCausalLM(LlamaConfig(vocab_size=32000, hidden_size=1024, intermediate_size=2816, num_hidden_layers=6, num_attention_heads=16)).to(torch.bfloat16)
    model = get_peft_model(model, LoraConfig(r=16, target_modules=["q_proj", "v_proj", "up_proj"], lora_dropout=0.05))
    train(model, tokens(4, 512, 32000), language)


@program("peft")
def peft_ia3_bert():
    from peft import IA3Config, get_peft_model
    from transformers import BertConfig, BertForSequenceClassification

    model = BertForSequenceClassification(BertConfig(num_hidden_layers=4))
    model = get_peft_model(model, IA3Config(target_modules=["key", "value", "output.dense"], feedforward_modules=["output.dense"]))
    train(model, lambda step: (torch.randint(0, 30000, (32, 128)), torch.randint(0, 2, (32,))), lambda m, a, b: m(input_ids=a, labels=b).loss)


# --- timm ----------------------------------------------------------------------------------


@program("timm")
def timm_vit_train():
    import timm

    train(timm.create_model("vit_small_patch16_224", pretrained=False), images(64, 224), classify, amp=torch.bfloat16)


@program("timm")
def timm_vit_infer():
    import timm

    model = timm.create_model("vit_base_patch16_224", pretrained=False).cuda().eval()
    with torch.inference_mode():
        for batch in (1, 8, 32, 64, 16):
            model(torch.randn(batch, 3, 224, 224).cuda())


@program("timm")
def timm_deit_infer():
    import timm

    model = timm.create_model("deit_small_patch16_224", pretrained=False).cuda().eval()
    with torch.inference_mode():
        for batch in (2, 16, 48, 96, 24):
            model(torch.randn(batch, 3, 224, 224).cuda())


@program("timm")
def timm_vit_large_infer_bf16():
    import timm

    model = timm.create_model("vit_large_patch16_384", pretrained=False).to("cuda", torch.bfloat16).eval()
    with torch.inference_mode():
        for batch in (1, 4, 16, 8):
            model(torch.randn(batch, 3, 384, 384).to("cuda", torch.bfloat16))


@program("timm")
def timm_regnet_amp():
    import timm

    train(timm.create_model("regnety_008", pretrained=False), images(32, 224), classify, amp=torch.float16, scaler=True, optimizer="SGD", momentum=0.9)


@program("timm")
def timm_convnext_amp():
    import timm

    train(timm.create_model("convnext_tiny", pretrained=False), images(32, 224), classify, amp=torch.float16, scaler=True)


@program("timm")
def timm_efficientnet_amp():
    import timm

    train(timm.create_model("efficientnet_b0", pretrained=False), images(32, 224), classify, amp=torch.float16, scaler=True, optimizer="SGD", momentum=0.9)


@program("timm")
def timm_swin_train():
    import timm

    train(timm.create_model("swin_tiny_patch4_window7_224", pretrained=False), images(16, 224), classify)


# --- torchvision ---------------------------------------------------------------------------


@program("torchvision")
def vision_resnet18_sgd():
    import torchvision

    train(torchvision.models.resnet18(), images(64, 160), classify, optimizer="SGD", momentum=0.9)


@program("torchvision")
def vision_resnet50_channels_last():
    import torchvision

    model = torchvision.models.resnet50().to(memory_format=torch.channels_last)
    train(model, lambda step: (torch.randn(32, 3, 224, 224).to(memory_format=torch.channels_last), torch.randint(0, 1000, (32,))), classify, amp=torch.bfloat16)


@program("torchvision")
def vision_mobilenet_infer():
    import torchvision

    model = torchvision.models.mobilenet_v3_large().cuda().eval()
    with torch.inference_mode():
        for batch in (8, 64, 24):
            model(torch.randn(batch, 3, 224, 224, device="cuda"))


@program("torchvision")
def vision_mobilenet2_amp():
    import torchvision

    train(torchvision.models.mobilenet_v2(), images(48, 192), classify, amp=torch.float16, scaler=True)


@program("torchvision")
def vision_vgg11_train():
    import torchvision

    train(torchvision.models.vgg11(), images(16, 224), classify, optimizer="SGD", momentum=0.9)


@program("torchvision")
def vision_deeplab_train():
    import torchvision

    model = torchvision.models.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=21)
    train(model, lambda step: (torch.randn(4, 3, 256, 256), torch.randint(0, 21, (4, 256, 256))), lambda m, x, y: F.cross_entropy(m(x)["out"], y), steps=3)


# --- PyTorch Geometric ---------------------------------------------------------------------


def graph(nodes, edges, features):
    return torch.randn(nodes, features), torch.randint(0, nodes, (2, edges)), torch.randint(0, 10, (nodes,))


@program("geometric")
def geometric_gcn():
    from torch_geometric.nn import GCN

    train(GCN(128, 256, 3, 10), lambda step: graph(20000, 200000, 128), lambda m, x, e, y: F.cross_entropy(m(x, e), y))


@program("geometric")
def geometric_gat():
    from torch_geometric.nn import GAT

    train(GAT(64, 128, 2, 10, heads=4), lambda step: graph(10000, 80000, 64), lambda m, x, e, y: F.cross_entropy(m(x, e), y))


def main(name: str) -> None:
    torch.manual_seed(0)
    PROGRAMS[name][1]()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main(sys.argv[1])
