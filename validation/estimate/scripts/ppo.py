"""Proximal policy optimisation with a Gaussian policy and a rollout buffer on the GPU."""
import torch
import torch.nn as nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 512), nn.Tanh(), nn.Linear(512, 512), nn.Tanh())
        self.mean, self.value, self.scale = nn.Linear(512, 8), nn.Linear(512, 1), nn.Parameter(torch.zeros(8))

    def forward(self, x):
        h = self.body(x)
        return Normal(self.mean(h), self.scale.exp().expand(len(x), 8)), self.value(h).squeeze(-1)


agent = Actor().cuda()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
for update in range(6):
    states, actions, logs, rewards, values = [], [], [], [], []
    state = torch.randn(1024, 64, device="cuda")
    with torch.no_grad():
        for _ in range(32):
            policy, value = agent(state)
            action = policy.sample()
            states.append(state), actions.append(action), logs.append(policy.log_prob(action).sum(-1)), values.append(value)
            rewards.append(-(action**2).sum(-1))
            state = (state + 0.1 * torch.randn_like(state)).clamp(-5, 5)
    returns, running = [], torch.zeros(1024, device="cuda")
    for reward in reversed(rewards):
        running = reward + 0.99 * running
        returns.insert(0, running)
    states, actions, logs, returns, values = (torch.cat(each) for each in (states, actions, logs, returns, values))
    advantages = returns - values
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for _ in range(4):
        for at in torch.randperm(len(states), device="cuda").split(4096):
            policy, value = agent(states[at])
            ratio = (policy.log_prob(actions[at]).sum(-1) - logs[at]).exp()
            loss = -torch.min(ratio * advantages[at], ratio.clamp(0.8, 1.2) * advantages[at]).mean() + 0.5 * (returns[at] - value).pow(2).mean()
            loss = loss - 0.01 * policy.entropy().sum(-1).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
        if (ratio - 1).abs().mean().item() > 100:
            break
