import numpy as np, torch
from torch.utils.data import Dataset, DataLoader
from transformers import PatchTSTConfig, PatchTSTForPrediction

class Series(Dataset):
    def __init__(self, n=4000, channels=7, ctx=336, horizon=96):
        t = np.arange(n)[:, None]
        self.x = (np.sin(t / np.arange(5, 5 + channels)) + 0.1 * np.random.randn(n, channels)).astype("float32")
        self.ctx, self.h = ctx, horizon
    def __len__(self):
        return len(self.x) - self.ctx - self.h
    def __getitem__(self, i):
        return self.x[i:i + self.ctx], self.x[i + self.ctx:i + self.ctx + self.h]

np.random.seed(0)
train = Series()
loader = DataLoader(train, batch_size=128, shuffle=True, num_workers=2, drop_last=True)
model = PatchTSTForPrediction(PatchTSTConfig(num_input_channels=7, context_length=336, prediction_length=96, patch_length=16, patch_stride=8, d_model=128,
                                             num_hidden_layers=3, num_attention_heads=16, ffn_dim=256)).cuda()
opt = torch.optim.Adam(model.parameters(), 1e-4)
model.train()
for i, (past, future) in enumerate(loader):
    out = model(past_values=past.cuda(), future_values=future.cuda())
    opt.zero_grad()
    out.loss.backward()
    opt.step()
    if i == 20:
        break
model.eval()
with torch.inference_mode():
    val = [model(past_values=p.cuda()).prediction_outputs.cpu() for p, _ in DataLoader(train, batch_size=512)]
print(out.loss.item(), torch.cat(val).shape)
