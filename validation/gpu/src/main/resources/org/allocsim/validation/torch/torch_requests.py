"""Sends recorded requests to PyTorch's caching allocator and saves what it did.

usage: torch_requests.py CASES JOBS SECONDS GPU PER_PROCESS STOP_AFTER

At most JOBS processes run side by side, each serves up to PER_PROCESS cases one after the other
while it can be emptied completely in between. A case may take SECONDS; none begins later than
STOP_AFTER seconds from the start (0: no such limit). CASES holds one JSON object a line: id, requests (file), out (prefix of the files to write), limit
(bytes, -1 for none), streams (1 for each stream beside the default one, 0 for that), spare (number
of further streams), holds (whether uses on other streams end later than the next request).
Requests are lines:

  a ID BYTES STREAM POOL   allocate        f ID           free
  u ID STREAM              use on a stream (-1: on a spare one)
  c ID STREAM              that use has finished (-1: all uses)
  s                        wait for the device
  w STREAM                 wait for a stream
  e                        empty the cache
  p POOL                   give a pool up
  n                        take a snapshot

Standard output gets one JSON object a line: first what there is, then one for each finished case,
at last how many were not begun. Processes are forked before CUDA is touched: fresh addresses and
streams, without importing PyTorch again.
"""

import collections
import json
import mmap
import os
import pickle
import signal
import struct
import sys
import threading
import time

os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")


def say(value):
    """One line in one write, so that lines of several processes do not mix."""
    os.write(1, (json.dumps(value) + "\n").encode())


def fraction_of(limit, total):
    """A fraction that PyTorch turns into exactly this limit."""
    import math

    fraction = limit / total
    for _ in range(64):
        found = int(fraction * total)
        if found == limit:
            return fraction
        fraction = math.nextafter(fraction, 2.0 if found < limit else 0.0)
    raise ValueError("no memory fraction of %d bytes gives a limit of %d bytes" % (total, limit))


MAX_STREAMS = 65


def on_stand_in():
    """Whether the stand-in takes the place of a GPU."""
    import ctypes

    return hasattr(ctypes.CDLL(None), "standin_hold")


class Holds:
    """Keeps streams from going on, so that events on them finish when the requests say so.

    A stream waits for a number in host memory to grow (cuStreamWaitValue32); each free of a block
    with unfinished uses queues such a wait before PyTorch's event. Nothing runs on the GPU.
    """

    STALL_SECONDS = 0.1

    def __init__(self, torch):
        import ctypes

        self.torch = torch
        self.ctypes = ctypes
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.page = mmap.mmap(-1, 4096)
        self.values = (ctypes.c_uint32 * 1024).from_buffer(self.page)
        host = ctypes.c_void_p(ctypes.addressof(self.values))
        self.check(self.driver.cuMemHostRegister_v2(host, ctypes.c_size_t(4096), 2))
        self.device = ctypes.c_uint64()
        self.check(
            self.driver.cuMemHostGetDevicePointer_v2(ctypes.byref(self.device), host, 0)
        )
        self.tickets = [0] * MAX_STREAMS
        self.queues = [collections.deque() for _ in range(MAX_STREAMS)]
        self.busy_since = None
        self.forced = 0
        self.before = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.watch, daemon=True).start()

    @staticmethod
    def check(code):
        if code != 0:
            raise RuntimeError("the driver cannot make streams wait (error %d)" % code)

    def hold(self, number, stream):
        self.tickets[number] += 1
        self.check(
            self.driver.cuStreamWaitValue32_v2(
                self.ctypes.c_void_p(stream.cuda_stream),
                self.ctypes.c_uint64(self.device.value + 4 * number),
                self.ctypes.c_uint32(self.tickets[number]),
                0,
            )
        )
        return self.tickets[number]

    def release(self, number):
        """Lets a stream run up to its first unfinished use, and waits until it has."""
        queue = self.queues[number]
        last = None
        while queue and queue[0]["done"]:
            last = queue.popleft()
        if last is not None:
            if last["ticket"] > self.values[number]:
                self.values[number] = last["ticket"]
            last["event"].synchronize()

    def release_all(self):
        for number, queue in enumerate(self.queues):
            for entry in queue:
                entry["done"] = True
            self.release(number)

    def watch(self):
        """What waits for the device inside the allocator must not wait for ever."""
        while True:
            time.sleep(0.01)
            with self.lock:
                since = self.busy_since
                if since is not None and time.monotonic() - since > self.STALL_SECONDS:
                    self.forced += 1
                    self.busy_since = None
                    for number, ticket in enumerate(self.tickets):
                        self.values[number] = ticket

    def __enter__(self):
        with self.lock:
            self.busy_since = time.monotonic()
            self.before = self.forced

    def __exit__(self, *_):
        with self.lock:
            self.busy_since = None
        if self.forced != self.before:
            self.release_all()


