"""Knowledge distillation between two Qwen2-like models with a large vocabulary; hand-written Adafactor."""
import torch
import torch.nn.functional as F
from transformers import Qwen2Config, Qwen2ForCausalLM

VOCAB, SEQ, BATCH, STEPS, T, ALPHA = 131072, 512, 4, 16, 2.0, 0.7
device = torch.device("cuda")


class Adafactor(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, eps=1e-30, clip=1.0, decay=-0.8):
        super().__init__(params, dict(lr=lr, eps=eps, clip=clip, decay=decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    if p.dim() >= 2:
                        state["row"] = torch.zeros(p.shape[:-1], device=p.device)
                        state["col"] = torch.zeros(p.shape[:-2] + p.shape[-1:], device=p.device)
                    else:
                        state["sq"] = torch.zeros_like(p)
                state["step"] += 1
                beta = 1.0 - state["step"] ** group["decay"]
                update = p.grad.float() ** 2 + group["eps"]
                if p.dim() >= 2:
                    row, col = state["row"], state["col"]
                    row.mul_(beta).add_(update.mean(-1), alpha=1 - beta)
                    col.mul_(beta).add_(update.mean(-2), alpha=1 - beta)
                    r = (row / row.mean(-1, keepdim=True)).rsqrt().unsqueeze(-1)
                    update = r * col.unsqueeze(-2).rsqrt() * p.grad
                else:
                    state["sq"].mul_(beta).add_(update, alpha=1 - beta)
                    update = state["sq"].rsqrt() * p.grad
                rms = update.norm() / update.numel() ** 0.5
                update.div_((rms / group["clip"]).clamp(min=1.0))
                p.add_(update, alpha=-group["lr"])


def build(hidden, layers, heads, kv, ffn):
    config = Qwen2Config(
        vocab_size=VOCAB, hidden_size=hidden, intermediate_size=ffn, num_hidden_layers=layers,
        num_attention_heads=heads, num_key_value_heads=kv, max_position_embeddings=2048,
        tie_word_embeddings=True, use_cache=False,
    )
    return Qwen2ForCausalLM(config)


torch.manual_seed(5)
teacher = build(1024, 12, 16, 4, 2816).to(device, dtype=torch.bfloat16).eval()
teacher.requires_grad_(False)
student = build(512, 6, 8, 2, 1408).to(device)
student.train()
optimizer = Adafactor(student.parameters(), lr=2e-4)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-4, total_steps=STEPS, cycle_momentum=False)

for step in range(STEPS):
    ids = torch.randint(0, VOCAB, (BATCH, SEQ)).to(device)
    with torch.no_grad():
        teacher_logits = teacher(input_ids=ids).logits
    with torch.autocast("cuda", dtype=torch.bfloat16):
        student_logits = student(input_ids=ids).logits
    s = student_logits[:, :-1].reshape(-1, VOCAB).float()
    t = teacher_logits[:, :-1].reshape(-1, VOCAB).float()
    kd = F.kl_div(F.log_softmax(s / T, dim=-1), F.softmax(t / T, dim=-1), reduction="batchmean") * T * T
    ce = F.cross_entropy(s, ids[:, 1:].reshape(-1))
    loss = ALPHA * kd + (1 - ALPHA) * ce
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    print(f"step {step}: kd {kd.item():.4f} ce {ce.item():.4f} lr {scheduler.get_last_lr()[0]:.2e}")
