#!/usr/bin/env python3
"""Measures allocsim beside PyTorch's own allocator and CPython's pickle, on one machine.

usage: beside_pytorch.py BUNDLE.tgz OUT.json SNAPSHOT...

BUNDLE.tgz is what 'allocsim bundle BUNDLE.tgz --with bench' packs; SNAPSHOTs are memory
snapshots of PyTorch, plain or compressed with gzip or xz, of programs on one stream. Needs a GPU, PyTorch with its
headers and g++ for the first comparison, nothing but this Python for the second. comparison.py
says how it is measured. Two snapshots take about ten minutes, without reading eight.

PyTorch's allocator and allocsim measure in turns on one core, another one in each round; turns.py
says why. The rows of allocsim have the ratio of each pair of samples under "times".

environment: CXX (g++), ONLY=replay to leave reading out, and those of comparison.py with SAMPLES
(15 pairs) and SECONDS_LEFT (400)
"""

import glob
import json
import os
import statistics
import sys

from comparison import HERE, Comparison, Failed, compare, run
from turns import Turns, pairs

CONFS = ("", "expandable_segments:True")

# Releases whose rules allocsim follows: free blocks in the order of addresses, and of segments' ages.
RELEASES = ("2.11", "2.14")
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
        super().__init__(work, bundle, snapshots, samples="15", seconds="400")
        self.reads = os.environ.get("ONLY") != "replay"
        self.cores = sorted(os.sched_getaffinity(0))
        self.replays = 0
        self.driver = self.part("compile", compile_driver, work)
        if self.driver:
            import torch
            self.machine["pytorch"] = torch.__version__
            self.machine["gpu"] = torch.cuda.get_device_name(0) if torch.cuda.is_available() else ""

    def parts(self, trace):
        if self.driver and self.allocsim:
            for conf in CONFS:
                for release in RELEASES:
                    name = "replay/%s/%s/%s" % (trace, conf, release)
                    yield name, self.replay, trace, conf, release
        if self.reads:
            if self.allocsim:
                yield "read/" + trace, self.read, trace
            yield "pickle/" + trace, self.unpickle, trace

    def row(self, what, trace, setting, unit, values, times=(), **facts):
        self.keep({"what": what, "trace": trace, "setting": setting, "unit": unit}, values, facts,
                  times)

    def next_core(self):
        """Cores in order, such that all replays of all rounds are spread over all of them."""
        replays = self.rounds * len(self.traces) * len(CONFS) * len(RELEASES)
        core = self.cores[self.replays * len(self.cores) // replays]
        self.replays += 1
        return core

    def replay(self, trace, conf, release):
        core = self.next_core()
        real = [self.driver, self.requests(trace)]
        simulated = [self.allocsim, "bench", "--in-turns", "--trace", self.snapshot(trace),
                     "--policies", "pytorch(torch-version=%s%s)" % (release, conf and ";conf=" + conf)]
        environment = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=conf)
        with Turns(real, core, env=environment) as pytorch, Turns(simulated, core) as allocsim:
            found = pairs(pytorch, allocsim, int(self.samples))
            real_facts = pytorch.end()
            own_facts = allocsim.end()
        self.machine["jdk"] = own_facts.pop("jdk")
        own_facts["cpu_share"] = statistics.median(own["cpu_utilization_ratio"] for _, own in found)
        setting = ", ".join(filter(None, (conf, "rules of " + release)))
        self.row("pytorch", trace, setting, "ns_per_request",
                 [real["ns_per_request"] for real, _ in found], **real_facts)
        self.row("allocsim", trace, setting, "ns_per_event",
                 [own["ns_per_event"] for _, own in found], **own_facts)
        self.row("allocsim", trace, setting, "ns_per_request",
                 [own["ns_per_request"] for _, own in found],
                 [real["ns_per_request"] / own["ns_per_request"] for real, own in found],
                 **own_facts)

    def read(self, trace):
        for each in self.bench(trace, "--only", "read"):
            kind = each["id"].split("/", 1)[0]
            compression = each["id"].rsplit("/", 1)[1] if kind == "read" else "none"
            self.row("allocsim " + kind, trace, compression, "ns_per_event",
                     each["nanos_per_event"]["values"],
                     bytes_per_second=each["uncompressed_bytes_per_second"])

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
