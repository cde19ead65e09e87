"""Which of the values that a program may read lets it continue: the code after the read is followed in its bytecode.

A healthy run fails no check. So of the values that a read could give, one is chosen that does not lead to ``raise`` or a
failed ``assert``. A ``while`` loop whose condition depends on the value is run a few times and left.

The instructions are those of CPython 3.10 to 3.13, as the module ``dis`` documents them for each version. What is not
followed counts as unknown, and at an unknown condition both ways are followed.
"""

from __future__ import annotations

import bisect
import builtins
import contextlib
import dis
import enum
import functools
import inspect
import math
import operator
import os
import sys
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Callable, Sequence

from ..variables import variables_of

#: How often the body of a loop runs whose condition only depends on unknown values. In the second iteration both the old and the new tensors are there.
ITERATIONS = 2

#: How many instructions are followed for one value, and through how many callers.
MAX_INSTRUCTIONS = 400
MAX_CALLERS = 6

#: How many instructions of a function that is called are followed, and how deep.
MAX_CALLED = 80
MAX_DEPTH = 2

_UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "?"})()
_NULL: Any = type("Null", (), {"__repr__": lambda self: "null"})()

_PLAIN = (bool, int, float, str, type(None))
_SIZED = (str, list, tuple, dict, set)

#: Functions without effects, computed where their arguments are known.
_PURE = {abs, bool, float, int, round, min, max, math.isnan, math.isinf, math.isfinite, math.sqrt, math.exp, math.log, math.log10, math.log2, math.floor, math.ceil}
_ENDING = {sys.exit, os._exit, os.abort}

_COMPARISONS = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge}
_BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod}
_BINARY_3_10 = {
    "BINARY_ADD": "+", "BINARY_SUBTRACT": "-", "BINARY_MULTIPLY": "*", "BINARY_TRUE_DIVIDE": "/", "BINARY_FLOOR_DIVIDE": "//", "BINARY_MODULO": "%",
    "INPLACE_ADD": "+", "INPLACE_SUBTRACT": "-", "INPLACE_MULTIPLY": "*", "INPLACE_TRUE_DIVIDE": "/",
}
_NOTHING = {"NOP", "RESUME", "CACHE", "PRECALL", "EXTENDED_ARG", "NOT_TAKEN", "MAKE_CELL", "COPY_FREE_VARS"}
#: What makes one unknown value of values on the stack, and of how many.
_MAKING: dict[str, Callable[[int], int]] = {
    **dict.fromkeys(("BUILD_LIST", "BUILD_TUPLE", "BUILD_SET", "BUILD_STRING", "BUILD_SLICE"), lambda argument: argument),
    "BUILD_MAP": lambda argument: 2 * argument,
    "BUILD_CONST_KEY_MAP": lambda argument: argument + 1,
    "BINARY_SUBSCR": lambda argument: 2,
    "BINARY_SLICE": lambda argument: 3,
    "FORMAT_VALUE": lambda argument: 1 + (argument & 4 == 4),
    "FORMAT_SIMPLE": lambda argument: 1,
    "FORMAT_WITH_SPEC": lambda argument: 2,
    "CONVERT_VALUE": lambda argument: 1,
    "CONTAINS_OP": lambda argument: 2,
    "CALL_FUNCTION_KW": lambda argument: argument + 2,
    "CALL_KW": lambda argument: argument + 3,
}
_LOADS = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLOSURE", "LOAD_CLASSDEREF"}
_STORES = {"STORE_FAST", "STORE_NAME", "STORE_DEREF", "STORE_GLOBAL"}

_BORDERS = ("STORE_", "POP_", "JUMP", "RESUME", "RETURN", "RAISE", "RERAISE", "NOP", "FOR_ITER", "YIELD", "SEND", "END_", "SETUP_", "BEFORE_", "MAKE_CELL", "COPY_FREE_VARS")

_JUMPING = frozenset((*dis.hasjrel, *dis.hasjabs))

_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _End(enum.Enum):
    """How the code after a read ends."""

    RAISES = enum.auto()
    LEAVES = enum.auto()
    STAYS = enum.auto()
    ENTERS = enum.auto()
    OTHER = enum.auto()


