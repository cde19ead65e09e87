"""What stands at a line of the program's source, for lines to paste."""

from __future__ import annotations

import ast
import copy
import functools
import linecache
from typing import Any


def assigned(place: str | None, default: str) -> str:
    """The name to which the statement at ``FILE:LINE`` assigns what it makes.

    Args:
        place: of the statement; of one over several lines, any of them.
        default: what is given where it assigns to nothing that can be named.
    """
    statement = _statement(place)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], (ast.Name, ast.Attribute)):
        return ast.unparse(statement.targets[0])
    return default


def text(place: str | None) -> str | None:
    """The statement at a line, on one line; None where it cannot be read or is longer than one would read."""
    statement = _statement(place)
    found = None if statement is None else ast.unparse(statement)
    return found if found is not None and "\n" not in found and len(found) <= 160 else None


def call(place: str | None, name: str, first: str | None = None, **keywords: str) -> str:
    """The statement at a line with another call in it, for what makes an optimizer or a loader.

    Args:
        place: of the statement.
        name: of the class that is called.
        first: what takes the place of the first argument, and leaves the call alone; None keeps the statement.
        keywords: keyword arguments that are set, with their source.

    Returns:
        the statement; where it cannot be read, or calls something else, the call with an ellipsis for what is not known.
    """
    statement = _statement(place)
    found = None
    if statement is not None:
        statement = copy.deepcopy(statement)
        calls = (each for each in ast.walk(statement) if isinstance(each, ast.Call))
        found = next((each for each in calls if ast.unparse(each.func).rpartition(".")[2] == name), None)
    if statement is None or found is None:
        return f"{name}({', '.join([first or '...', *(f'{key}={value}' for key, value in keywords.items())])}{', ...' if first else ''})"
    if first is not None:
        found.args[:1] = [ast.parse(first, mode="eval").body]
        found.keywords = [each for each in found.keywords if each.arg != "params"]
    for key, value in keywords.items():
        argument = next((each for each in found.keywords if each.arg == key), None)
        if argument is None:
            found.keywords.append(ast.keyword(key, value=ast.parse(value, mode="eval").body))
        else:
            argument.value = ast.parse(value, mode="eval").body
    return ast.unparse(found if first is not None else statement)


def operands(place: str | None) -> list[str]:
    """The arguments of the first call with two of them at a line, such as those of a loss; none where there is no such call."""
    statement = _statement(place)
    calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call) and len(each.args) >= 2] if statement is not None else []
    return [ast.unparse(each) for each in calls[0].args[:2]] if calls else []


def blocks_of(model: str, kind: dict[str, Any]) -> str:
    """An expression for a list of repeated blocks.

    Args:
        model: the name of the model.
        kind: the blocks, as :class:`.models.Kind` has them.
    """
    if kind["container"] is None:
        return f'[each for each in {model}.modules() if type(each).__name__ == "{kind["name"]}"]'
    holder = f'{model}.get_submodule("{kind["container"]}")' if kind["container"] else model
    return f"list({holder})"


def _statement(place: str | None) -> ast.stmt | None:
    file, _, line = (place or "").rpartition(":")
    if not file or not line.isdigit():
        return None
    around = [each for each in _simple_statements(file) if each.lineno <= int(line) <= (each.end_lineno or each.lineno)]
    return min(around, key=lambda each: (each.end_lineno or each.lineno) - each.lineno, default=None)


@functools.lru_cache(maxsize=64)
def _simple_statements(file: str) -> list[ast.stmt]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [each for each in ast.walk(tree) if isinstance(each, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return))]
