"""Runs that signals end at random moments, and what they must leave: ``python ended_runs.py SEED COUNT [record|estimate]``.

A run of ``record`` is fast, as a module takes the place of PyTorch; one of ``estimate`` needs PyTorch and the mock CUDA driver. Whatever ends it, at
whatever moment: the file is whole and goes as far as was said, or it is an earlier one; nothing else is left in the working folder, in the folder for
temporary files or among the processes; the exit code is that of the program.
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

#: It writes far more often than programs do, so that a signal may come while it writes.
RECORDED = """
import os, signal, sys, time
sys.path.insert(0, {here!r})
import fake_torch
torch, device = fake_torch.install()
from allocsim.recorder import follow, recorder
recorder.SAMPLE_SECONDS, recorder.FLUSH_SHARE = 0.02, 1.0
follow.follow()
{before}
end = time.monotonic() + {seconds}
size = 0
while time.monotonic() < end:
    size += 1
    device.allocate(size)
    if size == 1: os.write(2, b"USED\\n")
    time.sleep(0.001)
{after}
"""

ESTIMATED = """
import os, signal, sys, torch
{before}
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    model(torch.randn(8, 64).cuda()).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    if _ == 0: os.write(2, b"USED\\n")
{after}
"""


class Manner(NamedTuple):
    """How a program meets signals, and how it ends.

    Attributes:
        before: what it does first.
        after: what it does at its end.
        codes: exit codes of its own.
        is_behind_shell: whether a shell starts it.
    """

    before: str = ""
    after: str = ""
    codes: tuple[int, ...] = (0,)
    is_behind_shell: bool = False


MANNERS = {
    "plain": Manner(),
    "fails": Manner(after="sys.exit(3)", codes=(3,)),
    "leaves": Manner(after="os._exit(5)", codes=(5,)),
    "aborts": Manner(after="os.abort()", codes=(128 + signal.SIGABRT,)),
    "crashes": Manner(after="import ctypes; ctypes.string_at(0)", codes=(128 + signal.SIGSEGV,)),
    "behind a shell": Manner(is_behind_shell=True),
    "forks": Manner(before="if os.fork() == 0: os._exit(0)"),
    "handles": Manner(before="signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(7))", codes=(0, 7)),
    "ignores": Manner(before="signal.signal(signal.SIGTERM, signal.SIG_IGN)"),
}

SIGNALS = (
    "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGKILL", "SIGUSR2 SIGKILL", "SIGUSR2 SIGTERM", "SIGTERM SIGTERM", "SIGINT SIGINT", "SIGHUP SIGHUP", "SIGTERM SIGKILL",
    "SIGINT SIGTERM",
)  # fmt: skip
JSON = "answer.json"

EARLIER = b"earlier"

TARGETS = ("program", "command", "group")

#: How long a run and what cleans up after it may take.
LIMIT_SECONDS = 60.0

#: How long what a command started may go on after it.
AFTER_SECONDS = 10.0


class Run(NamedTuple):
    """What one run is given; the first signal comes at a moment from 0, its start, to 1, its end."""

    command: str
    signals: str
    target: str
    manner: str
    moment: float
    flush_seconds: float
    work_seconds: float
    has_earlier: bool
    ending: str

    def arguments(self, name: str) -> list[str]:
        """The command line after the name of the command."""
        manner = MANNERS[self.manner]
        options = ["--flush", str(self.flush_seconds)] if self.command == "record" else ["--json", JSON]
        program = RECORDED if self.command == "record" else ESTIMATED
        source = program.format(here=str(HERE), seconds=self.work_seconds, **manner._asdict())
        # A shell goes on after its child, and so does not become it.
        command = ["sh", "-c", '"$@"; exit $?', "sh"] if manner.is_behind_shell else []
        return ["-o", name, *options, "--", *command, sys.executable, "-c", source]


def chosen(chance: random.Random, command: str) -> Run:
    """A run at random."""
    # What a program leaves behind when it ends goes on, except in an estimate.
    manners = [name for name in MANNERS if command == "estimate" or not MANNERS[name].is_behind_shell]
    return Run(
        command, chance.choice(SIGNALS), chance.choice(TARGETS), chance.choice(("plain", "plain", "plain", *manners)), chance.random(), chance.choice((0.005, 0.02, 0.1)),
        chance.random() * 0.5 if command == "record" else 0.0, chance.random() < 0.5, chance.choice((".pickle", ".pickle", ".pickle.gz")),
    )  # fmt: skip


def problems(run: Run, chance: random.Random, tally: collections.Counter[str], usual_seconds: float) -> list[str]:
    """Does a run, and returns what is wrong with what it left.

    Args:
        usual_seconds: how long a run takes without its work where nothing ends it.
    """
    with tempfile.TemporaryDirectory() as place:
        folder, temporary = Path(place, "work"), Path(place, "temporary")
        folder.mkdir()
        temporary.mkdir()
        path, answer = folder / f"run{run.ending}", folder / JSON
        earlier = [path, *([answer] if run.command == "estimate" else [])]
        for each in earlier if run.has_earlier else ():
            each.write_bytes(EARLIER)
        # Files and no pipes, which what is left of a run would keep open.
        with open(Path(place, "out"), "w+") as out_file, open(Path(place, "err"), "w+") as err_file:
            process = subprocess.Popen(
                [sys.executable, "-m", "allocsim", run.command, *run.arguments(path.name)],
                cwd=folder, env={**os.environ, "PYTHONPATH": str(HERE.parent), "TMPDIR": str(temporary)}, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file,
            )  # fmt: skip
            sent = send(run, process, chance, run.moment * (usual_seconds + run.work_seconds))
            try:
                process.wait(LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                err_file.seek(0)
                return [f"it did not end: {err_file.read()}"]
            going_on = reap(AFTER_SECONDS)
            for each in (out_file, err_file):
                each.seek(0)
            out, err, code = out_file.read(), err_file.read(), process.returncode
        if MANNERS[run.manner].is_behind_shell:
            # It is not the command's own child, so that its file has its number.
            path = next(folder.glob(f"run.pid*{run.ending}"), path)
            earlier.append(path)
        wrong = [f"goes on: {each}" for each in going_on]
        names = [re.escape(each.name) for each in earlier]
        if code == -signal.SIGKILL and run.command == "record":
            # A program that starts when its command is gone does not know that it is the command's own.
            names.append(rf"run\.pid\d+{re.escape(run.ending)}")
        wrong += [f"left in the folder: {each.name}" for each in folder.iterdir() if not re.fullmatch("|".join(names), each.name)]
        wrong += [f"left for temporary files: {each.relative_to(temporary)}" for each in temporary.rglob("*")]
        is_new = path.exists() and path.read_bytes() != EARLIER
        wrong += [f"the earlier {each.name} is gone" for each in earlier if run.has_earlier and not each.exists()]
        if is_new:
            wrong += wrong_file(run, path, err, code)
        # Ctrl-C while Python itself starts, before any code of ours; on a machine that is loaded that may be the command's own.
        is_starting = code == 1 and "KeyboardInterrupt" in err and "/allocsim/" not in err
        if not is_starting:
            wrong += wrong_words(run, sent, is_new, err, code)
        if re.search("^USED$", err, re.MULTILINE) and re.search("allocated GPU memory|ran no Python|before any GPU memory|used no GPU", err + out):
            wrong.append(f"it used GPU memory, and that was denied: {out}")
        if run.command == "estimate":
            wrong += wrong_answer(answer, out, code)
        tally[f"{'new' if is_new else 'earlier' if path.exists() else 'no'} file"] += 1
        tally["ended by a signal" if sent else "ended before the signal"] += 1
        tally["command ended by the signal"] += code < 0
        for each in {name for name, _ in sent}:
            tally[each] += 1
        return [f"{each}\n{err}" for each in wrong]


def send(run: Run, process: subprocess.Popen[bytes], chance: random.Random, seconds: float) -> list[tuple[str, str]]:
    """Sends the signals of a run; which were sent before it ended, each with whom it was sent to."""
    sent: list[tuple[str, str]] = []
    for position, name in enumerate(run.signals.split()):
        try:
            process.wait(seconds if position == 0 else chance.random() * 0.03)
            break
        except subprocess.TimeoutExpired:
            pass
        number = getattr(signal, name)
        if run.target == "program":
            for child in children(process.pid):
                sent.append((name, "program"))
                quietly(os.kill, child, number)
        else:
            sent.append((name, run.target))
            quietly(os.killpg if run.target == "group" else os.kill, process.pid, number)
    return sent


def wrong_words(run: Run, sent: list[tuple[str, str]], is_new: bool, err: str, code: int) -> list[str]:
    """What is wrong with the exit code, and with what was said of the file."""
    wrong = []
    if re.search(r"^  File .*/allocsim/(recorder/(command|files|program)|__main__|engine|temporary|estimate/(command|runs|answer|files|supervisor))\.py", err, re.MULTILINE):
        wrong.append("a traceback of ours")
    # PyTorch goes on after Ctrl-C at some places, and fails later.
    is_interrupted = any(name == "SIGINT" for name, _ in sent)
    # A program's handler may raise while Python waits for threads at its end, and Python says so.
    err = re.sub(r"Exception ignored in: <module 'threading'[^\n]*\nTraceback[^\n]*\n(?:  [^\n]*\n)*SystemExit: 7\n", "", err)
    # "leaving" is what the program's own sys.exit goes through.
    if any("/allocsim/" in each and ", in leaving" not in each for each in re.split("Exception ignored|Fatal Python error", err)[1:]) or ("Traceback" in err and not is_interrupted):
        wrong.append("an error of Python")
    signals = {signal.Signals[name] for name, _ in sent}
    if code < 0:
        # A signal that came before the command was ready, or that nothing can follow.
        if not any(target != "program" and code == -signal.Signals[name] for name, target in sent):
            wrong.append(f"exit code {code}")
        return wrong
    if code not in {*MANNERS[run.manner].codes, *(128 + each for each in signals), *([1] if is_interrupted and "Error: " in err or "was ended by SIG" in err else [])}:
        wrong.append(f"exit code {code}")
    if is_new != (re.search(rf"^allocsim {run.command}: (.*; )?wrote ", err, re.MULTILINE) is not None):
        wrong.append(f"the file is {'new' if is_new else 'not new'}, which was not said")
    if run.command == "record" and not is_new and "allocsim record: nothing was recorded" not in err and code - 128 not in signals:
        wrong.append("nothing was said")
    return wrong


def wrong_answer(answer: Path, out: str, code: int) -> list[str]:
    """What is wrong with the answer of an estimate."""
    wrong = []
    is_new = answer.exists() and answer.read_bytes() != EARLIER
    if is_new:
        try:
            found = json.loads(answer.read_bytes())
            if code >= 0 and out and not out.startswith(found["sentence"][:20]):
                wrong.append("the answer in JSON is another one than was printed")
        except Exception as problem:
            wrong.append(f"the answer is damaged: {problem!r}")
    elif code == 0:
        wrong.append("there is no answer in JSON")
    return wrong


def wrong_file(run: Run, path: Path, err: str, code: int) -> list[str]:
    """What is wrong with a recording, or with what was said of it."""
    content = path.read_bytes()
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
    allocated = [each["size"] for each in snapshot["device_traces"][0] if each["action"] == "alloc"]
    wrong = []
    if (run.command == "record" and allocated != list(range(1, len(allocated) + 1))) or record["devices"][0]["end_position"][0] != len(allocated):
        wrong.append("the history is not whole")
    if code < 0:
        return wrong
    said = re.search(r"wrote \S+?(?: \([^)]*\))?((?:,.*)?)$", err, re.MULTILINE)
    ends = {"sigterm": ", up to SIGTERM", "sighup": ", up to SIGHUP", "signal": ", up to SIGUSR2"}
    expected = "" if record["complete"] and record["reason"] in ("end", "error") else ends.get(record["reason"], r", up to \d+ s before the end of the program")
    if said is None or re.fullmatch(expected, said[1]) is None:
        wrong.append(f"the file ends with {record['reason']} (complete: {record['complete']}), which is not what was said")
    return wrong


def children(number: int, anywhere: bool = False) -> list[int]:
    """The children of a process that are in its session, or in any."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                fields = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == number and (anywhere or int(fields[3]) == number):
                found.append(int(each.name))
    return found


