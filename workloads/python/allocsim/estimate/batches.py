"""Batches of a PyTorch DataLoader that ask for nothing new are pulled from the data, and not run."""

from __future__ import annotations

import dis
import itertools
import os
import sys
import time
import weakref
from typing import Any, Protocol

from .repetition import Repetition
from .shapes import Shapes, elements, is_dominated, shapes_of, varying
from .source import is_own

#: Batches of a loop that are run before others are left out, and that have to repeat.
RUN_BATCHES = 3

#: Batches that are run without an optimizer step, where gradients are on, before it is taken that none will come.
UNSTEPPED_BATCHES = 64

#: No other shape is looked for after so many batches in a row without one and so many seconds, or after the time for looking, in seconds.
SAME_BATCHES = 200
SAME_SECONDS = 2.0
LOOK_SECONDS = 10.0

#: Packages that call next() on a loader's iterator and go on when it ends.
EXPECT_AN_END = ("accelerate", "transformers", "lightning", "pytorch_lightning")


class Follower(Protocol):
    """Who follows the steps of a program, and is asked and told about its batches."""

    may_leave_out: bool
    steps_run: int
    repetition: Repetition
    loops: dict[int, Loop]
    loops_open: weakref.WeakSet[Batches]

    def are_gradients_on(self) -> bool:
        """Whether operations are recorded for a backward pass."""

    def asked_and_live(self) -> tuple[tuple[int, int], int]:
        """Bytes requested and requests so far, and bytes live."""

    def between_batches(self, batches: Batches) -> None:
        """A loop asks for its next batch."""

    def lengthened(self, batch: Any, number: int, is_training: bool) -> Any:
        """The batch, or what is run in its place."""

    def line(self) -> str:
        """The user's line that runs."""

    def is_short_of_time(self) -> bool:
        """Whether so little time is left that only larger batches are run."""

    def is_expired(self) -> bool:
        """Whether the time is over."""

    def is_settling(self) -> bool:
        """Whether steps that repeat are still run on."""


class Loop:
    """What is known of the batches of one data set at one batch size, in all loops over it."""

    def __init__(self, dataset: Any) -> None:
        # Held, so that no other gets its id.
        self.dataset = dataset
        self.line = ""
        self.is_training = False
        #: Whether PyTorch's own generator draws the order of its samples.
        self.is_drawn = False
        #: Whether the shapes of all its batches can be known.
        self.is_known = True
        self.repetition = Repetition()
        self.run: set[Shapes] = set()
        self.looked_at: set[Shapes] = set()
        self.longest: Shapes | None = None
        #: Whether no other shapes are looked for: the data ended, or the time for it did.
        self.is_searched = False
        #: Whether each batch of the data was looked at.
        self.is_complete = False
        self.looked_seconds = 0.0
        self.skipped = 0

    def saw(self, shapes: Shapes) -> None:
        """A batch of these shapes came."""
        self.looked_at.add(shapes)

    def lengths(self) -> dict[str, Any] | None:
        """How the shapes of its batches vary, None where they do not."""
        seen = sorted(self.looked_at)
        place = varying(seen)
        if place is None or place[1] == 0:
            return None
        tensor, dimension = place
        sizes = [each[tensor][dimension] for each in seen if tensor < len(each) and dimension < len(each[tensor])]
        longest = max((each for each in self.run if len(each) == len(seen[0])), key=lambda each: (each[tensor][dimension], elements(each)), default=seen[-1])
        return {
            "line": self.line, "phase": "training" if self.is_training else "evaluation", "shape": list(longest[tensor]), "tensor": tensor, "dimension": dimension,
            "low": min(sizes), "high": longest[tensor][dimension], "distinct": len(set(sizes)), "data_high": max(sizes), "complete": self.is_complete,
        }


