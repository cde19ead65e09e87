"""The random generators of the host: whether a program draws from one that it gave no seed, so that each of its runs has other numbers."""

from __future__ import annotations

import functools
import random
import sys
from typing import Any

from .imports import when_imported

#: Steps before which generators are compared; a program that draws does so in each.
COMPARED_STEPS = 20


class Generators:
    """The default generators of PyTorch, Python and NumPy.

    Args:
        torch: the module. Its generator begins with a seed that differs in each process.
    """

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._seed = torch.initial_seed()
        self._seeded = {"random": False, "numpy": False}
        self._states: dict[str, bytes | int] = {}
        self._drawn: set[str] = set()
        self._steps = 0

    def follow(self) -> None:
        """Starts noting seeds."""
        random.seed = self._noting("random", random.seed)
        when_imported("numpy.random", self._follow_numpy)

    def _follow_numpy(self, module: Any) -> None:
        module.seed = self._noting("numpy", module.seed)

    def _noting(self, name: str, seed: Any) -> Any:
        @functools.wraps(seed)
        def noted(*args: Any, **kwargs: Any) -> Any:
            self._seeded[name] = bool(args or kwargs)
            return seed(*args, **kwargs)

        return noted

    def look(self) -> None:
        """Notes after a step which generators were drawn from since the last one."""
        self._steps += 1
        if self._steps > COMPARED_STEPS:
            return
        try:
            states: dict[str, bytes | int] = {"torch": self._torch.get_rng_state().numpy().tobytes(), "random": hash(random.getstate())}
            numpy = sys.modules.get("numpy.random")
            if numpy is not None:
                states["numpy"] = hash(repr(numpy.get_state(legacy=False)))
        except Exception:
            # Within transforms of functions, and where tensors are fake, a state has no memory; NumPy's may be that of a generator of another kind. The program goes on.
            return
        self._drawn |= {name for name, state in self._states.items() if states.get(name, state) != state}
        self._states = states

    def has_torch_seed(self) -> bool:
        """Whether the program gave PyTorch's generator a seed."""
        return bool(self._torch.initial_seed() != self._seed)

    def are_drawn(self) -> bool:
        """Whether steps drew from a generator without a seed."""
        return any(not (self.has_torch_seed() if name == "torch" else self._seeded[name]) for name in self._drawn)
