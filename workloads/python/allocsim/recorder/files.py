"""Writes files whole: beside their place, then renamed."""

from __future__ import annotations

import gzip
import os
import pickle
from typing import Any, Mapping


def write_snapshot(path: str, snapshot: Mapping[str, Any]) -> int:
    """Writes a snapshot as a pickle, compressed where the name ends in ``.gz``; returns its bytes."""
    path = os.fspath(path)
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as raw:
            if path.endswith(".gz"):
                with gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as packed:
                    pickle.dump(snapshot, packed, protocol=4)
            else:
                pickle.dump(snapshot, raw, protocol=4)
            raw.flush()
            os.fsync(raw.fileno())
        os.replace(beside, path)
    except BaseException:
        try:
            os.unlink(beside)
        except OSError:
            pass
        raise
    return os.path.getsize(path)


def rank_path(path: str, mark: str) -> str:
    """``run.pickle`` and ``rank0`` give ``run.rank0.pickle``."""
    path = os.fspath(path)
    for ending in (".pickle.gz", ".pickle"):
        if path.endswith(ending):
            return f"{path[: -len(ending)]}.{mark}{ending}" if mark else path
    return f"{path}.{mark}.pickle" if mark else path + ".pickle"
