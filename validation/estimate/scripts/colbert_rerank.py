import torch, torch.nn.functional as F
from transformers import BertConfig, BertModel
from accelerate import Accelerator

acc = Accelerator(mixed_precision="fp16", gradient_accumulation_steps=2)
torch.manual_seed(17)

class ColBERT(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel(BertConfig(hidden_size=512, num_hidden_layers=6, num_attention_heads=8, intermediate_size=2048), add_pooling_layer=False)
        self.proj = torch.nn.Linear(512, 128, bias=False)
    def forward(self, ids, mask):
        h = self.proj(self.bert(input_ids=ids, attention_mask=mask).last_hidden_state)
        return F.normalize(h, dim=-1) * mask.unsqueeze(-1)

def batch(n=16):
    q, d = torch.randint(5, 30000, (n, 32)), torch.randint(5, 30000, (2 * n, 180))
    return q, torch.ones_like(q), d, (torch.arange(180) < torch.randint(60, 181, (2 * n, 1))).long()

loader = torch.utils.data.DataLoader([batch() for _ in range(12)], batch_size=None)
model = ColBERT()
opt = torch.optim.AdamW(model.parameters(), 1e-5)
model, opt, loader = acc.prepare(model, opt, loader)
for q, qm, d, dm in loader:
    with acc.accumulate(model):
        Q, D = model(q, qm), model(d, dm)
        scores = torch.einsum("qic,djc->qdij", Q, D).amax(-1).sum(-1)
        loss = F.cross_entropy(scores, torch.arange(len(Q), device=acc.device))
        acc.backward(loss)
        if acc.sync_gradients:
            acc.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
acc.print("loss", loss.item(), "peak MiB", torch.cuda.max_memory_allocated() // 2**20)