class Branches:
    """Chooses among values by what the program does with them."""

    def __init__(self) -> None:
        self._passes: dict[tuple[CodeType, int], int] = {}

    def choose(self, frame: FrameType | None, values: Sequence[Any]) -> tuple[Any, bool]:
        """The value to give to a read by the current instruction of a frame, and whether one before it would lead to an error.

        Args:
            frame: of the program, in which a tensor is asked for its value.
            values: the possible ones, the default first.
        """
        if frame is None:
            return values[0], False
        ends = [_ends(frame, each) for each in values]
        kept = [place for place, end in enumerate(ends) if end is not _End.RAISES] or [0]
        staying = [place for place in kept if ends[place] is not _End.LEAVES]
        entering = [place for place in kept if ends[place] is _End.ENTERS]
        if entering:
            kept = entering
        elif staying and len(staying) < len(kept):
            place = (frame.f_code, frame.f_lasti)
            passes = self._passes[place] = self._passes.get(place, 0) + 1
            kept = staying if passes % ITERATIONS else [each for each in kept if each not in staying]
        return values[kept[0]], kept[0] > 0 and ends[0] is _End.RAISES


def _ends(frame: FrameType, value: Any) -> _End:
    walk = _Walk.begin(frame, value)
    return walk.end() if walk is not None else _End.OTHER


class _Loop:
    """A ``while`` loop: where it begins and ends, and on which line the jump back to its beginning is."""

    def __init__(self, begin: int, end: int, line: int | None, endless: bool) -> None:
        self.begin = begin
        self.end = end
        self.line = line
        self.endless = endless


