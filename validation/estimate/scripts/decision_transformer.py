import torch
from torch.utils.data import DataLoader, Dataset
from transformers import DecisionTransformerConfig, DecisionTransformerModel

class Trajectories(Dataset):
    K = 60
    def __init__(self, n=200):
        g = torch.Generator().manual_seed(0)
        self.t = [(torch.randn(int(m), 17, generator=g), torch.randn(int(m), 6, generator=g), torch.rand(int(m), 1, generator=g)) for m in torch.randint(80, 400, (n,), generator=g)]
    def __len__(self):
        return 960
    def __getitem__(self, i):
        s, a, r = self.t[i % len(self.t)]
        j = (i * 37) % (len(s) - self.K)
        rtg = r.flip(0).cumsum(0).flip(0)
        return s[j:j + self.K], a[j:j + self.K], r[j:j + self.K], rtg[j:j + self.K], torch.arange(j, j + self.K)

torch.manual_seed(0)
model = DecisionTransformerModel(DecisionTransformerConfig(state_dim=17, act_dim=6, hidden_size=256, n_layer=6, n_head=8, max_ep_len=1000)).cuda()
opt = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=1e-4)
for s, a, r, rtg, t in DataLoader(Trajectories(), batch_size=64, shuffle=True, pin_memory=True):
    s, a, r, rtg, t = (x.to("cuda", non_blocking=True) for x in (s, a, r, rtg, t))
    _, pred, _ = model(states=s, actions=a, rewards=r, returns_to_go=rtg, timesteps=t, attention_mask=torch.ones(t.shape, device="cuda"), return_dict=False)
    loss = (pred - a).pow(2).mean()
    opt.zero_grad(); loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    opt.step()
print(loss.item())
