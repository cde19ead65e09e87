#!/usr/bin/env python3
"""Records programs on a GPU together with the category of every allocation.

    python3 attribution_truth.py FOLDER [--programs gpt,vit] [--steps 4]

For each program, once with stacks of Python and once with those of C++ too, FOLDER receives
  NAME.STACKS.pickle.xz      what torch.cuda.memory._dump_snapshot() writes;
  NAME.STACKS.truth.json     "allocations": [ordinal, address, bytes, category] of every allocation, in order, and
                             "peak": the ordinals that were live when most bytes were requested.

Parameters (buffers too), optimizer state and inputs are known by their tensors, gradients by a hook that runs when each is complete,
saved tensors by the hook that PyTorch calls as it saves them, cuBLAS's workspaces by what clearing them frees. Whatever
none of them names is temporary; memory that an operator takes and gives back inside itself, cuDNN's workspaces among it,
is not told apart from it. PyTorch 2.11 or later; one process for each recording, so that libraries start afresh.
"""

import argparse
import collections
import json
import lzma
import pathlib
import pickle
import subprocess
import sys

CATEGORIES = ("parameter", "optimizer_state", "gradient", "input", "saved_activation")  # what a tensor counts as first


class Tags:
    """Which tensor lay where, and after how many allocations it was seen there."""

    def __init__(self):
        import torch

        self.stats = lambda: torch._C._cuda_memoryStats(0)["allocation"]["all"]
        self.start = self.stats()["allocated"]
        self.freed_start = self.stats()["freed"]
        self.found = []

    def tag(self, category, *tensors):
        count = self.stats()["allocated"] - self.start
        for tensor in tensors:
            if tensor is not None and tensor.is_cuda:
                self.found.append((tensor.untyped_storage().data_ptr(), count, category))

    def save(self, tensor):
        self.tag("saved_activation", tensor)
        return tensor


def train(name, steps, tags):
    import torch
    from other_programs import OTHERS
    from programs import PROGRAMS

    make, optimize, batches, loss_of, accumulated, autocast = (PROGRAMS | OTHERS)[name]
    model = make().cuda()
    tags.tag("parameter", *model.parameters(), *model.buffers())
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.register_post_accumulate_grad_hook(lambda each: tags.tag("gradient", each.grad))
    optimizer = optimize([each for each in model.parameters() if each.requires_grad])
    for _ in range(steps):
        for _ in range(accumulated):
            batch = tuple(each.cuda() for each in batches())
            tags.tag("input", *batch)
            with torch.autograd.graph.saved_tensors_hooks(tags.save, lambda tensor: tensor):
                with torch.autocast("cuda", dtype=torch.bfloat16, enabled=autocast):
                    loss = loss_of(model, batch)
                loss.backward()
        optimizer.step()
        tags.tag("optimizer_state", *(each for state in optimizer.state.values() for each in state.values() if torch.is_tensor(each)))
        optimizer.zero_grad()
    del batch, loss


def record(name, stacks, steps, folder):
    import torch

    torch.manual_seed(1)
    torch.cuda.init()
    torch.cuda.memory._record_memory_history(context="all", stacks=stacks, max_entries=10**7)
    tags = Tags()
    train(name, steps, tags)
    torch.cuda.synchronize()
    freed = tags.stats()["freed"] - tags.freed_start
    torch._C._cuda_clearCublasWorkspaces()
    cleared = tags.stats()["freed"] - tags.freed_start
    snapshot = torch.cuda.memory._snapshot()
    with lzma.open(folder / f"{name}.{stacks}.pickle.xz", "wb", preset=2) as file:
        pickle.dump(snapshot, file)
    truth = categories(snapshot["device_traces"][0], tags.found, (freed, cleared))
    truth.update(program=name, stacks=stacks, torch=torch.__version__, device=torch.cuda.get_device_name())
    (folder / f"{name}.{stacks}.truth.json").write_text(json.dumps(truth))
    total = collections.Counter()
    for ordinal in truth["peak"]:
        total[truth["allocations"][ordinal][3]] += truth["allocations"][ordinal][2]
    print(name, stacks, len(truth["allocations"]), "allocations, at the peak", dict(total), flush=True)


def categories(events, found, cleared):
    """The category of every allocation; cleared: which frees, counted from 0, gave workspaces back."""
    allocations, live, frees = [], {}, 0
    requested = most = 0
    peak = []
    held = collections.defaultdict(list)  # address: ordinals, ascending
    workspaces = set()
    for event in events:
        address = event["addr"]
        if event["action"] == "alloc":
            live[address] = len(allocations)
            held[address].append(len(allocations))
            allocations.append([len(allocations), address, event["size"], "temporary"])
            requested += event["size"]
            if requested > most:
                most, peak = requested, len(allocations)
        elif event["action"] == "free_completed":
            ordinal = live.pop(address)
            requested -= allocations[ordinal][2]
            if cleared[0] <= frees < cleared[1]:
                workspaces.add(ordinal)
            frees += 1
    for address, count, category in sorted(found, key=lambda tag: CATEGORIES.index(tag[2]), reverse=True):
        before = [ordinal for ordinal in held[address] if ordinal < count]
        if before:
            allocations[before[-1]][3] = category
    for ordinal in workspaces:
        allocations[ordinal][3] = "workspace"
    return {"allocations": allocations, "peak": live_after(events, peak), "requested_bytes": most}


def live_after(events, allocations):
    """Ordinals of what is live right after so many allocations."""
    live, count = {}, 0
    for event in events:
        if event["action"] == "alloc":
            live[event["addr"]] = count
            count += 1
            if count == allocations:
                return sorted(live.values())
        elif event["action"] == "free_completed":
            live.pop(event["addr"], None)
    return sorted(live.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--programs", default="gpt,vit,resnet,lora,moe,unet,llama,peft,bert,t5,convnext,efficientnet,swin,lstm,vae")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--stacks", default="python,all")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.one:
        record(args.programs, args.stacks, args.steps, args.folder)
        return 0
    failed = 0
    for name in args.programs.split(","):
        for stacks in args.stacks.split(","):
            command = [sys.executable, __file__, str(args.folder), "--one", "--programs", name, "--stacks", stacks, "--steps", str(args.steps)]
            failed += subprocess.run(command).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
