"""Asks a recording: what ``allocsim.open`` returns.

Every answer is that of the command line, in the JSON that ``allocsim list schemas`` describes. Tables
become pandas DataFrames if pandas is installed, backed by Arrow if pyarrow is, otherwise lists of
dictionaries.
"""

from __future__ import annotations

import builtins
import contextlib
import csv
import html
import importlib
import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
import warnings
import webbrowser
from functools import cached_property
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Sequence, Union

from .engine import EngineMissing, command, execute
from .missing import similar_path
from .renamed import Keyed
from .temporary import temporary_folder
from .visible import visible


#: Of what the program writes for Python to hold at once. Objects of Python take about ten times as much.
MAX_ANSWER_BYTES = 256 << 20
MAX_TABLE_BYTES = 4 << 30

#: Characters of a sentence.
_MAX_SENTENCE = 2000


#: What a keyword argument may be: None and False leave the option out.
Option = Union[str, int, float, bool, None, Sequence[str]]


class AllocsimError(Exception):
    """allocsim cannot answer; the message is one sentence that says why.

    Attributes:
        exit_code: 1 failed, 2 wrong usage, 3 a check failed.
    """

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def run(*arguments: str | os.PathLike[str], allowed: Iterable[int] = (0, 3)) -> str:
    """Runs the command line and returns its output.

    Raises:
        AllocsimError: it ended with an exit code other than those allowed.
    """
    try:
        program, environment = command()
    except EngineMissing as problem:
        raise AllocsimError(str(problem), 1) from None
    try:
        ended = execute(program, environment, [os.fspath(each) for each in arguments])
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise AllocsimError(visible(f"{program[0]} cannot be run: {reason}"), 1) from None
    if ended.exit_code not in tuple(allowed):
        # A shell between says it in its own way.
        number = -ended.exit_code if ended.exit_code < 0 else ended.exit_code - 128
        if number in set(signal.Signals):
            raise AllocsimError(f"{program[0]} was ended by {signal.Signals(number).name}", 1)
        raise AllocsimError(_sentence(ended.err), ended.exit_code)
    return ended.out


def file_argument(path: str | os.PathLike[str]) -> str:
    """A file name as an argument that the command line cannot take for an option or anything else."""
    text = os.fspath(path)
    return text if os.path.isabs(text) else os.path.join(os.curdir, text) if _MEANS_MORE.match(text) else text


#: Options, files of arguments, programs such as ``program:gpt``, and - for standard input.
_MEANS_MORE = re.compile(r"[-@]|[a-z]+:")


def answer(*arguments: str | os.PathLike[str], allowed: Iterable[int] = (0, 3)) -> dict[str, Any]:
    """Runs a command with ``--json`` and returns the JSON."""
    with temporary_folder() as folder:
        file = Path(folder) / "answer.json"
        run(*arguments, "--json", file, allowed=allowed)
        return _answer_in(file)


def _answer_in(file: Path) -> dict[str, Any]:
    with _understood(file, MAX_ANSWER_BYTES):
        found = json.loads(file.read_text("utf-8"), object_hook=Keyed)
        if not isinstance(found, dict):
            raise TypeError(f"{type(found).__name__} instead of an object")
        return found


@contextlib.contextmanager
def _understood(file: Path, most_bytes: int) -> Iterator[None]:
    """Guards a block that reads a file written by the program.

    Raises:
        AllocsimError: it is too large or not of the expected form.
    """
    try:
        size = file.stat().st_size
        if size > most_bytes:
            raise AllocsimError(f"the answer of {size} bytes is too large for Python to read at once ({most_bytes}); ask the command line, which writes it to a file", 1)
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError, csv.Error) as problem:
        said = visible(f"{type(problem).__name__}: {problem}")[:_MAX_SENTENCE]
        raise AllocsimError(f"the answer of the program cannot be read ({said}); does its version match this package?", 1) from None


