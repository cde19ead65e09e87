"""Operations that PyTorch would do differently under a dispatch mode, and that therefore run without it.

Under a mode, PyTorch takes care to change nothing in place (``isTensorSubclassLike``): a linear layer adds its bias to a
copy, attention its mask, and the autograd engine sums gradients of a tensor that is used twice into a new one. A real
run does all of that in place. So the mode is left for these operations, whose results are numbers that are not known anyway,
and for backward passes, but for those of their nodes that read values, and for the program's own Python in them.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable

import torch

from .values import Values

#: Nodes whose operations read from the GPU how many elements or rows there are.
_READERS = ("EmbeddingBackward", "EmbeddingBagBackward", "IndexBackward", "IndexPutBackward", "IndexPutImplBackward", "RepeatInterleaveBackward", "SparseMaskBackward", "UnbindBackwardAutogradNestedTensor")


class _Engine:
    """Takes the place of autograd's engine, and lets it run without the mode."""

    def __init__(self, engine: Any, values: Values, went_back: Callable[[], None]) -> None:
        self._engine = engine
        self._values = values
        self._went_back = went_back

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def run_backward(self, tensors: Any, *args: Any, **kwargs: Any) -> Any:
        if _is_traced():
            return self._engine.run_backward(tensors, *args, **kwargs)
        self._follow_readers(tensors)
        try:
            with self._values.left():
                gradients = self._engine.run_backward(tensors, *args, **kwargs)
        finally:
            self._values.forget_floats()
        self._went_back()
        return gradients

    def _follow_readers(self, tensors: Any) -> None:
        values = self._values
        seen: set[Any] = set()
        todo: list[Any] = [each.grad_fn for each in tensors if isinstance(each, torch.Tensor)]
        while todo:
            node = todo.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            todo.extend(following for following, _ in node.next_functions)
            if node.name().rstrip("0123456789").startswith(_READERS) and "allocsim" not in node.metadata:
                node.metadata["allocsim"] = True
                node.register_prehook(lambda gradients: values.__enter__() and None)
                node.register_hook(lambda results, gradients: values.__exit__(None, None, None))


def _is_traced() -> bool:
    """Whether operations are compiled, or noted by ``torch.jit.trace``: what is asked of a tensor then would become part of the program."""
    return torch._guards.TracingContext.try_get() is not None or torch._C._get_tracing_state() is not None


def _without(values: Values, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def native(*args: Any, **kwargs: Any) -> Any:
        if not values.is_on() or torch._C._get_tracing_state() is not None:
            return function(*args, **kwargs)
        with values.left():
            result = function(*args, **kwargs)
        if values.observer is not None:
            values.observer.note_whole(function.__name__, args, kwargs, result)
        values.forget(result)
        return result

    return native


def _noting_groups(values: Values, attention: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(attention)
    def noted(query: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("enable_gqa") and not _is_traced() and query.is_cuda and query.dtype == torch.float32 and query.size(-3) != key.size(-3):
            values.note_groups()
        return attention(query, key, *args, **kwargs)

    return noted


def _cast_in_order(values: Values, linear: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(linear)
    def ordered(*args: Any, **kwargs: Any) -> Any:
        if torch.is_autocast_enabled("cuda") and not _is_traced() and not torch.compiler.is_compiling():
            values.casts.prepare(values, (*args, *kwargs.values()))
        return linear(*args, **kwargs)

    return ordered


def _within(values: Values, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def followed(*args: Any, **kwargs: Any) -> Any:
        if _is_traced():
            return function(*args, **kwargs)
        with values:
            return function(*args, **kwargs)

    return followed


def _told(values: Values, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def made(data: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(data, *args, **kwargs)
        if values.is_on() and not _is_traced() and result.is_cuda and not isinstance(data, torch.Tensor):
            with values.left(), contextlib.suppress(Exception):
                values.learn(result, function(data, dtype=result.dtype, device="cpu"))
        return result

    return made


#: What ``torch.jit.trace`` and ``torch.onnx`` run a program in to note its operations (PyTorch 2.11 and 2.14).
_TRACING = tuple(
    (owner, name)
    for owner, name in (
        (torch._C, "_create_function_from_trace"), (torch._C, "_create_function_from_trace_with_dict"), (torch._C, "_create_graph_by_tracing"),
        (torch._C.ScriptModule, "_create_method_from_trace"), (torch._C.ScriptModule, "_create_method_from_trace_with_dict"),
    )
    if hasattr(owner, name)
)


def _apart(values: Values, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def apart(*args: Any, **kwargs: Any) -> Any:
        with values.left():
            return function(*args, **kwargs)

    return apart


def leave_alone(values: Values, went_back: Callable[[], None]) -> None:
    """From now on the mode is on only where it changes nothing.

    Args:
        went_back: is called after each backward pass, in the thread that asked for it.
    """
    from torch.jit._builtins import _register_builtin
    from torch.nn import functional
    from torch.utils import checkpoint

    for name in ("linear", "scaled_dot_product_attention"):
        function = _without(values, getattr(functional, name))
        if name == "scaled_dot_product_attention":
            function = _noting_groups(values, function)
        else:
            function = _cast_in_order(values, function)
        setattr(functional, name, function)
        setattr(torch._C._nn, name, function)
        _register_builtin(function, f"aten::{name}")
    # PyTorch copies lists to the GPU without asking modes.
    for name in ("tensor", "as_tensor"):
        function = _told(values, getattr(torch, name))
        setattr(torch, name, function)
        _register_builtin(function, f"aten::{name}")
    # What is asked of a tensor while its operations are noted becomes part of the noted program.
    for owner, name in _TRACING:
        setattr(owner, name, _apart(values, getattr(owner, name)))
    functional.multi_head_attention_forward = _without(values, functional.multi_head_attention_forward)

    variable: Any = torch.autograd.Variable
    variable._execution_engine = _Engine(variable._execution_engine, values, went_back)
    # The program's own Python inside of a backward pass.
    node: Any = torch.autograd.function.BackwardCFunction
    node.apply = _within(values, node.apply)
    frame: Any = checkpoint._CheckpointFrame
    begin = frame.__init__

    def begin_followed(self: Any, recompute: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, _within(values, recompute), *args, **kwargs)

    frame.__init__ = begin_followed
