#!/usr/bin/env python3
"""Measures allocsim beside PyTorch's own allocator and CPython's pickle, on one machine.

usage: beside_pytorch.py BUNDLE.tgz OUT.json SNAPSHOT...

BUNDLE.tgz is what 'allocsim bundle BUNDLE.tgz' packs; SNAPSHOTs are memory snapshots of PyTorch,
plain or compressed with gzip or xz, of programs on one stream. Needs a GPU, PyTorch with its
headers and g++ for the first comparison, nothing but this Python for the second. comparison.py
says how it is measured. Two snapshots take about four minutes.

environment: CXX (g++), ONLY=replay to leave reading out, and those of comparison.py
"""

import glob
import json
import os
import statistics
import sys

from comparison import HERE, Comparison, Failed, compare, nanos_per_request, run

CONFS = ("", "expandable_segments:True")
PICKLE_LOADS = 3

# Loads a snapshot so many times in a fresh interpreter and prints the seconds of each.
LOADER = """
import gc, json, pickle, sys, time
times = []
for _ in range(int(sys.argv[2])):
    with open(sys.argv[1], "rb") as file:
        begin = time.perf_counter()
        content = pickle.load(file)
        times.append(time.perf_counter() - begin)
    events = sum(len(each) for each in content["device_traces"])
    del content
    gc.collect()
print(json.dumps({"events": events, "seconds": times}))
"""


def compile_driver(work):
    """The program that drives PyTorch's allocator, and what it needs to start."""
    try:
        import torch
        from torch.utils import cpp_extension
    except ImportError as error:
        raise Failed("PyTorch cannot be imported: %s" % error) from error
    site = os.path.dirname(os.path.dirname(torch.__file__))
    includes = list(cpp_extension.include_paths())
    libraries = [os.path.join(os.path.dirname(torch.__file__), "lib")]
    for home in (os.environ.get("CUDA_HOME"), cpp_extension.CUDA_HOME, "/usr/local/cuda"):
        if home:
            includes += glob.glob(os.path.join(home, "include"))
            libraries += glob.glob(os.path.join(home, "lib64"))
    includes += glob.glob(os.path.join(site, "nvidia", "*", "include"))
    libraries += glob.glob(os.path.join(site, "nvidia", "*", "lib"))
    if not any(os.path.exists(os.path.join(each, "cuda_runtime_api.h")) for each in includes):
        raise Failed("cuda_runtime_api.h is in none of " + ", ".join(includes))
    runtimes = [name for folder in libraries for name in glob.glob(folder + "/libcudart.so*")]
    if not runtimes:
        raise Failed("libcudart.so is in none of " + ", ".join(libraries))
    program = os.path.join(work, "torch_allocator")
    command = [os.environ.get("CXX", "g++"), "-O2", "-std=c++20",
               "-D_GLIBCXX_USE_CXX11_ABI=%d" % torch._C._GLIBCXX_USE_CXX11_ABI,
               os.path.join(HERE, "torch_allocator.cpp"), "-o", program]
    command += [flag for each in includes for flag in ("-isystem", each)]
    command += ["-L" + each for each in libraries[:1]]
    command += ["-lc10_cuda", "-lc10", runtimes[0]]
    command += ["-Wl,-rpath," + each for each in libraries]
    run(command)
    return program


class BesidePyTorch(Comparison):
    """PyTorch's allocator beside replay, pickle.load beside reading."""

    def __init__(self, work, bundle, snapshots):
        super().__init__(work, bundle, snapshots)
        self.measured = os.environ.get("ONLY", "replay,read")
        self.driver = self.part("compile", compile_driver, work)
        if self.driver:
            import torch
            self.machine["pytorch"] = torch.__version__
            self.machine["gpu"] = torch.cuda.get_device_name(0) if torch.cuda.is_available() else ""

    def parts(self, trace):
        if self.driver and self.allocsim:
            for conf in CONFS:
                yield "pytorch/%s/%s" % (trace, conf), self.torch, trace, conf
        if self.allocsim:
            yield "allocsim/" + trace, self.replay, trace
        if self.measured != "replay":
            yield "pickle/" + trace, self.unpickle, trace

    def row(self, what, trace, setting, unit, values, **facts):
        self.keep({"what": what, "trace": trace, "setting": setting, "unit": unit}, values, facts)

    def torch(self, trace, conf):
        environment = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=conf)
        found = json.loads(run(
            [self.driver, self.samples, self.requests(trace)], env=environment))
        self.row("pytorch", trace, conf, "ns_per_request", found.pop("ns_per_request"), **found)

    def replay(self, trace):
        for each in self.bench(trace, "--only", self.measured):
            nanos = each["ns_per_event"]["values"]
            if each["id"].startswith("replay/"):
                conf = CONFS[1] if "expandable" in each["id"] else CONFS[0]
                self.row("allocsim", trace, conf, "ns_per_event", nanos,
                         cpu_share=each["cpu_share"],
                         allocated_bytes_per_event=each["allocated_bytes_per_event"])
                self.row("allocsim", trace, conf, "ns_per_request", nanos_per_request(each))
            else:
                kind = each["id"].split("/", 1)[0]
                compression = each["id"].rsplit("/", 1)[1] if kind == "read" else "none"
                self.row("allocsim " + kind, trace, compression, "ns_per_event", nanos,
                         bytes_per_second=each["plain_bytes_per_second"])

    def unpickle(self, trace):
        plain = self.snapshot(trace)
        found = json.loads(run([sys.executable, "-c", LOADER, plain, str(PICKLE_LOADS)]))
        size = os.path.getsize(plain)
        nanos = [1e9 * each / found["events"] for each in found["seconds"]]
        self.row("pickle.load", trace, "none", "ns_per_event", nanos, bytes=size,
                 events=found["events"],
                 bytes_per_second=size / statistics.median(found["seconds"]))


if __name__ == "__main__":
    sys.exit(compare("beside_pytorch", __doc__, BesidePyTorch, sys.argv[1:]))
