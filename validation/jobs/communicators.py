"""What NCCL's communicators take of a GPU, stage by stage and allocation by allocation.

Run: python communicators.py OUT.jsonl [RANKS ...]
For each number of ranks and each of JOBS one job of torchrun. Each line is one stage of one rank: what the GPU had less of
afterwards (`bytes`, by cudaMemGetInfo) and what NCCL logged in between (`allocations`, by kind and size; `channels`).
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

ORDER = ["small all_reduce", "large all_reduce", "all_gather", "reduce_scatter", "broadcast", "send one way", "ring of sends", "all_to_all"]
SETTINGS = [
    {},
    {"NCCL_BUFFSIZE": "1048576"},
    {"NCCL_BUFFSIZE": "8388608"},
    {"NCCL_MAX_NCHANNELS": "1"},
    {"NCCL_MAX_NCHANNELS": "4"},
    {"NCCL_MIN_NCHANNELS": "32"},
    {"NCCL_ALGO": "Ring"},
    {"NCCL_PROTO": "Simple"},
    {"NCCL_LL_BUFFSIZE": "1048576"},
    {"NCCL_CUMEM_ENABLE": "0"},
    {"NCCL_P2P_DISABLE": "1"},
    {"NCCL_RUNTIME_CONNECT": "0"},
    {"NCCL_MAX_P2P_NCHANNELS": "2"},
    {"NCCL_CUMEM_HOST_ENABLE": "0"},
    {"NCCL_P2P_DISABLE": "1", "NCCL_SHM_DISABLE": "1"},
]
JOBS = [(settings, ORDER) for settings in SETTINGS] + [
    ({}, ["broadcast", "small all_reduce", "ring of sends"]),
    ({}, ["send one way", "broadcast", "small all_reduce"]),
    ({}, ["all_to_all", "all_gather", "broadcast"]),
    ({}, ["reduce_scatter", "all_to_all"]),
]
ALLOCATION = re.compile(r"(CUMEM Alloc|Cuda Alloc|Cuda Host Alloc|CUMEM Host Alloc|Mem Alloc|Free)\D*[Ss]ize (\d+)")
CHANNELS = re.compile(r"(\d+) coll channels, (\d+) collnet channels, (\d+) nvls channels, (\d+) p2p channels")


def rank_main(out, log_folder, order):
    import torch
    import torch.distributed as dist

    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(rank)
    device = torch.device("cuda", rank)
    large = torch.zeros(1 << 24, device=device)
    other = torch.zeros(1 << 24, device=device)
    (large + other).sum().item()
    log_path = os.path.join(log_folder, f"nccl.{os.getpid()}")
    rows, state = [], {"free": torch.cuda.mem_get_info()[0], "read": 0}

    def stage(name):
        torch.cuda.synchronize()
        free = torch.cuda.mem_get_info()[0]
        text = ""
        if os.path.exists(log_path):
            with open(log_path, errors="replace") as log:
                log.seek(state["read"])
                text = log.read()
                state["read"] = log.tell()
        counts = collections.Counter((kind, int(size)) for kind, size in ALLOCATION.findall(text))
        rows.append(
            {
                "stage": name,
                "rank": rank,
                "ranks": ranks,
                "bytes": state["free"] - free,
                "allocations": [[kind, size, n] for (kind, size), n in sorted(counts.items())],
                "channels": [list(map(int, match)) for match in CHANNELS.findall(text)],
                "gpu": torch.cuda.get_device_name(rank),
                "nccl": ".".join(map(str, torch.cuda.nccl.version())),
            }
        )
        state["free"] = free

    def use(label, group):
        small = large[:1024]
        part = large.numel() // ranks
        after, before = (rank + 1) % ranks, (rank - 1) % ranks

        def send_one_way():
            if rank < 2:
                dist.send(large, 1, group=group) if rank == 0 else dist.recv(large, 0, group=group)

        def ring_of_sends():
            messages = [
                dist.P2POp(dist.isend, small, after, group=group),
                dist.P2POp(dist.irecv, other[:1024], before, group=group),
            ]
            for work in dist.batch_isend_irecv(messages):
                work.wait()

        calls = {
            "small all_reduce": lambda: dist.all_reduce(small, group=group),
            "large all_reduce": lambda: dist.all_reduce(large, group=group),
            "all_gather": lambda: dist.all_gather_into_tensor(other[: part * ranks], large[:part], group=group),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(large[:part], other[: part * ranks], group=group),
            "broadcast": lambda: dist.broadcast(large, 0, group=group),
            "send one way": send_one_way,
            "ring of sends": ring_of_sends,
            "all_to_all": lambda: dist.all_to_all_single(other[: part * ranks], large[: part * ranks], group=group),
        }
        for name in order:
            calls[name]()
            stage(f"{label} {name}")

    dist.init_process_group("nccl", device_id=device)
    stage("init")
    use("first", None)
    group = dist.new_group(list(range(ranks)), use_local_synchronization=False)
    stage("new group")
    use("second", group)
    with open(f"{out}.{rank}", "w") as file:
        json.dump(rows, file)
    torch.cuda.synchronize()
    dist.destroy_process_group()


def main():
    out, jobs = sys.argv[1], [int(n) for n in sys.argv[2:]] or [2]
    with open(out, "w") as file:
        for ranks in jobs:
            for settings, order in JOBS:
                with tempfile.TemporaryDirectory() as folder:
                    part = os.path.join(folder, "rows")
                    env = dict(os.environ, NCCL_DEBUG="INFO", NCCL_DEBUG_SUBSYS="INIT,ALLOC,GRAPH,P2P", **settings)
                    env["NCCL_DEBUG_FILE"] = os.path.join(folder, "nccl.%p")
                    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(ranks), "--master-port", str(29500 + ranks)]
                    run = subprocess.run([*command, __file__, "--rank", part, folder, json.dumps(order)], env=env, capture_output=True, text=True, timeout=120)
                    for rank in range(ranks):
                        try:
                            with open(f"{part}.{rank}") as rows:
                                for row in json.load(rows):
                                    file.write(json.dumps({"settings": settings, **row}) + "\n")
                        except FileNotFoundError:
                            print(ranks, settings, "failed:", run.stderr[-800:])


if sys.argv[1] == "--rank":
    rank_main(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]))
else:
    main()
