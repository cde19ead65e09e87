"""What the baseline run of a program shows of it: its models, optimizers, loaders, losses, and where memory is held for nothing."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any, Iterator

from ..estimate.places import is_own
from ..estimate.source import main_file, own_files
from ..variables import variables_of
from .held import Held
from .models import caching, kinds_of, outermost, switches
from .program import Call, Made, Program, is_users, user_frame
from .settings import described, settings_around
from .work import Work, tensors

#: The training call of a model in which its blocks are measured: in the first one libraries make what they keep.
MEASURED_CALL = 2

#: Libraries that remedies use where they are installed.
LIBRARIES = ("bitsandbytes",)

#: Losses over fewer classes are not worth a change.
MIN_CLASSES = 1000


class Observer:
    """Follows a program through its run; :meth:`report` says what was seen.

    The report, the ``facts`` of remedies, is a dictionary. Sizes are in bytes, and a line is ``FILE:LINE`` of the user's, or null:

    - ``models``: ``name`` of the class, ``line`` where it was made, ``parameter_bytes`` by type (``parameters``), ``calls``, ``training_calls`` (with gradients on), ``switch`` (method by which it checkpoints itself),
      ``is_checkpointed``, ``is_compiled``, ``autocast`` (type, null where off), ``takes_float32`` (whether it is called with such tensors), ``kinds``: repeated blocks with ``name``, ``container`` (as :class:`.models.Kind` has them), ``count``, ``outer`` (how many of them are in no other), ``activation_bytes`` (what all keep for the backward pass), ``output_bytes``, ``largest_bytes`` (of one).
    - ``optimizers``: ``name``, ``line``, ``variable`` (by which the program asks for its steps; null where a library does), ``steps``, ``parameter_bytes``, ``state_bytes``, ``tensors``, ``takes_fused``, ``is_fused``, ``is_foreach``.
    - ``loaders``: ``key``, ``line``, ``batch_size``, ``is_training``.
    - ``losses``: ``line``, ``rows``, ``classes``, ``bytes`` of the largest cross-entropy at a line.
    - ``sites``: lines that call a model with gradients on, ``calls``, ``keeps``: whether a result can be gone back from, and ``backward``: whether a backward pass ever did.
    - ``held``: as in :class:`.held.Held`. ``kept_gradients``: lines that set gradients to zero and not to None. ``switches``: how often a model changed between training and evaluation. ``scaler``: whether losses are scaled. ``is_job``: whether the program made a process group.
    - ``settings``: as :func:`.settings.described` has them, of the library that runs the training loop; null where the program does.
    - ``compute_capability``: of the card; ``installed``: of the libraries that remedies use; ``sources``: SHA-256 of the program's own files; ``work``: as in :class:`.work.Work`.
    """

    def __init__(self, torch: Any, program: Program) -> None:
        self._torch = torch
        self._program = program
        self._models: dict[int, dict[str, Any]] = {}
        self._model_called: dict[str, Any] | None = None
        self._optimizers: list[tuple[Any, dict[str, Any]]] = []
        self._loaders: dict[str, dict[str, Any]] = {}
        self._loader: str | None = None
        self._losses: dict[str, dict[str, Any]] = {}
        self._sites: dict[str, dict[str, Any]] = {}
        self._kept_gradients: set[str] = set()
        self._switches = 0
        self._has_scaler = False
        self._settings: Any = None
        # Python forgets it when the script has come to its end.
        self._script = main_file()
        self._held = Held(torch)
        self._work = Work(torch)

    def follow(self) -> None:
        """From now on the program is observed."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        program, torch = self._program, self._torch
        program.around_calls(self._called)
        program.on_optimizer(self._made)
        _before(torch, program, torch.nn.functional, "cross_entropy", self._lost)
        _before(torch, program, torch.amp.GradScaler, "scale", self._scaled)
        _before(torch, program, torch.nn.Module, "train", self._switched)
        for owner in (torch.optim.Optimizer, torch.nn.Module):
            _before(torch, program, owner, "zero_grad", self._zeroed)
        self._follow_loaders()
        register_optimizer_step_post_hook(self._stepped)

    def note(self, func: Any, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """An operation was run, in any thread."""
        self._work.note(func, name, args, kwargs, result)
        self._note_autocast()
        if not func.is_view:
            self._held.note(tensors((args, kwargs)))

    def note_whole(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """Counts a function of PyTorch whose operations are not seen."""
        self._work.note_whole(name, args, kwargs, result)
        self._note_autocast()
        self._held.note(tensors((args, kwargs)))

    def _note_autocast(self) -> None:
        # A library may turn it on within the call of a model.
        if self._model_called is not None and self._torch.is_autocast_enabled("cuda"):
            self._model_called["autocast"] = str(self._torch.get_autocast_dtype("cuda")).removeprefix("torch.")

    # --- calls of models -------------------------------------------------------------------

    def _called(self, call: Call) -> contextlib.AbstractContextManager[Any] | None:
        torch, model = self._torch, call.module
        self._work.calls += 1
        row = self._models.get(id(model))
        if row is None:
            row = self._models[id(model)] = self._model(model)
        row["calls"] += 1
        self._held.begins(call)
        if not torch.is_grad_enabled():
            return None
        row["training_calls"] += 1
        if row["training_calls"] == 1 and self._settings is None:
            self._settings = settings_around(sys._getframe(1))
        if self._loader is not None and model.training:
            self._loaders[self._loader]["is_training"] = True
        site = self._sites.setdefault(call.line or "?", {"line": call.line, "calls": 0, "keeps": False, "backward": False})
        site["calls"] += 1
        return self._within(model, row, site)

    @contextlib.contextmanager
    def _within(self, model: Any, row: dict[str, Any], site: dict[str, Any]) -> Iterator[None]:
        handles: list[Any] = []
        if row["training_calls"] == MEASURED_CALL and not row["is_compiled"]:
            handles = self._measure(model, row)
        number = self._held.call
        handles.append(model.register_forward_hook(lambda module, inputs, output: self._watch(output, site, number)))
        self._model_called = row
        handles.append(model.register_forward_pre_hook(lambda module, args, kwargs: self._given(row, args, kwargs), with_kwargs=True))
        try:
            yield
        finally:
            self._model_called = None
            for each in handles:
                each.remove()

    def _given(self, row: dict[str, Any], args: Any, kwargs: Any) -> None:
        row["takes_float32"] = row["takes_float32"] or any(each.dtype == self._torch.float32 for each in tensors((args, kwargs)))

    def _watch(self, output: Any, site: dict[str, Any], number: int) -> None:
        def reached(gradient: Any) -> None:
            site["backward"] = True
            self._held.went_back(number)

        for each in tensors(output):
            if each.requires_grad and not each.is_leaf:
                site["keeps"] = True
                each.register_hook(reached)

    def _model(self, model: Any) -> dict[str, Any]:
        parameters: dict[str, int] = {}
        for each in model.parameters():
            kind = str(each.dtype).removeprefix("torch.")
            parameters[kind] = parameters.get(kind, 0) + each.nbytes
        switch = next(switches(model), None)
        own = getattr(model, "_orig_mod", None)
        own = getattr(model, "module", None) if own is None else own
        return {
            "name": type(model if own is None else own).__name__, "line": self._program.place_of(model if own is None else own), "parameters": parameters, "calls": 0, "training_calls": 0,
            "switch": None if switch is None else switch[1], "is_checkpointed": _is_checkpointed(model), "keeps_cache": any(True for _ in caching(model)),
            "is_compiled": own is not None and hasattr(model, "_orig_mod") or getattr(model, "_compiled_call_impl", None) is not None, "autocast": None, "takes_float32": False, "kinds": [],
        }

    def _measure(self, model: Any, row: dict[str, Any]) -> list[Any]:
        """Measures in this call what each of the repeated blocks keeps."""
        torch = self._torch

        def live() -> int:
            return int(torch._C._cuda_memoryStats(torch.cuda.current_device())["allocated_bytes"]["all"]["current"])

        handles = []
        kinds = kinds_of(self._torch, model)
        outer = {id(each) for each in outermost(kinds)}
        for kind in kinds:
            found = {
                "name": kind.name, "container": kind.container, "count": len(kind.blocks), "outer": sum(id(each) in outer for each in kind.blocks),
                "activation_bytes": 0, "output_bytes": 0, "largest_bytes": 0,
            }
            row["kinds"].append(found)
            begun: dict[int, int] = {}

            def begins(module: Any, inputs: Any, begun: dict[int, int] = begun) -> None:
                begun[id(module)] = live()

            def ends(module: Any, inputs: Any, output: Any, found: dict[str, Any] = found, begun: dict[int, int] = begun) -> None:
                kept = max(0, live() - begun.pop(id(module), live()))
                found["activation_bytes"] += kept
                found["largest_bytes"] = max(found["largest_bytes"], kept)
                found["output_bytes"] += sum(each.nbytes for each in tensors(output))

            for each in kind.blocks:
                handles += [each.register_forward_pre_hook(begins), each.register_forward_hook(ends)]
        return handles

    # --- optimizers ------------------------------------------------------------------------

    def _made(self, made: Made) -> None:
        optimizer = made.optimizer
        parameters = [each for group in optimizer.param_groups for each in group["params"]]
        group = optimizer.param_groups[0] if optimizer.param_groups else {}
        self._optimizers.append((
            optimizer,
            {
                "name": type(optimizer).__name__, "line": made.line, "steps": 0, "parameter_bytes": sum(each.nbytes for each in parameters), "tensors": len(parameters), "state_bytes": 0, "variable": None,
                "takes_fused": "fused" in group, "is_fused": bool(group.get("fused")), "is_foreach": group.get("foreach"),
            },
        ))

    def _stepped(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if id(optimizer) in self._program.parts:
            return
        for each, row in self._optimizers:
            if each is optimizer:
                row["steps"] += 1
                if row["steps"] == 1:
                    row["variable"] = _variable_of(optimizer)
                if row["steps"] <= MEASURED_CALL:
                    row["state_bytes"] = sum(part.nbytes for part in tensors([list(state.values()) for state in optimizer.state.values()]) if part.is_cuda)
        if not self._optimizers or optimizer is self._optimizers[0][0]:
            self._work.stepped()

    def program_stepped(self, optimizer: Any) -> None:
        """The program has asked for a step of an optimizer, which a remedy has made in another way."""
        if self._optimizers and optimizer is self._optimizers[0][0]:
            self._work.stepped()

    def _zeroed(self, owner: Any, set_to_none: bool = True) -> None:
        line = user_frame()[1]
        if not set_to_none and line is not None:
            self._kept_gradients.add(line)

    def _scaled(self, scaler: Any, *args: Any) -> None:
        self._has_scaler = self._has_scaler or scaler.is_enabled()

    def _switched(self, module: Any, mode: bool = True) -> None:
        if module.training != mode and id(module) in self._models:
            self._switches += 1
            if not mode:
                self._work.evaluated()

    # --- losses and loaders ----------------------------------------------------------------

    def _lost(self, logits: Any, target: Any, *args: Any, **kwargs: Any) -> None:
        if not logits.is_cuda or not self._torch.is_grad_enabled():
            return
        classes = logits.shape[1] if logits.dim() > 1 else logits.shape[0]
        line = user_frame()[1] or "?"
        if classes >= MIN_CLASSES and logits.nbytes > self._losses.get(line, {"bytes": 0})["bytes"]:
            self._losses[line] = {"line": line, "rows": logits.numel() // classes, "classes": classes, "bytes": logits.nbytes}

    def _follow_loaders(self) -> None:
        loader = self._torch.utils.data.DataLoader
        iterate = loader.__iter__
        observer = self

        @functools.wraps(iterate)
        def begin(self: Any) -> Any:
            observer._loader = place = key_of(self)
            observer._loaders.setdefault(place, {"key": place, "line": getattr(self, "_allocsim_line", None), "batch_size": self.batch_size or getattr(self.batch_sampler, "batch_size", None), "is_training": False})
            return iterate(self)

        _before(self._torch, self._program, loader, "__init__", mark)
        self._program.patches.replace(loader, "__iter__", begin)

    def report(self, is_job: bool) -> dict[str, Any]:
        """What was seen.

        Args:
            is_job: whether the program made a process group.
        """
        torch, files = self._torch, own_files(self._script)
        capability = torch.cuda.get_device_capability() if torch.cuda.is_initialized() else (0, 0)
        return {
            "models": [row for row in self._models.values() if row["calls"]],
            "optimizers": [row for _, row in self._optimizers if row["steps"]],
            "loaders": list(self._loaders.values()),
            "losses": list(self._losses.values()),
            "sites": list(self._sites.values()),
            "held": self._held.report(),
            "kept_gradients": sorted(self._kept_gradients),
            "switches": self._switches,
            "scaler": self._has_scaler,
            "is_job": is_job,
            "settings": described(self._settings, files),
            "compute_capability": list(capability),
            "installed": [each for each in LIBRARIES if importlib.util.find_spec(each) is not None],
            "sources": {each: digest for each in files if (digest := _digest(each))},
            "work": self._work.report(),
        }


def mark(loader: Any, *args: Any, **kwargs: Any) -> None:
    """Remembers in a loader where the program made it."""
    frame: Any = sys._getframe(1)
    places: list[str] = []
    line = None
    # What runs the script is another one where it is run in another way.
    while frame is not None and not (places and frame.f_globals.get("__name__") == "runpy"):
        file = frame.f_code.co_filename
        if not is_own(file):
            places.append(f"{os.path.basename(file)}:{frame.f_lineno}")
        if line is None and is_users(file):
            line = f"{file}:{frame.f_lineno}"
        frame = frame.f_back
    object.__setattr__(loader, "_allocsim_line", line)
    object.__setattr__(loader, "_allocsim_key", hashlib.sha256(" ".join(places).encode()).hexdigest()[:16])


def key_of(loader: Any) -> str:
    """What tells the loaders of a program apart, the same in each run."""
    return getattr(loader, "_allocsim_key", "?")


def _variable_of(optimizer: Any) -> str | None:
    """The variable of the user's function that steps an optimizer which has it, or what stands for it; None where there is none."""
    frame, _ = user_frame()
    if frame is None:
        return None
    variables = variables_of(frame)
    owner = variables.get("self")
    named = [*variables.items(), *((f"self.{name}", each) for name, each in getattr(owner, "__dict__", {}).items())]
    return next((name for name, each in named if each is optimizer or getattr(each, "optimizer", None) is optimizer), None)


def _digest(file: str) -> str:
    """SHA-256 of a file; nothing where there is none: modules that PyTorch makes itself name files that are not there."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


def _is_checkpointed(model: Any) -> bool:
    return any(getattr(each, "gradient_checkpointing", False) or getattr(each, "grad_checkpointing", False) for each in model.modules())


def _before(torch: Any, program: Program, owner: Any, name: str, action: Any) -> None:
    """Calls an action with the arguments of a function ahead of it, where the program runs and is not being compiled."""
    original = getattr(owner, name)
    is_compiling = torch.compiler.is_compiling

    @functools.wraps(original)
    def observed(*args: Any, **kwargs: Any) -> Any:
        if not is_compiling():
            with contextlib.suppress(Exception):
                action(*args, **kwargs)
        return original(*args, **kwargs)

    program.patches.replace(owner, name, observed)
