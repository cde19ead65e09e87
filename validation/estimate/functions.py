"""Lists the functions of CUDA's libraries that need a GPU: python functions.py INCLUDE... writes refused.h of the mock driver.

The folders are those of the headers of CUDA, cuDNN, NCCL and cuSPARSELt, as PyTorch's wheels depend on them (nvidia/*/include).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LIST = Path(__file__).resolve().parents[2] / "workloads/python/allocsim/estimate/refused.h"

#: Macro of refused.c, headers, and what a declaration begins with.
_LIBRARIES = (
    ("CUDA", ("cuda_runtime_api.h", "cuda_profiler_api.h"), r"CUDARTAPI\s+(cuda\w+)\s*\("),
    ("CUDA", ("cuda.h",), r"CUDAAPI\s+(cu[A-Z]\w+)\s*\("),
    ("CUBLAS", ("cublas_api.h", "cublasLt.h"), r"\b(cublas(?:Lt)?[A-Z]\w+)\s*\("),
    ("CUDNN", ("cudnn_graph.h", "cudnn_ops.h", "cudnn_cnn.h", "cudnn_adv.h"), r"cudnnStatus_t\s+CUDNNWINAPI\s+(cudnn\w+)\s*\(\s*(?:const\s+)?cudnnHandle_t\b"),
    ("CUSOLVER", ("cusolverDn.h", "cusolverSp.h"), r"\b(cusolver(?:Dn|Sp)\w+)\s*\("),
    ("CUSPARSE", ("cusparse.h", "cusparseLt.h"), r"\b(cusparse(?:Lt)?[A-Z]\w+)\s*\("),
    ("CUFFT", ("cufft.h", "cufftXt.h"), r"\b(cufft[A-Z]\w+)\s*\("),
    ("NCCL", ("nccl.h",), r"ncclResult_t\s+(nccl[A-Z]\w+)\s*\("),
)

#: They answer without a GPU.
_WITHOUT = re.compile(r"GetErrorName|ErrorString|StatusName|StatusString|GetVersion|GetProperty|GetCudartVersion|Logger|Xerbla|_t$|Callback$|GetLastError|CreateChannelDesc|HeuristicsCache|CpuInstructions")


def listed(folders: list[Path]) -> str:
    """The text of refused.h."""
    lines = ["/* Made by validation/estimate/functions.py of the headers of CUDA's libraries. */"]
    seen: set[str] = set()
    for macro, headers, declaration in _LIBRARIES:
        found: set[str] = set()
        for header in headers:
            for text in (path.read_text() for folder in folders for path in folder.glob(header)):
                text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
                found |= set(re.findall(declaration, text))
                # Names that a header gives to a later version of a function.
                found |= {new for old, new in re.findall(r"#\s*define\s+(\w+)\s+(?:__CUDA_API_PT\w+\()?(\w+_v\d+)\b", text) if re.sub(r"_v\d+$", "", new) in found | {old} and new.startswith("cu")}
        for name in sorted(found - seen):
            if not _WITHOUT.search(name):
                lines.append(f"{macro}({name})")
        seen |= found
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python functions.py INCLUDE...")
    LIST.write_text(listed([Path(each) for each in sys.argv[1:]]))
