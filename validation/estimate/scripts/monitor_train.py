"""Training with a memory monitor in the log, as cluster users write it."""
import subprocess, threading, time, torch, torch.nn as nn

def smi():
    try:
        out = subprocess.check_output(["nvidia-smi", "--query-gpu=memory.used,memory.total,utilization.gpu", "--format=csv,nounits,noheader"], text=True)
        return [int(v) for v in out.strip().splitlines()[0].split(", ")]
    except (OSError, subprocess.CalledProcessError):
        return None

stop = threading.Event()
log = []
def watch():
    while not stop.wait(0.5):
        log.append(smi())
thread = threading.Thread(target=watch, daemon=True)
thread.start()
torch.manual_seed(0)
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, norm_first=True), 8).cuda()
head = nn.Linear(512, 512).cuda()
opt = torch.optim.AdamW([*model.parameters(), *head.parameters()], 1e-4, foreach=False)
for step in range(20):
    x = torch.randn(16, 256, 512, device="cuda")
    loss = (head(model(x)) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 10 == 0:
        free, total = torch.cuda.mem_get_info()
        print(step, loss.item(), f"{(total - free) / 2**20:.0f} MiB used", torch.cuda.memory_reserved() >> 20)
stop.set()
thread.join()
print(torch.cuda.memory_summary(abbreviated=True).splitlines()[0], smi())
