"""Remedies: changes that a program's author could make, and that can be tried from outside."""

from __future__ import annotations

import warnings
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

    A remedy of your own is a file with a subclass, which ``allocsim advise --remedy FILE`` adds to those of this package.

    Attributes:
        name: its id, as in ``--remedies checkpoint,autocast``.
        title: what to do, as in "checkpoint the repeated blocks".
        cost: what it costs, apart from memory, in words.
        changes_results: whether the numbers that the program computes may change, beyond the order of additions.
        group: a combination has at most one remedy of a group.
        after: the remedy that is tried first, because this one does more of the same; None if there is none.
        is_on_request: whether it is tried only if ``--remedies`` names it.
        ranks: number of GPUs that it needs, one process each.
    """

    name = ""
    title = ""
    cost = ""
    changes_results = False
    group = ""
    after: str | None = None
    is_on_request = False
    ranks = 1

    def __init_subclass__(cls) -> None:
        if "most_saved_bytes" in vars(cls):
            warnings.warn(f"{cls.__name__}.most_saved_bytes is now max_saved_bytes", DeprecationWarning, stacklevel=2)
            cls.max_saved_bytes = cls.most_saved_bytes  # type: ignore[attr-defined, method-assign]

    def reason_against(self, facts: Facts) -> str | None:
        """Why it does not apply to this program, as part of a sentence; None if it may help."""
        return None

    def title_for(self, facts: Facts) -> str:
        """What to do to this program: :attr:`title`, or something more specific."""
        return self.title

    def max_saved_bytes(self, facts: Facts) -> int | None:
        """Upper bound of the live memory that it can save at the peak; None if unknown."""
        return None

    def apply(self, program: Program) -> None:
        """Makes the change. It runs in the program's process once PyTorch is loaded, before the program uses it; changes made through ``program`` are undone automatically."""
        raise NotImplementedError

    def undo(self) -> None:
        """Undoes changes that ``apply`` made without ``program``."""

    def lines(self, facts: Facts) -> list[Lines]:
        """What the author pastes for the same effect, and where."""
        return []
