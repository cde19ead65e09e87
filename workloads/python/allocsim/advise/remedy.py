"""What a remedy is: a change of a program that its author could make, which can be tried from outside."""

from __future__ import annotations

from typing import Any, NamedTuple

from .facts import Facts as Facts
from .program import Program


class Lines(NamedTuple):
    """Lines to paste into a program.

    Attributes:
        place: ``FILE:LINE`` of a statement.
        text: the lines, without indentation of their own.
        replaces: whether they take the place of that statement; else they go after it.
    """

    place: str
    text: str
    replaces: bool = False


class Remedy:
    """A change that is tried in a run of the unchanged program. ``advise`` makes one object for each class.

    A remedy of your own is a file with a subclass, which ``allocsim advise --remedy FILE`` takes beside those of this package.

    Attributes:
        name: its id, as in ``--remedies checkpoint,autocast``.
        title: what one does, as in "checkpoint the repeated blocks".
        cost: what it costs beside memory, in words.
        changes_results: whether the numbers that the program computes may become others, beyond the order of additions.
        group: of the remedies of a group, one at most is part of a combination.
        after: the remedy that is tried first, as this one does more of the same; None where there is none.
        is_on_request: whether it is tried only where ``--remedies`` names it.
        ranks: GPUs that it needs, each with a process of its own.
    """

    name = ""
    title = ""
    cost = ""
    changes_results = False
    group = ""
    after: str | None = None
    is_on_request = False
    ranks = 1

    def reason_against(self, facts: Facts) -> str | None:
        """Why it does not apply to this program, as a part of a sentence; None where it may help."""
        return None

    def title_for(self, facts: Facts) -> str:
        """What one does to this program, in the words of :attr:`title` or closer to it."""
        return self.title

    def most_saved_bytes(self, facts: Facts) -> int | None:
        """The most that it can save of what is live at the peak; None where that is not known."""
        return None

    def apply(self, program: Program) -> None:
        """Makes the change. It runs in the program's process once PyTorch is loaded, before the program uses it; what goes through ``program`` is undone by itself."""
        raise NotImplementedError

    def undo(self) -> None:
        """Takes back what ``apply`` did beside ``program``."""

    def lines(self, facts: Facts) -> list[Lines]:
        """What the author pastes for the same effect, and where."""
        return []
