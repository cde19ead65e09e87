"""Large tensors that the host gave to the GPU, for masks and bounds that are made of them: depths above 0, weights of samples, edges that are loops.

They are not followed, as that would compute the program on the host. But a comparison or a maximum takes little, and how much is then selected is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from .untyped import StorageRef, storage_ref

#: Bytes of a tensor that is kept, and of all.
MAX_BYTES = 32 << 20
MAX_TOTAL_BYTES = 256 << 20

#: Tensors of the host that hold what the GPU computed are remembered up to this number.
MAX_UNKNOWN = 4096


@dataclass(frozen=True)
class Entry:
    """Where a tensor of the GPU has its values: in a tensor of the host, as long as nobody writes to that."""

    storage: StorageRef
    size: torch.Size
    stride: tuple[int, ...]
    offset: int
    dtype: torch.dtype
    source: torch.Tensor
    version: int

    def is_plain(self) -> bool:
        """Whether both lie in memory alike."""
        return self.source.is_contiguous() and self.source.dtype is self.dtype and self.stride == self.source.stride() and not self.offset


class Given:
    """Tensors of the GPU that are as the host gave them, by the address of their storage."""

    def __init__(self) -> None:
        self._given: dict[int, Entry] = {}
        self._bytes = 0
        self._unknown: dict[int, StorageRef] = {}

    def keep(self, place: int, target: torch.Tensor, source: torch.Tensor) -> None:
        """The GPU's tensor has the values of the host's from now on."""
        if source.is_complex() or source.requires_grad or source.is_inference() or source.nbytes > MAX_BYTES or source.shape != target.shape:
            return
        unknown = self._unknown.get(source.untyped_storage().data_ptr())
        if source.layout is not torch.strided or target.layout is not torch.strided or unknown is not None and not unknown.expired():
            return
        self.put(place, Entry(
            storage_ref(target.untyped_storage()), target.size(), target.stride(), int(target.storage_offset()), target.dtype, source, source._version
        ))

    def put(self, place: int, entry: Entry) -> None:
        """The GPU's tensor has these values from now on."""
        self.forget(place)
        while self._given and self._bytes + entry.source.nbytes > MAX_TOTAL_BYTES:
            self.forget(next(iter(self._given)))
        self._given[place] = entry
        self._bytes += entry.source.nbytes

    def filled(self, place: int, tensor: torch.Tensor, number: float) -> Entry | None:
        """What is there once a number is written into a tensor, or a view of it; the host's own tensor stays as it is."""
        found = self._given.get(place)
        if found is None or self.values(place, tensor) is None or not found.is_plain():
            return None
        source = found.source.clone()
        torch.as_strided(source.view(-1), tensor.size(), tensor.stride(), int(tensor.storage_offset())).fill_(number)
        return replace(found, source=source, version=source._version)

    def forget(self, place: int) -> None:
        """The tensor there was written to."""
        found = self._given.pop(place, None)
        if found is not None:
            self._bytes -= found.source.nbytes

    def are_unknown(self, tensor: torch.Tensor) -> None:
        """The host's tensor holds what the GPU computed."""
        if len(self._unknown) >= MAX_UNKNOWN:
            self._unknown.clear()
        self._unknown[tensor.untyped_storage().data_ptr()] = storage_ref(tensor.untyped_storage())

    def values(self, place: int, tensor: torch.Tensor) -> torch.Tensor | None:
        """What is in a tensor of the GPU, or a view of one; None where that is not known."""
        found = self._given.get(place)
        if found is None:
            return None
        if found.storage.expired() or found.version != found.source._version:
            self.forget(place)
            return None
        if tensor.dtype is not found.dtype or tensor.layout is not torch.strided:
            return None
        most = found.offset + 1 + sum((size - 1) * stride for size, stride in zip(found.size, found.stride))
        if int(tensor.storage_offset()) + 1 + sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride())) > most:
            return None
        if found.is_plain():
            flat = found.source.view(-1)
        else:
            flat = torch.zeros(most, dtype=found.dtype)
            torch.as_strided(flat, found.size, found.stride, found.offset).copy_(found.source)
        return torch.as_strided(flat, tensor.size(), tensor.stride(), int(tensor.storage_offset()))
