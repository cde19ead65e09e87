import torch, timm

class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups
    @torch.no_grad()
    def first_step(self):
        norm = torch.norm(torch.stack([p.grad.norm(2) for g in self.param_groups for p in g["params"] if p.grad is not None]), 2)
        for g in self.param_groups:
            scale = g["rho"] / (norm + 1e-12)
            for p in g["params"]:
                if p.grad is None:
                    continue
                self.state[p]["old"] = p.data.clone()
                p.add_(p.grad * scale)
        self.zero_grad()
    @torch.no_grad()
    def second_step(self):
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is not None:
                    p.data = self.state[p]["old"]
        self.base.step()
        self.zero_grad()

model = timm.create_model("efficientnet_b0", num_classes=37).cuda()
opt = SAM(model.parameters(), torch.optim.SGD, lr=0.05, momentum=0.9, weight_decay=5e-4)
crit = torch.nn.CrossEntropyLoss()
for step in range(10):
    x, y = torch.randn(32, 3, 224, 224).cuda(), torch.randint(0, 37, (32,)).cuda()
    loss = crit(model(x), y)
    loss.backward()
    opt.first_step()
    crit(model(x), y).backward()
    opt.second_step()
    print(step, loss.item())
