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
import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
import webbrowser
from functools import cached_property
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping

from .engine import EngineMissing, command, execute
from .temporary import temporary_folder
from .visible import visible


#: Of what the program writes for Python to hold at once. Objects of Python take about ten times as much.
MAX_ANSWER_BYTES = 256 << 20
MAX_TABLE_BYTES = 4 << 30

#: Characters of a sentence.
_MAX_SENTENCE = 2000


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
        found = json.loads(file.read_text("utf-8"))
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


class Answer(dict[str, Any]):
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
    """A recording, or a trace of any other format that allocsim reads."""

    def __init__(self, path: str | os.PathLike[str], options: Iterable[str] = ()) -> None:
        self.path = Path(path)
        self._file = file_argument(path)
        self._options = tuple(options)
        if not self.path.is_file():
            raise FileNotFoundError(f"{self.path}: no such file; check the path")

    def __repr__(self) -> str:
        return f"<allocsim.Recording {self.path}>"

    def _repr_html_(self) -> str:
        return self.diagnose()._repr_html_()

    def ask(self, name: str, *options: str) -> Answer:
        """The answer of any command that takes a trace, such as ``ask("leaks")``."""
        with temporary_folder() as folder:
            file = Path(folder) / "answer.json"
            text = run(name, self._file, *self._options, *options, "--json", file)
            return Answer(_answer_in(file), text.rstrip())

    def diagnose(self, *options: str) -> Answer:
        """Why the run failed and what would have saved it, or how it could use less memory."""
        return self.ask("diagnose", *options)

    def tune(self, *options: str) -> Answer:
        """Settings of PyTorch's allocator, best first."""
        return self.ask("tune", *options)

    def peak(self, by: str | None = None) -> Answer:
        """What holds the memory at the peak, by ``stack`` (if recorded), ``size`` or ``phase``."""
        return self.ask("peak", *((f"--by={by}",) if by else ()))

    def leaks(self, *options: str) -> Answer:
        """Memory that grows over iterations."""
        return self.ask("leaks", *options)

    def what_if(self, conf: str | None = None, *, memory_limit: int | None = None, device: str | None = None) -> Answer:
        """The run with other settings, with another limit or on another GPU."""
        options: list[str] = []
        if conf is not None:
            options.append(f"--conf={conf}")
        if memory_limit is not None:
            options.append(f"--memory-limit={memory_limit}")
        if device is not None:
            options.append(f"--device={device}")
        return self.ask("replay", *options)

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


_BLOCK_NUMBERS = ("device", "address", "bytes", "requested_bytes", "stream")


def open(path: str | os.PathLike[str], *options: str) -> Recording:
    """Opens a recording; the options go to every command, such as ``"--device-index", "1"``."""
    return Recording(path, options)


def _table(rows: Any) -> Any:
    try:
        import pandas
    except ImportError:
        return rows
    table = pandas.DataFrame(rows)
    return table.convert_dtypes(dtype_backend="pyarrow") if _has_arrow() else table


def _csv_table(file: Path) -> Any:
    try:
        import pandas
    except ImportError:
        with builtins.open(file, encoding="utf-8", newline="") as stream:
            return [
                {key: int(text) if text.isdigit() and key != "frame" else text or None for key, text in row.items()}
                for row in csv.DictReader(stream)
            ]
    if _has_arrow():
        return pandas.read_csv(file, engine="pyarrow", dtype_backend="pyarrow")
    return pandas.read_csv(file)


def _lines_table(file: Path) -> Any:
    try:
        import pandas
    except ImportError:
        with builtins.open(file, encoding="utf-8") as stream:
            return [json.loads(line) for line in stream]
    if _has_arrow():
        return pandas.read_json(file, lines=True, engine="pyarrow", dtype_backend="pyarrow")
    return pandas.read_json(file, lines=True)


def _has_arrow() -> bool:
    return importlib.util.find_spec("pyarrow") is not None


def _escaped(text: str) -> str:
    return html.escape(text)
