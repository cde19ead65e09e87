"""The program that runs in this process, for remedies and for what observes it: its models' calls, optimizers and loaders."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import weakref
from typing import Any, Callable, NamedTuple

from ..recorder.patches import Patches
from ..estimate.places import is_user, stack
from ..variables import variables_of
from .facts import Facts


class Made(NamedTuple):
    """An optimizer, and how the program made it."""

    optimizer: Any
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    line: str | None


class Call(NamedTuple):
    """A call of a model by the program itself: of a module with parameters that no other module calls."""

    module: Any
    line: str | None
    frame: Any


Context = Callable[[Call], "contextlib.AbstractContextManager[Any] | None"]


class Program:
    """Changes to the program that runs in this process.

    Args:
        torch: the module.
        facts: what the baseline run showed; empty in that run itself.
    """

    def __init__(self, torch: Any, facts: Facts) -> None:
        self.torch = torch
        self.facts = facts
        self.patches = Patches()
        #: Parts that make up an optimizer of the program, whose steps are no steps of the program.
        self.parts: set[int] = set()
        #: What a remedy calls when the program asks for a step of an optimizer, which it has made in another way.
        self.stepped: Callable[[Any], None] = lambda optimizer: None
        self._contexts: list[Context] = []
        self._first_calls: list[Callable[[Any], None]] = []
        self._called: set[int] = set()
        self._made: list[Callable[[Made], None]] = []
        self._places: dict[int, str | None] = {}
        self._moves: list[Callable[[Any], None]] = []
        self._replacing: list[Callable[[list[Any]], dict[int, Any]]] = []
        self._replaced: dict[int, Any] = {}
        self._modules: weakref.WeakSet[Any] = weakref.WeakSet()
        self._depth = threading.local()

    # --- what remedies ask for -------------------------------------------------------------

    def around_calls(self, context: Context) -> None:
        """Runs each call of a model inside a context; None leaves the call as it is."""
        self._contexts.append(context)

    def on_first_call(self, action: Callable[[Any], None]) -> None:
        """Calls an action with each model before the program's first call of it."""
        self._first_calls.append(action)

    def on_optimizer(self, action: Callable[[Made], None]) -> None:
        """Calls an action with each of PyTorch's optimizers that the program has made."""
        self._made.append(action)

    def before_optimizer(self, change: Callable[[list[Any]], dict[int, Any]]) -> None:
        """Makes PyTorch's optimizers take other parameters.

        Args:
            change: is given the program's modules that are in no other one before the first optimizer is made, and returns what takes the place of parameters, by their ``id``.
        """
        self._replacing.append(change)

    def on_move(self, action: Callable[[Any], None]) -> None:
        """Calls an action with each module before the program moves it, as by ``.cuda()`` or ``.to()``."""
        self._moves.append(action)

    def replace_options(self, change: Callable[[type, dict[str, Any]], dict[str, Any]]) -> None:
        """Changes the keyword arguments with which the program creates PyTorch's optimizers.

        Args:
            change: is given the class and the keyword arguments, and returns those to use.
        """
        for owner in optimizers(self.torch):
            self._replace_options(owner, change)

    def place_of(self, module: Any) -> str | None:
        """``FILE:LINE`` of the user where a module was made; None if unknown."""
        return self._places.get(id(module))

    def undo(self) -> None:
        """Undoes all changes."""
        self.patches.undo()

    # --- how it is done --------------------------------------------------------------------

    def follow(self) -> None:
        """Starts following the program."""
        self._follow_calls()
        self._follow_modules()
        for owner in optimizers(self.torch):
            self._follow_optimizer(owner)

    def _follow_calls(self) -> None:
        module_class = self.torch.nn.Module
        call = module_class.__call__
        program = self
        is_compiling, in_backward = self.torch.compiler.is_compiling, self.torch._C._current_graph_task_id

        def outermost(self: Any, *args: Any, **kwargs: Any) -> Any:
            # A checkpointed block is called again from the backward pass.
            if is_compiling() or getattr(program._depth, "inside", False) or in_backward() != -1 or next(self.parameters(), None) is None:
                return call(self, *args, **kwargs)
            program._depth.inside = True
            try:
                return program._call(call, self, args, kwargs)
            finally:
                program._depth.inside = False

        self.patches.replace(module_class, "__call__", outermost)

    def _call(self, call: Any, module: Any, args: Any, kwargs: Any) -> Any:
        if id(module) not in self._called:
            self._called.add(id(module))
            for action in self._first_calls:
                action(module)
        frame, line = user_frame()
        about = Call(module, line, frame)
        with contextlib.ExitStack() as around:
            for each in self._contexts:
                context = each(about)
                if context is not None:
                    around.enter_context(context)
            return call(module, *args, **kwargs)

    def _follow_modules(self) -> None:
        module_class = self.torch.nn.Module

        def made(module: Any, *args: Any, **kwargs: Any) -> None:
            self._places[id(module)] = self._outside()
            if self._replacing:
                self._modules.add(module)

        move = module_class._apply
        program = self

        @functools.wraps(move)
        def moved(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not program._moves or getattr(program._depth, "moving", False):
                return move(self, *args, **kwargs)
            program._depth.moving = True
            try:
                for action in program._moves:
                    action(self)
                return move(self, *args, **kwargs)
            finally:
                program._depth.moving = False

        self.patches.wrap(module_class, "__init__", before=made)
        self.patches.replace(module_class, "_apply", moved)

    def _outside(self) -> str | None:
        """The user's line that makes a module, outside of what makes the modules around it."""
        for frame, line in stack(sys._getframe(1)):
            code = frame.f_code
            if is_users(code.co_filename) and not (
                code.co_name == "__init__" and code.co_argcount and isinstance(variables_of(frame).get(code.co_varnames[0]), self.torch.nn.Module)
            ):
                return f"{code.co_filename}:{line}"
        return None

    def _follow_optimizer(self, owner: type) -> None:
        init = owner.__init__  # type: ignore[misc]
        program = self

        @functools.wraps(init)
        def made(self: Any, *args: Any, **kwargs: Any) -> None:
            if getattr(program._depth, "making", False) or is_compiling():
                init(self, *args, **kwargs)
                return
            program._depth.making = True
            try:
                if args and program._replacing:
                    args = (program._with_others(args[0]), *args[1:])
                init(self, *args, **kwargs)
                if id(self) not in program.parts:
                    for action in program._made:
                        action(Made(self, args, kwargs, user_frame()[1]))
            finally:
                program._depth.making = False

        is_compiling = self.torch.compiler.is_compiling
        self.patches.replace(owner, "__init__", made)

    def _with_others(self, parameters: Any) -> Any:
        """An optimizer's arguments, with other parameters in them."""
        if not self._replaced:
            modules = list(self._modules)
            inner = {id(part) for each in modules for part in each.modules() if part is not each}
            for change in self._replacing:
                self._replaced |= change([each for each in modules if id(each) not in inner])
        new = {id(each) for each in self._replaced.values()}

        def other(parameter: Any) -> Any:
            # One of the new ones may have the number of an old one that is gone.
            return parameter if id(parameter) in new else self._replaced.get(id(parameter), parameter)

        return [each | {"params": [other(one) for one in each["params"]]} if isinstance(each, dict) else other(each) for each in parameters]

    def _replace_options(self, owner: type, change: Callable[[type, dict[str, Any]], dict[str, Any]]) -> None:
        init = owner.__init__  # type: ignore[misc]

        @functools.wraps(init)
        def changed(self: Any, *args: Any, **kwargs: Any) -> None:
            # A subclass of PyTorch's own calls this one with what it was given.
            init(self, *args, **(change(owner, kwargs) if type(self) is owner else kwargs))

        self.patches.replace(owner, "__init__", changed)


def optimizers(torch: Any) -> list[type]:
    """The optimizers of PyTorch."""
    base = torch.optim.Optimizer
    return [each for each in vars(torch.optim).values() if isinstance(each, type) and issubclass(each, base) and each is not base]


def user_frame() -> tuple[Any, str | None]:
    """The innermost frame of the user's code that waits in this thread, and its ``FILE:LINE``; None twice where there is none."""
    for frame, line in stack(sys._getframe(1)):
        if is_users(frame.f_code.co_filename):
            return frame, f"{frame.f_code.co_filename}:{line}"
    return None, None


#: Whether a file is the user's, which takes long to find out.
is_users = functools.lru_cache(maxsize=4096)(is_user)
