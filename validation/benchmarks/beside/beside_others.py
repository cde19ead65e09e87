#!/usr/bin/env python3
"""Measures allocsim's policies beside the allocators that they simulate, on one machine.

usage: beside_others.py BUNDLE.tgz OUT.json SNAPSHOT...

BUNDLE.tgz is what 'allocsim bundle BUNDLE.tgz' packs; SNAPSHOTs are memory snapshots of PyTorch,
plain or compressed with gzip or xz, of programs on one stream. Needs a GPU; nvcc for the driver's
and CUB's allocators, CuPy and RMM (Python) for theirs. What cannot be measured is left out, with
the reason in OUT.json, which is of the same form as that of beside_pytorch.py. CuPy and RMM are
driven from Python: the loop around them is measured too, with requests that do nothing
("empty loop"). One snapshot takes about three minutes.

environment: ROUNDS (3), SAMPLES (5) of each program in a round, SECONDS_LEFT (270) after which no
further round begins, NVCC (nvcc, or that of /usr/local/cuda)
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from beside_pytorch import HERE, SCHEMA, Failed, processor, run, spread, write_plain

NATIVE = ("direct", "cuda-async", "cub", "cub-all")
PYTHON = ("empty loop", "cupy", "rmm-pool", "rmm-arena", "rmm-binning")

MAKERS = {"direct": "cudaMalloc", "cuda-async": "cudaMallocAsync", "cub": "CUB", "cub-all": "CUB",
          "cupy": "CuPy", "empty loop": "Python"}

# allocsim's policy for each allocator: its id and its options.
POLICIES = {
    "direct": "direct",
    "cuda-async": "cuda-async(release-threshold=max)",
    "cub": "cub",
    "cub-all": "cub(max-bin=11;max-cached=unlimited)",
    "cupy": "cupy",
    "rmm-pool": "rmm-pool",
    "rmm-arena": "rmm-arena",
    "rmm-binning": "rmm-binning",
}


class Requests:
    """Allocations and frees of a trace, in order; what is left at the end is freed."""

    def __init__(self, path):
        self.rows = []
        live = {}
        slots = 0
        with open(path, encoding="utf-8") as file:
            next(file)
            for line in file:
                row = json.loads(line)
                if row.get("op") == "alloc":
                    live[row["id"]] = slots
                    self.rows.append((slots, row["bytes"]))
                    slots += 1
                elif row.get("op") == "free":
                    self.rows.append((live.pop(row["id"]), -1))
        self.rows += [(slot, -1) for slot in live.values()]
        self.slots = slots


def python_allocator(name):
    """Functions that allocate bytes and give back what the first one returned."""
    if name == "empty loop":
        return (lambda size: size), (lambda held, size: None)
    try:
        if name == "cupy":
            import cupy
            pool = cupy.cuda.MemoryPool()
            return pool.malloc, (lambda held, size: None)
        import rmm.mr
    except ImportError as error:
        raise Failed("%s cannot be imported: %s" % (name, error)) from error
    device = rmm.mr.CudaMemoryResource()
    if name == "rmm-pool":
        resource = rmm.mr.PoolMemoryResource(device)
    elif name == "rmm-arena":
        if not hasattr(rmm.mr, "ArenaMemoryResource"):
            raise Failed("this RMM has no arena in Python")
        resource = rmm.mr.ArenaMemoryResource(device)
    else:
        resource = rmm.mr.BinningMemoryResource(device, 8, 22)
    return resource.allocate, resource.deallocate


def python_samples(name, path, samples):
    """Prints nanoseconds a request; runs in a process of its own."""
    requests = Requests(path)
    allocate, release = python_allocator(name)
    held = [None] * requests.slots
    sizes = [0] * requests.slots

    def one_pass():
        begin = time.perf_counter()
        for slot, size in requests.rows:
            if size >= 0:
                held[slot] = allocate(size)
                sizes[slot] = size
            else:
                release(held[slot], sizes[slot])
                held[slot] = None
        return time.perf_counter() - begin

    for _ in range(2):
        one_pass()
    values = []
    for _ in range(samples):
        seconds = passes = 0
        while seconds < 0.2:
            seconds += one_pass()
            passes += 1
        values.append(1e9 * seconds / passes / len(requests.rows))
    version = ""
    if name == "cupy":
        import cupy
        version = cupy.__version__
    elif name.startswith("rmm"):
        import rmm
        version = rmm.__version__
    print(json.dumps({"ns_per_request": values, "requests_per_pass": len(requests.rows),
                      "version": version}))


def compile_driver(work):
    """The program that drives the driver's and CUB's allocators."""
    compiler = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    program = os.path.join(work, "other_allocators")
    run([compiler, "-O2", "-std=c++17", os.path.join(HERE, "other_allocators.cu"), "-o", program])
    return program


def gpu():
    """Name and driver of the first GPU."""
    try:
        return run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                   seconds=30).strip().splitlines()[0]
    except (Failed, IndexError):
        return ""


class Comparison:
    """All that is measured."""

    def __init__(self, work, bundle, snapshots):
        self.work = work
        self.samples = os.environ.get("SAMPLES", "5")
        self.rounds = int(os.environ.get("ROUNDS", "3"))
        self.failed = {}
        self.values = {}
        self.facts = {}
        self.machine = {"cpu": processor(), "cores": len(os.sched_getaffinity(0)),
                        "system": "%s %s" % (os.uname().sysname, os.uname().machine),
                        "python": sys.version.split()[0], "gpu": gpu()}
        subprocess.run(["tar", "xzf", bundle, "-C", work], check=True)
        self.allocsim = os.path.join(work, "allocsim", "allocsim")
        self.traces = []
        for snapshot in snapshots:
            name = os.path.basename(snapshot).split(".pickle")[0]
            plain = os.path.join(work, name + ".pickle")
            write_plain(snapshot, plain)
            run([self.allocsim, "convert", plain, "-o", os.path.join(work, name + ".jsonl")])
            self.traces.append(name)
        self.driver = self.part("compile", compile_driver, work)

    def part(self, name, work, *arguments):
        """What a piece of work returns; None, and a reason kept, where it fails."""
        try:
            return work(*arguments)
        except (Failed, OSError, ValueError, KeyError) as error:
            self.failed.setdefault(name, str(error) or type(error).__name__)
            print("failed: %s: %s" % (name, self.failed[name]), file=sys.stderr, flush=True)
            return None

    def keep(self, what, name, trace, values, **facts):
        key = (what, POLICIES.get(name, name), trace)
        self.values.setdefault(key, []).extend(values)
        self.facts[key] = facts

    def real(self, name, trace):
        path = os.path.join(self.work, trace + ".jsonl")
        command = ([self.driver, self.samples, name, path] if name in NATIVE else
                   [sys.executable, os.path.abspath(__file__), "--sample", name, path, self.samples])
        found = json.loads(run(command).strip().splitlines()[-1])
        self.keep(MAKERS.get(name, "RMM"), name, trace, found.pop("ns_per_request"), **found)

    def simulated(self, name, trace):
        out = os.path.join(self.work, "bench.json")
        run([self.allocsim, "bench", "--only", "policies", "--policies", POLICIES[name], "--runs",
             "1", "--trace", os.path.join(self.work, trace + ".pickle"), "--json", out])
        with open(out, encoding="utf-8") as file:
            found = json.load(file)
        self.machine["jdk"] = found["machine"]["jdk"]
        for each in found["measurements"]:
            ratio = each["ns_per_request"] / each["ns_per_event"]["median"]
            self.keep("allocsim", name, trace,
                      [value * ratio for value in each["ns_per_event"]["values"]],
                      ns_per_event=each["ns_per_event"]["median"], cpu_share=each["cpu_share"])

    def measure(self, deadline):
        for number in range(self.rounds):
            for trace in self.traces:
                for name in NATIVE + PYTHON:
                    if time.monotonic() > deadline:
                        self.failed["round %d" % (number + 1)] = "the time was up in it"
                        return
                    if (name in PYTHON or self.driver) and "real/" + name not in self.failed:
                        self.part("real/" + name, self.real, name, trace)
                    if name in POLICIES:
                        self.part("allocsim/" + name, self.simulated, name, trace)
            print("round %d of %d done" % (number + 1, self.rounds), file=sys.stderr, flush=True)

    def result(self):
        rows = [{"what": key[0], "policy": key[1], "trace": key[2], "setting": "",
                 "unit": "ns_per_request", "samples": spread(values), **self.facts[key]}
                for key, values in self.values.items()]
        return {"schema": SCHEMA, "machine": self.machine, "rounds": self.rounds,
                "measurements": rows, "failed": self.failed}


def main(arguments):
    if len(arguments) == 4 and arguments[0] == "--sample":
        try:
            python_samples(arguments[1], arguments[2], int(arguments[3]))
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
        return 0
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    bundle, out, snapshots = arguments[0], arguments[1], arguments[2:]
    for name in [bundle] + snapshots:
        if not os.path.isfile(name):
            print("beside_others: %s: no such file" % name, file=sys.stderr)
            return 1
    deadline = time.monotonic() + float(os.environ.get("SECONDS_LEFT", "270"))
    work = tempfile.mkdtemp(prefix="beside-")
    try:
        comparison = Comparison(work, bundle, snapshots)
        comparison.measure(deadline)
        result = comparison.result()
    except (Failed, OSError, subprocess.CalledProcessError) as error:
        print("beside_others: %s" % error, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    for row in result["measurements"]:
        samples = row["samples"]
        print("%-16s %-36s %-20s %10.1f %s  (%.1f to %.1f)" % (
            row["what"], row["policy"], row["trace"], samples["median"], row["unit"],
            samples["lower_quartile"], samples["upper_quartile"]))
    return 0 if result["measurements"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
