"""What is held and never read again is let go."""

from __future__ import annotations

import contextlib
from typing import Any

from ..held import Name, named
from ..program import Call, Program
from ..remedy import Facts, Lines, Remedy

#: Names that hold less are not worth a line.
MIN_BYTES = 1 << 20


class Release(Remedy):
    """``del`` of names that hold what nothing reads, when the next call of a model begins."""

    name = "release"
    title = "release tensors that are held but never read again"
    cost = "none"

    def reason_against(self, facts: Facts) -> str | None:
        return None if _worth(facts) else "no variable keeps an unread tensor into the next step"

    def apply(self, program: Program) -> None:
        names = {Name(each["file"], each["function"], each["name"]) for each in _worth(program.facts)}

        def let_go(call: Call) -> None:
            for name, _, tensor in named(program.torch, call.frame):
                if name in names:
                    # A view cannot leave its graph alone.
                    with contextlib.suppress(RuntimeError):
                        tensor.detach_()
                    with contextlib.suppress(RuntimeError):
                        tensor.untyped_storage().resize_(0)

        program.around_calls(let_go)

    def lines(self, facts: Facts) -> list[Lines]:
        return [Lines(each["line"], _line(each)) for each in _worth(facts)]


def _line(held: dict[str, Any]) -> str:
    if "." in held["name"]:
        return f"{held['name']} = None  # before this call"
    return f"del {held['name']}  # at the end of each turn; keep numbers with .item()"


def _worth(facts: Facts) -> list[dict[str, Any]]:
    return [each for each in facts["held"] if each["bytes"] >= MIN_BYTES]
