"""Driver, GPU and memory in use, from NVIDIA's management library, without a package."""

from __future__ import annotations

import ctypes
from typing import Any


class _Memory(ctypes.Structure):
    """NVML's nvmlMemory_v2_t."""

    _fields_ = [
        ("version", ctypes.c_uint),
        ("total", ctypes.c_ulonglong),
        ("reserved", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    ]


class _Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


class Nvml:
    """The library, if there is one; whatever it does not answer is None."""

    def __init__(self) -> None:
        self._library: Any = None
        try:
            library = ctypes.CDLL("libnvidia-ml.so.1")
            if library.nvmlInit_v2() == 0:
                self._library = library
        except (OSError, AttributeError):
            pass

    def driver(self) -> str | None:
        """The driver's release."""
        if self._library is None:
            return None
        text = ctypes.create_string_buffer(96)
        try:
            if self._library.nvmlSystemGetDriverVersion(text, 96) == 0:
                return text.value.decode("ascii", "replace")
        except AttributeError:
            pass
        return None

    def handle(self, uuid: str | None, index: int) -> Any:
        """The GPU with a UUID as PyTorch writes it, else by its number."""
        if self._library is None:
            return None
        handle = ctypes.c_void_p()
        try:
            if uuid:
                name = uuid if uuid.startswith(("GPU-", "MIG-")) else "GPU-" + uuid
                if self._library.nvmlDeviceGetHandleByUUID(name.encode(), ctypes.byref(handle)) == 0:
                    return handle
            elif self._library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == 0:
                return handle
        except AttributeError:
            pass
        return None

    def memory(self, handle: Any) -> tuple[int, int, int] | None:
        """Bytes of a GPU in use, free, and kept by the driver; those in use do not hold the driver's."""
        memory = _Memory(version=ctypes.sizeof(_Memory) | 2 << 24)
        try:
            if handle is not None and self._library.nvmlDeviceGetMemoryInfo_v2(handle, ctypes.byref(memory)) == 0:
                return memory.used, memory.free, memory.reserved
        except AttributeError:
            pass
        return None

    def processes(self, handle: Any) -> list[tuple[int, int]] | None:
        """Processes that compute on a GPU, each with its bytes, −1 where the driver does not say."""
        count = ctypes.c_uint(64)
        found = (_Process * 64)()
        try:
            ask = self._library.nvmlDeviceGetComputeRunningProcesses_v3
            if handle is None or ask(handle, ctypes.byref(count), found) != 0:
                return None
        except AttributeError:
            return None
        unknown = (1 << 64) - 1
        return [(each.pid, -1 if each.used == unknown else each.used) for each in found[: count.value]]
