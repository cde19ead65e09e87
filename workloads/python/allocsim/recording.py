"""Asks a recording: what ``allocsim.open`` returns.

Every answer is that of the command line, in the JSON that ``allocsim list schemas`` describes. Tables
become pandas DataFrames where pandas is installed, else lists of dictionaries.
"""

from __future__ import annotations

import builtins
import json
import os
import subprocess
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
        [*program, *map(os.fspath, arguments)], capture_output=True, text=True, encoding="utf-8", env=environment
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
    lines = [line.removeprefix("allocsim: ") for line in text.splitlines() if line.strip()]
    return lines[0] if lines else "allocsim ended without a word"


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

    def view(self, folder: str | os.PathLike[str] | None = None, *, show: bool = True) -> Path:
        """Writes the page of the run to a folder, opens it in a browser, and returns its file."""
        into = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="allocsim-"))
        run("diagnose", self.path, *self._options, "--report", into)
        page = into / "diagnose.html"
        if not page.is_file():
            page = next(iter(sorted(into.glob("*.html"))))
        if show:
            webbrowser.open(page.as_uri())
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

    def events(self, device: int = 0) -> Any:
        """The history of a device: ``action``, ``addr``, ``size``, ``stream``, ``time_us`` and the top frame."""
        rows = []
        for entry in self._snapshot["device_traces"][device]:
            frames = entry.get("frames") or [{}]
            top = next((each for each in frames if "site-packages" not in each.get("filename", "")), frames[0])
            rows.append(
                {
                    **{key: entry.get(key) for key in ("action", "addr", "size", "stream", "time_us")},
                    "line": f"{top.get('filename')}:{top.get('line')}" if top else None,
                }
            )
        return _table(rows)

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
    return pandas.DataFrame(rows)


def _escaped(text: str) -> str:
    import html

    return html.escape(text)
