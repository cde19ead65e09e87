"""Records what PyTorch's allocator does, and the conditions that its snapshots do not contain.

PyTorch's own recorder follows the allocations; nothing here runs once per allocation. The
additions are in the snapshot under the key ``allocsim_record``, as JSON text; see
``workloads/python/RECORD.md``.
"""

from .recorder import Recorder, record

__all__ = ["Recorder", "record"]
