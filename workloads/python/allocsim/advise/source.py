"""The source at a line of the program, for lines to paste."""

from __future__ import annotations

import ast
import copy
import functools
import linecache
from typing import Any, Callable, Collection, Sequence

from .remedy import Lines

#: Parameters that are mostly given by position, with their places.
_POSITIONS = {"DataLoader": {"batch_size": 1}}


def assigned(place: str | None, default: str, made: str = "") -> str:
    """The name to which the statement at ``FILE:LINE`` assigns what it makes.

    Args:
        place: of the statement; of one over several lines, any of them.
        default: what is given where it assigns to nothing that can be named.
        made: the class of what is meant, for lines that make several.
    """
    statement = _statement(place, made)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return default
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        target = next((one for one, each in zip(target.elts, value.elts) if _call_of(each, made)), target)
    return ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) else default


def after(place: str, default: str, made: str, lines: Callable[[str], str]) -> Lines:
    """Lines to paste that use what the statement at a line makes.

    Args:
        place: of the statement.
        default: the name in the lines where the statement gives it none.
        made: the class of what is made.
        lines: gives them for a name.

    Returns:
        the lines for after the statement; where it returns what it makes, they are in its place, with the return at their end.
    """
    statement = _statement(place, made)
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Call):
        return Lines(place, f"{default} = {ast.unparse(statement.value)}\n{lines(default)}\nreturn {default}", replaces=True)
    name = assigned(place, "", made)
    if statement is None or name:
        return Lines(place, lines(name or default))
    if makes(place, made):
        return Lines(place, f"# {default} is the {made} that this statement makes\n{lines(default)}")
    return Lines(place, "\n".join(f"# {each}" for each in (f"a library makes the {made} from here; as soon as it has:", *lines(default).split("\n"))))


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
    statement = copy.deepcopy(_statement(place, name))
    found = None if statement is None else _call_of(statement, name)
    if statement is None or found is None:
        return f"{name}({', '.join([first or '...', *(f'{key}={value}' for key, value in keywords.items())])}{', ...' if first else ''})"
    if first is not None:
        found.args[:1] = [ast.parse(first, mode="eval").body]
        found.keywords = [each for each in found.keywords if each.arg != "params"]
    _change(found, name, keywords)
    return ast.unparse(found if first is not None else statement)


def changed_call(place: str, name: str, **keywords: str) -> Lines:
    """Lines to paste for a call with other keyword arguments: the statement at a line with it, or a remark where it is in the head of a block or a library's.

    Args:
        place: of the statement.
        name: of the class that is called.
        keywords: as in :func:`call`.
    """
    if makes(place, name):
        return Lines(place, call(place, name, **keywords), replaces=True)
    head = copy.deepcopy(_call_in_head(place, name))
    if head is not None:
        _change(head, name, keywords)
        return Lines(place, f"# in this line: {ast.unparse(head)}")
    given = ", ".join(f"{key}={value}" for key, value in keywords.items())
    return Lines(place, f"# a {name} is made from here: have it made with {given}")


def renamed_call(place: str, name: str, other: str, kept: Collection[str], first: str) -> Lines:
    """Lines to paste for a call of another class: the statement at a line with it, or a remark where it does not call the class.

    Args:
        place: of the statement.
        name: of the class that is called.
        other: what is called in its place.
        kept: keywords that the other class takes, too; the rest is left out.
        first: a line ahead of the statement.
    """
    statement = copy.deepcopy(_statement(place, name))
    found = None if statement is None else _call_of(statement, name)
    if statement is None or found is None:
        return Lines(place, f"# the {name} is made from here: have it made as {other}")
    found.func = ast.parse(other, mode="eval").body
    found.keywords = [each for each in found.keywords if each.arg in (None, *kept)]
    return Lines(place, f"{first}\n{ast.unparse(statement)}", replaces=True)


def makes(place: str | None, name: str) -> bool:
    """Whether the statement at a line calls a class by its name."""
    statement = _statement(place, name)
    return statement is not None and _call_of(statement, name) is not None


def ahead(place: str, names: Sequence[str], containers: Sequence[str]) -> Lines:
    """Lines to paste that let names go ahead of the statement at a line, which has to do without them.

    Args:
        place: of the statement.
        names: that are set to None.
        containers: names of containers that are emptied.
    """
    statement = _statement(place)
    used = {ast.unparse(each) for each in ast.walk(statement) if isinstance(each, (ast.Name, ast.Attribute)) and isinstance(each.ctx, ast.Load)} if statement is not None else set()
    found = None if used.intersection((*names, *containers)) else text(place)
    lines = [f"{' = '.join(names)} = None"] if names else []
    lines += [f"{each}.clear()" for each in containers]
    if found is None:
        return Lines(place, "\n".join(f"# ahead of this line: {each}  # held and never read again" for each in lines))
    return Lines(place, "\n".join([*(f"{each}  # held and never read again" for each in lines), found]), replaces=True)