class _Code:
    """The instructions of a code object, and its loops."""

    def __init__(self, code: CodeType) -> None:
        self.instructions = [each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG")]
        self._offsets = [each.offset for each in self.instructions]
        self.index = {each.offset: place for place, each in enumerate(self.instructions)}
        # A jump may lead to the prefix of a long argument.
        for each in dis.get_instructions(code):
            if each.opname in ("CACHE", "EXTENDED_ARG"):
                self.index.setdefault(each.offset, next((place for place, one in enumerate(self.instructions) if one.offset > each.offset), len(self.instructions)))
        self.lines: list[int | None] = []
        starts = dict(dis.findlinestarts(code))
        line: int | None = None
        for each in self.instructions:
            line = starts.get(each.offset, line)
            positions = getattr(each, "positions", None)
            self.lines.append(positions.lineno if positions is not None and positions.lineno is not None else line)
        self._handlers = [
            (self.index.get(each.start), self.index.get(each.end, len(self.instructions)), self.index.get(each.target))
            for each in getattr(dis.Bytecode(code), "exception_entries", ())
        ]
        self.while_loops, self.for_loops = self._loops()

    def _loops(self) -> tuple[list[_Loop], list[_Loop]]:
        found: dict[int, _Loop] = {}
        for place, each in enumerate(self.instructions):
            if "JUMP" not in each.opname or not isinstance(each.argval, int) or each.argval >= each.offset:
                continue
            before = self.instructions[place - 1]
            conditional = "IF" in each.opname or ("IF" in before.opname and isinstance(before.argval, int) and before.argval > each.offset)
            begin = self.index.get(each.argval)
            if begin is not None and self._leads(begin, place):
                found[begin] = _Loop(begin, place, self.lines[place], not conditional)
        loops = sorted(found.values(), key=lambda each: each.end - each.begin)
        fors = [each for each in loops if self.instructions[each.begin].opname in ("FOR_ITER", "SEND", "END_ASYNC_FOR")]
        return [each for each in loops if each not in fors], fors

    def _leads(self, begin: int, end: int) -> bool:
        """Whether an instruction is reached from an earlier one through those between: exception handlers of with statements jump back without a loop."""
        seen, todo = set(), [begin]
        while todo:
            place = todo.pop()
            if place in seen or not begin <= place <= end:
                continue
            if place == end:
                return True
            seen.add(place)
            each = self.instructions[place]
            if each.opcode in _JUMPING and isinstance(each.argval, int):
                todo.append(self.index.get(each.argval, -1))
            if not each.opname.startswith(("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")) and not ("JUMP" in each.opname and "IF" not in each.opname):
                todo.append(place + 1)
            todo += [handler for first, last, handler in self._handlers if first is not None and handler is not None and first <= place < last]
        return False

    def current(self, offset: int) -> int:
        """The instruction that is being run: within calls of Python functions, the offset is that of its last inline cache."""
        return bisect.bisect_right(self._offsets, offset) - 1

    def statement(self, place: int) -> int:
        """Where the statement or the condition of an instruction begins, with nothing of it on the stack."""
        while place > 0 and not self.instructions[place - 1].opname.startswith(_BORDERS):
            place -= 1
        return place

    def innermost(self, place: int) -> _Loop | None:
        """The ``while`` loop around an instruction, unless a ``for`` loop is between."""
        around = [each for each in (*self.while_loops, *self.for_loops) if each.begin <= place <= each.end]
        loop = min(around, key=lambda each: each.end - each.begin, default=None)
        return loop if loop in self.while_loops else None


@functools.lru_cache(maxsize=256)
def _code(code: CodeType) -> _Code:
    return _Code(code)


class _Called:
    """A function that is called, as a frame."""

    def __init__(self, function: FunctionType) -> None:
        self.f_code = function.__code__
        self.f_globals = function.__globals__
        self.f_builtins = vars(builtins)
        self.f_locals: dict[str, Any] = {}
        self.f_back = None
        self.f_lasti = 0
        with contextlib.suppress(ValueError):
            self.f_locals.update(zip(self.f_code.co_freevars, (each.cell_contents for each in function.__closure__ or ())))


class _Walk:
    """Follows instructions from one place on."""

    def __init__(self, frame: FrameType | _Called, place: int, stack: list[Any], names: dict[str, Any], budget: list[int], callers: int) -> None:
        self._frame = frame
        self._code = _code(frame.f_code)
        self._place = place
        self._stack = stack
        self._names = names
        self._budget = budget
        self._callers = callers
        self._with_names = False
        self._depth = 0
        #: What a function that is called returns.
        self._returned: list[Any] | None = None
        self._loop: _Loop | None = None
        self._line: int | None = None

    @classmethod
    def begin(cls, frame: FrameType | _Called, value: Any, budget: list[int] | None = None, callers: int = 0) -> _Walk | None:
        """After the current instruction of a frame, which has the value or is asking for it."""
        code = _code(frame.f_code)
        place = code.current(frame.f_lasti)
        if place < 0:
            return None
        name = code.instructions[place].opname
        if name == "CONTAINS_OP":
            value = value != bool(code.instructions[place].arg)
        asking = "JUMP_IF" in name or "JUMP_BACKWARD_IF" in name or "JUMP_FORWARD_IF" in name or name == "UNARY_NOT"
        if not asking and not name.startswith(("CALL", "PRECALL", "TO_BOOL", "COMPARE_OP", "CONTAINS_OP")):
            return None
        walk = cls(frame, place if asking else place + 1, [], {}, budget if budget is not None else [MAX_INSTRUCTIONS], callers)
        # What the statement has on the stack already.
        for step in code.instructions[code.statement(place) : walk._place]:
            walk._step(step, step.opname)
        walk._pop()
        walk._stack.append(value)
        walk._loop = code.innermost(place)
        return walk

    def end(self) -> _End:
        """Follows all paths; if they end differently, the end is unknown."""
        while self._place < len(self._code.instructions):
            self._budget[0] -= 1
            if self._budget[0] < 0:
                return _End.OTHER
            loop = self._loop
            if loop is not None and not loop.begin <= self._place <= loop.end:
                # What follows the loop may be an error, too.
                decides = loop.endless or self._line == loop.line
                self._loop = None
                end = self.end()
                return end if end is _End.RAISES or not decides else _End.LEAVES
            if loop is None and self._line is not None:
                entered = next((each for each in self._code.while_loops if each.begin == self._place), None)
                if entered is not None:
                    return _End.ENTERS if entered.line == self._line and not entered.endless else _End.OTHER
            step = self._code.instructions[self._place]
            here = self._place
            self._place += 1
            name = step.opname
            if name in ("RAISE_VARARGS", "RERAISE"):
                return _End.RAISES
            if name in ("RETURN_VALUE", "RETURN_CONST"):
                value = step.argval if name == "RETURN_CONST" else self._pop()
                if loop is not None and loop.endless:
                    return _End.LEAVES
                return self._return(value)
            if "JUMP" in name:
                jumped = self._jump(step, here)
                if jumped is not None:
                    return jumped
            elif self._step(step, name):
                return _End.RAISES
        return _End.OTHER

    # --- control flow ----------------------------------------------------------------------

    def _return(self, value: Any) -> _End:
        if self._returned is not None:
            self._returned.append(value)
            return _End.OTHER
        frame = self._frame.f_back
        if value is _UNKNOWN or frame is None or self._callers >= MAX_CALLERS or self._frame.f_code.co_flags & _GENERATORS:
            # A generator returns to nobody.
            return _End.OTHER
        walk = _Walk.begin(frame, value, self._budget, self._callers + 1)
        return walk.end() if walk is not None else _End.OTHER

    def _jump(self, step: dis.Instruction, here: int) -> _End | None:
        name = step.opname
        target = self._code.index.get(step.argval) if isinstance(step.argval, int) else None
        if target is None:
            return _End.OTHER
        if "IF" not in name:
            if target <= here:
                return _End.STAYS
            self._place = target
            return None
        value = self._pop()
        if name.endswith("NOT_NONE"):
            taken = _UNKNOWN if value is _UNKNOWN else value is not None
        elif name.endswith("NONE"):
            taken = _UNKNOWN if value is _UNKNOWN else value is None
        elif "EXC_MATCH" in name:
            return _End.OTHER
        else:
            taken = _truth(value)
            if "FALSE" in name and taken is not _UNKNOWN:
                taken = not taken
        keeps = name.endswith("_OR_POP")
        self._line = self._code.lines[here]
        if taken is _UNKNOWN:
            other = self._copy()
            other._place = target
            if keeps:
                other._stack.append(value)
            ends = {self.end(), other.end() if target > here else _End.STAYS}
            return ends.pop() if len(ends) == 1 else _End.OTHER
        if taken:
            if target <= here:
                return _End.STAYS
            self._place = target
            if keeps:
                self._stack.append(value)
        return None

    def _copy(self) -> _Walk:
        other = _Walk(self._frame, self._place, list(self._stack), dict(self._names), self._budget, self._callers)
        other._depth, other._returned = self._depth, self._returned
        other._loop, other._line = self._loop, self._line
        return other

    # --- values ----------------------------------------------------------------------------

    def _pop(self) -> Any:
        return self._stack.pop() if self._stack else _UNKNOWN

    def _pop_many(self, count: int) -> list[Any]:
        return [self._pop() for _ in range(count)][::-1]

    def _peek(self, depth: int) -> Any:
        return self._stack[-depth] if depth <= len(self._stack) else _UNKNOWN

    def _name(self, name: Any) -> Any:
        if name in self._names:
            return self._names[name]
        return variables_of(self._frame).get(name, _UNKNOWN)

    def _global(self, name: str) -> Any:
        if name in self._names:
            return self._names[name]
        if name in self._frame.f_globals:
            return self._frame.f_globals[name]
        builtin = self._frame.f_builtins
        return builtin.get(name, _UNKNOWN)

    def _step(self, step: dis.Instruction, name: str) -> bool:
        """Does one instruction that does not jump; returns whether the program ends in it."""
        stack = self._stack
        argument = step.arg or 0
        if name in _NOTHING:
            pass
        elif name == "LOAD_CONST":
            stack.append(step.argval)
        elif name in _LOADS:
            stack.append(self._name(step.argval))
        elif name == "LOAD_FAST_LOAD_FAST":
            stack.extend(self._name(each) for each in step.argval)
        elif name == "LOAD_GLOBAL":
            value = self._global(step.argval)
            null = sys.version_info >= (3, 11) and argument & 1
            stack.extend((value,) if not null else (value, _NULL) if sys.version_info >= (3, 13) else (_NULL, value))
        elif name == "LOAD_ATTR" or name == "LOAD_METHOD":
            owner = self._pop()
            value = _attribute(owner, step.argval)
            method = name == "LOAD_METHOD" or (sys.version_info >= (3, 12) and argument & 1)
            function = _method(owner, step.argval) if method and value is _UNKNOWN else None
            if function is not None:
                stack.extend((function, owner))
                return False
            stack.extend((value,) if not method else (value, _NULL) if sys.version_info >= (3, 13) else (_NULL, value))
        elif name == "PUSH_NULL":
            stack.append(_NULL)
        elif name in _STORES:
            self._names[step.argval] = self._pop()
        elif name == "STORE_FAST_LOAD_FAST":
            self._names[step.argval[0]] = self._pop()
            stack.append(self._name(step.argval[1]))
        elif name == "STORE_FAST_STORE_FAST":
            for each in step.argval:
                self._names[each] = self._pop()
        elif name == "POP_TOP":
            self._pop()
        elif name in ("COPY", "DUP_TOP"):
            stack.append(self._peek(argument if name == "COPY" else 1))
        elif name in ("SWAP", "ROT_TWO"):
            depth = argument if name == "SWAP" else 2
            stack[:0] = [_UNKNOWN] * (depth - len(stack))
            stack[-1], stack[-depth] = stack[-depth], stack[-1]
        elif name == "UNARY_NOT":
            value = _truth(self._pop())
            stack.append(_UNKNOWN if value is _UNKNOWN else not value)
        elif name == "TO_BOOL":
            stack.append(_truth(self._pop()))
        elif name == "UNARY_NEGATIVE":
            stack.append(_computed(operator.neg, self._pop()))
        elif name == "COMPARE_OP":
            two, one = self._pop(), self._pop()
            symbol = str(step.argval).removeprefix("bool(").removesuffix(")")
            stack.append(_computed(_COMPARISONS[symbol], one, two) if symbol in _COMPARISONS else _UNKNOWN)
        elif name == "IS_OP":
            two, one = self._pop(), self._pop()
            stack.append(_UNKNOWN if one is _UNKNOWN or two is _UNKNOWN else (one is two) != bool(argument))
        elif name == "BINARY_OP" or name in _BINARY_3_10:
            two, one = self._pop(), self._pop()
            operation = _BINARY.get(_BINARY_3_10.get(name) or step.argrepr.removesuffix("="))
            stack.append(_computed(operation, one, two) if operation is not None else _UNKNOWN)
        elif name == "KW_NAMES":
            self._with_names = True
        elif name in ("CALL", "CALL_FUNCTION", "CALL_METHOD"):
            return self._call(argument, name)
        elif name == "LOAD_ASSERTION_ERROR":
            # All that Python makes of it is raised.
            return True
        elif name in _MAKING:
            count = _MAKING[name](argument)
            self._pop_many(count)
            stack.append(_UNKNOWN)
        else:
            self._forget(step)
        return False

    def _call(self, count: int, name: str) -> bool:
        arguments = self._pop_many(count)
        if name == "CALL_FUNCTION":
            function = self._pop()
        else:
            two, one = self._pop(), self._pop()
            function = two if one is _NULL else one if two is _NULL or isinstance(one, FunctionType) else _UNKNOWN
            if one is not _NULL and two is not _NULL:
                arguments.insert(0, two)
        with_names, self._with_names = self._with_names, False
        known = isinstance(function, (type, type(len), FunctionType))
        if known and function in _ENDING:
            return True
        if isinstance(function, FunctionType) and not with_names and self._depth < MAX_DEPTH:
            return self._follow(function, arguments)
        pure = known and function in _PURE and not with_names
        self._stack.append(_computed(function, *arguments) if pure else _UNKNOWN)
        return False

    def _follow(self, function: FunctionType, arguments: list[Any]) -> bool:
        """Follows a function that is called; returns whether it raises."""
        code = function.__code__
        if code.co_flags & (_GENERATORS | inspect.CO_VARARGS) or len(arguments) > code.co_argcount:
            self._stack.append(_UNKNOWN)
            return False
        defaults = function.__defaults__ or ()
        names = dict(zip(code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount], defaults))
        names |= function.__kwdefaults__ or {}
        names |= dict(zip(code.co_varnames, arguments))
        walk = _Walk(_Called(function), 0, [], names, [MAX_CALLED], 0)
        walk._depth, walk._returned = self._depth + 1, []
        raises = walk.end() is _End.RAISES
        self._stack.append(walk._returned[0] if len(walk._returned) == 1 and walk._budget[0] >= 0 else _UNKNOWN)
        return raises

    def _forget(self, step: dis.Instruction) -> None:
        """After an instruction that is not followed, only the height of the stack is known."""
        try:
            effect = dis.stack_effect(step.opcode, step.arg, jump=False)
        except ValueError:
            effect = 0
        height = max(0, len(self._stack) + effect)
        self._stack[:] = [_UNKNOWN] * height


def _truth(value: Any) -> Any:
    return bool(value) if type(value) in _PLAIN or type(value) in _SIZED else _UNKNOWN


def _computed(function: Any, *values: Any) -> Any:
    if not all(type(each) in _PLAIN for each in values):
        return _UNKNOWN
    try:
        return function(*values)
    except (ArithmeticError, TypeError, ValueError):
        return _UNKNOWN


def _attribute(value: Any, name: str) -> Any:
    """An attribute that can be read without running code."""
    if value is _UNKNOWN or value is _NULL or isinstance(value, (type, FunctionType, MethodType)):
        return _UNKNOWN
    if isinstance(value, ModuleType) or "__getattribute__" not in vars(type(value)):
        try:
            return object.__getattribute__(value, "__dict__").get(name, _UNKNOWN)
        except AttributeError:
            return _UNKNOWN
    return _UNKNOWN


def _method(value: Any, name: str) -> FunctionType | None:
    """A method that is an ordinary function of the object's class."""
    if value is _UNKNOWN or value is _NULL:
        return None
    for each in type(value).__mro__:
        if name in vars(each):
            found = vars(each)[name]
            return found if isinstance(found, FunctionType) else None
    return None
