"""What the program's variables still hold when a step begins although nothing reads it any more: outputs and losses of the step before, lists that only grow, caches."""

from __future__ import annotations

import collections
import contextlib
import itertools
import os
import sys
import weakref
from typing import Any, Iterator, NamedTuple

from ..estimate.places import is_own
from ..variables import variables_of
from .program import Call, is_users
from .source import is_read

#: When a call begins, so many items of containers are looked at, and containers in containers so deep.
MAX_ITEMS = 20_000
MAX_DEPTH = 4

#: Calls of models after which it is looked no more: what holds on to memory does so in each step.
MAX_CALLS = 200

#: What a module has beside its own attributes.
_OF_MODULES = ("_parameters", "_buffers", "_modules")


class Name(NamedTuple):
    """A name of the program that holds tensors.

    Attributes:
        file: where the function is.
        function: its name, ``<module>`` for the script itself.
        name: as in ``outputs``, or ``self.memory``.
    """

    file: str
    function: str
    name: str


class Found(NamedTuple):
    """A tensor that a name leads to.

    Attributes:
        name: the name.
        line: that waits in the name's function.
        tensor: the tensor.
        container: the list, dictionary or other container of that name that has the tensor; None where the name is the tensor's own.
        is_item: whether the tensor itself is an item of the container, and not a part of one.
    """

    name: Name
    line: int
    tensor: Any
    container: Any
    is_item: bool


class _Place(NamedTuple):
    """Where a name could let go of what it holds: when a call of a model begins.

    Attributes:
        name: the name.
        line: that waits in the name's function.
        call: the line that calls the model.
    """

    name: Name
    line: int
    call: str | None


class _Form:
    """How much a name held at a place, and how."""

    __slots__ = ("container", "call", "is_kept", "has_items", "bytes")

    def __init__(self) -> None:
        # The container by number, and the call that saw it last.
        self.container = 0
        self.call = 0
        self.is_kept = False
        self.has_items = True
        self.bytes = 0

    def note(self, found: Found) -> None:
        self.has_items = self.has_items and found.is_item

    def ends(self, container: int, call: int, size: int) -> None:
        # A new container is made while the name still has the one before.
        self.is_kept = self.is_kept or bool(container) and container == self.container
        self.container, self.call = container, call
        self.bytes = max(self.bytes, size)


class _Seen:
    """A tensor that a name held when a call of a model began."""

    __slots__ = ("address", "call", "operation", "place")

    def __init__(self, address: int, call: int, operation: int, place: _Place) -> None:
        self.address = address
        self.call = call
        self.operation = operation
        self.place = place


