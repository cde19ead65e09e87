"""Memory that the driver's own pools hold: of cudaMallocAsync, and of nodes in graphs that allocate."""

from __future__ import annotations

import ctypes
from typing import Any

#: CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT and CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT of the driver's API, CUDA 11.4 and later.
_POOL_RESERVED = 5
_GRAPH_RESERVED = 2


def pools_bytes(device: int) -> int | None:
    """What the driver's pools reserve on a device of this process; None where the driver does not say."""
    try:
        library: Any = ctypes.CDLL("libcuda.so.1")
        handle, pool = ctypes.c_int(), ctypes.c_void_p()
        of_pool, of_graphs = ctypes.c_ulonglong(), ctypes.c_ulonglong()
        if (
            library.cuDeviceGet(ctypes.byref(handle), device) == 0
            and library.cuDeviceGetDefaultMemPool(ctypes.byref(pool), handle) == 0
            and library.cuMemPoolGetAttribute(pool, _POOL_RESERVED, ctypes.byref(of_pool)) == 0
            and library.cuDeviceGetGraphMemAttribute(handle, _GRAPH_RESERVED, ctypes.byref(of_graphs)) == 0
        ):
            return of_pool.value + of_graphs.value
    except (OSError, AttributeError):
        pass
    return None
