"""Libraries that run the training loop of a program, and what they are told by one of its lines instead of code of its own."""

from __future__ import annotations

import ast
import linecache
from typing import Any, Iterable, Iterator, NamedTuple

from ..estimate.places import stack
from ..variables import variables_of
from .program import is_users
from .remedy import Facts, Lines
from .source import changed_call


class Library(NamedTuple):
    """What the object that has a library's settings is called with.

    Attributes:
        mark: attributes that such an object has.
        batch: the keyword of the batch size; None where the program makes its loaders.
        accumulate: the keyword of how many batches make a step.
        others: keywords with their values in the source, by the name of a remedy.
    """

    mark: tuple[str, ...]
    batch: str | None
    accumulate: str
    others: dict[str, dict[str, str]]


#: Transformers 5 (TrainingArguments and its subclasses), and Lightning 2 (Trainer).
LIBRARIES = (
    Library(
        ("per_device_train_batch_size", "gradient_accumulation_steps"), "per_device_train_batch_size", "gradient_accumulation_steps",
        {"autocast": {"bf16": "True"}, "adam-8bit": {"optim": '"adamw_bnb_8bit"'}},
    ),
    Library(("accumulate_grad_batches", "global_step", "precision"), None, "accumulate_grad_batches", {"autocast": {"precision": '"bf16-mixed"'}, "bf16": {"precision": '"bf16-true"'}}),
)  # fmt: skip

#: Variables of a library's functions that have, or lead to, the settings.
_NAMES = ("self", "trainer")


def settings_around(frame: Any) -> Any | None:
    """The object with the settings of the library that runs the loop around a frame; None where the program itself does."""
    for each, _ in stack(frame):
        if is_users(each.f_code.co_filename):
            continue
        variables = variables_of(each)
        for name in _NAMES:
            value = variables.get(name)
            for found in () if value is None else (value, _part(value, "args"), _part(value, "trainer")):
                if found is not None and _library(found) is not None:
                    return found
    return None


def described(found: Any, files: Iterable[str]) -> dict[str, Any] | None:
    """Facts of an object with settings: ``name`` of its class, ``line`` where the program makes it (null where that is not seen), ``batch`` and ``accumulate``, the values of these settings; None for another object.

    Args:
        found: the object.
        files: of the program.
    """
    library = _library(found)
    if library is None:
        return None
    name = type(found).__name__
    lines = list(_calls(files, name))
    batch = None if library.batch is None else getattr(found, library.batch)
    return {"name": name, "line": lines[0] if len(lines) == 1 else None, "batch": batch, "accumulate": getattr(found, library.accumulate)}


def set_to(facts: Facts, remedy: str, parts: int = 1) -> list[Lines] | None:
    """Lines to paste that have the library do what a remedy does.

    Args:
        facts: of the baseline run.
        remedy: its name.
        parts: how many parts batches are cut into.

    Returns:
        None where no library runs the loop, its settings are made elsewhere, or it has none for this.
    """
    found: dict[str, Any] | None = facts.get("settings")
    if found is None or found["line"] is None:
        return None
    library = next(each for each in LIBRARIES if (each.batch is None) == (found["batch"] is None))
    keywords = dict(library.others.get(remedy, {}))
    if parts > 1:
        keywords[library.accumulate] = str(parts * int(found["accumulate"]))
        if library.batch is not None:
            keywords[library.batch] = str(-(-int(found["batch"]) // parts))
    return [changed_call(found["line"], found["name"], **keywords)] if keywords else None


def takes_batch(facts: Facts) -> bool:
    """Whether the size of batches is one of the settings."""
    return bool(facts.get("settings")) and facts["settings"]["batch"] is not None


def _library(value: Any) -> Library | None:
    return next((each for each in LIBRARIES if all(_has(value, name) for name in each.mark)), None)


def _has(value: Any, name: str) -> bool:
    return name in getattr(value, "__dict__", ()) or hasattr(type(value), name)


def _part(value: Any, name: str) -> Any | None:
    return getattr(value, "__dict__", {}).get(name)


def _calls(files: Iterable[str], name: str) -> Iterator[str]:
    """``FILE:LINE`` of each call of a class."""
    for file in files:
        try:
            nodes = list(ast.walk(ast.parse("".join(linecache.getlines(file)))))
        except (SyntaxError, ValueError, RecursionError):
            continue
        for each in nodes:
            if isinstance(each, ast.Call) and ast.unparse(each.func).rpartition(".")[2] == name:
                yield f"{file}:{each.lineno}"
