"""Builds the library that takes the place of a GPU, once for each version of its sources."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import stat
import subprocess
from pathlib import Path

from ..temporary import temporary_folder

LIBRARY = "libcuda.so.1"

#: Keeps what the program writes apart from the user's files, see overlay.h.
FILES_LIBRARY = "liballocsim_files.so"

#: PyTorch looks for these functions under another name, and finds the same library.
_MANAGEMENT_LIBRARY = "libnvidia-ml.so.1"

_FOLDER = Path(__file__).resolve().parent
_UNITS = ("program_standin.c", "cublaslt.c", "ctc.c", "planner.c", "graphs.c", "driver.c", "images.c", "linear.c", "nccl.c", "normalizations.c", "nvml.c", "partials.c", "refused.c", "solvers.c", "sparse.c", "transforms.c", "usage.c", "workspaces.c")
_SOURCES = (*_UNITS, "mock.h", "normalizations.h", "partials.h", "planner.h", "refused.h", "solvers.h", "transforms.h", "usage.h", "workspaces.h", "convolutions.h")
_FILES_UNITS = ("overlay.c", "files.c", "folders.c", "programs.c", "supervisor.c")
_FILES_SOURCES = (*_FILES_UNITS, "overlay.h")
_COMPILERS = ("cc", "gcc", "clang")


#: What is gone at the end of the command.
_until_the_end = contextlib.ExitStack()
atexit.register(_until_the_end.close)


class NoStandIn(Exception):
    """The mock driver cannot be built here."""


def library_folder() -> Path:
    """The folder with the library, which is built where it is not there yet.

    Raises:
        NoStandIn: there is no compiler, or it refuses the sources.
    """
    ready = _FOLDER / "library"
    if (ready / LIBRARY).is_file() and (ready / FILES_LIBRARY).is_file():
        return ready
    sources = [*(_FOLDER / name for name in _SOURCES), *(_FOLDER / "overlay" / name for name in _FILES_SOURCES), _allocator_source()]
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()[:16]
    folder = _cache() / f"standin-{digest}"
    if not _is_ours(folder):
        # Whoever may write there may have put another library in its place.
        folder = Path(_until_the_end.enter_context(temporary_folder()))
        build(folder)
    elif not all(_is_whole(folder / name) for name in (LIBRARY, FILES_LIBRARY)):
        build(folder)
    return folder


def _is_ours(folder: Path) -> bool:
    """Whether a folder, which is made where it is missing, and the one around it belong to this user, and nobody else may write there."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        found = [each.lstat() for each in (folder.parent, folder)]
    except OSError:
        return False
    return all(stat.S_ISDIR(each.st_mode) and each.st_uid == os.geteuid() and not each.st_mode & 0o022 for each in found)


def _is_whole(library: Path) -> bool:
    """Whether a library is what was built: a file of this user that nobody else may write, with the digest that was noted."""
    try:
        found = library.lstat()
        noted = _digest_of(library).read_text("ascii")
        return (
            stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
            and hashlib.sha256(library.read_bytes()).hexdigest() == noted
        )
    except (OSError, ValueError):
        return False


def _digest_of(library: Path) -> Path:
    return library.with_name(f"{library.name}.sha256")


def build(folder: Path) -> None:
    """Builds the libraries into a folder, which is made.

    Raises:
        NoStandIn: there is no compiler, or it refuses the sources.
    """
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        raise NoStandIn(
            f"there is no C compiler ({', '.join(_COMPILERS)}) to build the mock CUDA driver with; install one"
        )
    folder.mkdir(parents=True, exist_ok=True)
    allocator = f"-I{_allocator_source().parent}"
    _compile(compiler, folder, FILES_LIBRARY, [_FOLDER / "overlay" / unit for unit in _FILES_UNITS])
    _compile(compiler, folder, LIBRARY, [_FOLDER / unit for unit in _UNITS], allocator)
    management = folder / _MANAGEMENT_LIBRARY
    if not management.is_symlink():
        try:
            management.symlink_to(LIBRARY)
        except FileExistsError:
            pass


def _compile(compiler: str, folder: Path, name: str, units: list[Path], *options: str) -> None:
    with temporary_folder(str(folder), has_processes=True) as work:
        made = Path(work) / name
        done = subprocess.run(
            [
                compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", f"-Wl,-soname,{name}", *options,
                *map(str, units), "-ldl", "-lm", "-o", str(made),
            ],
            # A compiler that is killed leaves its own files.
            capture_output=True, text=True, check=False, env=os.environ | {"TMPDIR": work},
        )
        if done.returncode != 0:
            first = next(iter(done.stderr.splitlines()), "without a reason")
            raise NoStandIn(
                f"{compiler} cannot build the mock CUDA driver, which needs Linux on a 64-bit processor: {first}"
            )
        made.chmod(0o700)
        if _is_whole(folder / name):
            # Another command built it meanwhile. A process that has it loaded would load another file of this name as a second library.
            return
        digest = Path(work) / "digest"
        digest.write_text(hashlib.sha256(made.read_bytes()).hexdigest(), "ascii")
        os.replace(digest, _digest_of(folder / name))
        os.replace(made, folder / name)


def _allocator_source() -> Path:
    """What the allocator asks for: in a wheel beside this file, in the sources where the Java tests have it too."""
    own = _FOLDER / "standin.c"
    if own.is_file():
        return own
    return _FOLDER.parents[3] / "validation/gpu/src/main/resources/org/allocsim/validation/torch/standin.c"


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "allocsim"