class StandInHolds(Holds):
    """The same on the stand-in for a GPU, where work ends when it is said to."""

    def __init__(self, torch):
        import ctypes

        self.torch = torch
        self.library = ctypes.CDLL(None)
        self.library.standin_hold(1)
        self.tickets = [0] * MAX_STREAMS
        self.values = [0] * MAX_STREAMS
        self.queues = [collections.deque() for _ in range(MAX_STREAMS)]
        self.forced = 0
        self.before = 0

    def hold(self, number, stream):
        self.tickets[number] += 1
        return self.tickets[number]

    def __enter__(self):
        self.before = self.forced
        self.waits = self.library.standin_waits()

    def __exit__(self, *_):
        if self.library.standin_waits() != self.waits:
            self.forced += 1
            self.release_all()


class Process:
    """What cases of one process share: the GPU, streams, and the means to hold them."""

    def __init__(self, torch, gpu):
        self.torch = torch
        torch.cuda.init()
        torch.cuda.set_device(gpu)
        self.device = torch.device("cuda", gpu)
        self.made = []
        self.holds = None
        self.served = 0

    def streams(self, others, spare):
        """Different streams beside the default one, by ascending handle."""
        wanted = others + spare
        for priority in (0, -1):
            while len(self.made) < min(wanted, 32 * (1 - priority)):
                self.made.append(self.torch.cuda.Stream(priority=priority))
        chosen = sorted(self.made[:wanted], key=lambda stream: stream.cuda_stream)
        if len({stream.cuda_stream for stream in chosen}) < wanted:
            raise RuntimeError("PyTorch has no %d different streams" % wanted)
        return chosen

    def holding(self):
        if self.holds is None:
            kind = StandInHolds if on_stand_in() else Holds
            self.holds = kind(self.torch)
        return self.holds

    def clear(self):
        """Back to the state of a fresh process; tells whether the allocator is empty."""
        torch = self.torch
        if self.holds:
            self.holds.release_all()
        torch.cuda.synchronize()
        torch.cuda.set_stream(torch.cuda.default_stream())
        torch.cuda.empty_cache()
        torch.cuda.memory._record_memory_history(None)
        torch.cuda.set_per_process_memory_fraction(1.0)
        torch.cuda.reset_accumulated_memory_stats()
        torch.cuda.reset_peak_memory_stats()
        left = torch.cuda.memory_stats()
        return not torch.cuda.memory_snapshot() and not any(
            value for key, value in left.items() if key != "max_split_size"
        )


