"""Builds the library that takes the place of a GPU, once for each version of its sources."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

LIBRARY = "libcuda.so.1"

#: PyTorch looks for these functions under another name, and finds the same library.
_MANAGEMENT_LIBRARY = "libnvidia-ml.so.1"

_FOLDER = Path(__file__).resolve().parent
_UNITS = ("program_standin.c", "linear.c", "workspaces.c")
_SOURCES = (*_UNITS, "workspaces.h", "convolutions.h")
_COMPILERS = ("cc", "gcc", "clang")


class NoStandIn(Exception):
    """The library cannot be built here."""


def library_folder() -> Path:
    """The folder with the library, which is built where it is not there yet.

    Raises:
        NoStandIn: there is no compiler, or it refuses the sources.
    """
    ready = _FOLDER / "library"
    if (ready / LIBRARY).is_file():
        return ready
    sources = [_FOLDER / name for name in _SOURCES] + [_allocator_source()]
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()[:16]
    folder = _cache() / f"standin-{digest}"
    if not (folder / LIBRARY).is_file():
        build(folder)
    return folder


def build(folder: Path) -> None:
    """Builds the library into a folder, which is made.

    Raises:
        NoStandIn: there is no compiler, or it refuses the sources.
    """
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        raise NoStandIn(
            f"there is no C compiler ({', '.join(_COMPILERS)}) to build the stand-in for a GPU with; install one"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        made = Path(work) / LIBRARY
        done = subprocess.run(
            [
                compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread",
                f"-Wl,-soname,{LIBRARY}", f"-I{_allocator_source().parent}",
                *(str(_FOLDER / unit) for unit in _UNITS), "-ldl", "-lm", "-o", str(made),
            ],
            capture_output=True, text=True, check=False,
        )
        if done.returncode != 0:
            first = next(iter(done.stderr.splitlines()), "it gave no reason")
            raise NoStandIn(
                f"{compiler} cannot build the stand-in for a GPU, which needs Linux on a 64-bit processor: {first}"
            )
        # A process that runs has the first one loaded, and would load another file of this name as a second library.
        try:
            os.link(made, folder / LIBRARY)
        except FileExistsError:
            pass
    management = folder / _MANAGEMENT_LIBRARY
    if not management.is_symlink():
        try:
            management.symlink_to(LIBRARY)
        except FileExistsError:
            pass


def _allocator_source() -> Path:
    """What the allocator asks for: in a wheel beside this file, in the sources where the Java tests have it too."""
    own = _FOLDER / "standin.c"
    if own.is_file():
        return own
    return _FOLDER.parents[3] / "validation/src/main/resources/org/allocsim/validation/torch/standin.c"


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "allocsim"
