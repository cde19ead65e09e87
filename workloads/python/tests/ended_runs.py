"""Runs of ``allocsim record`` that signals end at random moments, and what they must leave: ``python ended_runs.py SEED COUNT``.

A run is fast, as a module takes the place of PyTorch. Whatever ends it, at whatever moment: the file is whole and goes as far as was said, or it is
an earlier one; nothing else is left in the working folder or in the folder for temporary files; the exit code is that of the program.
"""

from __future__ import annotations

import collections
import ctypes
import json
import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from heeded import heed_signals

HERE = Path(__file__).resolve().parent

#: Number of the request in Linux' include/uapi/linux/prctl.h (6.18): processes whose parents ended become ours.
SET_CHILD_SUBREAPER = 36

PROGRAM = """
import os, sys, time
sys.path.insert(0, {here!r})
import fake_torch
torch, device = fake_torch.install()
from allocsim.recorder import follow
follow.follow()
end = time.monotonic() + {seconds}
size = 0
while time.monotonic() < end:
    size += 1
    device.allocate(size)
    time.sleep(0.001)
"""

SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGKILL", "SIGUSR2 SIGKILL", "SIGUSR2 SIGTERM", "SIGTERM SIGTERM", "SIGTERM SIGKILL", "SIGINT SIGTERM")
TARGETS = ("program", "command", "group")

#: How long a run and what cleans up after it may take.
LIMIT_SECONDS = 60.0


class Run(NamedTuple):
    """What one run is given."""

    signals: str
    target: str
    seconds: float
    flush_seconds: float
    work_seconds: float
    has_earlier: bool
    ending: str


def chosen(chance: random.Random) -> Run:
    """A run at random."""
    return Run(
        chance.choice(SIGNALS), chance.choice(TARGETS), chance.choice((0.05, 0.3, 0.6)) + chance.random() * 0.4, chance.choice((0.005, 0.02, 0.1)),
        chance.random() * 0.5, chance.random() < 0.3, chance.choice((".pickle", ".pickle", ".pickle.gz")),
    )


