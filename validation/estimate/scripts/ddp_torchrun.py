"""DistributedDataParallel under torchrun, one process for each GPU: torchrun --nproc-per-node 1 ddp_torchrun.py"""
import os

import torch
import torch.distributed as distributed
import torchvision
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

distributed.init_process_group("nccl")
local = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
model = DistributedDataParallel(torchvision.models.resnet18(num_classes=100).cuda(), device_ids=[local])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
data = TensorDataset(torch.randn(320, 3, 160, 160), torch.randint(0, 100, (320,)))
sampler = DistributedSampler(data)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for x, y in DataLoader(data, batch_size=40, sampler=sampler):
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    total = loss.detach().clone()
    distributed.all_reduce(total)
    if distributed.get_rank() == 0:
        print(epoch, total.item())
distributed.destroy_process_group()