class Case:
    def __init__(self, process, job):
        torch = process.torch
        self.process = process
        self.torch = torch
        self.job = job
        self.device = process.device
        self.holds = process.holding() if job["holds"] else None
        self.forced = []
        self.make_streams()
        self.free_at_start, self.total = torch.cuda.mem_get_info()
        self.fraction = None
        if job["limit"] >= 0:
            self.fraction = fraction_of(job["limit"], self.total)
            torch.cuda.set_per_process_memory_fraction(self.fraction)
        torch.cuda.memory._record_memory_history(max_entries=100_000_000, context=None)
        self.live = {}
        self.own = {}
        self.uses = {}
        self.pools = {}
        self.oom = []

    def make_streams(self):
        wanted = self.job["streams"]
        chosen = iter(self.process.streams(sum(wanted), self.job["spare"]))
        # The default stream comes first, as its handle is the least.
        default = self.torch.cuda.default_stream()
        self.streams = [next(chosen) if other else default for other in wanted]
        self.first_spare = len(self.streams)
        self.streams += list(chosen)
        self.selected = None

    def select(self, number):
        if self.selected != number:
            self.torch.cuda.set_stream(self.streams[number])
            self.selected = number

    def allocate(self, number, size, stream, pool):
        torch = self.torch
        self.select(stream)
        self.own[number] = stream
        try:
            if pool:
                if pool not in self.pools:
                    self.pools[pool] = torch.cuda.MemPool()
                with torch.cuda.use_mem_pool(self.pools[pool]):
                    self.live[number] = torch.empty(size, dtype=torch.uint8, device=self.device)
            else:
                self.live[number] = torch.empty(size, dtype=torch.uint8, device=self.device)
        except torch.cuda.OutOfMemoryError as error:
            self.oom.append([number, str(error).split("\n")[0]])

    def spare(self):
        for number in range(self.first_spare, len(self.streams)):
            if not self.holds.queues[number] and not any(
                number in uses for uses in self.uses.values()
            ):
                return number
        raise RuntimeError("more uses on unknown streams at a time than there are streams")

    def use(self, number, stream):
        if number not in self.live:
            return
        if stream < 0:
            stream = self.spare() if self.holds else self.first_spare
        if stream == self.own[number]:
            return
        self.live[number].record_stream(self.streams[stream])
        self.uses.setdefault(number, {})[stream] = {"done": False}

    def free(self, number):
        uses = self.uses.get(number)
        if uses and self.holds:
            for stream, use in uses.items():
                use["ticket"] = (
                    self.holds.tickets[stream]
                    if use["done"]
                    else self.holds.hold(stream, self.streams[stream])
                )
        self.live.pop(number, None)
        if not uses:
            return
        if not self.holds:
            for stream in uses:
                self.streams[stream].synchronize()
            del self.uses[number]
            return
        for stream, use in uses.items():
            use["event"] = self.torch.cuda.Event()
            use["event"].record(self.streams[stream])
            self.holds.queues[stream].append(use)
            self.holds.release(stream)
        if all(use["done"] for use in uses.values()):
            del self.uses[number]

    def complete(self, number, stream):
        uses = self.uses.get(number)
        if not uses or not self.holds:
            return
        for used, use in list(uses.items()):
            if stream in (-1, used):
                use["done"] = True
                self.holds.release(used)
        if number not in self.live and all(use["done"] for use in uses.values()):
            del self.uses[number]

    def synchronize(self):
        if self.holds:
            for uses in self.uses.values():
                for use in uses.values():
                    use["done"] = True
            self.holds.release_all()
            self.uses = {number: uses for number, uses in self.uses.items() if number in self.live}
        self.torch.cuda.synchronize()

    def wait(self, stream):
        if not self.holds or not self.holds.queues[stream]:
            self.streams[stream].synchronize()

    def empty_cache(self):
        if self.holds:
            self.holds.release_all()
        self.torch.cuda.empty_cache()

    def run(self):
        done = 0
        with open(self.job["requests"], encoding="ascii") as requests:
            for line in requests:
                words = line.split()
                kind = words[0]
                values = [int(word) for word in words[1:]]
                done += 1
                if kind == "a" and self.holds:
                    with self.holds:
                        self.allocate(*values)
                    if self.holds.forced != self.holds.before:
                        self.forced.append(values[0])
                elif kind == "a":
                    self.allocate(*values)
                elif kind == "f":
                    self.free(*values)
                elif kind == "u":
                    self.use(*values)
                elif kind == "c":
                    self.complete(*values)
                elif kind == "s":
                    self.synchronize()
                elif kind == "w":
                    self.wait(*values)
                elif kind == "e":
                    self.empty_cache()
                elif kind == "p":
                    self.pools.pop(values[0], None)
                elif kind == "n":
                    self.torch.cuda.memory._snapshot()
                else:
                    raise ValueError("line %d: unknown request %r" % (done, kind))
        return done

    def save(self, requests):
        torch = self.torch
        stats = {
            key: value for key, value in torch.cuda.memory_stats().items() if type(value) is int
        }
        snapshot = torch.cuda.memory._snapshot()
        side = {
            "torch": torch.__version__,
            "device": torch.cuda.get_device_name(),
            "total_bytes": self.total,
            "free_bytes_at_start": self.free_at_start,
            "limit_bytes": self.job["limit"],
            "fraction": self.fraction,
            "conf": os.environ.get("PYTORCH_CUDA_ALLOC_CONF", ""),
            "requests": requests,
            "streams": [stream.cuda_stream for stream in self.streams[: self.first_spare]],
            "makes_streams": bool(self.process.made),
            "cases_before": self.process.served,
            "forced": self.forced,
            "oom": self.oom,
            "stats": stats,
        }
        with open(self.job["out"] + ".pickle", "wb") as out:
            pickle.dump(snapshot, out)
        with open(self.job["out"] + ".json", "w", encoding="utf-8") as out:
            json.dump(side, out)


