"""Landlock: from now on a process and its children may write only below some folders.

A backstop behind the overlay (``files.py``) for programs that no library can be loaded into. Numbers are those of Linux'
``include/uapi/linux/landlock.h`` (6.18); the system calls have the same ones on all processors.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Callable, Sequence

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVS = 38

#: Writing a file; removing a folder, a file; making a device, folder, file, socket, pipe, block device, link.
_WRITES = 1 << 1 | sum(1 << bit for bit in range(4, 13))
_REFER = 1 << 13
_TRUNCATE = 1 << 14

#: The first version forbids every rename between folders, below the allowed ones too.
MIN_VERSION = 2
_TRUNCATE_VERSION = 3


def version() -> int:
    """The kernel's version of Landlock; 0 if it has none, or one that is too old."""
    found = int(ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION))
    return found if found >= MIN_VERSION else 0


def writing_only(folders: Sequence[str]) -> Callable[[], None] | None:
    """The function that a process calls before it becomes the program; None if the kernel lacks Landlock.

    Args:
        folders: below which everything may be written.
    """
    known = version()
    if known == 0:
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    access = _WRITES | _REFER | (_TRUNCATE if known >= _TRUNCATE_VERSION else 0)

    def restrict() -> None:
        handled = ctypes.create_string_buffer(struct.pack("=Q", access), 8)
        rules = int(libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(8), 0))
        if rules < 0:
            raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
        for folder in folders:
            opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", access, opened), 12)
            if libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0) != 0:
                raise OSError(ctypes.get_errno(), f"landlock_add_rule {folder}")
            os.close(opened)
        if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.syscall(_RESTRICT_SELF, rules, 0) != 0:
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
        os.close(rules)

    return restrict