def is_read(file: str, name: str) -> bool:
    """Whether a file reads a variable or an attribute, and does more with it than to add to it or to empty it."""
    adding: set[int] = set()
    for each in _nodes(file):
        if isinstance(each, ast.Attribute) and each.attr in ("append", "appendleft", "add", "extend", "clear"):
            adding.add(id(each.value))
        elif isinstance(each, ast.Subscript) and isinstance(each.ctx, (ast.Store, ast.Del)):
            adding.add(id(each.value))
    return any(
        isinstance(each, (ast.Name, ast.Attribute)) and isinstance(each.ctx, ast.Load) and id(each) not in adding and ast.unparse(each) == name
        for each in _nodes(file)
    )  # fmt: skip


def additions(file: str, name: str) -> list[tuple[str, str]]:
    """Where a container is given tensors: each ``FILE:LINE`` of a statement that does nothing else, and the statement with a copy on the host in its place.

    Args:
        file: of the container's function.
        name: of the container, as in ``outputs`` or ``self.memory``.
    """
    found = []
    for each in _simple_statements(file):
        changed = copy.deepcopy(each)
        given: ast.Call | ast.Assign | None = None
        if isinstance(changed, ast.Expr) and isinstance(changed.value, ast.Call) and len(changed.value.args) == 1:
            owner, _, action = ast.unparse(changed.value.func).rpartition(".")
            given = changed.value if owner == name and action in ("append", "appendleft", "add") else None
        elif isinstance(changed, ast.Assign) and isinstance(changed.targets[0], ast.Subscript) and ast.unparse(changed.targets[0].value) == name:
            given = changed
        if isinstance(given, ast.Call):
            given.args[0] = _on_host(given.args[0])
        elif given is not None:
            given.value = _on_host(given.value)
        if given is not None:
            found.append((f"{file}:{each.lineno}", ast.unparse(changed)))
    return found


def _on_host(value: ast.expr) -> ast.expr:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "detach":
        value = value.func.value
    return ast.parse(f"({ast.unparse(value)}).detach().cpu()", mode="eval").body


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


def _call_of(node: ast.AST, name: str) -> ast.Call | None:
    """The first call of a function or class within a part of the source."""
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
    return next((each for each in calls if ast.unparse(each.func).rpartition(".")[2] == name), None)


def _call_in_head(place: str, name: str) -> ast.Call | None:
    """The call of a class between the beginning of a block's statement and the block, as in ``for batch in DataLoader(data):``."""
    file, _, line = place.rpartition(":")
    for each in _blocks(file) if line.isdigit() else ():
        if each.lineno <= int(line) < each.body[0].lineno:
            heads = [part for part in ast.iter_child_nodes(each) if not isinstance(part, ast.stmt)]
            found = next((call for part in heads if (call := _call_of(part, name)) is not None), None)
            if found is not None:
                return found
    return None


def _change(call: ast.Call, name: str, keywords: dict[str, str]) -> None:
    """Gives a call of a class other keyword arguments, with their source."""
    for key, value in keywords.items():
        _give(call, key, ast.parse(value, mode="eval").body, _POSITIONS.get(name, {}).get(key))


def _give(call: ast.Call, key: str, value: ast.expr, position: int | None) -> None:
    """Gives a call another argument, wherever it has the one before."""
    argument = next((each for each in call.keywords if each.arg == key), None)
    others = next((each for each in call.keywords if each.arg is None), None)
    if argument is not None:
        argument.value = value
    elif position is not None and position < len(call.args):
        call.args[position] = value
    elif others is not None:
        # It may be among these.
        others.value = ast.Dict(keys=[None, ast.Constant(key)], values=[others.value, value])
    else:
        call.keywords.append(ast.keyword(key, value=value))


def _statement(place: str | None, made: str = "") -> ast.stmt | None:
    """The shortest simple statement at a line; of several, one that calls a class."""
    file, _, line = (place or "").rpartition(":")
    if not file or not line.isdigit():
        return None
    around = [each for each in _simple_statements(file) if each.lineno <= int(line) <= (each.end_lineno or each.lineno)]
    return min(around, key=lambda each: ((each.end_lineno or each.lineno) - each.lineno, bool(made) and _call_of(each, made) is None), default=None)


def _simple_statements(file: str) -> list[ast.stmt]:
    return [each for each in _nodes(file) if isinstance(each, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return))]


def _blocks(file: str) -> list[ast.For | ast.While | ast.If | ast.With]:
    return [each for each in _nodes(file) if isinstance(each, (ast.For, ast.While, ast.If, ast.With))]


@functools.lru_cache(maxsize=64)
def _nodes(file: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse("".join(linecache.getlines(file)))))
    except (SyntaxError, ValueError, RecursionError):
        return []
