#!/usr/bin/env python3
"""Measures allocsim's policies beside the allocators that they simulate, on one machine.

usage: beside_others.py BUNDLE.tgz OUT.json SNAPSHOT...

BUNDLE.tgz is what 'allocsim bundle BUNDLE.tgz --with bench' packs; SNAPSHOTs are memory
snapshots of PyTorch, plain or compressed with gzip or xz, of programs on one stream. Needs a GPU; nvcc for the driver's
and CUB's allocators, CuPy and RMM (Python) for theirs. What cannot be measured is left out, with
the reason in OUT.json. CuPy and RMM are driven from Python: the loop around them is measured too,
with requests that do nothing ("empty loop"). comparison.py says how it is measured. One snapshot
takes about three minutes.

environment: NVCC (nvcc, or that of /usr/local/cuda), and those of comparison.py
"""

import json
import os
import shutil
import sys
import time

from comparison import HERE, Comparison, Failed, compare, nanos_per_request, run

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


class BesideOthers(Comparison):
    """Real allocators beside the policies that simulate them."""

    def __init__(self, work, bundle, snapshots):
        super().__init__(work, bundle, snapshots)
        self.machine["gpu"] = gpu()
        self.driver = self.part("compile", compile_driver, work)

    def parts(self, trace):
        if not self.allocsim:
            return
        for name in NATIVE + PYTHON:
            # What failed once, for want of a library mostly, is not tried again.
            if (name in PYTHON or self.driver) and "real/" + name not in self.failed:
                yield "real/" + name, self.real, name, trace
            if name in POLICIES:
                yield "allocsim/" + name, self.simulated, name, trace

    def row(self, what, name, trace, values, facts):
        self.keep({"what": what, "policy": POLICIES.get(name, name), "trace": trace, "setting": "",
                   "unit": "ns_per_request"}, values, facts)

    def real(self, name, trace):
        path = self.requests(trace)
        command = ([self.driver, self.samples, name, path] if name in NATIVE else
                   [sys.executable, os.path.abspath(__file__), "--sample", name, path, self.samples])
        found = json.loads(run(command).strip().splitlines()[-1])
        self.row(MAKERS.get(name, "RMM"), name, trace, found.pop("ns_per_request"), found)

    def simulated(self, name, trace):
        for each in self.bench(trace, "--only", "policies", "--policies", POLICIES[name]):
            self.row("allocsim", name, trace, nanos_per_request(each),
                     {"ns_per_event": each["nanos_per_event"]["median"],
                      "cpu_share": each["cpu_utilization_ratio"]})


def main(arguments):
    if len(arguments) == 4 and arguments[0] == "--sample":
        try:
            python_samples(arguments[1], arguments[2], int(arguments[3]))
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
        return 0
    return compare("beside_others", __doc__, BesideOthers, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
