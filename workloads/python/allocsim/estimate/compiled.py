"""Compiled programs: dynamo, autograd's partitioning and inductor run as they are, and kernels in Triton do nothing.

So the code that inductor writes asks for its buffers itself, reuses and frees them. Where inductor would measure kernels
against each other, it does so here, in the memory that this takes; each takes equally long, so that it takes the first.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import torch

from .imports import when_imported
from .values import Values

class Compiled:
    """Follows what the program compiles.

    Args:
        values: are left within compiled code, which has its own operations.
    """

    def __init__(self, values: Values) -> None:
        #: How often a part could not be compiled and ran uncompiled, by the reason.
        self.uncompiled: dict[str, int] = {}
        self._values = values

    def follow(self) -> None:
        """From now on compiled code runs on the stand-in."""
        when_imported("triton.runtime.jit", self._change_jit)
        when_imported("triton.runtime.driver", self._change_driver)
        when_imported("torch._inductor.runtime.triton_heuristics", self._change_heuristics)
        when_imported("torch._inductor.compile_fx", self._change_inductor)
        when_imported("torch._inductor.output_code", self._change_output)

    # --- kernels in Triton -----------------------------------------------------------------

    def _change_jit(self, module: Any) -> None:
        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            for hook in kernel.pre_run_hooks:
                hook(*args, **kwargs)
            self._values.forget([*args, *kwargs.values()])

        module.JITFunction.run = run

    def _change_driver(self, module: Any) -> None:
        from triton.backends.nvidia.driver import CudaDriver

        class Driver(CudaDriver):  # type: ignore[misc, valid-type]
            """Triton's own, without the functions that it would compile to talk to the GPU."""

            def __init__(self) -> None:
                super(CudaDriver, self).__init__()

        module.driver.set_active(Driver())

    def _change_heuristics(self, module: Any) -> None:
        def compile_nothing(tuner: Any, config: Any, **options: Any) -> Any:
            return _Result(tuner, config, self._values)

        module.CachingAutotuner._precompile_config = compile_nothing

    # --- compiled graphs -------------------------------------------------------------------

    def _change_inductor(self, module: Any) -> None:
        compile_graph = module.compile_fx_inner

        @functools.wraps(compile_graph)
        def compile_or_run(graph: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return compile_graph(graph, *args, **kwargs)
            except Exception as problem:
                reason = next(iter(str(problem).splitlines()), type(problem).__name__)
                self.uncompiled[reason] = self.uncompiled.get(reason, 0) + 1

                def uncompiled(inputs: Any) -> Any:
                    with self._values.left():
                        return graph.forward(*inputs)

                uncompiled._boxed_call = True  # type: ignore[attr-defined]
                return uncompiled

        module.compile_fx_inner = compile_or_run

    def _change_output(self, module: Any) -> None:
        call = module.CompiledFxGraph.__call__

        @functools.wraps(call)
        def run(graph: Any, inputs: Any) -> Any:
            for place in graph.mutated_input_idxs:
                self._values.forget(inputs[place])
            with self._values.left():
                return call(graph, inputs)

        module.CompiledFxGraph.__call__ = run


class _Result:
    """What comes of compiling a kernel for one configuration: a launcher that does nothing."""

    def __init__(self, tuner: Any, config: Any, values: Values) -> None:
        self.config = config
        self.kernel = types.SimpleNamespace(hash="0" * 64)
        self._written = [not name.startswith("in_ptr") for name in tuner.fn.arg_names]
        self._values = values

    def make_launcher(self) -> Any:
        def launch(*args: Any, stream: Any = None, **kwargs: Any) -> None:
            self._values.forget([*(each for each, written in zip(args, self._written) if written), *kwargs.values()])

        launch.config = self.config  # type: ignore[attr-defined]
        launch.n_regs = launch.n_spills = launch.shared = None  # type: ignore[attr-defined]
        launch.cache_hash = None  # type: ignore[attr-defined]
        launch.store_cubin = False  # type: ignore[attr-defined]
        return launch
