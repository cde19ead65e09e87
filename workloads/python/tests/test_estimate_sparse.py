"""Sparse matrices, extensions built by nvcc and other libraries on the mock CUDA driver."""

import shutil
import subprocess
import unittest
from pathlib import Path

from tests.test_estimate_cards import OnADriver

#: Each operation in turn; PyTorch's own message where one fails.
SPARSE = """
import torch, torch.nn as nn
n, nonzeros = 500, 4000
cuda = dict(device="cuda")
where = torch.randint(0, n, (2, nonzeros))
coo = torch.sparse_coo_tensor(where, torch.ones(nonzeros), (n, n)).coalesce().cuda()
csr = torch.sparse_coo_tensor(where, torch.ones(nonzeros), (n, n)).coalesce().to_sparse_csr().cuda()
dense = torch.randn(n, 64, requires_grad=True, **cuda)
vector = torch.randn(n, **cuda)

def backward():
    weight = nn.Parameter(torch.randn(64, 32, **cuda))
    torch.sparse.mm(coo, dense @ weight).relu().mean().backward()
    assert weight.grad.shape == (64, 32)

OPERATIONS = {
    "coo @ dense with backward": backward,
    "csr @ dense with backward": lambda: (csr @ dense).sum().backward(),
    "csr @ vector": lambda: csr @ vector,
    "coo @ vector": lambda: coo @ vector,
    "to_sparse_csr": lambda: coo.to_sparse_csr(),
    "csc": lambda: csr.to_sparse_csc() @ dense,
    "sampled_addmm": lambda: torch.sparse.sampled_addmm(csr, torch.randn(n, 32, **cuda), torch.randn(32, n, **cuda)),
    "csr @ csr": lambda: csr @ csr,
    "coo @ coo": lambda: torch.sparse.mm(coo, coo),
    "csr + csr": lambda: csr + csr,
    "coo + coo": lambda: coo + coo,
    "sparse softmax": lambda: torch.sparse.softmax(coo, 1),
    "sum": lambda: torch.sparse.sum(coo, 1),
    "triangular_solve": lambda: torch.triangular_solve(torch.randn(n, 4, **cuda), csr),
    "to_dense": lambda: coo.to_dense(),
    "sparse embedding": lambda: nn.Embedding(1000, 16, sparse=True).cuda()(torch.randint(0, 1000, (4096,), **cuda)).sum().backward(),
}
for name, run in OPERATIONS.items():
    try:
        run()
    except Exception as problem:
        print(name, "|", str(problem).splitlines()[0])
"""

KERNEL = """
#include <cuda_runtime.h>
__global__ void add(float *to, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) to[i] += 1; }
extern "C" int run(float *to, int n) {
  void *own;
  if (cudaMalloc(&own, 1 << 20)) return 1;
  add<<<(n + 255) / 256, 256>>>(to, n);
  int code = cudaGetLastError();
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, add)) return 2;
  return code * 1000 + attributes.binaryVersion;
}
"""


class Sparse(OnADriver):
    def test_operations_with_sparse_matrices_run(self):
        self.assertEqual("", self.bare(SPARSE))


class Extensions(OnADriver):
    def setUp(self):
        super().setUp()
        if shutil.which("nvcc") is None:
            self.skipTest("nvcc is not installed")

    def built(self, *options):
        source = Path(self.folder, "own.cu")
        source.write_text(KERNEL)
        subprocess.run(["nvcc", "-shared", "-Xcompiler", "-fPIC", *options, str(source), "-o", f"{self.folder}/own.so"], check=True, capture_output=True)

    def test_kernels_of_an_extension_do_nothing_and_their_image_is_the_one_that_the_card_runs(self):
        self.built("-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_86,code=sm_86", "-gencode", "arch=compute_90a,code=sm_90a")
        text = """
import ctypes, torch
x = torch.zeros(1000, device="cuda")
print(ctypes.CDLL("./own.so").run(ctypes.c_void_p(x.data_ptr()), 1000))
"""
        self.assertEqual(["86", "80", "90", "2"], [self.bare(text, card=card).strip() for card in ("l40s", "a100-40gb", "h100-80gb", "b200")])

    def test_a_library_with_a_cuda_runtime_of_its_own_is_named(self):
        self.built("-cudart", "static")
        text = "import ctypes, torch\nx = torch.zeros(1000, device='cuda')\nassert not ctypes.CDLL('./own.so').run(ctypes.c_void_p(x.data_ptr()), 1000), 'it failed'\n"
        code, said = self.estimate(text)
        self.assertEqual(1, code)
        self.assertIn("program.py:3 calls cuGetExportTable in own.so, which the mock CUDA driver does not have (", said)
        self.assertIn("build that library with the shared CUDA runtime", said)


if __name__ == "__main__":
    unittest.main()
