"""Parts of PyTorch that come without types, with theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Protocol

import torch
from torch.multiprocessing import reductions


class StorageRef(Protocol):
    """A weak reference to the storage of a tensor.

    Attributes:
        cdata: address of the storage's entry in PyTorch.
    """

    cdata: int

    def expired(self) -> bool:
        """Whether the storage is gone."""


#: Makes a weak reference.
storage_ref: Callable[[torch.UntypedStorage], StorageRef] = reductions.StorageWeakRef

if TYPE_CHECKING:

    class DispatchMode:
        """A mode of the dispatcher: sees each operation of its thread."""

        def __enter__(self) -> DispatchMode: ...

        def __exit__(self, kind: Any, problem: Any, trace: Any) -> None: ...

else:
    from torch.utils._python_dispatch import TorchDispatchMode as DispatchMode