class Batches:
    """Takes the place of a DataLoader's iterator.

    After a few batches that brought nothing new it goes on to pull batches, and gives out only those of shapes that were not
    run yet and the last one. When none was new for a while, it ends as though the data had.
    """

    def __init__(self, iterator: Any, loader: Any, loop: Loop, stepping: Follower) -> None:
        self._iterator = iterator
        self._loader = loader
        self.loop = loop
        self._stepping = stepping
        self._given = 0
        self._in_a_row = 0
        self._steps_before = stepping.steps_run
        self._before: tuple[int, int] | None = None
        self._has_ended = False
        #: Whether it is a loop that may end early, and gradients are on in it.
        self.may_end = False
        self.is_training = True
        #: Whether the shapes of its batches can be known; nothing is left out where not.
        self.is_known = True
        stepping.loops_open.add(self)

    def __iter__(self) -> Batches:
        return self

    def __len__(self) -> int:
        return len(self._iterator)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._iterator, name)

    def __next__(self) -> Any:
        if self._has_ended:
            raise StopIteration
        self.may_end = _may_end(sys._getframe(1))
        self._account()
        try:
            if self.may_end and self.is_known and self._may_leave_out():
                return self._give(self._next_new())
            return self._give(self._pull())
        except StopIteration:
            self._has_ended = True
            self.loop.is_searched = True
            self._stepping.loops_open.discard(self)
            raise

    def _account(self) -> None:
        """What the program did with the batch before."""
        stepping = self._stepping
        self.is_training = stepping.are_gradients_on() and (stepping.steps_run > self._steps_before or self._given < UNSTEPPED_BATCHES)
        asked, live = stepping.asked_and_live()
        if self._before is not None:
            difference = (asked[0] - self._before[0], asked[1] - self._before[1])
            is_new = self.loop.repetition.add(difference, live)
            self._in_a_row = 0 if is_new else self._in_a_row + 1
        self._before = asked
        self.loop.is_training = self.loop.is_training or stepping.steps_run > self._steps_before
        stepping.between_batches(self)

    def _may_leave_out(self) -> bool:
        stepping = self._stepping
        if not stepping.may_leave_out or self._given < RUN_BATCHES:
            return False
        if self.is_training and stepping.steps_run == self._steps_before:
            # An optimizer step may come after several batches.
            return False
        if stepping.is_short_of_time():
            return True
        return self._in_a_row >= RUN_BATCHES and (not self.is_training or (stepping.repetition.repeating >= RUN_BATCHES and not stepping.is_settling()))

    def _next_new(self) -> Any:
        """The next batch of shapes that were not run.

        As long as there is time, that is any other shape: which sizes follow each other decides what the allocator keeps. When
        time is short, it is a larger one only.
        """
        loop, stepping = self.loop, self._stepping
        if loop.is_searched:
            raise StopIteration
        began = time.monotonic()
        last, same = None, 0
        try:
            while True:
                try:
                    batch = self._pull()
                except StopIteration:
                    if last is not None and shapes_of(last) not in loop.run:
                        return last
                    raise
                shapes = shapes_of(batch)
                if shapes is None:
                    self.is_known = loop.is_known = False
                    return batch
                same = same + 1 if shapes in loop.looked_at else 0
                loop.saw(shapes)
                if shapes not in loop.run and not (stepping.is_short_of_time() and is_dominated(shapes, loop.run)):
                    return batch
                loop.skipped += 1
                last = batch
                looked = loop.looked_seconds + time.monotonic() - began
                if (same >= SAME_BATCHES and looked > SAME_SECONDS) or looked > LOOK_SECONDS or stepping.is_expired():
                    return self._last()
        finally:
            loop.looked_seconds += time.monotonic() - began

    def _last(self) -> Any:
        """The last batch of data that is read by index, where it is smaller than the others.

        Raises:
            StopIteration: there is none.
        """
        self.loop.is_searched = True
        loader = self._loader
        count = 0
        try:
            if loader.batch_sampler is not None and not loader.drop_last:
                count = len(loader.sampler) % loader.batch_size
            if count == 0 or self.loop.is_complete:
                raise StopIteration
            self._has_ended = True
            return loader.collate_fn([loader.dataset[each] for each in itertools.islice(iter(loader.sampler), count)])
        except StopIteration:
            raise
        except Exception:
            # A sampler of the program's own may have no length, or a data set no index.
            raise StopIteration from None

    def _pull(self) -> Any:
        try:
            return next(self._iterator)
        except StopIteration:
            # In another order, the longest sample makes the longest batch, too.
            self.loop.is_complete = self.loop.is_complete or self._took_all()
            raise

    def _took_all(self) -> bool:
        """Whether its batches had every sample of the data, as far as its sampler says."""
        try:
            return len(self._loader.sampler) >= len(self._loader.dataset)
        except (AttributeError, TypeError):
            return True

    def _give(self, batch: Any) -> Any:
        loop = self.loop
        self._given += 1
        batch = self._stepping.lengthened(batch, self._given, self.is_training)
        shapes = shapes_of(batch)
        if shapes is None:
            self.is_known = loop.is_known = False
        else:
            loop.saw(shapes)
            loop.run.add(shapes)
        if not loop.line:
            loop.line = self._stepping.line()
        self._before = self._stepping.asked_and_live()[0]
        return batch


def _may_end(frame: Any) -> bool:
    """Whether the caller expects an end of the data: a for loop, or a library whose call of next() is known to. Others may not."""
    code = frame.f_code
    if frame.f_lasti >= 0 and dis.opname[code.co_code[frame.f_lasti]] in ("FOR_ITER", "SEND", "YIELD_FROM"):
        return True
    return not is_own(code.co_filename) and any(f"{os.sep}{each}{os.sep}" in code.co_filename for each in EXPECT_AN_END)


def _is_drawn(torch: Any, loader: Any) -> bool:
    """Whether PyTorch's own generator draws the order of a loader's samples."""
    sampler = getattr(loader, "sampler", None)
    return isinstance(sampler, torch.utils.data.RandomSampler) and sampler.generator is None and loader.generator is None


def follow_loaders(torch: Any, stepping: Follower) -> None:
    """From now on, loops over a DataLoader go through :class:`Batches`."""
    loader_class = torch.utils.data.DataLoader
    iterate = loader_class.__iter__
    loops: dict[Any, Loop] = {}

    def begin(self: Any) -> Any:
        iterator = iterate(self)
        if torch.utils.data.get_worker_info() is not None:
            return iterator
        loop = loops.setdefault((id(self.dataset), self.batch_size), Loop(self.dataset))
        stepping.loops.setdefault(id(loop), loop)
        loop.is_drawn = loop.is_drawn or _is_drawn(torch, self)
        return Batches(iterator, self, loop, stepping)

    loader_class.__iter__ = begin


def open_loops() -> Any:
    """The loops that are not done; one that the program leaves drops out."""
    return weakref.WeakSet()
