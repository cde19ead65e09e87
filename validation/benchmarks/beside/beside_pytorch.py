#!/usr/bin/env python3
"""Measures allocsim beside PyTorch's own allocator and CPython's pickle, on one machine.

usage: beside_pytorch.py BUNDLE.tgz OUT.json SNAPSHOT...

BUNDLE.tgz is what 'allocsim bundle BUNDLE.tgz' packs; SNAPSHOTs are memory snapshots of PyTorch,
plain or compressed with gzip or xz, of programs on one stream. Needs a GPU, PyTorch with its
headers and g++ for the first comparison, nothing but this Python for the second. In each round
everything is measured once, so that what disturbs the machine disturbs all; OUT.json has all
values, their medians and quartiles, and says of each part that failed why. Two snapshots take
about four minutes.

environment: ROUNDS (3), SAMPLES (5) of each program in a round, SECONDS_LEFT (270) after which no
further round begins, CXX (g++)
"""

import glob
import gzip
import json
import lzma
import os
import pickle
import platform
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = "allocsim-beside-1"
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


class Failed(Exception):
    """A part cannot be measured; the message says why."""


def run(command, seconds=240, **extra):
    """Standard output of a program."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False, **extra)
    except OSError as error:
        raise Failed("%s: %s" % (command[0], error.strerror)) from error
    except subprocess.TimeoutExpired as error:
        raise Failed("%s took more than %d s" % (os.path.basename(command[0]), seconds)) from error
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        errors = [line for line in lines if "error" in line.lower()] or lines or ["no message"]
        raise Failed("%s: exit code %d: %s"
                     % (os.path.basename(command[0]), done.returncode, errors[0][:400]))
    return done.stdout


def spread(values):
    """Samples with their median and quartiles (R's type 7)."""
    values = list(values)
    quartiles = (statistics.quantiles(values, n=4, method="inclusive")
                 if len(values) > 1 else values * 3)
    return {"median": statistics.median(values), "lower_quartile": quartiles[0],
            "upper_quartile": quartiles[2], "least": min(values), "most": max(values),
            "values": values}


def processor():
    """Model of the processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def write_plain(source, target):
    """Copies a snapshot without its compression."""
    with open(source, "rb") as file:
        start = file.read(6)
    opener = {b"\x1f\x8b": gzip.open, b"\xfd7": lzma.open}.get(start[:2], open)
    with opener(source, "rb") as plain, open(target, "wb") as out:
        shutil.copyfileobj(plain, out, 1 << 20)
    with open(target, "rb") as file:
        if file.read(1) != b"\x80":
            raise Failed("%s is no pickle, plain or of gzip or xz" % source)


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


class Comparison:
    """All that is measured."""

    def __init__(self, work, bundle, snapshots):
        self.work = work
        self.rounds = int(os.environ.get("ROUNDS", "3"))
        self.samples = os.environ.get("SAMPLES", "5")
        self.failed = {}
        self.values = {}
        self.facts = {}
        self.traces = {}
        self.machine = {"cpu": processor(), "cores": len(os.sched_getaffinity(0)),
                        "system": platform.system() + " " + platform.machine(),
                        "python": platform.python_version()}
        self.allocsim = self.part("bundle", self.unpack, bundle)
        for snapshot in snapshots:
            name = os.path.basename(snapshot).split(".pickle")[0]
            if self.part("prepare/" + name, self.prepare, name, snapshot):
                self.traces[name] = snapshot
        self.driver = self.part("compile", compile_driver, work)
        if self.driver:
            import torch
            self.machine["pytorch"] = torch.__version__
            self.machine["gpu"] = torch.cuda.get_device_name(0) if torch.cuda.is_available() else ""

    def part(self, name, work, *arguments):
        """What a piece of work returns; None, and a reason kept, where it fails."""
        try:
            return work(*arguments)
        except (Failed, OSError, ValueError, KeyError, EOFError, lzma.LZMAError, tarfile.TarError,
                pickle.UnpicklingError, RuntimeError) as error:
            reason = str(error) or type(error).__name__
            self.failed.setdefault(name, reason)
            print("failed: %s: %s" % (name, reason), file=sys.stderr, flush=True)
            return None

    def unpack(self, bundle):
        with tarfile.open(bundle) as archive:
            archive.extractall(self.work)
        program = os.path.join(self.work, "allocsim", "allocsim")
        run([program, "--version"])
        return program

    def prepare(self, name, snapshot):
        plain = os.path.join(self.work, name + ".pickle")
        write_plain(snapshot, plain)
        if self.allocsim:
            run([self.allocsim, "convert", plain, "-o", os.path.join(self.work, name + ".jsonl")])
        return plain

    def keep(self, key, values, **facts):
        self.values.setdefault(key, []).extend(values)
        self.facts[key] = facts

    def torch(self, name, conf):
        environment = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=conf)
        found = json.loads(run(
            [self.driver, self.samples, os.path.join(self.work, name + ".jsonl")],
            env=environment))
        self.keep(("pytorch", name, conf, "ns_per_request"), found["ns_per_request"],
                  requests_per_pass=found["requests_per_pass"], passes=found["passes"],
                  ignored=found["ignored"], failed=found["failed"])

    def replay(self, name):
        out = os.path.join(self.work, "bench.json")
        run([self.allocsim, "bench", "--only", "replay,read", "--runs", "1", "--trace",
             os.path.join(self.work, name + ".pickle"), "--json", out])
        with open(out, encoding="utf-8") as file:
            found = json.load(file)
        self.machine["jdk"] = found["machine"]["jdk"]
        for each in found["measurements"]:
            nanos = each["ns_per_event"]["values"]
            if each["id"].startswith("replay/"):
                conf = CONFS[1] if "expandable" in each["id"] else CONFS[0]
                ratio = each["ns_per_request"] / each["ns_per_event"]["median"]
                self.keep(("allocsim", name, conf, "ns_per_event"), nanos,
                          cpu_share=each["cpu_share"],
                          allocated_bytes_per_event=each["allocated_bytes_per_event"])
                self.keep(("allocsim", name, conf, "ns_per_request"),
                          [value * ratio for value in nanos])
            else:
                kind = each["id"].split("/", 1)[0]
                compression = each["id"].rsplit("/", 1)[1] if kind == "read" else "none"
                self.keep(("allocsim " + kind, name, compression, "ns_per_event"), nanos,
                          bytes_per_second=each["plain_bytes_per_second"])

    def unpickle(self, name):
        plain = os.path.join(self.work, name + ".pickle")
        found = json.loads(run([sys.executable, "-c", LOADER, plain, str(PICKLE_LOADS)]))
        size = os.path.getsize(plain)
        nanos = [1e9 * each / found["events"] for each in found["seconds"]]
        self.keep(("pickle.load", name, "none", "ns_per_event"), nanos, bytes=size,
                  events=found["events"],
                  bytes_per_second=size / statistics.median(found["seconds"]))

    def measure(self, deadline):
        for number in range(self.rounds):
            if time.monotonic() > deadline:
                self.failed["round %d" % (number + 1)] = "the time was up before it began"
                return
            for name in self.traces:
                for conf in CONFS:
                    if self.driver and self.allocsim:
                        self.part("pytorch/%s/%s" % (name, conf), self.torch, name, conf)
                if self.allocsim:
                    self.part("allocsim/" + name, self.replay, name)
                self.part("pickle/" + name, self.unpickle, name)
            print("round %d of %d done" % (number + 1, self.rounds), file=sys.stderr, flush=True)

    def result(self):
        rows = []
        for key, values in self.values.items():
            what, trace, setting, unit = key
            rows.append({"what": what, "trace": trace, "setting": setting, "unit": unit,
                         "samples": spread(values), **self.facts[key]})
        return {"schema": SCHEMA, "machine": self.machine, "rounds": self.rounds,
                "measurements": rows, "failed": self.failed}


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    bundle, out, snapshots = arguments[0], arguments[1], arguments[2:]
    for name in [bundle] + snapshots:
        if not os.path.isfile(name):
            print("beside_pytorch: %s: no such file" % name, file=sys.stderr)
            return 1
    deadline = time.monotonic() + float(os.environ.get("SECONDS_LEFT", "270"))
    work = tempfile.mkdtemp(prefix="beside-")
    try:
        comparison = Comparison(work, bundle, snapshots)
        comparison.measure(deadline)
        result = comparison.result()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    for row in result["measurements"]:
        samples = row["samples"]
        print("%-16s %-20s %-26s %9.1f %s  (%.1f to %.1f)" % (
            row["what"], row["trace"], row["setting"], samples["median"], row["unit"],
            samples["lower_quartile"], samples["upper_quartile"]))
    return 0 if result["measurements"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
