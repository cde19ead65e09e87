#!/usr/bin/env python3
"""
Accelerated MRI: an unrolled network (variational network) with multi-coil FFTs, complex tensors,
and a custom autograd function for data consistency. Slices have the sizes that the scanner gave.
"""
import torch
from torch import nn
import torch.nn.functional as F

SIZES = [(320, 256), (320, 320), (288, 256)]
COILS = 12


def fft2c(x):
    return torch.fft.fftshift(torch.fft.fft2(torch.fft.ifftshift(x, dim=(-2, -1)), norm="ortho"), dim=(-2, -1))


def ifft2c(x):
    return torch.fft.fftshift(torch.fft.ifft2(torch.fft.ifftshift(x, dim=(-2, -1)), norm="ortho"), dim=(-2, -1))


class DataConsistency(torch.autograd.Function):
    """k - w * mask * (k - measured), with the gradient written down."""

    @staticmethod
    def forward(ctx, k, measured, mask, w):
        residual = mask * (k - measured)
        ctx.save_for_backward(residual, mask, w)
        return k - w * residual

    @staticmethod
    def backward(ctx, grad):
        residual, mask, w = ctx.saved_tensors
        grad_w = -(grad.conj() * residual).real.sum().reshape(w.shape)
        return grad - w * mask * grad, None, None, grad_w


class ConvBlock(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(i, o, 3, padding=1, bias=False), nn.InstanceNorm2d(o), nn.LeakyReLU(0.2, True), nn.Dropout2d(0.05),
            nn.Conv2d(o, o, 3, padding=1, bias=False), nn.InstanceNorm2d(o), nn.LeakyReLU(0.2, True),
        )

    def forward(self, x):
        return self.layers(x)


class Unet(nn.Module):
    def __init__(self, channels=2, chans=18, pools=3):
        super().__init__()
        self.down = nn.ModuleList([ConvBlock(channels, chans)])
        for i in range(pools - 1):
            self.down.append(ConvBlock(chans * 2**i, chans * 2 ** (i + 1)))
        top = chans * 2 ** (pools - 1)
        self.mid = ConvBlock(top, 2 * top)
        self.transpose, self.up = nn.ModuleList(), nn.ModuleList()
        for i in reversed(range(pools)):
            c = chans * 2**i
            self.transpose.append(nn.Sequential(nn.ConvTranspose2d(2 * c, c, 2, 2, bias=False), nn.InstanceNorm2d(c), nn.LeakyReLU(0.2, True)))
            self.up.append(ConvBlock(2 * c, c))
        self.out = nn.Conv2d(chans, channels, 1)

    def forward(self, x):
        stack = []
        for layer in self.down:
            x = layer(x)
            stack.append(x)
            x = F.avg_pool2d(x, 2)
        x = self.mid(x)
        for transpose, up in zip(self.transpose, self.up):
            x = up(torch.cat([transpose(x), stack.pop()], 1))
        return self.out(x)

    def complex(self, image):
        x = torch.view_as_real(image).permute(0, 3, 1, 2)
        mean, std = x.mean((1, 2, 3), keepdim=True), x.std((1, 2, 3), keepdim=True)
        y = self((x - mean) / (std + 1e-8)) * std + mean
        return torch.view_as_complex(y.permute(0, 2, 3, 1).contiguous())


class VarNet(nn.Module):
    def __init__(self, cascades=8):
        super().__init__()
        self.nets = nn.ModuleList(Unet() for _ in range(cascades))
        self.weights = nn.ParameterList(nn.Parameter(torch.ones(1)) for _ in range(cascades))

    def forward(self, measured, mask, sens):
        k = measured.clone()
        for net, w in zip(self.nets, self.weights):
            image = (ifft2c(k) * sens.conj()).sum(1)
            regularised = fft2c(net.complex(image).unsqueeze(1) * sens)
            k = DataConsistency.apply(k, measured, mask, w) - regularised
        return ifft2c(k).abs().square().sum(1).sqrt()


def ssim(x, y, k=7):
    window = torch.ones(1, 1, k, k, device=x.device) / k**2
    x, y = x.unsqueeze(1), y.unsqueeze(1)
    ux, uy = F.conv2d(x, window), F.conv2d(y, window)
    vx, vy, vxy = F.conv2d(x * x, window) - ux**2, F.conv2d(y * y, window) - uy**2, F.conv2d(x * y, window) - ux * uy
    c1, c2 = 0.01**2, 0.03**2
    return (((2 * ux * uy + c1) * (2 * vxy + c2)) / ((ux**2 + uy**2 + c1) * (vx + vy + c2))).mean()


def scan(size, g):
    image = F.interpolate(torch.rand(1, 1, 24, 24, generator=g), size, mode="bicubic").squeeze(1).clamp(0, 1)
    sens = torch.randn(1, COILS, 8, 8, generator=g, dtype=torch.complex64)
    sens = torch.complex(F.interpolate(sens.real, size, mode="bilinear"), F.interpolate(sens.imag, size, mode="bilinear"))
    sens = sens / sens.abs().square().sum(1, keepdim=True).sqrt()
    mask = torch.rand(size[1], generator=g) < 0.2
    mask[size[1] // 2 - 12: size[1] // 2 + 12] = True
    return image, sens, mask.float().view(1, 1, 1, -1)


if __name__ == "__main__":
    torch.manual_seed(0)
    g = torch.Generator().manual_seed(0)
    model = VarNet().cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    for it in range(9):
        image, sens, mask = (t.cuda() for t in scan(SIZES[it % 3], g))
        measured = mask * fft2c(image.unsqueeze(1).to(torch.complex64) * sens)
        out = model(measured, mask, sens)
        loss = 1 - ssim(out, image)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(it, tuple(image.shape), f"ssim {1 - loss.item():.4f}")
    model.eval()
    with torch.no_grad():
        for size in SIZES:
            image, sens, mask = (t.cuda() for t in scan(size, g))
            measured = mask * fft2c(image.unsqueeze(1).to(torch.complex64) * sens)
            error = F.mse_loss(model(measured, mask, sens), image)
            print(size, "psnr", (-10 * torch.log10(error)).item())
