"""Changes what the package reads at random, and looks whether all of it ends in a sentence: ``python fuzz_answers.py SEED COUNT``.

A function takes the place of the program that answers, and gives damaged files, texts and exit codes. So an input takes about a millisecond.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, Callable, Iterator
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import allocsim  # noqa: E402
from allocsim import engine, recording  # noqa: E402
from allocsim.estimate.answer import answer  # noqa: E402
from allocsim.estimate.command import value_at  # noqa: E402
from allocsim.estimate.messages import sealed, unsealed  # noqa: E402
from allocsim.estimate.reports import UNSAID, read  # noqa: E402
from allocsim.estimate.vary import Vary  # noqa: E402
from allocsim.limits import bytes_of  # noqa: E402
from allocsim.recorder.files import RunFolder  # noqa: E402
from allocsim.visible import visible  # noqa: E402

ANSWER = {
    "schema": "allocsim-peak-1", "moment": {"allocated_bytes": 512, "reserved_bytes": 2 << 20, "event": 3}, "peak_requested_bytes": 500,
    "settings": [{"conf": "", "reserved_if_ample_bytes": 2 << 20, "capacity_bytes": 2 << 20, "peak_reserved_bytes": 2 << 20}],
    "gpus": [{"name": "l40s", "capacity_bytes": 44 << 30}, {"name": "t4", "capacity_bytes": 15 << 30}],
}  # fmt: skip
FILES = {
    "--json": json.dumps(ANSWER),
    "--facts": json.dumps({"version": 1, "reason": "end", "devices": [{"index": 0, "limit_bytes": 1 << 30}], "calls": [{"call": "empty_cache", "positions": [[1, 1, 1, 0]]}]}),
    "--events": "device,entry,action,address,bytes,stream,time_ns,frame\n0,0,alloc,140000000,512,0,1000,train.py:3 f\n0,1,free_requested,140000000,512,0,2000,\n",
    "--blocks": "device,address,bytes,requested_bytes,stream,state,category,frame\n0,140000000,512,500,0,active_allocated,parameter,train.py:3\n0,140000512,512,500,0,inactive,,\n",
    "--lines": '{"action": "alloc", "addr": 1, "size": 512, "stream": 0}\n{"action": "free_completed", "addr": 1, "size": 512, "stream": 0}\n',
}  # fmt: skip
REPORT = UNSAID | {
    "ended": "end", "problem": None, "kind": None, "line": None, "origin": None, "operation": None, "exit": None, "exit_code": 0, "script": "train.py", "file": "run.pickle",
    "others_failed": [], "reserved_bytes": 2 << 20, "allocated_bytes": 512, "out_of_memory": 0, "out_of_memory_error": None,
}  # fmt: skip
ODD = (
    b"\x00", b"\xff\xfe", b'"', b"'", b",", b"\n", b"\r", b"[", b"]", b"{", b"}", b":", b"-", b"NaN", b"Infinity", b"-1", b"1e999", b"null", b"true", b"9" * 5000, b"[" * 3000,
    b'{"a":' * 3000, b"x" * 140_000, "\u202e\u2028".encode(), b"\\ud800", b"--plugins=.", b"@file", b"0", b"18446744073709551616", b"=", b"..", b"\x1b[2J",
)  # fmt: skip


def damaged(chance: random.Random, content: bytes) -> bytes:
    """A content with a few changes."""
    data = bytearray(content)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4, 8))):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] = chance.randrange(256)
        elif kind == 1:
            data[at : at + chance.randrange(20)] = b""
        elif kind == 2:
            data[at:at] = chance.choice(ODD)
        elif kind == 3:
            end = at + chance.randrange(40)
            data[at:at] = data[at:end]
        elif kind == 4:
            data[at : at + chance.randrange(12)] = chance.choice(ODD)
        else:
            del data[at:]
    return bytes(data)


def damaged_text(chance: random.Random, text: str) -> str:
    """A text with a few changes."""
    return damaged(chance, text.encode()).decode("utf-8", chance.choice(("replace", "surrogateescape", "ignore")))


class Engine:
    """Takes the place of the program that answers."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def __call__(self, arguments: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        chance = self.chance
        for each in arguments:
            if "\0" in each:
                raise ValueError("embedded null byte")
            os.fsencode(each)
        for option in ("--json", "--facts", "--events", "--blocks"):
            if option in arguments and chance.random() < 0.97:
                kind = "--lines" if option == "--events" and "replay" in arguments else option
                Path(arguments[arguments.index(option) + 1]).write_bytes(damaged(chance, FILES[kind].encode()))
        code = chance.choice((0, 0, 0, 0, 0, 0, 1, 2, 3, -9, 137, 255, chance.randrange(-300, 1 << 20)))
        texts = [damaged(chance, text).decode("utf-8", "backslashreplace") for text in (b"Peak: 2 MiB\n", b"warning\nallocsim: run.pickle: no known trace format; check the path\n")]
        return subprocess.CompletedProcess(arguments, code, *texts)


