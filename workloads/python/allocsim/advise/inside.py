"""What ``allocsim advise`` does inside the program: it makes the changes of a trial, and observes."""

from __future__ import annotations

from typing import Any

from .catalog import remedies
from .observer import Observer
from .program import Program


def begin(torch: Any, options: dict[str, Any]) -> Observer:
    """Makes the changes of a trial before the program goes on.

    Args:
        torch: the module.
        options: ``module``: this one; ``remedies``: their names; ``files``: of remedies that are the user's; ``facts``: of the baseline run.

    Returns:
        what is to be told each operation, and gives the facts of this run at its end.
    """
    program = Program(torch, options["facts"])
    program.follow()
    observer = Observer(torch, program)
    observer.follow()
    program.stepped = observer.program_stepped
    known = remedies(options["files"])
    for name in options["remedies"]:
        known[name].apply(program)
    return observer
