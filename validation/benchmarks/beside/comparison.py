"""What the programs beside this file share: rounds of parts that may fail, and their results.

A program measures everything once in each round, so that what disturbs the machine disturbs all;
its file holds all values, their medians and quartiles, and says of each part that failed why.
A row may have "times" beside its "samples": how many times longer the other program took than this
one in each pair of samples that were measured in turns, in their order, with median and quartiles.

environment: ROUNDS (3), SAMPLES (5, unless a program says otherwise) of each program in a round,
SECONDS_LEFT (270, or what a program says) after which nothing more is begun
"""

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
        raise exited(command, done.returncode, done.stderr or done.stdout)
    return done.stdout


def exited(command, code, printed):
    """What a program that ended with an exit code printed about it, in one line."""
    lines = printed.strip().splitlines()
    errors = [line for line in lines if "error" in line.lower()] or lines or ["no message"]
    return Failed("%s: exit code %d: %s" % (os.path.basename(command[0]), code, errors[0][:400]))


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


def nanos_per_request(measurement):
    """Samples of a measurement of 'allocsim bench', which are per event."""
    ratio = measurement["nanos_per_request"] / measurement["nanos_per_event"]["median"]
    return [value * ratio for value in measurement["nanos_per_event"]["values"]]


class Comparison:
    """Parts that are measured in rounds; a subclass says which in parts."""

    def __init__(self, work, bundle, snapshots, samples="5", seconds="270"):
        self.work = work
        self.rounds = int(os.environ.get("ROUNDS", "3"))
        self.samples = os.environ.get("SAMPLES", samples)
        self.deadline = time.monotonic() + float(os.environ.get("SECONDS_LEFT", seconds))
        self.failed = {}
        self.rows = {}
        self.machine = {"cpu": processor(), "cores": len(os.sched_getaffinity(0)),
                        "system": platform.system() + " " + platform.machine(),
                        "python": platform.python_version()}
        self.allocsim = self.part("bundle", self.unpack, bundle)
        names = [os.path.basename(snapshot).split(".pickle")[0] for snapshot in snapshots]
        self.traces = [name for name, snapshot in zip(names, snapshots)
                       if self.part("prepare/" + name, self.prepare, name, snapshot)]

    def parts(self, trace):
        """What is measured in a round: a name, a function and its arguments each."""
        raise NotImplementedError

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
        plain = self.snapshot(name)
        write_plain(snapshot, plain)
        if self.allocsim:
            run([self.allocsim, "convert", plain, "-o", self.requests(name)])
        return plain

    def snapshot(self, trace):
        """The file of a trace that has been prepared."""
        return os.path.join(self.work, trace + ".pickle")

    def requests(self, trace):
        """The file of its requests, in allocsim's own lines."""
        return os.path.join(self.work, trace + ".jsonl")

    def bench(self, trace, *options):
        """What 'allocsim bench' measures of a trace."""
        out = os.path.join(self.work, "bench.json")
        run([self.allocsim, "bench", *options, "--runs", "1", "--trace", self.snapshot(trace),
             "--json", out])
        with open(out, encoding="utf-8") as file:
            found = json.load(file)
        self.machine["jdk"] = found["machine"]["jdk"]
        return found["measurements"]

    def keep(self, key, values, facts, times=()):
        """Adds samples to a row; the key names it, the facts of the latest round stand in it.

        Where each sample has one of another program to compare with, times are their ratios.
        """
        row = self.rows.setdefault(tuple(key.items()), {"values": [], "times": []})
        row["values"] += values
        row["times"] += times
        row["facts"] = facts

    def measure(self):
        for number in range(self.rounds):
            for trace in self.traces:
                for name, work, *arguments in self.parts(trace):
                    if time.monotonic() > self.deadline:
                        self.failed["round %d" % (number + 1)] = "the time was up in it"
                        return
                    self.part(name, work, *arguments)
            print("round %d of %d done" % (number + 1, self.rounds), file=sys.stderr, flush=True)

    def result(self):
        rows = [{**dict(key), "samples": spread(row["values"]),
                 **({"times": spread(row["times"])} if row["times"] else {}), **row["facts"]}
                for key, row in self.rows.items()]
        return {"schema": SCHEMA, "machine": self.machine, "rounds": self.rounds,
                "measurements": rows, "failed": self.failed}


def compare(program, usage, comparison, arguments):
    """Runs a comparison as a program: BUNDLE.tgz OUT.json SNAPSHOT..."""
    if len(arguments) < 3:
        print(usage, file=sys.stderr)
        return 2
    bundle, out, snapshots = arguments[0], arguments[1], arguments[2:]
    for name in [bundle] + snapshots:
        if not os.path.isfile(name):
            print("%s: %s: no such file" % (program, name), file=sys.stderr)
            return 1
    work = tempfile.mkdtemp(prefix="beside-")
    try:
        made = comparison(work, bundle, snapshots)
        made.measure()
        result = made.result()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    for row in result["measurements"]:
        samples = row["samples"]
        label = "  ".join(row[key] for key in ("what", "policy", "trace", "setting") if row.get(key))
        print("%-80s %10.1f %s  (%.1f to %.1f)" % (
            label, samples["median"], row["unit"], samples["lower_quartile"],
            samples["upper_quartile"]))
        if "times" in row:
            print("%-80s %10.1f times (%.1f to %.1f)" % (
                "", row["times"]["median"], row["times"]["lower_quartile"],
                row["times"]["upper_quartile"]))
    return 0 if result["measurements"] else 1
