"""Sends sequences of calls to PyTorch's caching allocator on the stand-in for a GPU.

usage: torch_calls.py SEQUENCES JOBS SECONDS OUT

SEQUENCES has for each sequence a line

  sequence ID CAPACITY FRACTION ASCENDING STREAMS CALLS CONF

(FRACTION is - for none; CONF may be empty, and has several settings with | between them where calls change them) and CALLS lines "KIND ID BYTES STREAM"; the kinds are those of
AllocatorCall. JOBS processes run side by side, each sequence in a process of its own, for at most SECONDS.
The file OUT/ID gets what happened: "e KIND ADDRESS BYTES STREAM" for each event, "s KEY VALUE" for each
statistic, "m TEXT" for each message about memory, "x TEXT" where PyTorch failed otherwise. Standard output
gets "torch VERSION", then "done ID" or "failed ID TEXT" for each sequence.
"""

import ctypes
import os
import signal
import sys

ACTIONS = [
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "oom",
]


def say(text):
    os.write(1, (text + "\n").encode())


def sentence(error):
    return (str(error).strip().split("\n")[0] or type(error).__name__)[:300]


class Sequence:
    def __init__(self, torch, head, calls):
        self.number, capacity, fraction, ascending, streams, _, confs = head
        self.confs = confs.split("|")
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = self.confs[0]
        self.torch = torch
        self.library = ctypes.CDLL(None)
        self.submitted = self.library.standin_submitted
        self.submitted.restype = ctypes.c_uint64
        self.submitted.argtypes = [ctypes.c_void_p]
        self.complete_to = self.library.standin_complete
        self.complete_to.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
        self.library.standin_memory(ctypes.c_uint64(int(capacity)))
        self.library.standin_ascend_every(int(ascending))
        self.library.standin_hold(1)
        torch.cuda.init()
        made = [torch.cuda.Stream() for _ in range(int(streams) - 1)]
        self.streams = [torch.cuda.default_stream()] + sorted(made, key=lambda s: s.cuda_stream)
        self.handles = [stream.cuda_stream for stream in self.streams]
        if len(set(self.handles)) < int(streams):
            raise RuntimeError("PyTorch has no %s different streams" % streams)
        if fraction != "-":
            torch.cuda.set_per_process_memory_fraction(float(fraction))
        torch.cuda.memory._record_memory_history(max_entries=100_000_000, context=None)
        self.calls = calls
        self.live = {}
        self.uses = {}
        self.tickets = {}
        self.pools = {}
        self.graphs = {}
        self.current = 0
        self.captured = None
        self.routes = 0
        self.routes_capture = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 13)
        self.deferred = []
        self.messages = []

    def run(self):
        torch = self.torch
        empty = torch.empty
        byte = torch.uint8
        for line in self.calls:
            kind, first, size, stream = line.split()
            number = int(first)
            stream = int(stream)
            if kind == "a":
                if stream != self.current:
                    torch.cuda.set_stream(self.streams[stream])
                    self.current = stream
                try:
                    self.live[number] = empty(int(size), dtype=byte, device="cuda")
                except torch.cuda.OutOfMemoryError as error:
                    self.messages.append(str(error).split("\n")[0])
                self.submit_deferred()
            elif kind == "f":
                if self.live.pop(number, None) is not None:
                    for used in self.uses.pop(number, ()):
                        if not self.captures():
                            self.tickets[number, used] = self.submitted(self.handles[used])
                        else:
                            self.deferred.append((number, used))
            elif kind == "r":
                if number in self.live:
                    self.live[number].record_stream(self.streams[stream])
                    self.uses.setdefault(number, []).append(stream)
            elif kind == "c":
                ticket = self.tickets.get((number, stream))
                if ticket is not None:
                    self.complete_to(self.handles[stream], ticket)
            elif kind == "e":
                torch.cuda.empty_cache()
                self.submit_deferred()
            elif kind == "l":
                torch.cuda.set_per_process_memory_fraction(int(size) / 1e6)
            elif kind == "s":
                self.change(self.confs[number])
            elif kind in "GgD":
                self.capture(kind, number, stream)
            else:
                self.pool(kind, number)

    def change(self, conf):
        api = self.torch._C
        if hasattr(api, "_accelerator_setAllocatorSettings"):
            api._accelerator_setAllocatorSettings(conf)
        else:
            api._cuda_cudaCachingAllocator_set_allocator_settings(conf)

    def captures(self):
        """Whether a call is made in a capture. Before 2.13, routing to a pool counts as one."""
        return self.routes > 0 if self.routes_capture else self.captured == self.current

    def submit_deferred(self):
        """Frees in a capture wait for its end, and for the next call that looks for finished uses."""
        if self.deferred and not self.captures():
            for number, used in self.deferred:
                self.tickets[number, used] = self.submitted(self.handles[used])
            self.deferred = []

    def capture(self, kind, number, stream):
        graphs = self.graphs.setdefault(number, [])
        if kind == "G":
            graph = self.torch.cuda.CUDAGraph()
            with self.torch.cuda.stream(self.streams[stream]):
                shared = {"pool": graphs[0].pool()} if graphs else {}
                graph.capture_begin(capture_error_mode="relaxed", **shared)
            graphs.append(graph)
            self.captured = stream
            self.routes += 1
        elif kind == "g":
            with self.torch.cuda.stream(self.streams[stream]):
                graphs[-1].capture_end()
            self.captured = None
            self.routes -= 1
        else:
            del graphs[0]

    def pool(self, kind, number):
        torch = self.torch
        api = torch._C
        if kind in "mun":
            options = {"u": {"use_on_oom": True}, "n": {"no_split": True}}
            self.pools[number] = torch.cuda.MemPool(**options.get(kind, {}))
        elif kind == "P":
            api._cuda_beginAllocateCurrentThreadToPool(0, self.pools[number].id)
            self.routes += 1
        elif kind == "p":
            api._cuda_endAllocateToPool(0, self.pools[number].id)
            api._cuda_releasePool(0, self.pools[number].id)
            self.routes -= 1
        elif kind == "R":
            del self.pools[number]
            self.submit_deferred()
        else:
            raise ValueError("unknown call %r" % kind)

    def save(self, out, failure):
        torch = self.torch
        trace = torch.cuda.memory._snapshot()["device_traces"][0]
        code = {action: index for index, action in enumerate(ACTIONS)}
        number = {handle: index for index, handle in enumerate(self.handles)}
        lines = []
        for entry in trace:
            action = entry["action"]
            if action not in code:
                continue
            address = entry["device_free"] if action == "oom" else entry["addr"]
            lines.append("e %d %d %d %d" % (code[action], address, entry["size"], number[entry["stream"]]))
        for key, value in torch.cuda.memory_stats().items():
            if type(value) is int:
                lines.append("s %s %d" % (key, value))
        lines += ["m " + text for text in self.messages]
        if failure:
            lines.append("x " + failure)
        with open(out, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def child(torch, head, calls, seconds, out):
    signal.alarm(seconds)
    try:
        sequence = Sequence(torch, head, calls)
        failure = None
        try:
            sequence.run()
        except RuntimeError as error:
            failure = sentence(error)
        sequence.save(out, failure)
        os._exit(0)
    except BaseException as error:
        say("failed %s %s" % (head[0], sentence(error)))
        os._exit(1)


def sequences(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.rstrip("\n").split(" ", 7)[1:]
            yield words, [next(lines) for _ in range(int(words[5]))]


def main():
    path, jobs, seconds, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    # PyTorch warns of every request that the device refuses.
    os.environ["TORCH_CPP_LOG_LEVEL"] = "ERROR"
    try:
        import torch
    except ImportError as error:
        say("missing Python has no usable PyTorch: " + sentence(error))
        return 1
    if torch.version.cuda is None:
        say("missing this PyTorch was built without CUDA")
        return 1
    say("torch " + torch.__version__)
    running = {}

    def reap():
        pid, status = os.waitpid(-1, 0)
        number = running.pop(pid)
        if os.WIFSIGNALED(status):
            crashed = os.WTERMSIG(status) in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)
            reason = "its process crashed" if crashed else "its process was ended"
            say("failed %s %s by signal %d" % (number, reason, os.WTERMSIG(status)))
        elif os.WEXITSTATUS(status) == 0:
            say("done " + number)

    for head, calls in sequences(path):
        while len(running) >= jobs:
            reap()
        pid = os.fork()
        if pid == 0:
            child(torch, head, calls, seconds, os.path.join(out, head[0]))
        running[pid] = head[0]
    while running:
        reap()
    return 0


if __name__ == "__main__":
    sys.exit(main())
