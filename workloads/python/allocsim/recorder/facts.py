"""What a snapshot does not hold: circumstances, calls with their position, pools, marks.

A position is the number of allocations, frees, completed frees and failures since the process
began, as the allocator counts them itself. Counted back from the end of the history it names one entry exactly,
whatever the clocks say and however much of the history was lost.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import threading
import time
import weakref
from collections import deque
from typing import Any, Iterator

from ..version import VERSION
from .nvml import Nvml
from .patches import Patches
from .pools import pools_bytes

RECORD_VERSION = 1
SETTING_NAMES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING")
MAX_CALLS = 100_000
MAX_MARKS = 400_000
MAX_SAMPLES = 4096


class Facts:
    """Collects while the program runs; :meth:`document` is what goes to the file."""

    def __init__(self) -> None:
        self.started_nanos = time.time_ns()
        # PyTorch reads the settings when it is loaded; what the program writes there later has no effect.
        self.settings = {name: os.environ[name] for name in SETTING_NAMES if name in os.environ}
        self.calls: deque[dict[str, Any]] = deque(maxlen=MAX_CALLS)
        self.marks: deque[tuple[str, str, int, int]] = deque(maxlen=MAX_MARKS)
        self.stream_uses: deque[tuple[int, int, int, int]] = deque(maxlen=MAX_CALLS)
        self.pools: dict[tuple[int, int], dict[str, Any]] = {}
        self._local = threading.local()
        self._captures: weakref.WeakKeyDictionary[Any, list[dict[str, Any]]] = weakref.WeakKeyDictionary()
        self._graphs: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self.fractions: dict[int, list[tuple[float, int]]] = {}
        self.steps = 0
        self.lost = 0
        self.stats_resets = 0
        self._torch: Any = None
        self._optimizers: weakref.WeakSet[Any] = weakref.WeakSet()
        self._nvml: Nvml | None = None
        self._handles: dict[int, Any] = {}
        self._samples: deque[dict[str, Any]] = deque(maxlen=MAX_SAMPLES)
        self._collectives: list[dict[str, Any]] = []
        self._ended_span_nanos = 0
        self._offsets: dict[int, list[int]] = {}
        self._static: dict[str, Any] = {}
        self._devices: list[dict[str, Any]] = []
        #: Whether requests beyond the GPU's memory succeed, so that its size explains nothing of a recording that exceeds it.
        self.has_no_end = False
        #: Whether NVML tells of a GPU, and not of the one that an estimate describes.
        self.is_on_gpu = True

    # --- what the program asks -------------------------------------------------------------

    def observe(self, torch: Any, patches: Patches) -> None:
        """Follows the calls that a history does not show. CUDA may not have begun yet."""
        self._torch = torch
        native = torch._C
        for name in ("_cuda_emptyCache", "_accelerator_emptyCache"):
            patches.wrap(native, name, before=lambda *a, **k: self._call("empty_cache"))
        patches.wrap(native, "_cuda_setMemoryFraction", after=self._fraction_set)
        for name in (
            "_cuda_cudaCachingAllocator_set_allocator_settings",
            "_accelerator_setAllocatorSettings",
        ):
            patches.wrap(
                native, name, after=lambda result, text, *a: self._call("settings", settings=str(text))
            )
        patches.wrap(native, "_cuda_resetAccumulatedMemoryStats", before=self._stats_reset)
        for owner in (native, torch.cuda.memory):
            for name in ("_cuda_beginAllocateToPool", "_cuda_beginAllocateCurrentStreamToPool"):
                patches.wrap(owner, name, before=lambda device, pool: self._pool_begins(device, pool))
            patches.wrap(
                owner,
                "_cuda_beginAllocateCurrentThreadToPool",
                before=lambda device, pool: self._pool_begins(device, pool, of_thread=True),
            )
            patches.wrap(owner, "_cuda_endAllocateToPool", before=self._pool_ends)
            patches.wrap(owner, "_cuda_releasePool", before=lambda device, pool: self._pool_unused(_pool(pool)))
        told = lambda result, *a, **k: self._call("mem_get_info", free_bytes=int(result[0]))
        patches.wrap(torch.cuda.memory, "mem_get_info", after=told)
        patches.wrap(torch.cuda, "mem_get_info", after=told)
        patches.wrap(torch.Tensor, "record_stream", before=self._stream_used)
        pool = getattr(torch.cuda, "MemPool", None)
        if pool is not None:
            patches.wrap(pool, "__init__", after=lambda result, made, *a, **k: self._pool_made(made))
        graph = getattr(torch.cuda, "CUDAGraph", None)
        if graph is not None:
            patches.wrap(graph, "capture_begin", after=lambda result, made, *a, **k: self._capture_begins(made))
            patches.wrap(
                graph,
                "capture_end",
                before=lambda made, *a, **k: self._capture_ends(made),
                after=lambda result, made, *a, **k: self._captured(made),
            )
            patches.wrap(graph, "reset", before=lambda made, *a, **k: self._graph_ends(made))
        self._observe_phases(torch, patches)

    def _observe_phases(self, torch: Any, patches: Patches) -> None:
        try:
            from torch.optim.optimizer import (
                register_optimizer_step_post_hook,
                register_optimizer_step_pre_hook,
            )
        except ImportError:
            pass
        else:
            begun = register_optimizer_step_pre_hook(self._step_begins)
            ended = register_optimizer_step_post_hook(self._step_ends)
            patches.on_undo(begun.remove)
            patches.on_undo(ended.remove)
        # Before 2.4 PyTorch calls its engine directly, and the gradients that a backward pass begins
        # with, which the calling thread makes, count as made by the engine's threads.
        engine = "_engine_run_backward" if hasattr(torch.autograd, "_engine_run_backward") else "backward"
        patches.within(torch.autograd, engine, self._outside_of_threads_pools)
        patches.within(torch.autograd, "backward", lambda: self._span("backward"))
        distributed = sys.modules.get("torch.distributed.distributed_c10d")
        if distributed is not None:
            for owner in (distributed, torch.distributed):
                patches.wrap(owner, "destroy_process_group", before=lambda *a, **k: self.ask_collectives())
        loader = sys.modules.get("torch.utils.data.dataloader")
        if loader is not None:
            patches.within(loader._BaseDataLoaderIter, "__next__", lambda: self._span("data"))

    @contextlib.contextmanager
    def _span(self, label: str) -> Iterator[None]:
        self.mark("START", label)
        try:
            yield
        finally:
            self.mark("END", label)

    def mark(self, stage: str, name: str) -> None:
        """The begin or end of a span of the program.

        What lies between the end of one span and a backward pass is the forward pass: hooks on
        modules would tell the same, for a few microseconds for each module.
        """
        if not self._devices:
            return
        now, device = time.time_ns(), self._torch.cuda.current_device()
        if stage == "START" and name == "backward" and self._ended_span_nanos:
            self.marks.append(("START", "forward", device, self._ended_span_nanos))
            self.marks.append(("END", "forward", device, now))
        self._ended_span_nanos = now if stage == "END" else 0
        self.marks.append((stage, name, device, now))

    def _step_begins(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.mark("START", f"Optimizer.step#{type(optimizer).__name__}.step")

    def _step_ends(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.steps += 1
        self._optimizers.add(optimizer)
        self.mark("END", f"Optimizer.step#{type(optimizer).__name__}.step")

    def _call(self, kind: str, **further: Any) -> dict[str, Any]:
        if not self._devices:
            early = {"call": kind, "before_start": True, **further}
            if kind in ("settings", "memory_fraction"):
                self.calls.append(early)
            return early
        now = time.time_ns()
        if len(self.calls) == MAX_CALLS:
            self.lost += 1
        positions = [self.position(each["device"]) for each in self._devices]
        call = {"call": kind, "time_unix_nanos": now, "positions": positions, **further}
        self.calls.append(call)
        return call

    def _fraction_set(self, result: Any, fraction: float, device: int) -> None:
        fractions = self.fractions.setdefault(int(device), [])
        known = {each["device"]: each["start_position"] for each in self._devices}
        if not fractions and device in known and self.position(device) != known[device]:
            # The first entries were made under another limit.
            fractions.append((1.0, self.started_nanos))
        fractions.append((float(fraction), time.time_ns()))
        self._call("memory_fraction", device=int(device), fraction=float(fraction))

    def _stream_used(self, tensor: Any, stream: Any) -> None:
        if len(self.stream_uses) == MAX_CALLS:
            self.lost += 1
        self.stream_uses.append(
            (tensor.device.index or 0, tensor.untyped_storage().data_ptr(), int(stream.cuda_stream), time.time_ns())
        )

    # Pools are given up when nobody uses them any more: the object that made one, the graphs that
    # were captured into it, and whoever began to allocate to it.

    def _pool_used(self, identity: tuple[int, int], kind: str) -> dict[str, Any]:
        entry = self.pools.get(identity)
        if entry is None or "end_unix_nanos" in entry:
            entry = self.pools[identity] = {"kind": kind, "begin_unix_nanos": time.time_ns(), "users": 0}
        entry["users"] += 1
        return entry

    def _pool_unused(self, identity: tuple[int, int]) -> None:
        entry = self.pools.get(identity)
        if entry is None or entry["users"] == 0:
            return
        entry["users"] -= 1
        if entry["users"] == 0:
            entry["end_unix_nanos"] = time.time_ns()
            entry["end_positions"] = [self.position(each["device"]) for each in self._devices]
            self._call("release_pool", pool=identity)

    def _pool_made(self, pool: Any) -> None:
        identity = _pool(pool.id)
        self._pool_used(identity, "mem_pool")
        ended: Any = weakref.finalize(pool, self._mem_pool_ends, identity)
        ended.atexit = False

    def _mem_pool_ends(self, identity: tuple[int, int]) -> None:
        self._pool_unused(identity)
        self._call("empty_pool", pool=identity)

    def _pool_begins(self, device: int, pool: Any, of_thread: bool = False) -> None:
        self._pool_used(_pool(pool), "thread")
        place = {"device": int(device), "pool": _pool(pool)}
        if of_thread:
            self._threads_pools().append(place)
        self._call("begin_pool", **place)

    def _pool_ends(self, device: int, pool: Any) -> None:
        place = {"device": int(device), "pool": _pool(pool)}
        if place in self._threads_pools():
            self._threads_pools().remove(place)
        self._call("end_pool", **place)

    def _threads_pools(self) -> list[dict[str, Any]]:
        """Pools that this thread alone allocates to, the latest last."""
        pools: list[dict[str, Any]] = self._local.__dict__.setdefault("pools", [])
        return pools

    @contextlib.contextmanager
    def _outside_of_threads_pools(self) -> Iterator[None]:
        """For backward passes, which other threads of PyTorch's run."""
        pools = list(self._threads_pools())
        for place in reversed(pools):
            self._call("end_pool", **place)
        try:
            yield
        finally:
            for place in pools:
                self._call("begin_pool", **place)

    # A graph tells its pool only once its capture succeeded; until then the calls name none.

    def _capture_begins(self, graph: Any) -> None:
        self._captures[graph] = [self._call("capture_begin", device=self._torch.cuda.current_device())]

    def _capture_ends(self, graph: Any) -> None:
        if graph in self._captures:
            self._captures[graph].append(self._call("capture_end", device=self._torch.cuda.current_device()))

    def _captured(self, graph: Any) -> None:
        identity = _pool(graph.pool())
        for call, name in zip(self._captures.pop(graph, ()), ("begin_pool", "end_pool")):
            call.update(call=name, pool=identity)
        entry = self._pool_used(identity, "graph")
        entry["captures"] = entry.get("captures", 0) + 1
        self._graphs[graph] = weakref.finalize(graph, self._pool_unused, identity)
        self._graphs[graph].atexit = False

    def _graph_ends(self, graph: Any) -> None:
        ends = self._graphs.pop(graph, None)
        if ends is not None:
            ends()

    # --- positions -------------------------------------------------------------------------

    def position(self, device: int) -> list[int]:
        """Allocations, frees, completed frees and failures of a device since the process began."""
        stats = self._torch._C._cuda_memoryStats(device)
        offsets = self._offsets.get(device, (0, 0, 0, 0))
        allocation = stats["allocation"]["all"]
        return [
            allocation["allocated"] + offsets[0],
            allocation["freed"] + offsets[1],
            stats["active"]["all"]["freed"] + offsets[2],
            stats["num_ooms"] + offsets[3],
        ]

    def _fraction(self, device: int) -> float | None:
        """The fraction in force before anything was seen to set it; None where PyTorch does not tell."""
        ask = getattr(self._torch._C, "_cuda_getMemoryFraction", None)
        return 1.0 if ask is None else float(ask(device))

    def _stats_reset(self, device: int) -> None:
        self._offsets[int(device)] = self.position(int(device))
        self.stats_resets += 1

    # --- circumstances ---------------------------------------------------------------------

    def begin(self) -> None:
        """Takes down the circumstances, as CUDA has just begun."""
        torch = self._torch
        self._nvml = Nvml() if self.is_on_gpu else None
        self._static = {
            "allocsim": VERSION,
            "python": platform.python_version(),
            "pytorch": torch.__version__,
            "cuda": torch.version.cuda,
            "hip": torch.version.hip,
            "driver": None if self._nvml is None else self._nvml.driver(),
            "allocator_backend": torch.cuda.get_allocator_backend(),
            "libraries": {
                name: module.__version__
                for name in ("transformers", "lightning", "pytorch_lightning", "accelerate", "deepspeed")
                if (module := sys.modules.get(name)) is not None and hasattr(module, "__version__")
            },
        }
        for device in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(device)
            uuid = getattr(properties, "uuid", None)
            if self._nvml is not None:
                self._handles[device] = self._nvml.handle(None if uuid is None else str(uuid), device)
            self._devices.append(
                {
                    "device": device,
                    "name": properties.name,
                    "total_bytes": properties.total_memory,
                    "compute_capability": f"{properties.major}.{properties.minor}",
                    "multiprocessors": properties.multi_processor_count,
                    "start_position": self.position(device),
                }
            )
        self.sample()

    def sample(self) -> None:
        """How much of each GPU is in use: by everyone, by this process, and of that by its allocator."""
        for device, handle in self._handles.items():
            memory = self._nvml.memory(handle) if self._nvml is not None else None
            if memory is None:
                continue
            used, free, driver = memory
            processes = self._processes(device)
            known = all(bytes_ >= 0 for _, bytes_ in processes)
            own = [bytes_ for pid, bytes_ in processes if pid == os.getpid()]
            self._samples.append(
                {
                    "time_unix_nanos": time.time_ns(),
                    "device": device,
                    "used_bytes": used,
                    "free_bytes": free,
                    "driver_bytes": driver,
                    "process_bytes": own[0] if own and own[0] >= 0 else None,
                    "other_processes_bytes": sum(bytes_ for _, bytes_ in processes) - sum(own) if known else None,
                    "pools_bytes": pools_bytes(device),
                    "reserved_bytes": self._torch._C._cuda_memoryStats(device)["reserved_bytes"]["all"]["current"],
                }
            )

    def _processes(self, device: int) -> list[tuple[int, int]]:
        return (self._nvml.processes(self._handles[device]) or []) if self._nvml is not None else []

    def ask_collectives(self) -> None:
        """What NCCL says that its communicators hold, where PyTorch passes it on (2.12 and later).

        To be called where the program itself could call NCCL, as it may wait for a communicator.
        """
        distributed = sys.modules.get("torch.distributed.distributed_c10d")
        if distributed is None or not distributed.is_initialized():
            return
        cuda = self._torch.device("cuda")
        found = []
        for group in list(distributed._world.pg_map):
            with contextlib.suppress(Exception):
                ask = getattr(group._get_backend(cuda), "memory_stats", None)
                if ask is not None:
                    found.append(
                        {
                            "group": group.group_name,
                            "ranks": group.size(),
                            "device": self._torch.cuda.current_device(),
                            "memory": dict(ask()),
                        }
                    )
        if found:
            self._collectives = found

    def _host_memory(self) -> dict[str, int] | None:
        """Pinned memory of PyTorch's own allocator, where it counts it (2.8 and later)."""
        ask = getattr(self._torch.cuda, "host_memory_stats", None)
        if ask is None:
            return None
        with contextlib.suppress(Exception):
            return {name: int(value) for name, value in ask().items() if "time" not in name}
        return None

    def out_of_memory(self, device: int, requested: int, total: int, free: int) -> None:
        """A request failed: what PyTorch tells its observers."""
        self._call(
            "out_of_memory",
            device=int(device),
            requested_bytes=int(requested),
            total_bytes=int(total),
            free_bytes=int(free),
        )

    def _categories(self) -> list[dict[str, Any]]:
        """Which storages hold parameters, gradients and the optimizers' state now."""
        rows: dict[tuple[int, int], dict[str, Any]] = {}

        def add(tensor: Any, category: str) -> None:
            try:
                if not tensor.is_cuda:
                    return
                storage = tensor.untyped_storage()
                key = (tensor.device.index, storage.data_ptr())
                if key[1]:
                    rows.setdefault(
                        key,
                        {"device": key[0], "address": key[1], "bytes": storage.nbytes(), "category": category},
                    )
            except Exception:
                pass  # A tensor without a storage of its own, such as a wrapper.

        for optimizer in list(self._optimizers):
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    add(parameter, "parameter")
                    if parameter.grad is not None:
                        add(parameter.grad, "gradient")
            for state in list(optimizer.state.values()):
                for value in state.values() if isinstance(state, dict) else ():
                    if isinstance(value, self._torch.Tensor):
                        add(value, "optimizer_state")
        return list(rows.values())

    def end_positions(self) -> dict[int, list[int]]:
        """The position that each device has reached, by its number."""
        return {each["device"]: self.position(each["device"]) for each in self._devices}

    def document(self, reason: str, is_complete: bool, ends: dict[int, list[int]]) -> dict[str, Any]:
        """Everything as it is now, ready for JSON; ``ends`` says where the written history ends."""
        devices = []
        for each in self._devices:
            device = each["device"]
            entry = {**each, "end_position": ends[device]}
            if self.has_no_end and self._torch._C._cuda_memoryStats(device)["reserved_bytes"]["all"]["peak"] > each["total_bytes"]:
                del entry["total_bytes"]
            fractions = self.fractions.get(device, [])
            fraction = fractions[-1][0] if fractions else self._fraction(device)
            entry["memory_fraction"] = fraction
            entry["limit_bytes"] = (
                int(fraction * each["total_bytes"]) if fraction is not None and fraction != 1 else None
            )
            if fractions:
                entry["memory_fractions"] = [
                    {"fraction": fraction, "time_unix_nanos": nanos} for fraction, nanos in fractions
                ]
            entry["processes"] = [
                {"pid": pid, "bytes": used}
                for pid, used in self._processes(device)
            ]
            devices.append(entry)
        return {
            "version": RECORD_VERSION,
            "reason": reason,
            "complete": is_complete,
            "started_unix_nanos": self.started_nanos,
            "written_unix_nanos": time.time_ns(),
            **self._static,
            "rank": _number("RANK"),
            "local_rank": _number("LOCAL_RANK"),
            "world_size": _number("WORLD_SIZE"),
            "settings": self.settings,
            "devices": devices,
            "calls": list(self.calls),
            "pools": [
                {"pool": list(identity), **{k: v for k, v in entry.items() if k != "users"}}
                for identity, entry in self.pools.items()
            ],
            "stream_uses": [
                {"device": device, "address": address, "stream": stream, "time_unix_nanos": nanos}
                for device, address, stream, nanos in self.stream_uses
            ],
            "categories": self._categories(),
            "samples": list(self._samples),
            "host_memory": self._host_memory(),
            "collectives": self._collectives,
            "steps": self.steps,
            "lost_calls": self.lost,
        }

    def annotations(self) -> list[dict[str, Any]]:
        """The marks in the form of the snapshot's own ``external_annotations``."""
        return [
            {"stage": stage, "name": name, "device": device, "time_us": nanos // 1000}
            for stage, name, device, nanos in list(self.marks)
        ]


def _pool(identity: Any) -> tuple[int, int]:
    return (int(identity[0]), int(identity[1]))


def _number(name: str) -> int | None:
    try:
        return int(os.environ[name])
    except (KeyError, ValueError):
        return None
