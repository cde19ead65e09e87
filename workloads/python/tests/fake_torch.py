"""Just enough of torch to see what the recorder asks of it, without a GPU."""

from __future__ import annotations

import sys
import types


class OutOfMemoryError(RuntimeError):
    pass


class Tensor:
    def record_stream(self, stream):
        return None


class Device:
    """An allocator that counts, and keeps a history as PyTorch does."""

    def __init__(self):
        self.history = []
        self.recording = False
        self.counts = dict(allocated=0, freed=0, completed=0, ooms=0)
        self.fraction = 1.0

    def allocate(self, size):
        self.counts["allocated"] += 1
        self._note("alloc", size)

    def free(self, size):
        self.counts["freed"] += 1
        self.counts["completed"] += 1
        self._note("free_requested", size)
        self._note("free_completed", size)

    def _note(self, action, size):
        if self.recording:
            self.history.append(
                {"action": action, "addr": 1, "size": size, "stream": 0, "time_us": 1, "frames": []}
            )


class Graph:
    captured = False

    def pool(self):
        if not self.captured:
            raise RuntimeError("no capture ended")
        return (7, 0)

    def capture_begin(self):
        pass

    def capture_end(self):
        self.captured = True

    def reset(self):
        pass


class MemPool:
    id = (0, 3)

    def __init__(self):
        pass


def install():
    """Puts the module into ``sys.modules`` and returns it with its device."""
    device = Device()
    torch = types.ModuleType("torch")
    torch.__version__ = "2.11.0+cu130"
    torch.version = types.SimpleNamespace(cuda="13.0", hip=None)
    torch.backends = types.SimpleNamespace(cuda=types.SimpleNamespace(is_built=lambda: True))
    torch.Tensor = Tensor
    native = types.ModuleType("torch._C")
    native._cuda_memoryStats = lambda number: {
        "allocation": {"all": {"allocated": device.counts["allocated"], "freed": device.counts["freed"]}},
        "active": {"all": {"freed": device.counts["completed"]}},
        "num_ooms": device.counts["ooms"],
    }
    native._cuda_emptyCache = lambda: None
    native._cuda_setMemoryFraction = lambda fraction, number: setattr(device, "fraction", fraction)
    native._cuda_getMemoryFraction = lambda number: device.fraction
    native._cuda_memorySnapshot = lambda pool: {"segments": [], "device_traces": [list(device.history)]}
    native._cuda_beginAllocateCurrentThreadToPool = lambda number, pool: None
    native._cuda_endAllocateToPool = lambda number, pool: None
    native._cuda_releasePool = lambda number, pool: None
    observers = []
    native._cuda_attach_out_of_memory_observer = observers.append
    native.observers = observers
    cuda = types.ModuleType("torch.cuda")
    memory = types.ModuleType("torch.cuda.memory")

    def record(enabled="all", **options):
        device.recording = enabled is not None

    memory._record_memory_history_impl = record
    memory._record_memory_history = record
    memory.mem_get_info = cuda.mem_get_info = lambda number=0: (10, 20)
    memory._cuda_endAllocateToPool = native._cuda_endAllocateToPool
    cuda.CUDAGraph = type("CUDAGraph", (Graph,), {})
    cuda.MemPool = type("MemPool", (MemPool,), {"__init__": MemPool.__init__})
    cuda.memory = memory
    cuda.OutOfMemoryError = OutOfMemoryError
    cuda._lazy_call = lambda action: action()
    cuda.current_device = lambda: 0
    cuda.is_initialized = lambda: True
    cuda.device_count = lambda: 1
    cuda.get_allocator_backend = lambda: "native"
    cuda.get_device_properties = lambda number: types.SimpleNamespace(
        name="test", total_memory=1000, major=9, minor=0, multi_processor_count=1
    )
    torch._C, torch.cuda = native, cuda
    torch.autograd = types.SimpleNamespace(backward=lambda: None)
    sys.modules["torch"] = torch
    return torch, device
