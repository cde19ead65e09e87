"""The largest value of a parameter under which a program fits."""

from __future__ import annotations

import os
import re
from typing import Any, Mapping, NamedTuple

from ..temporary import temporary_folder
from ..visible import tell
from .answer import answer
from .cards import Card
from .screen import print_line, size_text

#: Of ``answer.fits``, what counts as fitting: the program ran to its end in the card's memory.
FITTING = ("yes", "tight", "maybe", "adapts")


class Vary(NamedTuple):
    """The largest value of a parameter under which the program fits."""

    name: str
    low: int
    high: int

    @staticmethod
    def parse(text: str) -> "Vary":
        """From ``batch=1..256``.

        Raises:
            ValueError: it is anything else.
        """
        found = re.fullmatch(r"([A-Za-z_][A-Za-z_0-9]*)=([0-9]{1,18})\.\.([0-9]{1,18})", text)
        if found is None or not 0 < int(found[2]) <= int(found[3]):
            raise ValueError(f"--vary {text} is not NAME=FROM..TO, as in batch=1..256")
        return Vary(found[1], int(found[2]), int(found[3]))

    def search(self, runs: Any, card: Card, device: str) -> int:
        """Runs the program again and again, halving the range; returns the exit code."""
        rows: dict[int, dict[str, Any]] = {}
        with temporary_folder() as folder:

            def fits(value: int) -> bool:
                path = os.path.join(folder, f"{self.name}-{value}.pickle")
                code, report = runs.run(path, {self.name: str(value)})
                if report is None:
                    raise RuntimeError(f"the program did not run with {self.name} {value}")
                if report["out_of_memory_error"] is None or report["ended"] != "error":
                    found = answer(report, device)
                    if not found["complete"]:
                        raise RuntimeError(f"with {self.name} {value}: {found['sentence']}")
                else:
                    found = answer(report | {"file": None}, device)
                rows[value] = found
                if report["file"] is not None:
                    os.unlink(report["file"])
                return found["fits"] in FITTING

            try:
                largest = self._largest(fits)
            except RuntimeError as problem:
                tell(f"allocsim estimate: {problem}")
                return 1
        for value in sorted(rows):
            found = rows[value]
            size = size_text(found["settings"]["recorded"]["reserved_bytes"]) if found["settings"] else ""
            word = "does not fit" if found["fits"] not in FITTING else "may fit" if found["fits"] == "maybe" else "fits"
            print_line(f"  {self.name} {value:>6}  {size:>10}  {word}")
        if largest is None:
            print_line(f"Not even {self.name} {self.low} fits on {device}.")
        else:
            print_line(self.sentence(device, largest, rows))
        return 0

    def sentence(self, device: str, largest: int, rows: Mapping[int, Mapping[str, Any]]) -> str:
        """What the tried values come to.

        Args:
            device: the card.
            largest: the largest value that fits, or may.
            rows: the answer to each value that was tried.
        """
        surely = [value for value, found in rows.items() if found["fits"] in FITTING and found["fits"] != "maybe"]
        fits = "fits" if largest in surely else "may fit"
        ending = "" if largest in surely else f"; {max(surely)} is the largest value tried that is sure to fit" if surely else "; no value tried is sure to fit"
        if largest == self.high:
            return f"{self.name} {largest}, the largest value tried, {fits} on {device}{ending}."
        return f"{self.name} {largest} is the largest that {fits} on {device}; {largest + 1} does not fit{ending}."

    def _largest(self, fits: Any) -> int | None:
        if fits(self.high):
            return self.high
        if self.low == self.high or not fits(self.low):
            return None
        low, high = self.low, self.high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low