class Held:
    """Follows the tensors that names hold from one call of a model to the next."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._operation = 0
        #: Calls of models so far.
        self.call = 0
        self._last_read: dict[int, int] = {}
        self._alive: dict[tuple[int, _Place], tuple[weakref.ref[Any], _Seen]] = {}
        # Calls in which what a place held was not read again, and places where something was.
        self._unread: dict[_Place, set[int]] = {}
        self._forms: dict[_Place, _Form] = {}
        self._read: set[_Place] = set()

    def note(self, given: Iterator[Any]) -> None:
        """An operation was given tensors."""
        self._operation += 1
        for each in given:
            if each.is_cuda:
                self._last_read[address(each)] = self._operation

    def begins(self, call: Call) -> None:
        """A call of a model begins."""
        self.call += 1
        if self.call > MAX_CALLS:
            return
        kept = {address(each) for each in (*call.module.parameters(), *call.module.buffers())}
        sizes: dict[_Place, dict[int, int]] = {}
        containers: dict[_Place, int] = {}
        for found in named(self._torch, call.frame):
            tensor, place = found.tensor, _Place(found.name, found.line, call.line)
            begin = address(tensor)
            if begin in kept or not begin:
                continue
            self._forms.setdefault(place, _Form()).note(found)
            sizes.setdefault(place, {})[begin] = tensor.untyped_storage().nbytes()
            containers[place] = 0 if found.container is None else id(found.container)
            key = id(tensor), place
            if key not in self._alive:
                self._alive[key] = (weakref.ref(tensor, lambda _, key=key: self._dropped(key)), _Seen(begin, self.call, self._operation, place))  # type: ignore[misc]
        for place, each in sizes.items():
            self._forms[place].ends(containers[place], self.call, sum(each.values()))

    def went_back(self, call: int) -> None:
        """A backward pass reached the results of a call. What was held when later ones began may be needed by it: names do not tell."""
        if call < self.call:
            self._read.update(seen.place for _, seen in self._alive.values() if seen.call > call)
            self._read.update(place for place, calls in self._unread.items() if any(each > call for each in calls))

    def _dropped(self, key: tuple[int, _Place]) -> None:
        found = self._alive.pop(key, None)
        if found is not None:
            self._judge(found[1])

    def _judge(self, seen: _Seen) -> None:
        if self._last_read.get(seen.address, 0) > seen.operation:
            self._read.add(seen.place)
        else:
            self._unread.setdefault(seen.place, set()).add(seen.call)

    def report(self) -> list[dict[str, Any]]:
        """Rows of ``file``, ``function``, ``name``, ``line`` (of the name's function that waits for the call), ``call`` (the line that calls a model), ``bytes`` (the most that it held there),
        ``calls`` in which that was so, ``is_kept`` (whether one container of that name stays from call to call) and ``has_items`` (whether tensors themselves are the items of that container).

        A name of which a tensor was read again is none of them, nor is one that was seen once, or a container that stays and that the source reads: what comes after the last call is not known.
        Of several calls, a name has the one where it holds most.
        """
        for _, seen in list(self._alive.values()):
            # What was read after the last call began may have been read for the first time.
            if seen.call < self.call:
                self._judge(seen)
        rows: dict[Name, dict[str, Any]] = {}
        for place, calls in self._unread.items():
            name, form = place.name, self._forms[place]
            if place in self._read or len(calls) < 2 or form.bytes <= rows.get(name, {"bytes": 0})["bytes"] or form.is_kept and is_read(name.file, name.name):
                continue
            rows[name] = {
                "file": name.file, "function": name.function, "name": name.name, "line": f"{name.file}:{place.line}", "call": place.call, "bytes": form.bytes, "calls": len(calls),
                "is_kept": form.is_kept, "has_items": form.has_items,
            }
        return sorted(rows.values(), key=lambda row: -row["bytes"])


def named(torch: Any, frame: Any) -> Iterator[Found]:
    """The tensors of the GPU that names of the user's waiting functions hold; parameters are left out."""
    look = _Look(torch)
    while frame is not None:
        code = frame.f_code
        if is_users(code.co_filename):
            for name, value in variables_of(frame).items():
                for path, tensor, container, is_item in look.within(name, value, 0):
                    yield Found(Name(os.path.abspath(code.co_filename), code.co_name, path), frame.f_lineno, tensor, container, is_item)
        frame = frame.f_back


class _Look:
    """One pass through what names hold."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._met: set[int] = set()
        self._items = 0

    def within(self, path: str, value: Any, depth: int, container: Any = None, around: Any = None) -> Iterator[tuple[str, Any, Any, bool]]:
        """The tensors in a value, each with the name that leads to it, as :class:`Found` has them.

        Args:
            path: the name.
            value: what it leads to, or a part of that.
            depth: of the part.
            container: the outermost one of that name.
            around: what has the value.
        """
        torch = self._torch
        self._items += 1
        if isinstance(value, torch.Tensor):
            if value.is_cuda and type(value) is torch.Tensor and value.layout is torch.strided:
                yield path, value, container, container is not None and around is container
            return
        if depth == MAX_DEPTH or self._items > MAX_ITEMS or id(value) in self._met or isinstance(value, (str, bytes, int, float, type, torch.optim.Optimizer)):
            return
        inner: list[tuple[str, Any]] = []
        outer = value if container is None else container
        if isinstance(value, dict):
            inner = [(path, each) for each in itertools.islice(value.values(), MAX_ITEMS)]
        elif isinstance(value, (list, tuple, set, collections.deque)):
            inner = [(path, each) for each in itertools.islice(value, MAX_ITEMS)]
        elif _is_of_user(value):
            inner = [(f"{path}.{name}", each) for name, each in vars(value).items() if not name.startswith("__") and name not in _OF_MODULES]
            outer = None
        self._met.add(id(value))
        for name, each in inner:
            yield from self.within(name, each, depth + 1, outer, value)


def _is_of_user(value: Any) -> bool:
    module = sys.modules.get(type(value).__module__)
    file = getattr(module, "__file__", None)
    return file is not None and hasattr(value, "__dict__") and not isinstance(value, type(sys)) and is_users(file) and not is_own(file)


def address(tensor: Any) -> int:
    """Where the memory of a tensor begins; 0 where it has none."""
    with contextlib.suppress(RuntimeError, NotImplementedError):
        return int(tensor.data_ptr()) - tensor.storage_offset() * tensor.element_size() if tensor.numel() else 0
    return 0
