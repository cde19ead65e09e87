"""Callbacks for training loops: warn or fail above a limit, and record the run.

    Trainer(callbacks=[allocsim.callbacks.lightning_callback(limit="24GiB")])       # Lightning
    Trainer(..., callbacks=[allocsim.callbacks.transformers_callback("24GiB")])     # Transformers
"""

from __future__ import annotations

from typing import Any

from .limits import PeakLimit
from .recorder import Recorder


class _Watch:
    """What both callbacks do at the start, after every step and at the end."""

    def __init__(self, limit: int | str | None, fails: bool, record: str | None) -> None:
        self._limit = limit
        self._fails = fails
        self._path = record
        self._peak: PeakLimit | None = None
        self._recorder: Recorder | None = None

    def begin(self, device: int) -> None:
        import torch

        if self._limit is not None:
            self._peak = PeakLimit(self._limit, device, self._fails)
            self._peak.begin()
        if self._path is not None:
            self._recorder = Recorder(self._path)
            self._recorder.install(torch)

    def step(self, number: int) -> None:
        if self._peak is not None:
            self._peak.check(f"step {number}")

    def end(self, reason: str = "end") -> None:
        if self._recorder is not None:
            self._recorder.close(reason)
            self._recorder = None


def lightning_callback(limit: int | str | None = None, *, fails: bool = False, record: str | None = None) -> Any:
    """A callback for Lightning's Trainer.

    Args:
        limit: bytes or a text such as ``"24GiB"``; None for none.
        fails: whether going above ends the training, else it warns once.
        record: file to record the training to; None for none.
    """
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        # The same class, in a package of its own.
        from pytorch_lightning.callbacks import Callback  # type: ignore[assignment]
    watch = _Watch(limit, fails, record)

    class AllocsimCallback(Callback):
        def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
            device = getattr(trainer.strategy.root_device, "index", None)
            watch.begin(device or 0)

        def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
            watch.step(trainer.global_step)

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            watch.end("error")

        def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
            watch.end()

    return AllocsimCallback()


def transformers_callback(limit: int | str | None = None, *, fails: bool = False, record: str | None = None) -> Any:
    """A callback for Transformers' Trainer; the arguments are those of :func:`lightning_callback`."""
    from transformers import TrainerCallback

    watch = _Watch(limit, fails, record)

    class AllocsimCallback(TrainerCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            watch.begin(args.device.index or 0)

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            watch.step(state.global_step)

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            watch.end()

    return AllocsimCallback()
