"""World model of a Dreamer-like agent: replay on the GPU, an RSSM with discrete latents, then behaviour learning in imagination."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Independent, Normal, OneHotCategoricalStraightThrough, kl_divergence


class Replay:
    def __init__(self, capacity, actions, device):
        self.obs = torch.zeros(capacity, 3, 64, 64, dtype=torch.uint8, device=device)
        self.act = torch.zeros(capacity, actions, device=device)
        self.rew = torch.zeros(capacity, device=device)
        self.done = torch.zeros(capacity, dtype=torch.bool, device=device)
        self.at, self.full, self.capacity = 0, False, capacity

    def extend(self, obs, act, rew, done):
        n = len(obs)
        where = torch.arange(self.at, self.at + n, device=self.obs.device) % self.capacity
        self.obs[where], self.act[where], self.rew[where], self.done[where] = obs, act, rew, done
        self.full |= self.at + n >= self.capacity
        self.at = (self.at + n) % self.capacity

    def sample(self, batch, length):
        high = self.capacity if self.full else self.at
        start = torch.randint(0, high - length, (batch,), device=self.obs.device)
        idx = start[:, None] + torch.arange(length, device=self.obs.device)
        return self.obs[idx].float() / 255 - 0.5, self.act[idx], self.rew[idx], self.done[idx]


class RSSM(nn.Module):
    def __init__(self, actions, deter=512, groups=32, classes=32, hidden=512, embed=4096):
        super().__init__()
        self.groups, self.classes, self.deter = groups, classes, deter
        self.inp = nn.Sequential(nn.Linear(groups * classes + actions, hidden), nn.LayerNorm(hidden), nn.SiLU())
        self.cell = nn.GRUCell(hidden, deter)
        self.prior = nn.Sequential(nn.Linear(deter, hidden), nn.SiLU(), nn.Linear(hidden, groups * classes))
        self.post = nn.Sequential(nn.Linear(deter + embed, hidden), nn.SiLU(), nn.Linear(hidden, groups * classes))

    def dist(self, logits):
        logits = logits.unflatten(-1, (self.groups, self.classes))
        probs = 0.99 * logits.softmax(-1) + 0.01 / self.classes
        return Independent(OneHotCategoricalStraightThrough(probs=probs), 1)

    def imagine(self, h, z, a):
        h = self.cell(self.inp(torch.cat([z, a], -1)), h)
        prior = self.prior(h)
        return h, self.dist(prior).rsample().flatten(-2), prior

    def observe(self, embeds, actions, done):
        b, t, _ = embeds.shape
        h, z = embeds.new_zeros(b, self.deter), embeds.new_zeros(b, self.groups * self.classes)
        hs, zs, priors, posts = [], [], [], []
        for i in range(t):
            keep = (~done[:, i - 1]).float().unsqueeze(-1) if i else 1.0
            h = self.cell(self.inp(torch.cat([z * keep, actions[:, i]], -1)), h * keep)
            priors.append(self.prior(h))
            posts.append(self.post(torch.cat([h, embeds[:, i]], -1)))
            z = self.dist(posts[-1]).rsample().flatten(-2)
            hs.append(h)
            zs.append(z)
        return [torch.stack(x, 1) for x in (hs, zs, priors, posts)]


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 400), nn.ELU(), nn.Linear(400, 400), nn.ELU(), nn.Linear(400, o))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=6)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=50)
    parser.add_argument("--horizon", type=int, default=15)
    args = parser.parse_args()
    torch.manual_seed(0)
    dev, actions = "cuda", 6
    replay = Replay(20000, actions, dev)
    for _ in range(4):  # a random policy fills the buffer
        replay.extend(torch.randint(0, 255, (500, 3, 64, 64), dtype=torch.uint8, device=dev), torch.rand(500, actions, device=dev) * 2 - 1,
                      torch.randn(500, device=dev), torch.rand(500, device=dev) < 0.01)
    enc = nn.Sequential(*[m for i, o in ((3, 32), (32, 64), (64, 128), (128, 256)) for m in (nn.Conv2d(i, o, 4, 2, 1), nn.ELU())], nn.Flatten()).to(dev)
    rssm = RSSM(actions).to(dev)
    width = 512 + 32 * 32
    dec = nn.Sequential(nn.Linear(width, 4096), nn.Unflatten(1, (256, 4, 4)), nn.ConvTranspose2d(256, 128, 4, 2, 1), nn.ELU(),
                        nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.ELU(), nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ELU(), nn.ConvTranspose2d(32, 3, 4, 2, 1)).to(dev)
    reward, actor, critic = mlp(width, 1).to(dev), mlp(width, 2 * actions).to(dev), mlp(width, 1).to(dev)
    model_params = [p for m in (enc, rssm, dec, reward) for p in m.parameters()]
    opt_model = torch.optim.Adam(model_params, 3e-4)
    opt_actor, opt_critic = torch.optim.Adam(actor.parameters(), 8e-5), torch.optim.Adam(critic.parameters(), 8e-5)
    for update in range(args.updates):
        obs, act, rew, done = replay.sample(args.batch, args.length)
        embeds = enc(obs.flatten(0, 1)).unflatten(0, obs.shape[:2])
        h, z, prior, post = rssm.observe(embeds, act, done)
        feat = torch.cat([h, z], -1)
        recon = dec(feat.flatten(0, 1)).view_as(obs)
        kl = 0.8 * kl_divergence(rssm.dist(post.detach()), rssm.dist(prior)) + 0.2 * kl_divergence(rssm.dist(post), rssm.dist(prior.detach()))
        loss = (recon - obs).square().sum((2, 3, 4)).mean() + (reward(feat).squeeze(-1) - rew).square().mean() + kl.clamp(min=1.0).mean()
        opt_model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model_params, 100.0)
        opt_model.step()

        h, z, feats = h.detach().flatten(0, 1), z.detach().flatten(0, 1), []
        for _ in range(args.horizon):
            mean, std = actor(torch.cat([h, z], -1).detach()).chunk(2, -1)
            a = torch.tanh(Normal(mean, F.softplus(std) + 0.1).rsample())
            h, z, _ = rssm.imagine(h, z, a)
            feats.append(torch.cat([h, z], -1))
        feats = torch.stack(feats)
        rewards, values = reward(feats).squeeze(-1), critic(feats).squeeze(-1)
        returns, last = [], values[-1]
        for i in reversed(range(args.horizon - 1)):
            last = rewards[i] + 0.99 * (0.05 * values[i + 1] + 0.95 * last)
            returns.insert(0, last)
        returns = torch.stack(returns)
        opt_actor.zero_grad()
        (-returns.mean()).backward()
        opt_actor.step()
        opt_critic.zero_grad()
        F.mse_loss(critic(feats[:-1].detach()).squeeze(-1), returns.detach()).backward()
        opt_critic.step()
        replay.extend(torch.randint(0, 255, (100, 3, 64, 64), dtype=torch.uint8, device=dev), torch.rand(100, actions, device=dev), torch.randn(100, device=dev), torch.zeros(100, dtype=torch.bool, device=dev))
        print(f"update {update} model {loss.item():.1f} kl {kl.mean().item():.2f} return {returns.mean().item():.3f}")


if __name__ == "__main__":
    main()