def problems(run: Run, chance: random.Random, tally: collections.Counter[str]) -> list[str]:
    """Does a run, and returns what is wrong with what it left."""
    with tempfile.TemporaryDirectory() as place:
        folder, temporary = Path(place, "work"), Path(place, "temporary")
        folder.mkdir()
        temporary.mkdir()
        path = folder / f"run{run.ending}"
        if run.has_earlier:
            path.write_bytes(b"earlier")
        process = subprocess.Popen(
            [sys.executable, "-m", "allocsim", "record", "-o", path.name, "--flush", str(run.flush_seconds), "--",
             sys.executable, "-c", PROGRAM.format(here=str(HERE), seconds=run.work_seconds)],
            cwd=folder, env={**os.environ, "PYTHONPATH": str(HERE.parent), "TMPDIR": str(temporary)}, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        began = time.monotonic()
        sent: list[tuple[str, str]] = []
        for position, name in enumerate(run.signals.split()):
            time.sleep(run.seconds if position == 0 else chance.random() * 0.03)
            number = getattr(signal, name)
            if process.poll() is not None:
                break
            if run.target == "program":
                for child in children(process.pid):
                    sent.append((name, "program"))
                    quietly(os.kill, child, number)
            else:
                sent.append((name, run.target))
                quietly(os.killpg if run.target == "group" else os.kill, process.pid, number)
        try:
            err = process.communicate(timeout=LIMIT_SECONDS)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return [f"it did not end: {process.communicate()[1]}"]
        reap(began + LIMIT_SECONDS)
        left = sorted(each.name for each in folder.iterdir())
        names = [re.escape(path.name)]
        if process.returncode == -signal.SIGKILL:
            # A program that starts when its command is gone does not know that it is the command's own.
            names.append(rf"run\.pid\d+{re.escape(run.ending)}")
        wrong = [f"left in the folder: {each}" for each in left if not re.fullmatch("|".join(names), each)]
        wrong += [f"left for temporary files: {each.relative_to(temporary)}" for each in temporary.rglob("*")]
        is_new = False
        if path.exists():
            content = path.read_bytes()
            is_new = content != b"earlier"
            if not is_new and not run.has_earlier:
                wrong.append("another file than was written")
            if is_new:
                wrong += wrong_file(path, content, err, process.returncode)
        elif run.has_earlier:
            wrong.append("the earlier file is gone")
        # Ctrl-C while Python itself starts, before any code of ours; on a machine that is loaded that may be the command's own.
        is_starting = process.returncode == 1 and "KeyboardInterrupt" in err and "/allocsim/" not in err
        command_ended = process.returncode < 0
        if re.search(r"^  File .*/allocsim/(recorder/(command|files)|__main__|engine|temporary|signals)\.py", err, re.MULTILINE):
            wrong.append("a traceback of ours")
        if not command_ended and not is_starting:
            if is_new != ("allocsim record: wrote " in err):
                wrong.append(f"the file is {'new' if is_new else 'not new'}, which was not said")
            if not is_new and "allocsim record: nothing was recorded" not in err and process.returncode not in {128 + signal.Signals[name] for name, _ in sent}:
                wrong.append("nothing was said")
        allowed = {0} if not sent else {0, *(128 + signal.Signals[name] for name, _ in sent)}
        if command_ended:
            # A signal that came before the command was ready, or that nothing can follow.
            if not any(target != "program" and process.returncode == -signal.Signals[name] for name, target in sent):
                wrong.append(f"exit code {process.returncode}")
        elif process.returncode not in allowed and not is_starting:
            wrong.append(f"exit code {process.returncode}")
        tally[f"{'new' if is_new else 'earlier' if path.exists() else 'no'} file"] += 1
        tally["ended by a signal" if sent else "ended before the signal"] += 1
        tally["command ended by the signal"] += command_ended
        return [f"{each}\n{err}" for each in wrong]


def wrong_file(path: Path, content: bytes, err: str, code: int) -> list[str]:
    """What is wrong with a recording, or with what was said of it."""
    if path.name.endswith(".gz"):
        import gzip

        try:
            content = gzip.decompress(content)
        except Exception as problem:
            return [f"the file is damaged: {problem!r}"]
    try:
        snapshot = pickle.loads(content)
        record = json.loads(snapshot["allocsim_record"])
    except Exception as problem:
        return [f"the file is damaged: {problem!r}"]
    sizes = [each["size"] for each in snapshot["device_traces"][0]]
    wrong = []
    if sizes != list(range(1, len(sizes) + 1)) or record["devices"][0]["end_position"][0] != len(sizes):
        wrong.append("the history is not whole")
    if code < 0:
        return wrong
    said = re.search(r"wrote \S+ \([^)]*\)(.*)", err)
    ends = {"sigterm": ", up to SIGTERM", "sighup": ", up to SIGHUP", "signal": ", up to SIGUSR2"}
    expected = "" if record["complete"] and record["reason"] in ("end", "error") else ends.get(record["reason"], r", up to \d+ s before the end of the program")
    if said is None or re.fullmatch(expected, said[1]) is None:
        wrong.append(f"the file ends with {record['reason']} (complete: {record['complete']}), which is not what was said")
    return wrong


def children(number: int) -> list[int]:
    """The children of a process that are in its session."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                fields = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == number and int(fields[3]) == number:
                found.append(int(each.name))
    return found


def quietly(function, *arguments) -> None:
    """A process may be gone already."""
    try:
        function(*arguments)
    except OSError:
        pass


def reap(deadline: float) -> None:
    """Waits for all processes that lost their parents."""
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
        except ChildProcessError:
            return


def all_problems(seed: int, count: int) -> tuple[list[tuple[Run, str]], collections.Counter[str]]:
    """Does many runs; what was wrong, and how they ended."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    tally: collections.Counter[str] = collections.Counter()
    found = []
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        run = chosen(chance)
        found += [(run, each) for each in problems(run, chance, tally)]
    return found, tally


def main() -> int:
    """Prints all that is wrong."""
    if shutil.which("sh") is None:
        print("needs Linux")
        return 2
    heed_signals()
    found, tally = all_problems(int(sys.argv[1]), int(sys.argv[2]))
    for run, problem in found:
        print(run, problem, sep="\n")
    print(len(found), "problems;", dict(tally))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
