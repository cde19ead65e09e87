"""Begins a recording in a process that `allocsim record` started, once it loads PyTorch."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import os
import sys
from typing import Any, Callable

from .files import RunFolder
from .recorder import Recorder, say

VARIABLE = "ALLOCSIM_RECORD"


def follow(begin: Callable[[], None] = lambda: None, loaded: Callable[[Any, Any, Recorder], None] = lambda torch, frame, recorder: None) -> None:
    """Waits for ``import torch``.

    Args:
        begin: is called at once.
        loaded: is called with PyTorch, the frame that loads it and the recorder, once PyTorch is loaded.
    """
    options = json.loads(os.environ[VARIABLE])
    if options["run_folder"] is not None:
        RunFolder(options["run_folder"]).mark("begun")
    begin()
    # Who started this process may have ended when PyTorch is loaded.
    mark = _mark(options["parent"])

    def install(torch: Any) -> None:
        recorder = Recorder(
            options["path"],
            max_entries=options["max_entries"],
            stacks=options["stacks"],
            flush_seconds=options["flush_seconds"],
            mark=mark,
            run_folder=options["run_folder"],
            skip_empty=True,
            time=options.get("time", False),
        )
        try:
            recorder.install(torch)
            recorder.follow_signals()
            recorder.follow_forks()
        except Exception as problem:
            say(f"this process is not recorded: {problem}")
        loaded(torch, sys._getframe(1), recorder)

    if "torch" in sys.modules:
        install(sys.modules["torch"])
    else:
        sys.meta_path.insert(0, AfterImport("torch", install))


def _mark(parent: int) -> str:
    """What distinguishes the file of this process: its rank, else its number, nothing for the program itself."""
    if "RANK" in os.environ:
        return f"rank{os.environ['RANK']}"
    return "" if os.getppid() == parent else f"pid{os.getpid()}"


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls a function with a module when it has been loaded, once."""

    def __init__(self, name: str, action: Callable[[Any], None]) -> None:
        self._name = name
        self._action = action

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        # Libraries ask whether there is such a module before they load it.
        if fullname != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            load(module)
            self._action(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
