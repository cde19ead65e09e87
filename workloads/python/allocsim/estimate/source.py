"""Which phases a program's own source has: a hint of what was not reached, and never of a figure."""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from typing import Iterable, Iterator, NamedTuple

MAX_FILES = 200
MAX_FILE_BYTES = 1 << 20

#: Methods whose call evaluates or generates.
EVALUATING = {"evaluate", "validate", "predict"}
GENERATING = {"generate"}
_QUIET = {"no_grad", "inference_mode"}


class Hint(NamedTuple):
    """A place that evaluates or generates.

    Args:
        phase: ``"evaluation"`` or ``"generation"``.
        file: the file.
        line: the line.
        is_call: whether it is the very call that :class:`~.stepping.Stepping` sees when it is run (``eval()``, ``generate()``).
        function: the name of the function that it is in, None at the top level of a file.
    """

    phase: str
    file: str
    line: int
    is_call: bool
    function: str | None


class Span(NamedTuple):
    """A loop.

    Args:
        file: the file.
        first: its first line.
        last: its last line.
        body: the line of the first statement in it.
        after: the lines to go to, one after the other, to reach the statement that follows when it is left; None where there is none in its function, or no way to it.
        is_bare: whether nothing that has to be ended, as of a with statement, is between it and the loop around it.
    """

    file: str
    first: int
    last: int
    body: int
    after: tuple[int, ...] | None
    is_bare: bool

    def holds(self, file: str, line: int) -> bool:
        """Whether a line is in it."""
        return file == self.file and self.first <= line <= self.last


def is_own(file: str) -> bool:
    """Whether a file is the user's, and not one of Python or of installed packages."""
    return bool(file) and not file.startswith("<") and not any(file.startswith(each) for each in _INSTALLED) and "site-packages" not in file and "dist-packages" not in file


_INSTALLED = tuple(
    each + os.sep for each in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
)


def main_file() -> str | None:
    """The file of the script that runs; None where there is none, and once it has come to its end."""
    found: str | None = getattr(sys.modules.get("__main__"), "__file__", None)
    return found


def own_files(script: str | None = None) -> list[str]:
    """The files of the program that are loaded: its script, and modules in its folder or the current one.

    Args:
        script: its file, as of a moment when it ran; None for now.
    """
    script = script or main_file()
    if not script:
        return []
    script = os.path.abspath(script)
    folders = (os.path.dirname(script) + os.sep, os.getcwd() + os.sep)
    loaded = (getattr(each, "__file__", None) for each in list(sys.modules.values()))
    others = {os.path.abspath(each) for each in loaded if isinstance(each, str) and each.endswith(".py")}
    found = [script] + sorted(each for each in others if each != script and each.startswith(folders))
    return [each for each in found if is_own(each)][:MAX_FILES]


class Source:
    """The source of a program.

    Args:
        files: its files; those that cannot be read or parsed are left out.
    """

    def __init__(self, files: Iterable[str]) -> None:
        self._trees: dict[str, ast.Module] = {}
        for file in files:
            try:
                if os.path.getsize(file) <= MAX_FILE_BYTES:
                    with open(file, "rb") as stream:
                        self._trees[file] = ast.parse(stream.read())
            except (OSError, SyntaxError, ValueError):
                continue
        self._named: dict[str, list[tuple[str, int, str | None]]] = {}
        for file, tree in self._trees.items():
            for name, line, function in _names(tree, None):
                self._named.setdefault(name, []).append((file, line, function))
        #: The places that evaluate or generate, but for those in functions that nothing names.
        self.hints = [each for file, tree in self._trees.items() for each in _found(file, tree, set(self._named), None)]

    def places(self, hint: Hint) -> set[tuple[str, int]]:
        """The lines from which a place is reached: its own, those that name its function, and so on."""
        found = {(hint.file, hint.line)}
        names = [hint.function]
        for name in names:
            if name is not None:
                for file, line, function in self._named.get(name, ()):
                    found.add((file, line))
                    if function not in names:
                        names.append(function)
        return found

    def loops(self, file: str, line: int) -> list[Span]:
        """The loops around a line in its function, the innermost first."""
        found: list[Span] = []
        if file in self._trees:
            _loops(file, self._trees[file].body, line, None, found)
        return found


