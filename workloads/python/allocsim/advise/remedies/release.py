"""What is held and never read again is let go."""

from __future__ import annotations

import contextlib
from typing import Any

from ..held import Name, named
from ..program import Call, Program
from ..remedy import Facts, Lines, Remedy
from ..source import additions, ahead

#: Names that hold less are not worth a line.
MIN_BYTES = 1 << 20


class Release(Remedy):
    """Names let go that hold what nothing reads, when the next call of a model begins."""

    name = "release"
    title = "release tensors that are held but never read again"
    cost = "none"

    def reason_against(self, facts: Facts) -> str | None:
        return None if _worth(facts) else "no variable keeps an unread tensor into the next step"

    def apply(self, program: Program) -> None:
        calls = {Name(each["file"], each["function"], each["name"]): each["call"] for each in _worth(program.facts)}

        def let_go(call: Call) -> None:
            names = {name for name, line in calls.items() if line == call.line}
            if not names:
                return
            for found in named(program.torch, call.frame):
                if found.name in names:
                    # A view cannot leave its graph alone.
                    with contextlib.suppress(RuntimeError):
                        found.tensor.detach_()
                    with contextlib.suppress(RuntimeError):
                        found.tensor.untyped_storage().resize_(0)

        program.around_calls(let_go)

    def lines(self, facts: Facts) -> list[Lines]:
        return [each for held in _worth(facts) for each in _lines(held)]


def _lines(held: dict[str, Any]) -> list[Lines]:
    if not held["is_kept"]:
        return [ahead(held["line"], f"{held['name']} = None", "what it holds is of the step before")]
    added = additions(held["file"], held["name"]) if held["has_items"] else []
    if not added:
        return [ahead(held["line"], f"{held['name']}.clear()", "nothing reads what it holds")]
    return [Lines(place, text, replaces=True) for place, text in added]


def _worth(facts: Facts) -> list[dict[str, Any]]:
    return [each for each in facts["held"] if each["bytes"] >= MIN_BYTES]
