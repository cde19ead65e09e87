"""Values on a GPU that computes nothing: what is known of them, and what a program is given that reads the others.

Small tensors whose values follow from the program alone (lengths, masks, indices, counters) have a copy on the host,
on which each operation is done as well. So control flow on them is that of a real run. What depends on weights and
activations is not known; where a program reads it, it is given a default, and the line is remembered.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import itertools
import math
import operator
import os
import sys
import threading
from typing import Any, Callable, Iterator, Protocol, cast

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _pop_mode, _push_mode

from .branches import Branches
from .casts import Casts
from .driver import flag_was_read
from .given import Given
from .picks import Picks, compared, drawn
from .untyped import DispatchMode, StorageRef, storage_ref

#: Copies are kept of tensors up to these sizes: integers are what control flow reads, floats are seldom more than a few.
MAX_INTEGER_BYTES = 4 << 20
MAX_FLOATS = 4096

#: Masks of all pairs of tokens, and biases that are made of them, are larger; so much is kept of them in all.
MAX_MASK_BYTES = 64 << 20
MAX_MASKS_BYTES = 256 << 20

#: What makes biases of masks: floats that follow from integers and flags.
_OF_MASKS = {"to", "_to_copy", "clone", "copy_", "add", "sub", "rsub", "mul", "div", "neg", "where", "masked_fill", "triu", "tril"}

#: What makes distances of positions that the host gave, up to this size: graphs of neighbours have as many edges as are near.
_OF_POSITIONS = {"_euclidean_dist", "_cdist_forward", "sub", "pow", "square", "linalg_vector_norm", "sum", "sqrt"}
MAX_POSITIONS_BYTES = 1 << 20

_aten = torch.ops.aten

#: What fills weights of a model, in place; on tensors of the host from this size on it can be left out.
_FILLING = {"normal_", "uniform_", "fill_", "zero_", "random_", "trunc_normal_", "erfinv_", "mul_", "add_", "clamp_", "exponential_", "log_normal_"}
MIN_WEIGHTS_BYTES = 1 << 18

#: Operations that give one element or row for each that is selected, and read how many from the GPU.
_SELECTING = {"nonzero", "masked_select", "index", "index_put_", "index_put", "_index_put_impl_", "_unique2", "unique_dim", "unique_consecutive", "repeat_interleave", "embedding_dense_backward", "_coalesce", "bincount", "nms"}

#: Those of them that select by their second argument.
_BY_ANOTHER = {"masked_select", "index", "index_put_", "index_put", "_index_put_impl_"}

#: Those of them that select as many elements as a mask has.
_BY_MASKS = {"nonzero", *_BY_ANOTHER}

#: Those of them that give how often each value is there, in their third result.
_COUNTING = {"_unique2", "unique_dim", "unique_consecutive"}

#: Operations that first read a flag from the GPU, so often, and refuse their operands unless it holds: all are finite, or none is negative (PyTorch 2.11, 2.14).
_CHECKING = {"linalg_eig": 1, "_linalg_eigvals": 1, "linalg_eigvals": 1, "normal": 2}

#: Operations that group matrices by their norms, count each group on the GPU and cannot go on without: they hold so many batches of matrices at once (PyTorch 2.14).
_GROUPING = {"linalg_matrix_exp": 10}

#: Operations whose result has one value, whatever the tensor holds that they are given for its shape.
_FILLED = {"zeros_like": 0, "ones_like": 1, "new_zeros": 0, "new_ones": 1}

#: Operations that are given functions and do nothing else than to call them; those of them that choose one by their first argument.
_PLAIN = {"cond", "switch", "scan", "invoke_subgraph", "strict_mode"}
_BRANCHING = {"cond", "switch"}

#: Operations that draw numbers between 0 and 1 evenly, and those that masks are made of them with.
_EVENLY = {"rand", "rand_like", "uniform_"}
_DRAWING = _EVENLY | {"lt", "le", "gt", "ge", "bernoulli_", "_to_copy", "bitwise_not", "logical_not", "sum", "count_nonzero"}

#: Operations that set no element of a mask which is not set in both.
_NARROWING = {"bitwise_and", "logical_and", "__and__", "bitwise_and_", "logical_and_", "__iand__", "mul"}

#: Operations that write at indices, which are their second or third argument.
_WRITING = {"index_put_": 1, "_index_put_impl_": 1, "index_fill_": 2, "scatter_": 2}

#: What is read of a flag, and of a count at most.
FLAG_BYTES, NUMBER_BYTES = 1, 8
#: One operation reads a count as often as it likes.
MAX_READS = 1 << 30

#: Operations that choose by values. Where these are not known, choices among a few (experts, classes) are drawn uniformly.
CHOOSING = {"topk", "argmax", "argmin", "max", "min", "sort", "argsort", "multinomial"}
MAX_CHOICES = 1024
MAX_DRAWN = 1 << 22

#: Collectives that give what other ranks have, into tensors that are the first argument; the second is this rank's own.
_EXCHANGING = {"alltoall_", "alltoall_base_", "allgather_", "_allgather_base_", "allgather_into_tensor_coalesced_"}

#: From so many choices on, those of an operation are taken to be tokens of a vocabulary, not experts, classes or actions.
#: A router has up to 512 experts (Qwen3-Next); samples are drawn from distributions over actions or tokens.
MIN_TOKENS = {"multinomial": 256}
MIN_TOKENS_ELSE = 513
#: Tokens that are seldom ordinary: padding, beginning, end, unknown. Of ids that a program compares with, so many are remembered.
SPECIAL_TOKENS = frozenset(range(4))
MAX_COMPARED = 64
#: Operations that tell tokens from other choices among many.
_OF_TOKENS = {"embedding", "isin", "eq", "ne"}
MAX_DRAWS_KEPT = 64

#: What a read of an unknown value may give, the default first.
_FLAGS = (False, True)
_INTEGERS = (0, 1, 2, -1)
_FLOATS = (1.0, 0.0, 0.5, 1e9, -1.0)

#: The same flag read so often in one place by code that is not Python's, as of a scripted loop, changes once.
#: Where it follows from defaults, as in a function that is called for each of many boxes, later.
MAX_EQUAL_FLAGS = 1000
MAX_EXPECTED_FLAGS = 100_000

#: Comparisons: their function, and what they give for two equal operands.
_COMPARING = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}

#: What is made of large tensors of the host, too: masks and single numbers.
_OF_GIVEN = {*_COMPARING, "max", "min", "amax", "amin", "sum", "mean", "any", "all", "count_nonzero"}

#: Comparisons whose answer for an unknown integer is that of the one which is read in its place. Whether it equals another one is not told by that.
_ORDERING = {"lt", "le", "gt", "ge"}

_INTEGER_TYPES = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.long}

#: Operations on tensors that have one value in all elements, whose result has one, too.
_OF_FLAGS = {"mul", "bitwise_and", "logical_and", "__and__", "bitwise_or", "logical_or", "__or__", "bitwise_not", "logical_not", "all", "any", "_is_all_true", "_is_any_true", "clone"}

#: So many single values are remembered before those that are gone are dropped.
MAX_ON_HOST = 4096

#: No weight, activation or loss of a healthy run is as large; masks are filled with such numbers.
HUGE = 1e8

#: In the place of a line that drew choices: the GPU's generator, which draws other numbers than the host's.
_SAMPLED = ""

#: Operations that call no Python of the program's.
_NATIVE = {"aten", "c10d"}
_NOTHING = contextlib.nullcontext()

#: No address of a storage.
NOWHERE = -1

#: Files of libraries that select what is there of all in a healthy run: SyncBatchNorm, the ranks with data.
_ALL_SELECTED = ("torch/nn/modules/_functions.py",)

#: Files of libraries that write tensors.
_SAVING = ("torch/serialization.py", "safetensors/torch.py", "torch/distributed/_state_dict_utils.py")

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_REMEDIES = os.path.join(_PACKAGE, "advise", "")

#: No value of a healthy run is one of these.
_FALSE = {"isnan", "isinf", "isin"}
_TRUE = {"isfinite"}

#: Gradients are finite, so that the flag stays as it was.
_LEAVES_FLAG = "_amp_foreach_non_finite_check_and_unscale_"


class Observer(Protocol):
    """What follows the operations of a program besides."""

    def note(self, func: Any, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """An operation was run, in any thread."""

    def note_whole(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """Counts a function of PyTorch whose operations are not seen."""

    def report(self, is_job: bool) -> dict[str, Any]:
        """What was seen, at the end of the program."""


class Values(DispatchMode):
    """Follows the values that are known, and answers for the others.

    Args:
        given: values by place (``train.py:57``), which are used there instead of the default.
        answer: tells the stand-in what the next copies of up to so many bytes to the host give, and how many of them; others give zeros.
        fake_weights: large tensors of the host are not filled, so that they take no memory.
        selections: with "few", masks of unknown values select one element each, else all, see also ``picks``; with "alike", unknown choices fall on the same few, else on all evenly.
    """

    #: They come like all others.
    supports_higher_order_operators = True

    def __init__(self, given: dict[str, float], answer: Callable[[int, int, int], None], fake_weights: bool = False, selections: str = "likely") -> None:
        super().__init__()
        #: Is told each operation in the thread that runs it, once it has run.
        self.observer: Observer | None = None
        self.reads: dict[tuple[str, str, bool], dict[str, Any]] = {}
        self.selections: dict[str, int] = {}
        self.picks: dict[str, int] = {}
        self.groups: dict[str, int] = {}
        #: Lines whose drawn choices decided a size or a number that was read, and how often they drew.
        self.draws: dict[str, int] = {}
        #: How many sizes are counts of numbers that the GPU would draw, in whose place others were drawn.
        self.sampled = 0
        #: How often lines chose among many, and those of them whose choices the program used as tokens.
        self._chosen_tokens: dict[str, int] = {}
        self._token_lines: set[str] = set()
        self._given = given
        self._answer = answer
        self._fake_weights = fake_weights
        self._few = selections == "few"
        self._alike = selections == "alike"
        self._picks = Picks(selections)
        #: What autocast keeps.
        self.casts = Casts()
        self.casts.follow()
        self._known: dict[int, tuple[StorageRef, torch.dtype, torch.Tensor]] = {}
        # Where those of them are that are larger than other integers, by age, and their bytes.
        self._masks: dict[int, int] = {}
        # What the host gave and is too large to be followed.
        self._host_given = Given()
        # Single flags that are unknown but follow from the defaults, and single values that were copied to the host without being known.
        self._likely: dict[int, tuple[StorageRef, bool]] = {}
        self._on_host: dict[int, StorageRef] = {}
        # How many elements at most are set in masks that were written at unknown indices.
        self._most_set: dict[int, tuple[StorageRef, int]] = {}
        # Numbers drawn evenly between 0 and 1, and how many elements are set in masks that follow from these.
        self._uniform: dict[int, StorageRef] = {}
        self._set: dict[int, tuple[StorageRef, int]] = {}
        # How many elements were selected by masks that are not known.
        self._selected: dict[int, tuple[StorageRef, int]] = {}
        self._branches = Branches()
        self._last_flag: tuple[Any, int, int] = (None, 0, 0)
        self._compared: set[int] = set()
        # Tensors that follow from drawn choices, the line that drew, and whether they are the choices themselves; how often each line drew.
        self._drawn: dict[int, tuple[StorageRef, str, bool]] = {}
        self._draws: dict[str, int] = {}
        self._kept_draws: dict[Any, Any] = {}

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Programs are compiled while the mode is on."""
        return True

    def is_on(self) -> bool:
        """Whether the mode is on in this thread: it is off while code is compiled, for one."""
        return any(torch._C._get_dispatch_stack_at(place) is self for place in range(torch._C._len_torch_dispatch_stack()))

    def follow_threads(self) -> None:
        """From now on the mode is on in each thread that the program starts, too."""
        begin = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
        values: Any = self

        @functools.wraps(begin)
        def begun(self: threading.Thread) -> None:
            if not self.name.startswith("allocsim"):
                _push_mode(values)
            begin(self)

        threading.Thread._bootstrap_inner = begun  # type: ignore[attr-defined]

    def leave(self) -> None:
        """Leaves the mode, where this thread is in it: what ends a program may be another one."""
        if self.is_on():
            self.__exit__(None, None, None)

    @contextlib.contextmanager
    def left(self) -> Iterator[None]:
        """Within it the mode is off in this thread, and in backward passes that begin in it."""
        above: list[Any] = []
        if not self.is_on():
            yield
            return
        while (top := _pop_mode()) is not self:
            above.append(top)
        for each in reversed(above):
            _push_mode(each)
        try:
            yield
        finally:
            for _ in above:
                _pop_mode()
            for each in (self, *reversed(above)):
                _push_mode(each)

    def forget_floats(self) -> None:
        """After a backward pass, which adds to gradients in place: only single numbers stay known."""
        for place, (_, dtype, base) in list(self._known.items()):
            if dtype.is_floating_point and base.numel() > dtype.itemsize:
                del self._known[place]

    @property
    def tokens(self) -> dict[str, int]:
        """Lines that chose tokens, and how often."""
        return {line: times for line, times in self._chosen_tokens.items() if line in self._token_lines}

    def note_groups(self) -> None:
        """Remembers a line whose attention has fewer keys than queries, in single precision."""
        place = user_line()
        self.groups[place] = self.groups.get(place, 0) + 1

    # --- each operation --------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(each.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__ for each in types):
            # A DTensor comes again with what it is made of; fake tensors have no memory.
            return func(*args, **(kwargs or {})) if any(issubclass(each, FakeTensor) for each in types) else NotImplemented
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.HigherOrderOperator):
            return self._higher(func, args, kwargs)
        if func is _aten.index_put.default and _is_gradient_of_index():
            func, args, kwargs = _aten._index_put_impl_.default, (*args[:3], True, True), {}
        name = func._schema.name.partition("::")[2]
        # Code of PyTorch that is not Python's leaves the program's default device in force, which is not where the copies are.
        with torch._C.DisableTorchFunction() if func.namespace in _NATIVE else _NOTHING:
            result = self._operate(func, name, args, kwargs)
        if name == "_to_copy":
            self.casts.note(args[0], result)
        if self.observer is not None:
            self.observer.note(func, name, args, kwargs, result)
        return result

    def _operate(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        """Does an operation, and follows what is known of its values."""
        # In inference mode, these are not taken apart.
        if name in ("_local_scalar_dense", "item", "is_nonzero") and (args[0].device.type == "cuda" or (self._on_host and self._is_unknown_on_host(args[0]))):
            value = self._scalar(args[0])
            return bool(value) if name == "is_nonzero" else value
        if name in ("equal", "allclose") and args[0].device.type == "cuda":
            return self._equal(func, args, kwargs)
        if self._fake_weights and name in _FILLING and args[0].device.type == "cpu" and args[0].layout is torch.strided and args[0].nbytes >= MIN_WEIGHTS_BYTES:
            return args[0]
        if self._fake_weights and name == "_to_copy" and _is_cast_weight(args[0], kwargs):
            # Nothing reads what was never written.
            args = (torch.empty_like(args[0], dtype=kwargs["dtype"]),)
            if kwargs.get("device") is None or kwargs["device"].type == "cpu":
                return args[0]
        if func.namespace == "c10d" and name in _EXCHANGING:
            return self._exchange(func, name, args, kwargs)
        tensors = list(_tensors(args, kwargs))
        on_gpu = [each for each in tensors if each.device.type == "cuda"]
        if self._picks and name in _SELECTING:
            self._pick(args)
        if self._chosen_tokens and on_gpu and name in _OF_TOKENS:
            self._use_tokens(name, args)
        copies = None if name == "empty" or name == "empty_strided" else self._copies(on_gpu)
        if copies is None and (name in _OF_GIVEN or name in _OF_POSITIONS and all(each.nbytes <= MAX_POSITIONS_BYTES for each in on_gpu)):
            copies = self._given_copies(on_gpu)
        written = self._set_after(name, args) if on_gpu and copies is None else None
        if on_gpu and (name in _SELECTING or _selects_rows(func)):
            result = self._select(func, name, args, kwargs)
        elif name in _CHECKING and on_gpu:
            result = self._answered(FLAG_BYTES, 1, _CHECKING[name], func, args, kwargs)
        elif name in _GROUPING and on_gpu:
            held = torch.empty((_GROUPING[name], *args[0].shape), dtype=args[0].dtype, device=args[0].device)
            result = torch.empty_like(args[0])
            del held
        else:
            result = self._checked(func, args, kwargs) if on_gpu else func(*args, **kwargs)
        if name == _LEAVES_FLAG:
            return result
        try:
            self._follow(func, name, args, kwargs, tensors, on_gpu, copies, result)
        except Exception:
            # What cannot be done on the host is not known.
            self.forget(result)
        if func._schema.is_mutable and (self._uniform or self._set or self._selected):
            for each in _tensors(_written(func, args, kwargs), {}):
                self._uniform.pop(_place(each), None)
                self._set.pop(_place(each), None)
                self._selected.pop(_place(each), None)
        if name in _DRAWING and (on_gpu or name in _EVENLY):
            self._draw_evenly(name, args, kwargs, result)
        if written is not None:
            target = args[0] if func._schema.is_mutable else result
            self._most_set[_place(target)] = (storage_ref(target.untyped_storage()), written)
        return result

    def _draw_evenly(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """Remembers numbers between 0 and 1 that nothing was done to, and of masks that follow from these how many elements are set."""
        if not isinstance(result, torch.Tensor) or result.device.type != "cuda" or not _is_whole(result):
            return
        if name in ("sum", "count_nonzero"):
            if len(args) == 1 and result.numel() == 1 and (count := self._count_set(args[0])) is not None:
                self.learn(result, torch.tensor(count, dtype=result.dtype))
            return
        share = None
        if name in _EVENLY and (name != "uniform_" or tuple(args[1:3]) in ((), (0,), (0, 1)) and not kwargs):
            self._remember(self._uniform, result, storage_ref(result.untyped_storage()))
        elif name in _ORDERING and isinstance(args[1], (int, float)) and self._is_uniform(args[0]):
            below = min(1.0, max(0.0, float(args[1])))
            share = below if name in ("lt", "le") else 1 - below
        elif name == "bernoulli_" and len(args) > 1 and isinstance(args[1], (int, float)):
            share = float(args[1])
        elif name in ("_to_copy", "bitwise_not", "logical_not") and (count := self._count_set(args[0])) is not None:
            share = (count if name == "_to_copy" else result.numel() - count) / max(1, result.numel())
        if share is not None:
            self._remember(self._set, result, (storage_ref(result.untyped_storage()), round(share * result.numel())))

    @staticmethod
    def _remember(known: dict[int, Any], tensor: torch.Tensor, entry: Any) -> None:
        if len(known) >= MAX_ON_HOST:
            known.clear()
        known[_place(tensor)] = entry

    def _is_uniform(self, tensor: torch.Tensor) -> bool:
        storage = self._uniform.get(_place(tensor))
        return storage is not None and not storage.expired() and _is_whole(tensor)

    def _count_set(self, tensor: torch.Tensor) -> int | None:
        """How many elements of a mask that was drawn are set, on average."""
        storage, count = self._set.get(_place(tensor), (None, 0))
        return count if storage is not None and not storage.expired() and _is_whole(tensor) else None

    def _higher(self, func: Any, args: Any, kwargs: Any) -> Any:
        """An operation that is given functions, in a program that is not compiled: what it is made of is followed."""
        if any(isinstance(each, FakeTensor) for each in _tensors(args, kwargs)):
            return func(*args, **kwargs)
        if func._name in _BRANCHING and isinstance(args[0], torch.Tensor):
            with self:
                args = (args[0].item(), *args[1:])
        made_of = func.py_kernels.get(torch._C.DispatchKey.CompositeExplicitAutograd)
        if made_of is None or func._name in _PLAIN:
            return func(*(self._within(each) if callable(each) else each for each in args), **kwargs)
        with self:
            return made_of(*args, **kwargs)

    def _within(self, function: Any) -> Any:
        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return within

    def _follow(self, func: Any, name: str, args: Any, kwargs: Any, tensors: Any, on_gpu: Any, copies: Any, result: Any) -> None:
        outputs = [each for each in _tensors((result,), {})]
        if any(isinstance(each, FakeTensor) for each in outputs):
            return
        if not on_gpu and not any(each.device.type == "cuda" for each in outputs):
            return
        # Some views copy where they must; in inference mode and within tensors' own classes, a move between host and GPU is one of them.
        places = {_place(each) for each in on_gpu}
        if func.is_view and all(each.device.type == "cuda" and _place(each) in places for each in outputs):
            return
        mutable = func._schema.is_mutable
        if name in ("to", "_to_copy", "copy_", "clone", "_copy_from", "_copy_from_and_resize"):
            self._copy(args, kwargs, result, name)
            return
        if name in _TRUE or name in _FALSE and (copies is None or name != "isin"):
            self._learn_all(outputs, name in _TRUE)
            return
        if copies is None and name in _FILLED:
            self._learn_all(outputs, bool(_FILLED[name]))
            return
        if name in _COMPARING and self._compare(name, args, copies, outputs):
            return
        if name == "where" and copies is None and len(args) == 3 and self._choose_side(args, outputs):
            return
        if name in _OF_FLAGS and on_gpu:
            if copies is not None and self._of_flags(func, args, kwargs, on_gpu, outputs):
                return
            if copies is None and self._likely and len(on_gpu) == 1 and on_gpu[0].numel() == 1 and self._is_expected(on_gpu[0]) is not None:
                self.forget(outputs)
                self._expect(outputs, self._is_expected(on_gpu[0]) != name.endswith("_not"))
                return
        if copies is None and name in ("bitwise_or", "logical_or", "bitwise_and", "logical_and", "__or__", "__and__"):
            if self._decided(name, on_gpu, outputs):
                return
        may_be_bias = name in _OF_MASKS or name in _OF_POSITIONS
        if copies is None or (not mutable and not any(_is_small(each, may_be_bias) for each in outputs)):
            self.forget(result)
            if mutable:
                self.forget(_written(func, args, kwargs))
            elif copies is None and name in CHOOSING:
                self._draw(func, args, kwargs, outputs)
            elif copies is None and name in _COUNTING and len(outputs) == 3:
                self._share_out(args[0], outputs[1], outputs[2])
            return
        twins = {id(gpu): twin for gpu, twin in zip(on_gpu, copies)}
        state = torch.get_rng_state() if torch.Tag.nondeterministic_seeded in func.tags else None
        own_args, own_kwargs = replaced(args, twins), replaced(kwargs, twins)
        if "device" in own_kwargs:
            own_kwargs["device"] = torch.device("cpu")
        own_kwargs.pop("pin_memory", None)
        if isinstance(own_kwargs.get("generator"), torch.Generator):
            own_kwargs["generator"] = None
        try:
            computed = func(*own_args, **own_kwargs)
        finally:
            if state is not None:
                torch.set_rng_state(state)
        line = _SAMPLED if state is not None else self._drawn_at(on_gpu)
        if line is not None and not _are_labels(name, args):
            self._follows(line, [*outputs, *(_tensors(_written(func, args, kwargs), {}) if mutable else ())])
        if mutable and not outputs:
            return
        for each, twin in zip(outputs, _tensors((computed,), {})):
            if each.device.type == "cuda" and not any(each is given for given in on_gpu):
                self.learn(each, twin, may_be_bias)

    def _exchange(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        """Each rank is taken to have the values of this one: what comes from another is what the fake group makes of them."""
        # Where it is said how many rows each rank gets, these are of the first dimension.
        if name != "alltoall_base_" or not any(args[3:5]):
            args = (*(_flat(each) for each in args[:2]), *args[2:])
        result = func(*args, **kwargs)
        outputs, inputs = (list(_tensors((each,), {})) for each in args[:2])
        copies = self._copies(inputs) if all(each.device.type == "cuda" for each in (*outputs, *inputs)) else None
        self.forget(outputs)
        if copies is not None and all(_is_small(each) for each in outputs):
            made = [torch.zeros(each.shape, dtype=each.dtype) for each in outputs]
            func(*replaced(args, {id(each): twin for each, twin in zip((*outputs, *inputs), (*made, *copies))}), **kwargs)
            for each, twin in zip(outputs, made):
                self.learn(each, twin)
        return result

    def _draw(self, func: Any, args: Any, kwargs: Any, outputs: Any) -> None:
        """The same choices for the same shape, so that a checkpointed part chooses again as it did."""
        if not args[0].is_floating_point() or not any(each.dtype == torch.long for each in outputs):
            return
        drawn = self.drawn(func, args[0].shape, args[1:], kwargs)
        for each, twin in zip(outputs, drawn if isinstance(drawn, list) else [drawn]):
            if twin is not None:
                self.learn(each, twin)
                self._follows(user_line(), [each], are_choices=True)

    def _share_out(self, tensor: torch.Tensor, places: torch.Tensor, counts: torch.Tensor) -> None:
        """Unknown values that were taken to differ, so many of them, are there about equally often."""
        number, values = counts.numel(), places.numel() or tensor.numel()
        if number:
            self.learn(counts, torch.tensor([values // number + (place < values % number) for place in range(number)]))

    def _follows(self, line: str, tensors: list[torch.Tensor], are_choices: bool = False) -> None:
        """Remembers that the values of tensors follow from choices that a line drew."""
        if len(self._drawn) >= MAX_ON_HOST:
            self._drawn = {place: each for place, each in self._drawn.items() if not each[0].expired()}
        for each in tensors:
            if each.layout is torch.strided:
                self._drawn[_place(each)] = (storage_ref(each.untyped_storage()), line, are_choices)

    def _drawn_at(self, tensors: Any) -> str | None:
        """The line that drew the choices from which one of the tensors follows."""
        if self._drawn:
            for each in tensors:
                storage, line, _ = self._drawn.get(_place(each), (None, None, False)) if each.layout is torch.strided else (None, None, False)
                if storage is not None and not storage.expired():
                    return line
        return None

    def _decide(self, tensors: Any) -> None:
        """A size or a number that the program reads follows from the tensors."""
        line = self._drawn_at(tensors)
        if line in self._draws:
            self.draws[line] = self._draws[line]

    def _use_tokens(self, name: str, args: Any) -> None:
        """Choices that are looked up in an embedding, or compared with an id, are tokens; classes that are compared with labels are not."""
        used = args[1] if name == "embedding" else args[0]
        if isinstance(used, torch.Tensor) and (name in ("embedding", "isin") or not isinstance(args[1], torch.Tensor) or args[1].numel() == 1):
            line = self._drawn_at([used])
            if line in self._chosen_tokens:
                self._token_lines.add(line)

    def drawn(self, func: Any, shape: Any, args: Any, kwargs: Any, decides: bool = False) -> Any:
        """What an operation chooses among scores that are not known; None for the scores, and where these are too many.

        Args:
            decides: whether it counts as deciding sizes though nothing tells what follows from it.
        """
        are_tokens, result = self._chosen(func, shape, args, kwargs)
        if result is None:
            return None
        chosen = [each if each.dtype == torch.long and each.numel() else None for each in _tensors((result,), {})]
        if any(each is not None for each in chosen):
            place = user_line()
            counts = self._chosen_tokens if are_tokens else self._draws
            counts[place] = counts.get(place, 0) + 1
            if decides and are_tokens:
                self._token_lines.add(place)
            elif decides:
                self.draws[place] = self._draws[place]
        return chosen[0] if isinstance(result, torch.Tensor) else chosen

    def _chosen(self, func: Any, shape: Any, args: Any, kwargs: Any) -> tuple[bool, Any]:
        """Whether an operation chooses tokens, and the result for drawn scores, which is the same for the same shape."""
        name = func._schema.name.partition("::")[2]
        dimension = _dimension(func, args, kwargs)
        choices = math.prod(shape) if dimension is None else shape[dimension] if shape else 1
        are_tokens = choices >= MIN_TOKENS.get(name, MIN_TOKENS_ELSE)
        avoided = tuple(sorted(each for each in SPECIAL_TOKENS | self._compared if 0 <= each < choices)) if are_tokens else ()
        key = (func, tuple(shape), avoided, repr(args), repr(sorted(kwargs.items())) if "generator" not in kwargs else "")
        if key in self._kept_draws:
            return are_tokens, self._kept_draws[key]
        rows = shape[0] if shape else 1
        if math.prod(shape) > MAX_DRAWN:
            if len(shape) != 2 or dimension not in (-1, 1) or shape[1] > MAX_DRAWN:
                return are_tokens, None
            # What is beyond repeats what is drawn.
            rows = MAX_DRAWN // shape[1]
        scores = torch.rand((rows, *shape[1:]) if shape else (), generator=torch.Generator().manual_seed(0))
        if self._alike and dimension is not None and scores.numel():
            first = scores[tuple(slice(None) if place == dimension % scores.dim() else slice(1) for place in range(scores.dim()))]
            scores = first.expand(scores.shape).clone()
        if avoided and dimension is not None:
            # Scores are at least 0, and samples are drawn of what has more.
            lowest = 1.0 + float(scores.max()) if name in ("argmin", "min") else 0.0
            scores.index_fill_(dimension, torch.tensor(avoided), lowest)
        result = func(scores, *args, **{key: each for key, each in kwargs.items() if not isinstance(each, torch.Generator)})
        if shape and rows < shape[0]:
            repeated = torch.arange(shape[0]) % rows
            result = result[repeated] if isinstance(result, torch.Tensor) else [each[repeated] for each in result]
        if len(self._kept_draws) >= MAX_DRAWS_KEPT:
            self._kept_draws.clear()
        if self._alike and name == "multinomial" and result.dim() == 2:
            result = result[:1].expand(result.shape).clone()
        self._kept_draws[key] = result
        return are_tokens, result

    # --- what is known ---------------------------------------------------------------------

    def _copies(self, tensors: Any) -> list[torch.Tensor] | None:
        found = []
        for each in tensors:
            twin = self.twin(each)
            if twin is None:
                return None
            found.append(twin)
        return found

    def twin(self, tensor: torch.Tensor) -> torch.Tensor | None:
        if tensor.layout is not torch.strided:
            return None
        if tensor.numel() == 0:
            return torch.empty(tensor.size(), dtype=tensor.dtype)
        if not self._known:
            return None
        storage, _, base = self._known.get(_place(tensor), (None, None, None))
        if storage is None or base is None:
            return None
        if storage.expired():
            # Another tensor has its place, made where the mode was off.
            del self._known[_place(tensor)]
            return None
        if base.dim() == 0:
            return base.expand(tensor.size())
        try:
            flat = base.view(tensor.dtype)
            return torch.as_strided(flat, tensor.size(), tensor.stride(), tensor.storage_offset())
        except RuntimeError:
            return None

    def _given_copies(self, tensors: Any) -> list[torch.Tensor] | None:
        """As `_copies`, also of what the host gave."""
        found = []
        for each in tensors:
            values = self._values(each)
            if values is None:
                return None
            found.append(values)
        return found

    def _values(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """As `twin`, also of what the host gave."""
        twin = self.twin(tensor)
        return twin if twin is not None else self._host_given.values(_place(tensor), tensor)

    def learn(self, tensor: torch.Tensor, values: torch.Tensor, may_be_bias: bool = False) -> None:
        if tensor.device.type != "cuda" or tensor.layout is not torch.strided:
            return
        if not _is_small(tensor, may_be_bias) or tensor.shape != values.shape:
            self._known.pop(_place(tensor), None)
            return
        if tensor.numel() == 0 or _place(tensor) == NOWHERE:
            return
        base = torch.zeros(tensor.untyped_storage().nbytes(), dtype=torch.uint8)
        if base.numel() % tensor.element_size() == 0:
            torch.as_strided(base.view(tensor.dtype), tensor.size(), tensor.stride(), tensor.storage_offset()).copy_(values)
            self._known[_place(tensor)] = (storage_ref(tensor.untyped_storage()), tensor.dtype, base)
            if base.numel() > MAX_INTEGER_BYTES:
                self._keep_mask(_place(tensor), base.numel())

    def _keep_mask(self, place: int, size_bytes: int) -> None:
        """A large mask is known; where they are too many, the oldest are forgotten."""
        self._masks.pop(place, None)
        self._masks[place] = size_bytes
        while sum(self._masks.values()) > MAX_MASKS_BYTES:
            oldest = next(iter(self._masks))
            del self._masks[oldest]
            _, _, base = self._known.get(oldest, (None, None, None))
            if base is not None and base.numel() > MAX_INTEGER_BYTES:
                del self._known[oldest]

    def forget(self, result: Any) -> None:
        for each in _tensors((result,), {}):
            if each.device.type == "cuda" and each.layout is torch.strided:
                self._known.pop(_place(each), None)
                self._most_set.pop(_place(each), None)
                self._drawn.pop(_place(each), None)
                self._host_given.forget(_place(each))

    def _most_true(self, tensor: torch.Tensor) -> int | None:
        """How many elements of a mask are set at most, where that is known."""
        twin = self._values(tensor)
        if twin is not None:
            return int(twin.count_nonzero())
        return self._most_true_of(_place(tensor)) if _is_whole(tensor) else None

    def _most_true_of(self, place: int) -> int | None:
        storage, count = self._most_set.get(place, (None, 0))
        return count if storage is not None and not storage.expired() else None

    def _set_after(self, name: str, args: Any) -> int | None:
        """How many elements of a mask are set at most after an operation with unknown indices or operands; None where that is not known.

        Samplers mark so many of their candidates, and then take what is marked.
        """
        target = args[0] if args and isinstance(args[0], torch.Tensor) else None
        if target is None or target.dtype not in (torch.bool, torch.uint8) or target.layout is not torch.strided or target.device.type != "cuda":
            return None
        if name in _WRITING:
            indices = args[_WRITING[name]]
            first = next((each for each in indices if each is not None), None) if isinstance(indices, (list, tuple)) else indices
            if first is None or first.dtype not in (torch.long, torch.int32) or target.dim() != 1:
                return None
            before = self._most_true(target)
            return None if before is None else min(target.numel(), before + first.numel())
        if name in ("fill_", "zero_", "masked_fill_"):
            before = self._most_true_of(_place(target))
            clears = name == "zero_" or type(args[-1]) in (bool, int, float) and not args[-1]
            return before if before is None or clears else min(target.untyped_storage().nbytes(), before + target.numel())
        if name in ("_to_copy", "clone", "triu", "tril"):
            return self._most_true(target)
        if len(args) < 2 or not isinstance(args[1], torch.Tensor):
            return None
        if name in _NARROWING:
            elements = math.prod(max(sizes) for sizes in itertools.zip_longest(reversed(target.shape), reversed(args[1].shape), fillvalue=1))
            known = [(each.numel(), most) for each in args[:2] if each.numel() and (most := self._most_true(each)) is not None]
            return min((most * (elements // own) for own, most in known), default=None)
        if name in ("bitwise_or", "logical_or", "__or__") and args[1].shape == target.shape:
            one, two = self._most_true(target), self._most_true(args[1])
            return None if one is None or two is None else min(target.numel(), one + two)
        return None

    def _copy(self, args: Any, kwargs: Any, result: Any, name: str) -> None:
        source = args[1] if name == "copy_" else args[0]
        target = args[0] if name == "copy_" else args[1] if name.startswith("_copy_from") else result
        if name == "clone" and source.layout is torch.sparse_coo:
            source, target = source._indices(), target._indices()
        values = source if source.device.type == "cpu" else self.twin(source) if source.device.type == "cuda" else None
        if target.device.type == "cuda":
            own = self.twin(target) if name == "copy_" else None
            line = self._drawn_at([source])
            may_be_bias = source.device.type == "cuda"
            if values is not None and own is not None:
                own.copy_(values)
            elif values is not None and _is_small(target, may_be_bias) and (name != "copy_" or _is_whole(target)):
                self.learn(target, values.to(target.dtype).expand(target.shape), may_be_bias)
            else:
                line = None
                self.forget(target)
                if source.device.type == "cpu" and _place(target) != NOWHERE:
                    self._host_given.keep(_place(target), target, source)
            if line is not None:
                self._follows(line, [target])
        elif source.device.type == "cuda":
            # Many classes or actions that the host is given are looked at one by one; what was counted of them has a size.
            if not source.is_floating_point() and not (target.numel() > 1 and self._drawn.get(_place(source), (None, "", False))[2]):
                self._decide([source])
            if values is None and target.device.type == "cpu":
                self._host_given.are_unknown(target)
            if values is not None:
                target.copy_(values)
            elif target.numel() == 1 and target.device.type == "cpu":
                target.fill_(_defaults(source)[0])
                if len(self._on_host) >= MAX_ON_HOST:
                    self._on_host = {place: storage for place, storage in self._on_host.items() if not storage.expired()}
                self._on_host[_place(target)] = storage_ref(target.untyped_storage())
            elif target.numel() > 0 and not _is_moved() and not _is_saved():
                given = self._note("the contents of a tensor", 0)
                if given and target.device.type == "cpu":
                    target.fill_(given)

    def _compare(self, name: str, args: Any, copies: Any, outputs: Any) -> bool:
        """Whether what a comparison gives follows from its operands: numbers of a healthy run are finite."""
        one, two = args[0], args[1]
        if copies is not None:
            if name in ("eq", "ne") and len(self._compared) < MAX_COMPARED:
                self._compared.update(_ids(two, self))
            return False
        if isinstance(two, torch.Tensor):
            if one is two or (one.dim() and _is_same(one, two)):
                self._learn_all(outputs, name in ("eq", "le", "ge"))
                return True
            if self._compare_huge(name, one, two, outputs):
                return True
            two = self._number(two)
            if two is None:
                return False
        if isinstance(two, (int, float)) and isinstance(one, torch.Tensor) and one.numel() == 1 and one.dtype == torch.long and name in _ORDERING:
            self.forget(outputs)
            self._expect(outputs, bool(_COMPARING[name](_INTEGERS[0], two)))
            return True
        if type(two) is int and isinstance(one, torch.Tensor) and one.dtype in _INTEGER_TYPES and one.numel() > 1 and len(outputs) == 1 and _is_whole(outputs[0]):
            self.forget(outputs)
            self._picks.note(_place(outputs[0]), outputs[0], one, name, two)
            return True
        if isinstance(two, (int, float)) and isinstance(one, torch.Tensor) and one.is_floating_point():
            if not abs(two) < HUGE:
                self._learn_all(outputs, bool(_COMPARING[name](0.0, two)))
                return True
            if one.numel() == 1:
                self.forget(outputs)
                self._expect(outputs, bool(_COMPARING[name](_FLOATS[0], two)))
                return True
        return False

    def _compare_huge(self, name: str, one: Any, two: torch.Tensor, outputs: Any) -> bool:
        """Whether one side is known and larger than numbers of a healthy run are, which decides."""
        known = [each if each.device.type == "cpu" else self.twin(each) for each in (one, two)]
        for place, each in enumerate(known):
            if each is not None and each.is_floating_point() and each.numel() and bool((each.abs() >= HUGE).all()):
                zero = torch.zeros((), dtype=each.dtype)
                result = _COMPARING[name](each, zero) if place == 0 else _COMPARING[name](zero, each)
                for output in outputs:
                    self.learn(output, result.expand(output.shape))
                return True
        return False

    def _choose_side(self, args: Any, outputs: Any) -> bool:
        """Whether a condition takes all elements of one tensor, which are known."""
        condition = self.twin(args[0]) if args[0].device.type == "cuda" else args[0]
        if condition is None or not condition.numel():
            return False
        if bool(condition.all()):
            side = args[1]
        elif not bool(condition.any()):
            side = args[2]
        else:
            return False
        # In inference mode, numbers are not made tensors first.
        side = side if isinstance(side, torch.Tensor) else torch.tensor(side)
        values = side if side.device.type == "cpu" else self.twin(side)
        if values is None:
            return False
        for each in outputs:
            self.learn(each, values.to(each.dtype).expand(each.shape))
        return True

    def _number(self, tensor: torch.Tensor) -> Any:
        """The value of a tensor of one number, where it is known."""
        if tensor.numel() != 1:
            return None
        twin = tensor if tensor.device.type == "cpu" else self.twin(tensor)
        return None if twin is None else twin.item()

    def _is_expected(self, tensor: torch.Tensor) -> bool | None:
        """What a single flag is where the unknown numbers that it depends on have their default."""
        storage, value = self._likely.get(_place(tensor), (None, None))
        return None if storage is None or storage.expired() else value

    def _expect(self, outputs: Any, value: bool) -> None:
        if len(self._likely) >= MAX_ON_HOST:
            self._likely = {place: each for place, each in self._likely.items() if not each[0].expired()}
        for each in outputs:
            self._likely[_place(each)] = (storage_ref(each.untyped_storage()), value)

    def _of_flags(self, func: Any, args: Any, kwargs: Any, on_gpu: Any, outputs: Any) -> bool:
        """Whether the result has one value in all elements, as its operands have."""
        twins = {}
        for each in on_gpu:
            if each.layout is not torch.strided:
                return False
            storage, dtype, base = self._known.get(_place(each), (None, None, None))
            if storage is None or base is None or base.dim() or dtype != each.dtype or storage.expired():
                return False
            twins[id(each)] = base
        if func._schema.is_mutable:
            return False
        name = func._schema.name.partition("::")[2]
        result = next(iter(twins.values())) if name in ("all", "any", "_is_all_true", "_is_any_true", "clone") else func(*replaced(args, twins), **replaced(kwargs, twins))
        self._learn_all(outputs, bool(result))
        return True

    def _learn_all(self, outputs: Any, value: bool) -> None:
        """Flags that have one value in all elements, however many these are."""
        for each in outputs:
            if _is_small(each):
                self.learn(each, torch.full((), value, dtype=each.dtype).expand(each.shape))
            elif each.device.type == "cuda" and each.layout is torch.strided and _is_whole(each) and _place(each) != NOWHERE:
                self._known[_place(each)] = (storage_ref(each.untyped_storage()), each.dtype, torch.full((), value, dtype=each.dtype))

    def _decided(self, name: str, on_gpu: Any, outputs: Any) -> bool:
        """Whether one operand alone decides: anything or true, anything and false."""
        is_or = "or" in name
        for each in on_gpu:
            twin = self.twin(each)
            if twin is not None and twin.numel() and (bool(twin.bool().all()) if is_or else not bool(twin.any())):
                for output in outputs:
                    self.learn(output, twin.to(output.dtype).expand(output.shape))
                return True
        return False

    # --- what is read ----------------------------------------------------------------------

    def _scalar(self, tensor: torch.Tensor) -> Any:
        twin = self.twin(tensor)
        if twin is not None:
            if not tensor.is_floating_point():
                self._decide([tensor])
            return twin.item()
        values = _defaults(tensor)
        if tensor.dtype == torch.bool:
            values = values[::-1] if self._is_expected(tensor) else values
        frame = program_frame()
        value, is_check = self._branches.choose(frame, values)
        if tensor.dtype == torch.bool:
            value = self._changed_at_last(frame, value, MAX_EQUAL_FLAGS if self._is_expected(tensor) is None else MAX_EXPECTED_FLAGS)
        return type(values[0])(self._note("a value", value, is_check))

    def _equal(self, func: Any, args: Any, kwargs: Any) -> bool:
        """Whether two tensors have equal values; the operation is done for the memory that it takes."""
        copies = self._copies([args[0], args[1]]) if args[1].device.type == "cuda" else None
        result = func(*args, **kwargs)
        if copies is not None:
            self._decide([args[0], args[1]])
            with contextlib.suppress(Exception):
                return bool(func(*copies, *args[2:], **kwargs))
        if not isinstance(result, bool) or args[0].shape != args[1].shape:
            return bool(result)
        if _is_same(args[0], args[1]):
            return True
        value, is_check = self._branches.choose(program_frame(), _FLAGS)
        return bool(self._note("a value", value, is_check))

    def _changed_at_last(self, frame: Any, value: bool, most: int) -> bool:
        """A loop that is not Python's, and waits for a flag, ends."""
        code, place, times = self._last_flag
        here = (frame.f_code, frame.f_lasti) if frame is not None else (None, 0)
        times = times + 1 if (code, place) == here else 1
        self._last_flag = (*here, times)
        return value if times % most else not value

    def _is_unknown_on_host(self, tensor: torch.Tensor) -> bool:
        storage = self._on_host.get(_place(tensor))
        return storage is not None and not storage.expired() and tensor.numel() == 1

    def _note(self, what: str, value: Any, is_check: bool = False) -> Any:
        """What the user gave for the line, or the value; the line is remembered."""
        place = user_line()
        given = _given(self._given, place, value)
        value = int(given) if type(value) is int and given == int(given) else given
        # A line that saves what it trains, or logs a loss, may read a flag, too.
        key = (place, what, isinstance(value, (bool, int)))
        entry = self.reads.setdefault(key, {"line": place, "what": what, "value": value, "times": 0, "check": is_check})
        entry["times"] += 1
        entry["value"] = value
        # A line with one read that is more than a check is named.
        entry["check"] = entry["check"] and is_check
        return value

    def _select(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        try:
            count, unknown = self._count(name, args, kwargs, func.namespace != "aten")
        except Exception:
            # What cannot be done on the host is not known.
            count = unknown = None
        if unknown is None and count is None:
            return func(*args, **kwargs)
        # Not what is selected from, but for operations that look for values in it.
        deciding = [args[0]._indices()] if name == "_coalesce" else list(_tensors(args[1:2] if name in _BY_ANOTHER else args, {}))
        self._decide(deciding)
        self.sampled += self._drawn_at(deciding) == _SAMPLED
        if count is None:
            assert unknown is not None
            place = user_line()
            masks = [each for each in _tensors((args,), {}) if each.dtype in (torch.bool, torch.uint8)]
            most = self._most_true(masks[0]) if masks else None
            if most is not None:
                unknown = min(unknown, most)
            frame = program_frame()
            if frame is not None and frame.f_code.co_filename.replace(os.sep, "/").endswith(_ALL_SELECTED):
                return self._answered(NUMBER_BYTES, unknown, MAX_READS, func, args, kwargs)
            selectors = [each for each in deciding if each.dtype == torch.bool and _is_whole(each)] if name in _BY_MASKS else []
            storage, before = self._selected.get(_place(selectors[0]), (None, 0)) if selectors else (None, 0)
            given = _given(self._given, place, None)
            if given is not None:
                count = int(self._note("the length of a selection", int(given)))
            elif storage is not None and not storage.expired() and before <= unknown:
                # As a backward pass does: the same mask selects as many again.
                count = before
            else:
                count = min(unknown, 1) if self._few else unknown
                self.selections[place] = self.selections.get(place, 0) + 1
            if selectors:
                self._remember(self._selected, selectors[0], (storage_ref(selectors[0].untyped_storage()), count))
        return self._answered(NUMBER_BYTES, count, MAX_READS, func, args, kwargs)

    def _pick(self, args: Any) -> None:
        """Draws the integers whose comparison an operation selects by."""
        for mask in _tensors((args,), {}):
            if mask.dtype != torch.bool or not _is_small(mask) or not _is_whole(mask) or self.twin(mask) is not None:
                continue
            noted = self._picks.take(_place(mask))
            if noted is None:
                continue
            integers, comparison, number = noted
            values = None if integers is None else self.twin(integers)
            if values is None:
                place = user_line()
                count = int(_given(self._given, place, self._picks.count(mask.numel())))
                self.picks[place] = self.picks.get(place, 0) + 1
                values = drawn(mask.shape, comparison, number, count)
                if integers is not None and _is_whole(integers):
                    self.learn(integers, values.to(integers.dtype))
            self.learn(mask, compared(values, comparison, number))

    def _checked(self, func: Any, args: Any, kwargs: Any) -> Any:
        """An operation that may read a flag in its own code and refuse its operands unless it holds, as it does in a healthy run."""
        try:
            return func(*args, **kwargs)
        except torch.cuda.OutOfMemoryError:
            raise
        except RuntimeError:
            if not flag_was_read():
                raise
        return self._answered(FLAG_BYTES, 1, MAX_READS, func, args, kwargs)

    def _answered(self, most_bytes: int, value: int, times: int, func: Any, args: Any, kwargs: Any) -> Any:
        """An operation that reads a value from the GPU in its own code, up to so many times."""
        self._answer(most_bytes, value, times)
        try:
            return func(*args, **kwargs)
        finally:
            self._answer(0, 0, 0)

    def _count(self, name: str, args: Any, kwargs: Any, is_library: bool = False) -> tuple[int | None, int | None]:
        """How many elements or rows are selected, where that is known, and how many can be; two times None where nothing is read.

        Operations of libraries, such as torchvision's ``nms``, choose among the rows of their first argument.
        """
        count = unknown = None
        if is_library:
            unknown = args[0].shape[0] if args[0].dim() else 1
        elif name == "embedding_dense_backward":
            twin = self.twin(args[1])
            count = int(torch.unique(twin).numel()) if twin is not None else min(args[1].numel(), int(args[2]))
        elif name in ("index", "index_put_", "index_put", "_index_put_impl_"):
            masks = [each for each in args[1] if each is not None and each.dtype in (torch.bool, torch.uint8)]
            if not masks or _fills(name, args):
                return None, None
            twin = self._values(masks[0])
            count = int(twin.count_nonzero()) if twin is not None else self._count_set(masks[0])
            unknown = masks[0].numel()
        elif name == "_coalesce":
            twin = self.twin(args[0]._indices())
            count = int(torch.unique(twin, dim=1).shape[1]) if twin is not None else None
            unknown = args[0]._nnz()
        elif name == "repeat_interleave":
            if kwargs.get("output_size") is not None:
                return None, None
            twin = self.twin(args[0])
            count = int(twin.sum()) if twin is not None else None
            unknown = args[0].numel()
        elif name == "bincount":
            twin = self.twin(args[0])
            if twin is None or not twin.numel():
                return None, None
            count = int(twin.max())
        elif name == "masked_select":
            twin = self._values(args[1])
            count = int(twin.count_nonzero()) if twin is not None else self._count_set(args[1])
            unknown = args[1].numel()
        else:
            twin = self._values(args[0]) if name == "nonzero" else self.twin(args[0])
            unknown = args[0].numel() if name != "unique_dim" else args[0].shape[args[1]]
            if twin is not None:
                count = int(twin.count_nonzero()) if name == "nonzero" else int(torch.unique(twin).numel())
            elif name == "nonzero":
                count = self._count_set(args[0])
        return count, unknown


def _selects_rows(func: Any) -> bool:
    """Whether an operation of a library says that how many rows it gives depends on values."""
    return func.namespace != "aten" and torch.Tag.dynamic_output_shape in func.tags


def ctc_loss_of_lists(ctc_loss: Any) -> Any:
    """``torch.ctc_loss`` for lengths that are on the host: under a mode PyTorch does not make lists of them, as it does in a real run."""

    def of_lists(log_probs: Any, targets: Any, *lengths: Any, **options: Any) -> Any:
        return ctc_loss(log_probs, targets, *(each.tolist() if isinstance(each, torch.Tensor) and each.device.type == "cpu" else each for each in lengths), **options)

    return of_lists


def _given(given: dict[str, float], place: str, default: Any) -> Any:
    for name, value in given.items():
        if place == name or place.endswith(os.sep + name):
            return value
    return default


def user_line() -> str:
    """The innermost line of the program itself, outside of installed packages; of a backward pass, which has threads of its own, the line that began it."""
    waiting = sys._current_frames().get(threading.main_thread().ident or 0) if threading.current_thread() is not threading.main_thread() else None
    outside = None
    for frame in (sys._getframe(1), waiting):
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith((_PACKAGE, "<")):
                line = f"{file}:{frame.f_lineno}"
                if "site-packages" not in file and "dist-packages" not in file and not file.startswith(sys.base_prefix + "/lib"):
                    return line
                outside = outside or line
            frame = frame.f_back
    return outside or "?"


def _is_moved() -> bool:
    """Whether a copy on the host is one that only comes back: of what a backward pass needs, or of a remedy that keeps memory there."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_code.co_filename.startswith(_REMEDIES):
            return True
        frame = frame.f_back
    return frame is not None and frame.f_code.co_name == "pack_to_cpu"


def _is_saved() -> bool:
    """Whether a copy on the host is made to be written to a file, so that nothing follows from what it holds."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.replace(os.sep, "/").endswith(_SAVING) and "load" not in frame.f_code.co_name:
            return True
        frame = frame.f_back
    return False


def _is_gradient_of_index() -> bool:
    """Whether a backward pass puts what was selected back into zeros, which it does in place where no mode is on (PyTorch 2.11, 2.14: ``index_backward``)."""
    node = torch._C._current_autograd_node()
    return node is not None and node.name().startswith("IndexBackward")


def program_frame() -> Any:
    """The innermost frame outside of this package."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def _defaults(tensor: torch.Tensor) -> tuple[Any, ...]:
    if tensor.dtype == torch.bool:
        return _FLAGS
    return _FLOATS if tensor.is_floating_point() or tensor.is_complex() else _INTEGERS


def _dimension(func: Any, args: Any, kwargs: Any) -> int | None:
    """Along which dimension an operation chooses; None for all elements."""
    name = func._schema.name.partition("::")[2]
    if name == "multinomial":
        return -1
    for place, argument in enumerate(func._schema.arguments[1:]):
        if argument.name == "dim":
            found = args[place] if place < len(args) else kwargs.get("dim", argument.default_value)
            return found if isinstance(found, int) else None
    return None


def _ids(other: Any, values: Values) -> Iterator[int]:
    """What tokens may be compared with: integers, in a number or a tensor of a few."""
    if isinstance(other, torch.Tensor):
        if other.is_floating_point() or other.dtype == torch.bool or other.numel() > len(SPECIAL_TOKENS):
            return
        twin = other if other.device.type == "cpu" else values.twin(other)
        yield from () if twin is None else twin.reshape(-1).tolist()
    elif type(other) is int:
        yield other


def _is_same(one: torch.Tensor, two: torch.Tensor) -> bool:
    return one.layout is two.layout is torch.strided and one.shape == two.shape and one.stride() == two.stride() and one.dtype == two.dtype and one.numel() > 0 and 0 <= one.data_ptr() == two.data_ptr()


def _place(tensor: torch.Tensor) -> int:
    # A storage that Python has seen counts as used twice, and autograd adds no gradient to it in place.
    try:
        if tensor.numel() == 0:
            return tensor.untyped_storage().data_ptr()
        return tensor.data_ptr() - cast(int, tensor.storage_offset()) * tensor.element_size()
    except (RuntimeError, NotImplementedError):
        # Wrapped by a transform of functions, or without memory of its own.
        return NOWHERE


def most_bytes(tensor: torch.Tensor) -> int:
    """The size up to which a tensor has a copy on the host."""
    return MAX_FLOATS * tensor.element_size() if tensor.is_floating_point() or tensor.is_complex() else MAX_INTEGER_BYTES


def _is_small(tensor: torch.Tensor, may_be_bias: bool = False) -> bool:
    if tensor.device.type != "cuda":
        return False
    most = MAX_MASK_BYTES if tensor.dtype is torch.bool or may_be_bias else most_bytes(tensor)
    return tensor.nbytes <= most and tensor.untyped_storage().nbytes() <= most


def _is_cast_weight(tensor: torch.Tensor, options: dict[str, Any]) -> bool:
    """Whether a parameter of the host is copied as another type."""
    return (
        isinstance(tensor, torch.nn.Parameter) and tensor.device.type == "cpu" and tensor.layout is torch.strided and tensor.nbytes >= MIN_WEIGHTS_BYTES
        and options.get("dtype") not in (None, tensor.dtype) and not options.get("pin_memory")
    )  # fmt: skip


def _is_whole(tensor: torch.Tensor) -> bool:
    return tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes()


def _fills(name: str, args: Any) -> bool:
    """Whether one number is written where a mask is set, as in ``x[mask] = 0``, which PyTorch does without counting."""
    if name == "index" or len(args) < 3 or len(args) > 3 and args[3]:
        return False
    return args[2].numel() == 1 and args[2].device.type == "cpu" and sum(each is not None for each in args[1]) == 1


def _are_labels(name: str, args: Any) -> bool:
    """Whether choices are compared with as many others, such as labels: how many agree says nothing of how even they are."""
    return name in ("eq", "ne") and isinstance(args[1], torch.Tensor) and args[1].numel() == args[0].numel() > 1


def _flat(value: Any) -> Any:
    """Tensors of a collective in one dimension: NCCL knows no others, and the fake group cuts them along their first."""
    if isinstance(value, (list, tuple)):
        return [_flat(each) for each in value]
    return value.view(-1) if isinstance(value, torch.Tensor) and value.is_contiguous() else value


def _tensors(args: Any, kwargs: Any) -> Any:
    for each in (*args, *kwargs.values()):
        if isinstance(each, torch.Tensor):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _tensors(each, {})


def _written(func: Any, args: Any, kwargs: Any) -> list[Any]:
    """What an operation changes in place, as it was given."""
    written = []
    for place, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            written.append(args[place] if place < len(args) else kwargs.get(argument.name))
    return written


def replaced(value: Any, twins: dict[int, torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return twins.get(id(value), value)
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(each, twins) for each in value)
    if isinstance(value, dict):
        return {key: replaced(each, twins) for key, each in value.items()}
    if isinstance(value, torch.device):
        return torch.device("cpu")
    return value


def stand_in_answer() -> Callable[[int, int, int], None]:
    """The stand-in's function, which is in this process already."""
    function = ctypes.CDLL(None).standin_answer
    function.argtypes = (ctypes.c_int, ctypes.c_uint64, ctypes.c_int)
    return lambda most_bytes, value, times: function(most_bytes, value, times)