@contextlib.contextmanager
def plain_folder(base: str | None = None) -> Iterator[str]:
    """Without a process that looks after it."""
    with tempfile.TemporaryDirectory(dir=base) as folder:
        yield folder


def notes(chance: random.Random, folder: str) -> None:
    """What processes of a run noted."""
    content = json.dumps({"path": f"{folder}/run.pickle", "part": f"{folder}/run.pickle.1-a.part", "files": [[f"{folder}/run.pickle", "end", True, 1.5, [3, "ab"]]]})
    Path(folder, "1-run.pickle.noted").write_bytes(damaged(chance, content.encode()))
    Path(folder, "report.7").write_bytes(damaged(chance, json.dumps(REPORT | {"process": 7}).encode()))
    RunFolder(folder).files()
    read(os.path.join(folder, "report"))


def message(chance: random.Random) -> None:
    """What ranks tell each other."""
    whole = sealed([1, "two"], "key")
    given = damaged(chance, whole)
    try:
        assert unsealed(given, "key") == [1, "two"]
    except ValueError:
        assert given != whole


TARGETS: tuple[Callable[[random.Random, recording.Recording, str], Any], ...] = (
    lambda chance, run, folder: run.record,
    lambda chance, run, folder: run.live(chance.choice((None, 0, 7))),
    lambda chance, run, folder: run.events(),
    lambda chance, run, folder: run.events(damaged_text(chance, "expandable_segments:True")),
    lambda chance, run, folder: list(run.actions()),
    lambda chance, run, folder: run.peak(damaged_text(chance, "stack"))._repr_html_(),
    lambda chance, run, folder: run.diagnose().table(damaged_text(chance, "settings")),
    lambda chance, run, folder: run.tune().table("settings"),
    lambda chance, run, folder: run.what_if(damaged_text(chance, "a:b"), memory_limit=chance.randrange(1 << 70), device=damaged_text(chance, "l40s")),
    lambda chance, run, folder: answer(REPORT | {"file": os.path.join(folder, "run.pickle")}, "l40s"),
    lambda chance, run, folder: recording.answer(damaged_text(chance, "peak")),
    lambda chance, run, folder: value_at(damaged_text(chance, "train.py:57=0.5")),
    lambda chance, run, folder: Vary.parse(damaged_text(chance, "batch=1..256")),
    lambda chance, run, folder: bytes_of(damaged_text(chance, "24.5GiB")),
    lambda chance, run, folder: visible(damaged_text(chance, "train.py")),
    lambda chance, run, folder: recording.file_argument(damaged_text(chance, "run.pickle")),
    lambda chance, run, folder: notes(chance, folder),
    lambda chance, run, folder: message(chance),
)  # fmt: skip

#: Of these, a sentence comes in an error of the command that reads its own arguments.
PARSERS = (11, 12, 13)


def all_problems(seed: int, count: int) -> tuple[list[str], collections.Counter[str]]:
    """Gives many inputs; what ended otherwise than in an answer or in a sentence, and how many did in which."""
    found: list[str] = []
    tally: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as replaced:
        file = Path(folder, "run.pickle")
        file.write_bytes(b"recording")
        replaced.enter_context(mock.patch.dict(os.environ, {"ALLOCSIM": sys.executable}))
        replaced.enter_context(mock.patch.object(recording, "temporary_folder", plain_folder))
        for number in range(count):
            chance = random.Random(f"{seed} {number}")
            target = chance.randrange(len(TARGETS))
            # Most without pandas, which takes its time.
            without = {} if chance.random() < 0.02 else {"pandas": None}
            with mock.patch.dict(sys.modules, without), mock.patch.object(engine.subprocess, "run", Engine(chance)):
                try:
                    TARGETS[target](chance, allocsim.open(file), folder)
                    tally["answers"] += 1
                except allocsim.AllocsimError as problem:
                    tally["sentences"] += 1
                    if len(str(problem).splitlines()) != 1 or len(str(problem)) > 5000:
                        found.append(f"{seed} {number}: not one sentence: {str(problem)[:200]!r}")
                except ValueError as problem:
                    tally["sentences"] += 1
                    if target not in PARSERS:
                        found.append(f"{seed} {number}: target {target}: {traceback.format_exc()[-1500:]}")
                except Exception:
                    found.append(f"{seed} {number}: target {target}: {traceback.format_exc()[-1500:]}")
    return found, tally


def main() -> int:
    """Prints all that is wrong, and the memory that it took."""
    import resource

    found, tally = all_problems(int(sys.argv[1]), int(sys.argv[2]))
    for each in found:
        print(each)
    print(len(found), "problems;", dict(tally), f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