def _loops(file: str, body: list[ast.stmt], line: int, after: tuple[int, ...] | None, found: list[Span], is_bare: bool = True) -> None:
    for place, node in enumerate(body):
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        following = _way(body, place + 1) if place + 1 < len(body) else after
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.clear()
            _loops(file, node.body, line, None, found)
        elif isinstance(node, (ast.For, ast.While)):
            # A turn begins on a line of its own, or cannot be told from the loop's head.
            if node.body[0].lineno > node.lineno:
                found.insert(0, Span(file, node.lineno, node.end_lineno or node.lineno, node.body[0].lineno, following, is_bare))
                is_bare = True
            _loops(file, node.body, line, None, found, is_bare)
        elif isinstance(node, ast.If):
            _loops(file, node.body, line, following, found, is_bare)
            _loops(file, node.orelse, line, following, found, is_bare)
        else:
            # What a with statement or a try has to do at its end must not be left out.
            for name in ("body", "handlers", "orelse", "finalbody"):
                inner = getattr(node, name, [])
                _loops(file, [each for each in inner if isinstance(each, ast.stmt)], line, None, found, False)


#: Statements to which Python finds the way: nothing else begins on their line.
_PLAIN = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Import, ast.ImportFrom, ast.Pass, ast.Delete, ast.Assert, ast.Raise)


def _is_plain(node: ast.stmt) -> bool:
    return isinstance(node, _PLAIN) and node.lineno == node.end_lineno


def _way(body: list[ast.stmt], place: int) -> tuple[int, ...] | None:
    """How to go to a statement from within a loop before it.

    Of the places that begin on a line, Python takes the one with most on its stack that it can reach: where a with statement ends,
    where a for statement takes its next value. Those must not take the iterator of the loop that is left. So the way goes by
    a plain statement of the same block, where nothing of the loop is on the stack any more.
    """
    node = body[place]
    if _is_plain(node) or (isinstance(node, (ast.If, ast.While)) and node.lineno == node.test.end_lineno):
        return (node.lineno,)
    lines = [node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]
    by = next((each for each in body if _is_plain(each)), None)
    return None if by is None else (by.lineno, min(lines))


def _names(node: ast.AST, function: str | None) -> Iterator[tuple[str, int, str | None]]:
    """Names that are used, with their lines and the functions that they are used in."""
    if isinstance(node, ast.Name):
        yield node.id, node.lineno, function
    elif isinstance(node, ast.Attribute):
        yield node.attr, node.end_lineno or node.lineno, function
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        function = node.name
    for each in ast.iter_child_nodes(node):
        yield from _names(each, function)


def _found(file: str, node: ast.AST, named: set[str], function: str | None) -> Iterator[Hint]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if node.name not in named:
            return
        function = node.name
        if any(_is_quiet(each) for each in node.decorator_list) and node.name.lower() not in GENERATING:
            yield Hint("evaluation", file, node.lineno, False, function)
    if isinstance(node, ast.With) and any(_is_quiet(each.context_expr) for each in node.items) and _runs_a_model(node):
        yield Hint("evaluation", file, node.lineno, False, function)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name == "eval" and not node.args and not node.keywords:
            yield Hint("evaluation", file, node.lineno, True, function)
        elif name in EVALUATING:
            yield Hint("evaluation", file, node.lineno, False, function)
        elif name in GENERATING:
            yield Hint("generation", file, node.lineno, True, function)
    for each in ast.iter_child_nodes(node):
        yield from _found(file, each, named, function)


def _is_quiet(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) in _QUIET


def _runs_a_model(node: ast.With) -> bool:
    """Whether its body calls something in a loop, as an evaluation does; what follows weights or fills them often does not."""
    loops = [each for each in ast.walk(node) if isinstance(each, (ast.For, ast.While))]
    return any(isinstance(each, ast.Call) and isinstance(each.func, (ast.Name, ast.Attribute)) and _may_be_a_model(each.func) for loop in loops for each in ast.walk(loop))


def _may_be_a_model(node: ast.AST) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return "model" in name.lower() or "net" in name.lower() or name in ("evaluate", "validate", "forward")
