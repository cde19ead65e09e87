"""The runs of a program with remedies: several at once, kept in a file so that a command that was ended goes on where it was."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Callable, Sequence

from ..recorder.files import remove, whole
from ..recording import AllocsimError
from ..temporary import temporary_folder
from ..version import VERSION
from .catalog import remedies
from .facts import Facts
from .remedy import Remedy

SCHEMA = "allocsim-trials-2"

#: Files of earlier versions, whose runs are still good.
_EARLIER_SCHEMAS = ("allocsim-trials-1",)

#: Runs a trial with this very package, wherever it was loaded from, and no other path for the program.
_TRIAL = "import sys; sys.path[:1] = sys.argv[1:2]; from allocsim.advise.trial import main; sys.exit(main())"
_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

#: Names the folder that ends a trial, and all that it starts, with this process.
_VARIABLE = "ALLOCSIM_TRIALS"

#: The file of a folder that has all that was found.
FILE = "trials.json"


class Trials:
    """What is known about a program so far.

    Args:
        folder: for :data:`FILE`, recordings and what the program printed. It is new, empty, or of an earlier call.
        asked: what is the same for all runs: ``program``, ``options`` (of ``allocsim estimate``), ``values``, ``files`` (of remedies that are the user's).
    """

    def __init__(self, folder: str, asked: dict[str, Any]) -> None:
        self._folder = os.path.abspath(folder)
        self._asked = asked
        self._known = remedies(asked["files"])
        #: Whether the folder had what was found of another program, or of this one as it was, which is replaced.
        self.replaces = False
        self.found: dict[str, Any] = {"schema": SCHEMA, "key": _key(asked), "program": asked["program"], "device": asked["options"]["device"], "facts": None, "remedies": [], "trials": []}
        self._open()

    @property
    def path(self) -> str:
        """The file that holds all trials."""
        return os.path.join(self._folder, FILE)

    @property
    def names(self) -> list[str]:
        """Names of all remedies."""
        return list(self._known)

    @property
    def facts(self) -> Facts | None:
        """What the baseline run showed; None before it."""
        found: Facts | None = self.found["facts"]
        return found

    def baseline(self) -> dict[str, Any] | None:
        """The run without a remedy; None before it."""
        found: list[dict[str, Any]] = self.found["trials"]
        return next((each for each in found if not each["remedies"]), None)

    def run(self, combinations: Sequence[Sequence[str]], jobs: int, ended: Callable[[dict[str, Any]], None], until: float = math.inf) -> None:
        """Runs the program with each of some combinations of remedies, and saves what is found after each.

        Args:
            combinations: names of remedies, none for the baseline.
            jobs: runs at once, at most.
            ended: is called after each.
            until: the time, as of ``time.monotonic``, after which no run begins.
        """
        with temporary_folder(has_processes=True) as folder, _Processes(folder) as processes, ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
            runs = [pool.submit(self._run, processes, list(each), until) for each in combinations]
            try:
                for each in as_completed(runs):
                    trial = each.result()
                    if trial is not None:
                        self._add(trial)
                        ended(trial)
            except BaseException:
                processes.end()
                for each in runs:
                    each.cancel()
                raise

    def save(self, **values: Any) -> None:
        """Writes the file, with further entries."""
        self.found.update(values)
        with temporary_folder() as folder, whole(self.path, folder) as stream:
            stream.write(f"{json.dumps(self.found, indent=1)}\n".encode())

    # --- how it is done --------------------------------------------------------------------

    def _open(self) -> None:
        try:
            before = json.loads(Path(self.path).read_text("utf-8"))
            is_ours = isinstance(before, dict) and before.get("schema") in (SCHEMA, *_EARLIER_SCHEMAS)
        except FileNotFoundError:
            before, is_ours = None, not os.path.isdir(self._folder) or not os.listdir(self._folder)
        except (OSError, ValueError):
            before, is_ours = None, False
        if not is_ours:
            raise AllocsimError(f"the folder {self._folder} is not empty and has no {FILE} of allocsim; name a new folder with -o", 1)
        os.makedirs(self._folder, exist_ok=True)
        if before is None:
            return
        # What failed may do so no more: the reason can lie outside of the program's own files.
        before["trials"] = [each for each in before.get("trials", ()) if each.get("answer") is not None and each["answer"].get("complete")]
        if before.get("key") == self.found["key"] and _are_unchanged(before) and any(not each["remedies"] for each in before["trials"]):
            self.found = before
            self._take_rank()
        else:
            self.replaces = bool(before["trials"])

    def _run(self, processes: _Processes, names: list[str], until: float) -> dict[str, Any] | None:
        if time.monotonic() > until:
            return None
        name = "+".join(names) or "baseline"
        ranks = max((self._known[each].ranks for each in names), default=1)
        job = {"options": self._asked["options"] | {"rank": 0, "world": ranks}} if ranks > 1 else {}
        asked = self._asked | job | {"remedies": names, "facts": self.facts or {}, "path": os.path.join(self._folder, f"{name}.pickle")}
        log = os.path.join(self._folder, f"{name}.log")
        with open(log, "wb") as errors:
            out = processes.run([sys.executable, "-c", _TRIAL, _PACKAGES], json.dumps(asked).encode(), errors)
        try:
            trial: dict[str, Any] = json.loads(out)
        except ValueError:
            return {"remedies": names, "problem": f"the run was ended; see {os.path.relpath(log)}", "answer": None, "facts": None, "seconds": 0.0, "host_bytes": 0}
        return {"answer": None, "facts": None, "log": os.path.relpath(log, self._folder)} | trial

    def _add(self, trial: dict[str, Any]) -> None:
        facts = trial.pop("facts", None)
        trial["work"] = None if facts is None or any(each["is_compiled"] for each in facts["models"]) else facts["work"]
        if trial["answer"] is not None and trial["answer"]["file"] is not None:
            trial["answer"]["file"] = os.path.relpath(trial["answer"]["file"], self._folder)
        self.found["trials"].append(trial)
        if not trial["remedies"]:
            self.found["facts"] = facts
            self.found["remedies"] = [] if facts is None else [_row(each, facts) for each in self._known.values()]
            self._take_rank()
        self.save()

    def _take_rank(self) -> None:
        """The rank of a job that decides is the one that all others are run as."""
        baseline = self.baseline()
        if baseline is not None and baseline.get("world", 1) > 1:
            self._asked["options"] |= {"rank": baseline["rank"], "world": baseline["world"]}

    def drop_recordings(self, kept: Sequence[Sequence[str]]) -> None:
        """Removes the recordings of all runs but some: they are large."""
        for trial in self.found["trials"]:
            found = trial["answer"]
            if found is not None and found["file"] is not None and trial["remedies"] not in [list(each) for each in kept]:
                remove(os.path.join(self._folder, found["file"]))
                found["file"] = None
        self.save()


def _row(remedy: Remedy, facts: Facts) -> dict[str, Any]:
    reason = remedy.reason_against(facts)
    return {
        "name": remedy.name, "title": remedy.title if reason is not None else remedy.title_for(facts), "cost": remedy.cost, "changes_results": remedy.changes_results, "group": remedy.group or remedy.name, "after": remedy.after,
        "is_on_request": remedy.is_on_request, "ranks": remedy.ranks, "reason_against": reason,
        "max_saved_bytes": None if reason is not None else remedy.max_saved_bytes(facts),
        "lines": [] if reason is not None else [each._asdict() for each in remedy.lines(facts)],
    }


def _key(asked: dict[str, Any]) -> str:
    """What must match for the runs of an earlier call to be reused."""
    settings = {name: value for name, value in os.environ.items() if name.endswith("ALLOC_CONF")}
    files = [hashlib.sha256(Path(each).read_bytes()).hexdigest() for each in asked["files"]]
    text = json.dumps([VERSION, asked, settings, files, os.getcwd()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _are_unchanged(found: dict[str, Any]) -> bool:
    """Whether the program's own files are unchanged."""
    try:
        return all(hashlib.sha256(Path(file).read_bytes()).hexdigest() == digest for file, digest in ((found["facts"] or {}).get("sources") or {}).items())
    except (OSError, AttributeError, TypeError, KeyError):
        return False


class _Processes:
    """Processes that end with this one, or earlier on a signal.

    Args:
        folder: a temporary folder that kills its processes.
    """

    def __init__(self, folder: str) -> None:
        self._environment = os.environ | {_VARIABLE: folder}
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._has_ended = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Processes:
        if threading.current_thread() is not threading.main_thread():
            return self
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(number) is signal.SIG_DFL:
                self._before[number] = signal.signal(number, lambda came, frame: sys.exit(128 + came))
        return self

    def __exit__(self, *problem: object) -> None:
        self.end()
        for number, before in self._before.items():
            signal.signal(number, before)

    def run(self, command: Sequence[str], given: bytes, errors: Any) -> bytes:
        """Runs a command to its end and returns its output."""
        with self._lock:
            if self._has_ended:
                return b""
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=self._environment)
            self._running.add(process)
        try:
            return process.communicate(given)[0]
        finally:
            with self._lock:
                self._running.discard(process)

    def end(self) -> None:
        """Ends all running processes."""
        with self._lock:
            self._has_ended = True
            running = list(self._running)
        for each in running:
            with contextlib.suppress(OSError):
                each.terminate()
