"""Imports of the package point one way: no module, and no part of it, needs itself through others."""

from __future__ import annotations

import ast
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "allocsim"

#: Python runs it in each process of a program, so that it starts whatever was asked for.
ENTRIES = ("allocsim.recorder.site.sitecustomize",)


def module_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(file: Path, known: set[str]) -> set[str]:
    """The modules of the package that a file imports anywhere, those for types too."""
    module = module_of(file)
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {name if (name := f"{base}.{each.name}") in known else base for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return (found & known) - {module}


def circle(edges: dict[str, set[str]]) -> list[str]:
    """Some names that lead to each other; none where there are none."""
    state: dict[str, bool] = {}

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return path[path.index(name) :]
        if not state.get(name):
            for each in sorted(edges.get(name, ())):
                found = visit(each, [*path, name])
                if found:
                    return found
            state[name] = True
        return []

    return next((found for name in sorted(edges) if (found := visit(name, []))), [])


class ImportsTest(unittest.TestCase):
    def setUp(self):
        files = {module_of(file): file for file in PACKAGE.rglob("*.py")}
        self.edges = {module: imported(file, set(files)) for module, file in files.items() if module not in ENTRIES}

    def test_no_module_needs_itself(self):
        self.assertEqual([], circle(self.edges))

    def test_no_part_of_the_package_needs_itself(self):
        parts: dict[str, set[str]] = {}
        for module, needed in self.edges.items():
            part = ".".join(module.split(".")[:2])
            if part != "allocsim":
                parts.setdefault(part, set()).update(other for each in needed if (other := ".".join(each.split(".")[:2])) not in (part, "allocsim"))
        self.assertEqual([], circle(parts))

    def test_a_circle_is_found(self):
        self.assertEqual(["b", "c"], circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}))


if __name__ == "__main__":
    unittest.main()
