"""Whether the steps of a program still ask for anything new."""

from __future__ import annotations

from typing import Hashable

#: Memory that a step may leave behind without counting as growth, such as losses that a list collects.
SLACK_BYTES = 4096

#: Steps whose live memory tells growth, and the parts of them that are compared.
GROWTH_STEPS = 60
GROWTH_PARTS = 5


class Repetition:
    """Compares what steps ask for, and what they leave live, with the steps before.

    A step brings nothing new if an earlier step asked for the same, and if it leaves no more memory live than the most
    before. So cycles of several kinds of steps repeat, too.
    """

    def __init__(self) -> None:
        self.count = 0
        #: Steps in a row that brought nothing new.
        self.repeating = 0
        self._seen: set[Hashable] = set()
        self.most_live_bytes = 0
        self._live_bytes: list[int] = []

    @property
    def kinds(self) -> int:
        """How many different steps there were."""
        return len(self._seen)

    def add(self, asked: Hashable, live_bytes: int) -> bool:
        """One more step; returns whether it brought something new.

        Args:
            asked: what tells the requests of one step from those of another.
            live_bytes: memory in use at the step's end.
        """
        grew = live_bytes > self.most_live_bytes + SLACK_BYTES
        is_new = grew or asked not in self._seen
        self.most_live_bytes = max(self.most_live_bytes, live_bytes)
        self._seen.add(asked)
        self.count += 1
        self.repeating = 0 if is_new else self.repeating + 1
        self._live_bytes.append(live_bytes)
        return is_new

    def growth_bytes_per_step(self) -> int:
        """By how much live memory still grows with each step; 0 where it does not, or too few steps were run to tell.

        Steps of different lengths leave different amounts live, so the least of each part of the latest steps is compared:
        it grows if each part's least is above that of the part before.
        """
        # The first two steps make gradients and the optimizer's state.
        latest = self._live_bytes[2:][-GROWTH_STEPS:]
        size = len(latest) // GROWTH_PARTS
        if size < 2:
            return 0
        latest = latest[-size * GROWTH_PARTS :]
        least = [min(latest[i : i + size]) for i in range(0, len(latest), size)]
        if any(later <= earlier for earlier, later in zip(least, least[1:])):
            return 0
        grown = (least[-1] - least[0]) // (size * (GROWTH_PARTS - 1))
        return grown if grown > SLACK_BYTES else 0
