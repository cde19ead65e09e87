"""What is held and never read again is let go."""

from __future__ import annotations

import contextlib
from typing import Any

from ..held import Name, named
from ..program import Call, Program
from ..remedy import Facts, Lines, Remedy
from ..source import additions, ahead

#: Names that hold less are not worth a line, nor those that hold so small a part of what another one does.
MIN_BYTES = 1 << 20
SMALL = 20


class Release(Remedy):
    """Names let go that hold what nothing reads, when the next call of a model begins."""

    name = "release"
    title = "release tensors that are held but never read again"
    cost = "none"

    def reason_against(self, facts: Facts) -> str | None:
        return None if _worth(facts) else "no variable keeps an unread tensor into the next step"

    def max_saved_bytes(self, facts: Facts) -> int | None:
        return int(sum(each["bytes"] for each in _worth(facts)))

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
        found: list[Lines] = []
        places: dict[str, list[dict[str, Any]]] = {}
        for held in _worth(facts):
            added = additions(held["file"], held["name"]) if held["is_kept"] and held["has_items"] else []
            found += [Lines(place, text, replaces=True) for place, text in added]
            if not added:
                places.setdefault(held["line"], []).append(held)
        return found + [ahead(place, [each["name"] for each in those if not each["is_kept"]], [each["name"] for each in those if each["is_kept"]]) for place, those in places.items()]


def _worth(facts: Facts) -> list[dict[str, Any]]:
    least = max([MIN_BYTES, *(each["bytes"] // SMALL for each in facts["held"])])
    return [each for each in facts["held"] if each["bytes"] >= least]
