"""The GPUs that the mock CUDA driver can imitate, under the names of the device profiles."""

from __future__ import annotations

import re
from typing import NamedTuple


class Card(NamedTuple):
    """The properties by which PyTorch and its libraries make choices.

    Names, compute capability, multiprocessors, L2 cache and power are those of NVIDIA's data sheets, the cache of Hopper what recordings
    show (10 MiB for each stack of memory); the bytes are those of the device profile of the same name (``allocsim list devices``),
    of its context too.
    """

    device_name: str
    compute_capability: str
    multiprocessors: int
    total_bytes: int
    cache_mebibytes: float
    #: The most power that it draws.
    watts: int
    #: What a process takes of the GPU before it has asked for anything: PyTorch's modules and the driver's own.
    context_bytes: int = 552_402_944
    #: Free bytes that no request gets.
    unusable_bytes: int = 2_097_152

    def text(self) -> str:
        """As ``program_standin.c`` reads it from ``ALLOCSIM_ESTIMATE_CARD``."""
        return f"{self.device_name};{self.compute_capability};{self.multiprocessors};{self.total_bytes};{round(self.cache_mebibytes * (1 << 20))};{self.context_bytes};{self.unusable_bytes};{self.watts}"


#: What PyTorch and CUDA's libraries say where a card cannot do what is asked, and what a program can do about it.
_BEYOND = {
    r"no kernel image is available for execution": "build that library for the card, or choose another --device",
    r"unable to find an engine to execute this computation": "use another data type (bfloat16 needs compute capability 8.0) or memory format, or choose another --device",
    r"No available kernel\. Aborting execution": "allow other kernels in torch.nn.attention.sdpa_kernel (the warnings above explain why these fail), or choose another --device",
    r"compute capability": "check torch.cuda.get_device_capability() and use another way on this card, or choose another --device",
}
#: MAGMA's kernels, for batches of matrices above all.
_LINALG = "libtorch_cuda_linalg.so"


def is_beyond(problem: str) -> bool:
    """Whether an error says that the card itself cannot do what is asked."""
    return any(re.search(each, problem) for each in _BEYOND)


def way_out(problem: str, without_image: str | None) -> str:
    """What to do about such an error.

    Args:
        problem: what it says.
        without_image: the library that has no kernel for the card, as :func:`.driver.without_image` gives it.
    """
    if "no kernel image" in problem and without_image is not None and without_image.startswith(_LINALG):
        return "torch.backends.cuda.preferred_linalg_library('cusolver') at program start selects other kernels, or choose another --device"
    return next((way for each, way in _BEYOND.items() if re.search(each, problem)), "choose another --device")


CARDS = {
    "a10": Card("NVIDIA A10", "8.6", 72, 23_835_181_056, 6, 150),
    "a100-40gb": Card("NVIDIA A100-SXM4-40GB", "8.0", 108, 42_298_834_944, 40, 400),
    "a100-80gb": Card("NVIDIA A100-SXM4-80GB", "8.0", 108, 84_987_740_160, 40, 400),
    "a10g": Card("NVIDIA A10G", "8.6", 80, 23_684_186_112, 6, 300),
    "a30": Card("NVIDIA A30", "8.0", 56, 25_379_733_504, 24, 165),
    "a40": Card("NVIDIA A40", "8.6", 84, 47_622_127_616, 6, 300),
    "b200": Card("NVIDIA B200", "10.0", 148, 191_514_017_792, 126, 1000),
    "b300": Card("NVIDIA B300 SXM6 AC", "10.3", 148, 287_430_410_240, 126, 1400),
    "gh200-96gb": Card("NVIDIA GH200 480GB", "9.0", 132, 101_468_602_368, 60, 900),
    "h100-80gb": Card("NVIDIA H100 80GB HBM3", "9.0", 132, 85_017_493_504, 50, 700),
    "h100-nvl": Card("NVIDIA H100 NVL", "9.0", 132, 99_964_944_384, 60, 400),
    "h20": Card("NVIDIA H20", "9.0", 78, 102_010_716_160, 60, 500),
    "h200": Card("NVIDIA H200", "9.0", 132, 150_109_880_320, 60, 700),
    "l4": Card("NVIDIA L4", "8.9", 58, 23_612_293_120, 48, 72),
    "l40s": Card("NVIDIA L40S", "8.9", 142, 47_803_531_264, 96, 350),
    "rtx-2080-ti": Card("NVIDIA GeForce RTX 2080 Ti", "7.5", 68, 11_554_258_944, 5.5, 250),
    "rtx-3060-12gb": Card("NVIDIA GeForce RTX 3060", "8.6", 28, 12_629_508_096, 3, 170),
    "rtx-3080-10gb": Card("NVIDIA GeForce RTX 3080", "8.6", 68, 10_500_440_064, 5, 320),
    "rtx-3090": Card("NVIDIA GeForce RTX 3090", "8.6", 82, 25_447_170_048, 6, 350),
    "rtx-4060-ti-16gb": Card("NVIDIA GeForce RTX 4060 Ti", "8.9", 34, 16_718_495_744, 32, 165),
    "rtx-4070": Card("NVIDIA GeForce RTX 4070", "8.9", 46, 12_451_840_000, 36, 200),
    "rtx-4080": Card("NVIDIA GeForce RTX 4080", "8.9", 76, 16_828_596_224, 64, 320),
    "rtx-4090": Card("NVIDIA GeForce RTX 4090", "8.9", 128, 25_393_692_672, 72, 450),
    "rtx-5070-ti": Card("NVIDIA GeForce RTX 5070 Ti", "12.0", 70, 16_611_540_992, 48, 300),
    "rtx-5080": Card("NVIDIA GeForce RTX 5080", "12.0", 84, 16_651_386_880, 64, 360),
    "rtx-5090": Card("NVIDIA GeForce RTX 5090", "12.0", 170, 33_668_726_784, 96, 575),
    "rtx-6000-ada": Card("NVIDIA RTX 6000 Ada Generation", "8.9", 142, 50_983_862_272, 96, 300),
    "rtx-a6000": Card("NVIDIA RTX A6000", "8.6", 84, 51_040_485_376, 6, 300),
    "rtx-pro-6000": Card("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "12.0", 188, 101_970_870_272, 128, 600),
    "t4": Card("Tesla T4", "7.5", 40, 15_843_721_216, 4, 70),
    "v100-16gb": Card("Tesla V100-SXM2-16GB", "7.0", 80, 16_945_512_448, 6, 300),
    "v100-32gb": Card("Tesla V100-SXM2-32GB", "7.0", 80, 34_089_730_048, 6, 300),
}
