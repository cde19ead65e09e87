"""Begins an estimate in a process of the program, and follows it once it loads PyTorch."""

from __future__ import annotations

import json
import os

from ..recorder import follow as recording
from .inside import VARIABLE, begin


def follow() -> None:
    """Waits for ``import torch``."""
    recording.follow(_begin, begin)


def _begin() -> None:
    options = json.loads(os.environ[VARIABLE])
    from .ending import begin as begin_ending

    begin_ending(options["report"])
    from .launch import follow_launched

    follow_launched(options)
