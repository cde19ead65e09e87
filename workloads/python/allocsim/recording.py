"""Asks a recording: what ``allocsim.open`` returns.

Every answer is that of the command line, in the JSON that ``allocsim list schemas`` describes. Tables
become pandas DataFrames where pandas is installed, with Arrow inside where pyarrow is, else lists of
dictionaries.
"""

from __future__ import annotations

import builtins
import csv
import html
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import webbrowser
from functools import cached_property
from pathlib import Path
from typing import Any, Iterable, Mapping

from .engine import EngineMissing, command


class AllocsimError(Exception):
    """The program said why it cannot answer: one sentence, which is the message.

    Attributes:
        exit_code: 1 failed, 2 wrong usage, 3 a check did not hold.
    """

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def run(*arguments: str | os.PathLike[str], allowed: Iterable[int] = (0, 3)) -> str:
    """Runs the command line, and returns what it prints.

    Raises:
        AllocsimError: it ended with another code than those allowed.
    """
    try:
        program, environment = command()
    except EngineMissing as problem:
        raise AllocsimError(str(problem), 1) from None
    process = subprocess.run(
        [*program, *(os.fspath(each) for each in arguments)], capture_output=True, text=True, encoding="utf-8", env=environment
    )
    if process.returncode not in tuple(allowed):
        raise AllocsimError(_sentence(process.stderr), process.returncode)
    return process.stdout


def answer(*arguments: str | os.PathLike[str], allowed: Iterable[int] = (0, 3)) -> dict[str, Any]:
    """Runs a command that gives JSON, and returns that."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer.json"
        run(*arguments, "--json", file, allowed=allowed)
        result: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return result


def _sentence(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    # What goes on may be said before.
    said = [line.removeprefix("allocsim: ") for line in lines if line.startswith("allocsim: ")]
    return (said or lines or ["allocsim ended without a word"])[-1]


class Answer(dict[str, Any]):
    """An answer's JSON, which shows itself in a notebook as the command line prints it."""

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
            value = value[part]
        return _table(value)


class Page(os.PathLike[str]):
    """A page that was written, which shows itself in a notebook.

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
        self._options = tuple(options)
        if not self.path.is_file():
            raise FileNotFoundError(f"{self.path}: there is no such file; check the path")

    def __repr__(self) -> str:
        return f"<allocsim.Recording {self.path}>"

    def _repr_html_(self) -> str:
        return self.diagnose()._repr_html_()

    def ask(self, name: str, *options: str) -> Answer:
        """The answer of any command that takes a trace, such as ``ask("leaks")``."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answer.json"
            text = run(name, self.path, *self._options, *options, "--json", file)
            return Answer(json.loads(file.read_text("utf-8")), text.rstrip())

    def diagnose(self, *options: str) -> Answer:
        """Why the run failed, what would have saved it, or what it could do with less memory."""
        return self.ask("diagnose", *options)

    def tune(self, *options: str) -> Answer:
        """Settings of PyTorch's allocator, the best first."""
        return self.ask("tune", *options)

    def peak(self, by: str | None = None) -> Answer:
        """Who holds the memory at the peak, by ``stack`` (where recorded), ``size`` or ``phase``."""
        return self.ask("peak", *(("--by", by) if by else ()))

    def leaks(self, *options: str) -> Answer:
        """What grows over iterations."""
        return self.ask("leaks", *options)

    def what_if(self, conf: str | None = None, *, memory_limit: int | None = None, device: str | None = None) -> Answer:
        """The run under other settings, under another limit or on another GPU."""
        options: list[str] = []
        if conf is not None:
            options += ["--conf", conf]
        if memory_limit is not None:
            options += ["--memory-limit", str(memory_limit)]
        if device is not None:
            options += ["--device", device]
        return self.ask("replay", *options)

    def view(self, folder: str | os.PathLike[str] | None = None, *, show: bool | None = None) -> Page:
        """Writes the page of the run to a folder, and returns it.

        Args:
            folder: where to write it; a new folder if there is none.
            show: whether a browser opens it; by default, outside of notebooks, which show it themselves.
        """
        into = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="allocsim-"))
        run("view", self.path, *self._options, "--report", into)
        page = Page(into / "view.html")
        if show if show is not None else "ipykernel" not in sys.modules:
            webbrowser.open(page.path.as_uri())
        return page

    @cached_property
    def record(self) -> dict[str, Any] | None:
        """What ``allocsim record`` added; None where PyTorch alone wrote the file.

        Reads the pickle, so that it needs as much memory as the snapshot has in Python. Only data
        is read, no code of the file is run.
        """
        text = self._snapshot.get("allocsim_record")
        return None if text is None else json.loads(text)

    @cached_property
    def _snapshot(self) -> dict[str, Any]:
        import pickle

        class DataOnly(pickle.Unpickler):
            def find_class(self, module: str, name: str) -> Any:
                raise pickle.UnpicklingError(f"a snapshot holds no {module}.{name}")

        with _opened(self.path) as stream:
            value = DataOnly(stream).load()
        return value if isinstance(value, dict) else {"segments": value, "device_traces": []}

    def events(self, conf: str | None = None) -> Any:
        """The events of the allocator, as recorded, or as they would be under other settings.

        Recorded ones of all devices have the columns ``device``, ``entry``, ``action``, ``address``,
        ``bytes``, ``stream``, ``time_ns`` and ``frame``, the program's innermost one. Simulated ones have
        those of PyTorch's history: ``action``, ``addr``, ``size``, ``stream``. A trace that holds
        requests only has simulated events.

        Args:
            conf: settings to replay the recording under.
        """
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "events"
            if conf is None:
                try:
                    run("inspect", self.path, "--events", file)
                    return _csv_table(file)
                except AllocsimError as problem:
                    if problem.exit_code != 2:
                        raise
            options = () if conf is None else ("--conf", conf)
            run("replay", self.path, *self._options, *options, "--events", file)
            return _lines_table(file)

    def live(self, device: int | None = None) -> Any:
        """The blocks that the program held at the end, with their categories where they were recorded."""
        record = self.record or {}
        categories = {
            (each["device"], each["address"]): each["category"] for each in record.get("categories", ())
        }
        rows = []
        for segment in self._snapshot["segments"]:
            number = segment.get("device", 0)
            if device is not None and number != device:
                continue
            address = segment["address"]
            for block in segment["blocks"]:
                at = block.get("address", address)
                if block["state"] == "active_allocated":
                    rows.append(
                        {
                            "device": number,
                            "address": at,
                            "bytes": block["size"],
                            "requested_bytes": block.get("requested_size"),
                            "stream": segment["stream"],
                            "category": categories.get((number, at)),
                        }
                    )
                address = at + block["size"]
        return _table(rows)


def open(path: str | os.PathLike[str], *options: str) -> Recording:
    """Opens a recording; the options go to every command, such as ``"--device-index", "1"``."""
    return Recording(path, options)


def _opened(path: Path) -> Any:
    with builtins.open(path, "rb") as stream:
        start = stream.read(6)
    if start.startswith(b"\x1f\x8b"):
        import gzip

        return gzip.open(path, "rb")
    if start.startswith(b"\xfd7zXZ\x00"):
        import lzma

        return lzma.open(path, "rb")
    return builtins.open(path, "rb")


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
