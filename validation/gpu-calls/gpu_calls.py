"""Sends sequences of calls to PyTorch's caching allocator on a GPU, and the same ones on the stand-in for a GPU.

usage: gpu_calls.py SEQUENCES JOBS SECONDS OUT [PLACED]

As torch_calls.py, which must lie beside it. Without PLACED a GPU serves, with hold.c loaded before the CUDA
runtime; OUT/ID.placed then gets the addresses that the driver gave, blocks in the first line, address ranges in the
second. With PLACED, a folder with such files, the stand-in serves and places memory at these addresses.
"""

import ctypes
import os
import sys

import torch_calls

PLACED = sys.argv[5] if len(sys.argv) > 5 else None
OUT = sys.argv[4]


class Placed(torch_calls.Sequence):
    def __init__(self, torch, head, calls):
        super().__init__(torch, head, calls)
        total = torch.cuda.get_device_properties(0).total_memory
        if total != int(head[1]):
            raise RuntimeError("the GPU has %d bytes, the sequences are for one of %s" % (total, head[1]))
        self.kept = []
        if PLACED:
            with open(os.path.join(PLACED, self.number + ".placed"), encoding="utf-8") as lines:
                for which, line in enumerate(lines):
                    addresses = [int(word, 16) for word in line.split()]
                    array = (ctypes.c_uint64 * len(addresses))(*addresses)
                    self.kept.append(array)
                    self.library.standin_place(which, array, ctypes.c_size_t(len(addresses)))

    def save(self, out, failure):
        super().save(out, failure)
        if PLACED:
            return
        placed = self.library.hold_placed
        placed.restype = ctypes.c_size_t
        with open(out + ".placed", "w", encoding="utf-8") as file:
            for which in range(2):
                addresses = ctypes.POINTER(ctypes.c_uint64)()
                count = placed(which, ctypes.byref(addresses))
                file.write(" ".join("%x" % addresses[i] for i in range(count)) + "\n")


torch_calls.Sequence = Placed

if __name__ == "__main__":
    sys.exit(torch_calls.main())
