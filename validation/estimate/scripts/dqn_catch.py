"""Double DQN on a vectorised game of catch; both the game and the replay buffer live on the GPU."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda")
ENVS, SIDE, CAPACITY, BATCH, GAMMA = 64, 84, 24_000, 512, 0.97


class Catch:
    """A ball falls; the paddle at the bottom moves left, stays, or moves right. Frames are stacked by four."""

    def __init__(self):
        self.y = torch.randint(0, SIDE // 2, (ENVS,), device=device)
        self.x = torch.randint(0, SIDE, (ENVS,), device=device)
        self.paddle = torch.full((ENVS,), SIDE // 2, device=device)
        self.frames = torch.zeros(ENVS, 4, SIDE, SIDE, dtype=torch.uint8, device=device)
        self.grid = torch.arange(SIDE, device=device)

    def observe(self):
        rows = (self.grid[None] - self.y[:, None]).abs() <= 2
        cols = (self.grid[None] - self.x[:, None]).abs() <= 2
        frame = (rows[:, :, None] & cols[:, None, :]).to(torch.uint8) * 255
        frame[:, -3:] |= ((self.grid[None] - self.paddle[:, None]).abs() <= 6).to(torch.uint8)[:, None] * 255
        self.frames = torch.cat([self.frames[:, 1:], frame[:, None]], dim=1)
        return self.frames

    def step(self, action):
        self.paddle = (self.paddle + 4 * (action - 1)).clamp(0, SIDE - 1)
        self.y = self.y + 4
        done = self.y >= SIDE - 3
        reward = torch.where(done, torch.where((self.x - self.paddle).abs() <= 8, 1.0, -1.0), 0.0)
        self.y = torch.where(done, torch.zeros_like(self.y), self.y)
        self.x = torch.where(done, torch.randint_like(self.x, SIDE), self.x)
        return self.observe(), reward, done


class ReplayBuffer:
    def __init__(self):
        shape = (CAPACITY, 4, SIDE, SIDE)
        self.obs = torch.zeros(shape, dtype=torch.uint8, device=device)
        self.next_obs = torch.zeros(shape, dtype=torch.uint8, device=device)
        self.action = torch.zeros(CAPACITY, dtype=torch.long, device=device)
        self.reward, self.done = torch.zeros(2, CAPACITY, device=device)
        self.position = self.size = 0

    def add(self, *transition):
        where = (torch.arange(ENVS, device=device) + self.position) % CAPACITY
        for store, value in zip((self.obs, self.action, self.reward, self.next_obs, self.done), transition):
            store[where] = value.to(store.dtype)
        self.position = (self.position + ENVS) % CAPACITY
        self.size = min(self.size + ENVS, CAPACITY)

    def sample(self):
        i = torch.randint(0, self.size, (BATCH,), device=device)
        return self.obs[i], self.action[i], self.reward[i], self.next_obs[i], self.done[i]


q_net = nn.Sequential(
    nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(),
    nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, 3)).to(device)
target_net = copy.deepcopy(q_net).requires_grad_(False)
optimizer = torch.optim.RMSprop(q_net.parameters(), lr=2.5e-4, alpha=0.95, eps=0.01)
env, buffer = Catch(), ReplayBuffer()
obs, updates = env.observe(), 0
for t in range(400):
    epsilon = max(0.05, 1.0 - t / 300)
    with torch.no_grad():
        greedy = q_net(obs.float() / 255).argmax(1)
    explore = torch.rand(ENVS, device=device) < epsilon
    action = torch.where(explore, torch.randint(0, 3, (ENVS,), device=device), greedy)
    next_obs, reward, done = env.step(action)
    buffer.add(obs, action, reward, next_obs, done)
    obs = next_obs
    if t >= 50 and t % 6 == 0:
        s, a, r, s2, d = buffer.sample()
        s, s2 = s.float() / 255, s2.float() / 255
        with torch.no_grad():
            best = q_net(s2).argmax(1, keepdim=True)
            target = r + GAMMA * (1 - d) * target_net(s2).gather(1, best).squeeze(1)
        loss = F.smooth_l1_loss(q_net(s).gather(1, a[:, None]).squeeze(1), target)
        optimizer.zero_grad(), loss.backward()
        nn.utils.clip_grad_norm_(q_net.parameters(), 10.0)
        optimizer.step()
        updates += 1
        if updates % 20 == 0:
            target_net.load_state_dict(q_net.state_dict())
            print(f"t {t} buffer {buffer.size} loss {loss.item():.5f} reward {reward.mean().item():.3f}")