def sentence(error):
    text = str(error).strip().split("\n")[0] or type(error).__name__
    return text[:300]


def child(torch, jobs, gpu, seconds, deadline, progress):
    """Serves cases until one fails or leaves something behind; exit codes: 0, 2, 1."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    done = 0
    try:
        signal.alarm(seconds)
        process = Process(torch, gpu)
        for job in jobs:
            if deadline and time.monotonic() > deadline:
                break
            signal.alarm(seconds)
            case = Case(process, job)
            case.save(case.run())
            process.served += 1
            done += 1
            struct.pack_into("i", progress, 0, done)
            say({"id": job["id"]})
            if process.holds:
                # Pools that go wait for their uses.
                process.holds.release_all()
            del case
            if done < len(jobs) and not process.clear():
                break
        if process.holds:
            process.holds.release_all()
    except BaseException as error:
        if done < len(jobs):
            with open(jobs[done]["out"] + ".error", "w", encoding="utf-8") as out:
                out.write(sentence(error))
            os._exit(1)
    # Nothing is to run any more: blocks, pools and streams go with the process.
    os._exit(0)


def probe(torch, gpu):
    """What a process sees, found out in a child so that this one stays free of CUDA."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            torch.cuda.init()
            name = torch.cuda.get_device_name(gpu)
            free, total = torch.cuda.mem_get_info(gpu)
            found = {
                "device": name,
                "total_bytes": total,
                "free_bytes": free,
                "cuda": torch.version.cuda,
            }
        except BaseException as error:
            found = {
                "error": "PyTorch finds no usable GPU: " + sentence(error),
                "no_gpu": True,
                "cuda": torch.version.cuda,
            }
        os.write(writing, json.dumps(found).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else {"error": "PyTorch ended when it looked for the GPU"}


def main():
    cases = sys.argv[1]
    jobs, seconds, gpu, per_process, stop_after = (int(word) for word in sys.argv[2:7])
    deadline = time.monotonic() + stop_after if stop_after else None
    try:
        import torch
    except ImportError as error:
        say({"error": "Python has no usable PyTorch: " + sentence(error)})
        return 1
    found = probe(torch, gpu)
    found["torch"] = torch.__version__
    say(found)
    if "error" in found:
        return 1
    with open(cases, encoding="utf-8") as lines:
        waiting = collections.deque(json.loads(line) for line in lines)
    running = {}

    def reap():
        pid, status = os.waitpid(-1, 0)
        batch, progress = running.pop(pid)
        (done,) = struct.unpack_from("i", progress, 0)
        rest = batch[done:]
        if rest and (os.WIFSIGNALED(status) or os.WEXITSTATUS(status) != 0):
            job = rest.pop(0)
            if os.WIFSIGNALED(status):
                number = os.WTERMSIG(status)
                reason = (
                    "it took more than %d seconds" % seconds
                    if number == signal.SIGALRM
                    else "its process was ended by signal %d" % number
                )
            else:
                with open(job["out"] + ".error", encoding="utf-8") as text:
                    reason = text.read()
            say({"id": job["id"], "error": reason})
        waiting.extendleft(reversed(rest))

    def in_time():
        return not deadline or time.monotonic() < deadline

    while waiting or running:
        while waiting and len(running) < jobs and in_time():
            share = max(1, min(per_process, len(waiting) // jobs))
            batch = [waiting.popleft() for _ in range(share)]
            progress = mmap.mmap(-1, 4096)
            pid = os.fork()
            if pid == 0:
                child(torch, batch, gpu, seconds, deadline, progress)
            running[pid] = (batch, progress)
        if not running:
            break
        reap()
    say({"not_begun": len(waiting)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
