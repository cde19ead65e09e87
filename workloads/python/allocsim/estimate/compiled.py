"""Compiled programs: dynamo, autograd's partitioning and inductor run as they are, and kernels in Triton do nothing.

So the code that inductor writes asks for its buffers itself, reuses and frees them. Where inductor would measure kernels
against each other, it does so here, in the memory that this takes; each takes equally long, so that it takes the first.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import math
import types
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .imports import when_imported
from .values import CHOOSING, Values, most_bytes, replaced

#: With so many in each thread, every GPU holds as many threads as it can.
REGISTERS = 32


class Compiled:
    """Follows what the program compiles.

    Args:
        values: are left within compiled code, which has its own operations.
    """

    def __init__(self, values: Values) -> None:
        #: How often a part could not be compiled and ran uncompiled, by the reason.
        self.uncompiled: dict[str, int] = {}
        #: How often one of several algorithms was to be chosen by its speed.
        self.choices = 0
        self._values = values

    def follow(self) -> None:
        """From now on compiled code runs on the stand-in."""
        if not hasattr(TorchDispatchMode, "ignore_compile_internals"):
            torch.compile = self._counted(torch.compile, f"PyTorch {torch.__version__} compiles nothing while values are tracked")
        when_imported("triton.runtime.jit", self._change_jit)
        when_imported("triton.runtime.driver", self._change_driver)
        when_imported("torch._inductor.runtime.triton_heuristics", self._change_heuristics)
        when_imported("torch._inductor.compile_fx", self._change_inductor)
        when_imported("torch._inductor.select_algorithm", self._change_selection)
        when_imported("torch._inductor.output_code", self._change_output)

    def _counted(self, function: Any, reason: str) -> Any:
        @functools.wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.uncompiled[reason] = self.uncompiled.get(reason, 0) + 1
            return function(*args, **kwargs)

        return counted

    # --- kernels in Triton -----------------------------------------------------------------

    def _change_jit(self, module: Any) -> None:
        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            for hook in kernel.pre_run_hooks:
                hook(*args, **kwargs)
            self._values.forget([*args, *kwargs.values()])

        module.JITFunction.run = run

    def _change_driver(self, module: Any) -> None:
        def create() -> Any:
            CudaDriver: Any = importlib.import_module("triton.backends.nvidia.driver").CudaDriver

            class Driver(CudaDriver):  # type: ignore[misc]  # Triton has no types
                """Triton's own, without the functions that it would compile to talk to the GPU."""

                def __init__(self) -> None:
                    super(CudaDriver, self).__init__()

            return Driver()

        module._create_driver = create

    def _change_heuristics(self, module: Any) -> None:
        def compile_nothing(tuner: Any, config: Any, **options: Any) -> Any:
            return _Result(tuner, config, self._values)

        module.CachingAutotuner._precompile_config = compile_nothing

    # --- compiled graphs -------------------------------------------------------------------

    def _change_inductor(self, module: Any) -> None:
        from torch._dynamo.exc import SkipFrame

        compile_graph = module._compile_fx_inner

        @functools.wraps(compile_graph)
        def compile_or_run(graph: Any, *args: Any, **kwargs: Any) -> Any:
            known = _Known(graph, self._values)
            try:
                result = compile_graph(graph, *args, **kwargs)
                result.allocsim_known = known
                return result
            except SkipFrame:
                # PyTorch itself runs the function uncompiled, as with bfloat16 on a card that has none.
                raise
            except Exception as problem:
                reason = next(iter(str(problem).splitlines()), type(problem).__name__)
                self.uncompiled[reason] = self.uncompiled.get(reason, 0) + 1

                def uncompiled(inputs: Any) -> Any:
                    with self._values.left():
                        return graph.forward(*inputs)

                uncompiled._boxed_call = True  # type: ignore[attr-defined]
                return uncompiled

        module._compile_fx_inner = compile_or_run

    def _change_selection(self, module: Any) -> None:
        select = module.AlgorithmSelectorCache.__call__

        @functools.wraps(select)
        def counted(selector: Any, name: Any, choices: Any, *args: Any, **kwargs: Any) -> Any:
            self.choices += len(choices) > 1
            return select(selector, name, choices, *args, **kwargs)

        module.AlgorithmSelectorCache.__call__ = counted

    def _change_output(self, module: Any) -> None:
        call = module.CompiledFxGraph.__call__

        @functools.wraps(call)
        def run(graph: Any, inputs: Any) -> Any:
            known = getattr(graph, "allocsim_known", None)
            found = known.of(inputs) if known is not None else {}
            changed = {place: inputs[place] for place in graph.mutated_input_idxs}
            with self._values.left():
                outputs = call(graph, inputs)
            self._values.forget(list(changed.values()))
            if known is not None:
                known.learn(found, changed, outputs)
            return outputs

        module.CompiledFxGraph.__call__ = run