def _sentence(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    # What goes on may be said before.
    said = [line.removeprefix("allocsim: ") for line in lines if line.startswith("allocsim: ") and line.removeprefix("allocsim: ").strip()]
    return visible((said or lines or ["allocsim ended without output"])[-1])[:_MAX_SENTENCE]


class Answer(Keyed):
    """The JSON of an answer; a notebook shows it as the command line prints it."""

    def __init__(self, values: Mapping[str, Any], text: str) -> None:
        super().__init__(values)
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{_escaped(self.text)}</pre>"

    def table(self, key: str) -> Any:
        """One of its tables as a DataFrame; ``key`` names it, dots lead inwards."""
        value: Any = self
        for part in key.split("."):
            if not isinstance(value, dict) or part not in value:
                raise AllocsimError(f"the answer has no table {visible(key)[:100]}; it has {visible(', '.join(sorted(self)))[:_MAX_SENTENCE]}", 2)
            value = value[part]
        try:
            return _table(value)
        except (ValueError, TypeError, AttributeError, OverflowError) as problem:
            raise AllocsimError(visible(f"{key} is not a table ({problem})")[:_MAX_SENTENCE], 2) from None


class Page(os.PathLike[str]):
    """A page that was written; a notebook shows it.

    Attributes:
        path: its file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"<allocsim.Page {self.path}>"

    def _repr_html_(self) -> str:
        content = _escaped(self.path.read_text("utf-8"))
        return f'<iframe srcdoc="{content}" style="width: 100%; height: 48em; border: 0"></iframe>'


class Recording:
    """A recording, or a trace of any other format that allocsim reads.

    Each question is a method with keyword arguments; ``ask`` takes any other command, and any other option.
    Sizes are bytes, or texts such as ``"24GiB"``; names are those of the command line.
    """

    def __init__(self, path: str | os.PathLike[str], options: Iterable[str] = ()) -> None:
        self.path = Path(path)
        self._file = file_argument(path)
        self._options = tuple(options)
        if not self.path.is_file():
            raise FileNotFoundError(f"{self.path}: no such file; {similar_path(self.path)}")

    def __repr__(self) -> str:
        return f"<allocsim.Recording {self.path}>"

    def _repr_html_(self) -> str:
        return self.diagnose()._repr_html_()

    def ask(self, name: str, *options: str, **keywords: Option) -> Answer:
        """The answer of any command that takes a trace.

        Args:
            name: of the command.
            options: as on the command line.
            keywords: options by name: ``warm_up=2`` is ``--warm-up=2``, ``swap_adjacent=True`` is ``--swap-adjacent``; None and False leave it out, lists are joined by commas.

        >>> run.ask("leaks", warm_up=2)["leak_verdict"]
        'PLATEAU'
        """
        with temporary_folder() as folder:
            file = Path(folder) / "answer.json"
            text = run(name, self._file, *self._options, *options, *_arguments(keywords), "--json", file)
            return Answer(_answer_in(file), text.rstrip())

    def diagnose(self, *options: str, log: str | os.PathLike[str] | None = None, os: str | None = None) -> Answer:
        """Why the run failed and what would have saved it, or how it could use less memory.

        Args:
            log: a log with the message of the failure, read as well.
            os: system on which settings are to work: ``linux`` or ``windows``.

        >>> run.diagnose()["program"]["best_conf"]
        'expandable_segments:True'
        """
        return self.ask("diagnose", *((file_argument(log),) if log is not None else ()), *options, os=os)

    def tune(self, *options: str, grid: str | None = None, os: str | None = None) -> Answer:
        """Settings of PyTorch's allocator, best first.

        Args:
            grid: how many settings: ``coarsest``, ``coarse``, ``usual`` or ``fine``.
            os: system on which they are to work: ``linux`` or ``windows``.

        >>> run.tune(grid="coarsest")["recommended_conf"]
        'expandable_segments:True'
        """
        return self.ask("tune", *options, grid=grid, os=os)

    def peak(self, by: str | None = None, *, of: str | None = None, at: str | int | None = None, frames: int | None = None) -> Answer:
        """What holds the memory at the peak.

        Args:
            by: what groups share: ``stack`` (if recorded), ``size``, ``phase`` or ``category``.
            of: which peak: ``reserved``, ``allocated`` or ``requested``.
            at: another moment: ``oom``, ``peak``, ``end``, or the index of an allocation request.
            frames: of a stack, at most.

        >>> run.peak(by="category")["by"]
        'category'
        """
        return self.ask("peak", by=by, of=of, at=at, frames=frames)

    def blockers(self, at: str | int | None = None, *, sort: str | None = None, top: int | None = None) -> Answer:
        """The blocks that hold segments open, and which of them to avoid so that a failed request fits.

        Args:
            at: ``oom``, ``peak``, ``end``, or the index of an allocation request.
            sort: segments by ``ratio`` of free to used bytes, or by ``free`` bytes.
            top: blocks shown of each segment.

        >>> len(run.blockers(at="oom")["segments"]) > 0
        True
        """
        return self.ask("blockers", at=at, sort=sort, top=top)

    def pins(self, at: str | int | None = None, *, sort: str | None = None, top: int | None = None) -> Answer:
        """The former name of :meth:`blockers`."""
        warnings.warn("run.pins() is now run.blockers()", DeprecationWarning, stacklevel=2)
        return self.blockers(at, sort=sort, top=top)

    def account(self, *options: str, at: str | int | None = None) -> Answer:
        """Where all memory of the GPU is, beyond what PyTorch reserved.

        >>> run.account()["gpu_bytes"]
        25393692672
        """
        return self.ask("account", *options, at=at)

    def leaks(self, *options: str, warm_up: int | None = None) -> Answer:
        """Memory that grows over iterations.

        Args:
            warm_up: first iterations that do not count; by default they are found.
        """
        return self.ask("leaks", *options, warm_up=warm_up)

    def idle(
        self,
        *options: str,
        what_if: str | Sequence[str] = (),
        workers: int | None = None,
        memory: str | os.PathLike[str] | None = None,
        other_batch: tuple[float, str | os.PathLike[str]] | None = None,
    ) -> Answer:
        """Why the GPU is idle, and what would change it; the recording is a profile of PyTorch's profiler or of Nsight Systems.

        Args:
            what_if: changes to predict, such as ``["workers=4", "workers=4,pinned,non-blocking"]``; by default those that apply.
            workers: of the data loader in the recorded run, which a profile does not show.
            memory: a memory snapshot of the same run.
            other_batch: a profile of the same program with another batch, and how many times as large that is: ``(0.5, "half.json.gz")``.
        """
        changes = (what_if,) if isinstance(what_if, str) else tuple(what_if)
        inputs = [f"--memory={file_argument(memory)}"] if memory is not None else []
        if other_batch is not None:
            inputs.append(f"--other-batch={other_batch[0]:g}x={os.fspath(other_batch[1])}")
        return self.ask("idle", *(f"--what-if={change}" for change in changes), *inputs, *options, workers=workers)

    def compare(self, *options: str, policies: str | Sequence[str] | None = None, confs: Sequence[str] | None = None) -> Answer:
        """The program on many allocators.

        Args:
            policies: allocators, such as ``["pytorch", "rmm-pool(initial=1GiB)"]``; all by default.
            confs: settings of PyTorch's allocator, each a text of its own.

        >>> [row["policy"] for row in run.compare(policies=["max-live"])["traces"][0]["results"]]
        ['max-live']
        """
        return self.ask("compare", *options, policies=policies, confs=_settings(confs))

    def min_capacity(self, *options: str, policies: str | Sequence[str] | None = None, confs: Sequence[str] | None = None) -> Answer:
        """The smallest GPU on which no request fails, for each setting or allocator.

        Args:
            policies: allocators; PyTorch's by default.
            confs: settings of PyTorch's allocator, each a text of its own.

        >>> run.min_capacity(confs=["expandable_segments:True"])["settings"][0]["smallest_gpu"]
        'rtx-3080-10gb'
        """
        return self.ask("min-capacity", *options, policies=policies, confs=_settings(confs))

    def perturb(self, *options: str, swap_adjacent: bool = False, resize: str | None = None, runs: int | None = None, seed: int | None = None) -> Answer:
        """How many randomly changed copies of the program run out of memory.

        Args:
            swap_adjacent: swap neighbouring requests at random.
            resize: change sizes by up to this percentage, such as ``"2%"``.
            runs: number of copies.
            seed: of the first copy.

        >>> run.perturb(runs=3)["runs"]
        3
        """
        return self.ask("perturb", *options, swap_adjacent=swap_adjacent, resize=resize, runs=runs, seed=seed)

    def verify(self, *options: str) -> Answer:
        """Whether the simulation repeats the recording event by event.

        >>> run.verify()["exact"]
        True
        """
        return self.ask("verify", *options)

    def diff(self, other: Recording | str | os.PathLike[str], *options: str) -> Answer:
        """What another recording holds more or less at its peak.

        Args:
            other: the recording after the change.

        >>> run.diff(run)["reserved_change_bytes"]
        0
        """
        return self.ask("diff", file_argument(other.path if isinstance(other, Recording) else other), *options)

    def check(
        self,
        *options: str,
        max_reserved: int | str | None = None,
        max_allocated: int | str | None = None,
        max_requested: int | str | None = None,
        max_slack: int | str | None = None,
        no_oom: bool = False,
    ) -> Answer:
        """Whether limits hold; without one, whether no request fails.

        >>> run.check(max_reserved="1GiB")["passes"]
        False
        """
        limits = {"max_reserved": max_reserved, "max_allocated": max_allocated, "max_requested": max_requested, "max_slack": max_slack}
        return self.ask("check", *options, **limits, no_oom=no_oom)

    def what_if(self, conf: str | None = None, *, memory_limit: int | str | None = None, device: str | None = None) -> Answer:
        """The run with other settings, with another limit or on another GPU.

        >>> run.what_if("expandable_segments:True")["failed_requests"]
        []
        """
        return self.ask("replay", conf=conf, memory_limit=memory_limit, device=device)

    def view(self, folder: str | os.PathLike[str] | None = None, *, show: bool | None = None) -> Page:
        """Writes the page of the run to a folder, and returns it.

        Args:
            folder: where to write it; None for a new folder.
            show: whether to open it in a browser; by default only outside notebooks, which show it themselves.
        """
        into = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="allocsim-"))
        run("view", self._file, *self._options, "--report", into)
        page = Page(into / "view.html")
        if show if show is not None else "ipykernel" not in sys.modules:
            webbrowser.open(page.path.as_uri())
        return page

    @cached_property
    def record(self) -> dict[str, Any] | None:
        """The facts that ``allocsim record`` added; None if PyTorch alone wrote the file."""
        with temporary_folder() as folder:
            file = Path(folder) / "facts.json"
            run("inspect", self._file, "--facts", file)
            with _understood(file, MAX_ANSWER_BYTES):
                found = json.loads(file.read_text("utf-8"))
                if found is not None and not isinstance(found, dict):
                    raise TypeError(f"{type(found).__name__} instead of an object")
                return found

    def actions(self) -> Iterator[tuple[int, str, int]]:
        """Device, action and address of each recorded event, such as ``(0, "alloc", 0x7f0000000000)``; 0 if it has no address."""
        with temporary_folder() as folder:
            file = Path(folder) / "events.csv"
            run("inspect", self._file, "--events", file)
            with _understood(file, sys.maxsize), builtins.open(file, encoding="utf-8", newline="") as stream:
                for row in csv.DictReader(stream):
                    yield int(row["device"]), row["action"], int(row["address"] or 0)

    def events(self, conf: str | None = None) -> Any:
        """The events of the allocator, as recorded, or as they would be under other settings.

        Recorded ones of all devices have the columns ``device``, ``entry``, ``action``, ``address``,
        ``bytes``, ``stream``, ``time_ns`` and ``frame``, the program's innermost one. Simulated ones have
        those of PyTorch's history: ``action``, ``addr``, ``size``, ``stream``. A trace without a recording
        has only simulated events.

        Args:
            conf: settings to replay the recording under.
        """
        with temporary_folder() as folder:
            file = Path(folder) / "events"
            if conf is None:
                try:
                    run("inspect", self._file, "--events", file)
                    with _understood(file, MAX_TABLE_BYTES):
                        return _csv_table(file)
                except AllocsimError as problem:
                    if problem.exit_code != 2:
                        raise
            options = () if conf is None else (f"--conf={conf}",)
            run("replay", self._file, *self._options, *options, "--events", file)
            with _understood(file, MAX_TABLE_BYTES):
                return _lines_table(file)

    def live(self, device: int | None = None) -> Any:
        """The blocks that the program held at the end, one row each.

        The columns are ``device``, ``address``, ``bytes``, ``requested_bytes``, ``stream``, ``category``
        (such as ``parameter``; None if unknown to the recorder) and ``frame``, the program's innermost one.

        Args:
            device: number of the GPU; all GPUs if it is None.
        """
        with temporary_folder() as folder:
            file = Path(folder) / "blocks.csv"
            run("inspect", self._file, "--blocks", file)
            with _understood(file, MAX_TABLE_BYTES), builtins.open(file, encoding="utf-8", newline="") as stream:
                rows = [
                    {name: int(text) if name in _BLOCK_NUMBERS else text or None for name, text in row.items() if name != "state"}
                    for row in csv.DictReader(stream)
                    if row["state"] == "active_allocated" and (device is None or int(row["device"]) == device)
                ]
                return _table(rows)


def _arguments(keywords: Mapping[str, Option]) -> list[str]:
    """Keyword arguments as options."""
    found = []
    for name, value in keywords.items():
        option = "--" + name.strip("_").replace("_", "-")
        if value is True:
            found.append(option)
        elif value is not None and value is not False:
            found.append(f"{option}={value if isinstance(value, (str, int, float)) else ','.join(map(str, value))}")
    return found


def _settings(confs: Sequence[str] | None) -> str | None:
    """Settings as one text; they hold commas themselves."""
    return None if confs is None else confs if isinstance(confs, str) else ";".join(confs)


_BLOCK_NUMBERS = ("device", "address", "bytes", "requested_bytes", "stream")


def open(
    path: str | os.PathLike[str],
    *options: str,
    device: str | None = None,
    capacity: int | str | None = None,
    memory_limit: int | str | None = None,
    memory_fraction: float | None = None,
    torch_version: str | None = None,
    device_index: int | None = None,
) -> Recording:
    """Opens a recording, and says under which conditions its questions are asked.

    Args:
        path: the file.
        options: further options for every command, as on the command line.
        device: GPU to run on, such as ``"rtx-4090"``; the recorded one by default.
        capacity: a GPU with this much free memory instead.
        memory_limit: most memory that the allocator may reserve.
        memory_fraction: the same as a fraction of the GPU.
        torch_version: release of PyTorch whose rules apply; the recorded one by default.
        device_index: of the recorded GPU.

    Raises:
        FileNotFoundError: there is no such file.
    """
    conditions = _arguments({"device": device, "capacity": capacity, "memory_limit": memory_limit, "memory_fraction": memory_fraction, "torch_version": torch_version, "device_index": device_index})
    return Recording(path, (*options, *conditions))


def _table(rows: Any) -> Any:
    pandas = _pandas()
    if pandas is None:
        return rows
    table = pandas.DataFrame(rows)
    return table.convert_dtypes(dtype_backend="pyarrow") if _has_arrow() else table


def _csv_table(file: Path) -> Any:
    pandas = _pandas()
    if pandas is None:
        with builtins.open(file, encoding="utf-8", newline="") as stream:
            return [
                {key: int(text) if text.isdigit() and key != "frame" else text or None for key, text in row.items()}
                for row in csv.DictReader(stream)
            ]
    if _has_arrow():
        return pandas.read_csv(file, engine="pyarrow", dtype_backend="pyarrow")
    return pandas.read_csv(file)


def _lines_table(file: Path) -> Any:
    pandas = _pandas()
    if pandas is None:
        with builtins.open(file, encoding="utf-8") as stream:
            return [json.loads(line) for line in stream]
    if _has_arrow():
        return pandas.read_json(file, lines=True, engine="pyarrow", dtype_backend="pyarrow")
    return pandas.read_json(file, lines=True)


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        return None


def _has_arrow() -> bool:
    return importlib.util.find_spec("pyarrow") is not None


def _escaped(text: str) -> str:
    return html.escape(text)
