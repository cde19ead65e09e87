"""A Wasserstein GAN with gradient penalty."""
import torch
import torch.nn as nn


def up(inputs, outputs):
    return nn.Sequential(nn.ConvTranspose2d(inputs, outputs, 4, 2, 1), nn.BatchNorm2d(outputs), nn.ReLU())


def down(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 4, 2, 1), nn.InstanceNorm2d(outputs, affine=True), nn.LeakyReLU(0.2))


generator = nn.Sequential(nn.ConvTranspose2d(100, 512, 4), nn.ReLU(), up(512, 256), up(256, 128), up(128, 64), nn.ConvTranspose2d(64, 3, 4, 2, 1), nn.Tanh()).cuda()
critic = nn.Sequential(down(3, 64), down(64, 128), down(128, 256), down(256, 512), nn.Conv2d(512, 1, 4)).cuda()
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-4, betas=(0.0, 0.9))
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
for step in range(8):
    for _ in range(5):
        real = torch.rand(64, 3, 64, 64, device="cuda") * 2 - 1
        made = generator(torch.randn(64, 100, 1, 1, device="cuda"))
        share = torch.rand(64, 1, 1, 1, device="cuda")
        mixed = (share * real + (1 - share) * made).detach().requires_grad_(True)
        slope = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)[0]
        penalty = ((slope.flatten(1).norm(2, dim=1) - 1) ** 2).mean()
        loss = critic(made.detach()).mean() - critic(real).mean() + 10 * penalty
        of_critic.zero_grad()
        loss.backward()
        of_critic.step()
    loss = -critic(generator(torch.randn(64, 100, 1, 1, device="cuda"))).mean()
    of_generator.zero_grad()
    loss.backward()
    of_generator.step()