def quietly(function, *arguments) -> None:
    """A process may be gone already."""
    try:
        function(*arguments)
    except OSError:
        pass


def reap(seconds: float) -> list[str]:
    """Waits for all processes that lost their parents, and kills those that do not end; the command lines of these."""
    deadline = time.monotonic() + seconds
    found: list[str] = []
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                if time.monotonic() > deadline:
                    left = children(os.getpid(), anywhere=True)
                    found += [str(Path(f"/proc/{each}/cmdline").read_bytes().replace(b"\0", b" ")[:300]) for each in left]
                    for each in left:
                        quietly(os.kill, each, signal.SIGKILL)
                time.sleep(0.005)
        except ChildProcessError:
            return found


def all_problems(seed: int, count: int, command: str) -> tuple[list[tuple[Run, str]], collections.Counter[str]]:
    """Does many runs; what was wrong, and how they ended."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    tally: collections.Counter[str] = collections.Counter()
    run = Run(command, "", "", "plain", 0.0, 0.0, 0.0, False, ".pickle")
    # The first may build the mock CUDA driver, and fills caches.
    for _ in range(2):
        began = time.monotonic()
        found = [(run, each) for each in problems(run, random.Random(seed), tally, 0.0)]
        usual_seconds = time.monotonic() - began
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        run = chosen(chance, command)
        found += [(run, each) for each in problems(run, chance, tally, usual_seconds)]
    return found, tally


def main() -> int:
    """Prints all that is wrong."""
    if shutil.which("sh") is None:
        print("needs Linux")
        return 2
    heed_signals()
    began = time.monotonic()
    found, tally = all_problems(int(sys.argv[1]), int(sys.argv[2]), *(sys.argv[3:] or ["record"]))
    for run, problem in found:
        print(run, problem, sep="\n")
    print(len(found), "problems;", dict(sorted(tally.items())), f"{time.monotonic() - began:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
