"""What only some operating systems can do."""

from __future__ import annotations

import platform
import sys
from typing import Sequence


def other_system(command: str, arguments: Sequence[str], system: str = sys.platform) -> str | None:
    """Why a command that needs the mock CUDA driver cannot run here, in a sentence; None on Linux, and for its help."""
    if system.startswith("linux") or {"-h", "--help"} & set(arguments):
        return None
    names = {"win32": "Windows", "darwin": "macOS"}
    return (
        f"{command} needs Linux, because its mock CUDA driver is a Linux library, and this is {names.get(system, platform.system())};"
        " run it on Linux, in WSL or in a container"
    )