class _Result:
    """The result of compiling a kernel for one configuration: a launcher that does nothing."""

    def __init__(self, tuner: Any, config: Any, values: Values) -> None:
        self.config = config
        # It fits any multiprocessor, so that inductor looks for no smaller one.
        self.kernel = types.SimpleNamespace(hash="0" * 64, n_regs=REGISTERS, n_spills=0, shared=0)
        self._written = [not name.startswith("in_ptr") for name in tuner.fn.arg_names]
        self._values = values

    def make_launcher(self) -> Any:
        def launch(*args: Any, stream: Any = None, **kwargs: Any) -> None:
            self._values.forget([*(each for each, written in zip(args, self._written) if written), *kwargs.values()])

        launch.__dict__.update(config=self.config, n_regs=REGISTERS, n_spills=0, shared=0, cache_hash=self.kernel.hash, store_cubin=False)
        return launch


class _Known:
    """The results of a graph that follow from known values, computed on the host as in a program that is not compiled.

    Args:
        graph: of PyTorch's operations; inductor changes it later.
    """

    def __init__(self, graph: Any, values: Values) -> None:
        self._values = values
        nodes = list(graph.graph.nodes)
        self._placeholders = [each for each in nodes if each.op == "placeholder"]
        possible = set(self._placeholders)
        for node in nodes:
            if node.op == "call_function" and _is_plain(node) and (all(each in possible for each in node.all_input_nodes) or _chooses(node)):
                possible.add(node)
        outputs = next(each for each in nodes if each.op == "output").args[0]
        self._outputs = [(place, each) for place, each in enumerate(outputs) if each in possible and each.op == "call_function"]
        self._inputs = [
            (self._placeholders.index(each.args[0]), each.args[1]) for each in nodes
            if each.target is torch.ops.aten.copy_.default and each.args[0] in self._placeholders and each.args[1] in possible
        ]
        needed = {each for _, each in (*self._outputs, *self._inputs)}
        self._steps: list[tuple[Any, ...]] = []
        for node in reversed(nodes):
            if node in needed and node.op == "call_function":
                needed.update(node.all_input_nodes)
                scores = node.args[0].meta["val"].shape if _chooses(node) else None
                self._steps.insert(0, (node, node.args, node.kwargs, node.all_input_nodes, scores))

    def of(self, inputs: Any) -> dict[Any, Any]:
        """The values that are known, by node."""
        found: dict[Any, Any] = {}
        if not self._steps:
            return found
        for node, given in zip(self._placeholders, inputs):
            value = self._values.twin(given) if isinstance(given, torch.Tensor) and given.is_cuda else given
            if value is not None:
                found[node] = value
        for node, args, kwargs, needed, scores in self._steps:
            with contextlib.suppress(Exception):
                if all(each in found for each in needed):
                    args, kwargs = (torch.fx.node.map_arg(each, found.__getitem__) for each in (args, kwargs))
                    found[node] = node.target(*replaced(args, {}), **replaced(dict(kwargs), {}))
                elif scores is not None:
                    found[node] = self._values.drawn(node.target, scores, args[1:], kwargs, decides=True)
        return found

    def learn(self, found: dict[Any, Any], inputs: dict[int, Any], outputs: Any) -> None:
        """Keeps what is known about results that are now available."""
        for place, node in self._outputs:
            if isinstance(found.get(node), torch.Tensor):
                self._values.learn(outputs[place], found[node])
        for place, node in self._inputs:
            if isinstance(found.get(node), torch.Tensor) and place in inputs:
                self._values.learn(inputs[place], found[node])


def _is_plain(node: Any) -> bool:
    """Whether an operation can be done on the host: it draws no numbers, and its results are small."""
    if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) or (isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable):
        return False
    results = node.meta.get("val")
    for each in results if isinstance(results, (list, tuple)) else (results,):
        if isinstance(each, torch.Tensor) and not (_chooses(node) and each.is_floating_point()):
            # A size that varies must not be asked for, or the program is compiled for this size alone.
            sizes = [size if isinstance(size, int) else size.node.hint for size in each.shape]
            if None in sizes or math.prod(sizes) * each.element_size() > most_bytes(each):
                return False
    return results is not None


def _chooses(node: Any) -> bool:
    name = getattr(node.target, "_schema", None) and node.target._schema.name.partition("::")[2]
    if name not in CHOOSING or not node.args or not isinstance(node.args[0], torch.fx.Node):
        return False
    scores = node.args[0].meta.get("val")
    return isinstance(scores, torch.Tensor) and scores.is_floating_point() and all(isinstance(each, int) for each in scores.shape)
