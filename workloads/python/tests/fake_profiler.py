"""Just enough of torch.profiler and torch.optim to see when a recording profiles."""

from __future__ import annotations

import json
import sys
import types


class Hook:
    def __init__(self, hooks, function):
        self.hooks, self.function = hooks, function
        hooks.append(function)

    def remove(self):
        self.hooks.remove(self.function)


class Optimizer:
    hooks = []

    def step(self):
        for each in list(self.hooks):
            each(self, (), {})


class Legacy:
    """What both of PyTorch's profilers are made of: there is only one at a time."""

    running = None

    def __enter__(self):
        self._prepare_trace()
        self._start_trace()
        return self

    def __exit__(self, *problem):
        Legacy.running = None

    def _prepare_trace(self):
        if Legacy.running not in (None, self):
            raise RuntimeError("Profiler is already enabled")
        Legacy.running = self

    def _start_trace(self):
        pass


class Profile:
    """Records the numbers of the steps that its schedule keeps."""

    def __init__(self, activities, schedule, on_trace_ready, **options):
        self.activities, self.schedule, self.on_trace_ready, self.options = activities, schedule, on_trace_ready, options
        self.steps, self.kept = 0, []

    def start(self):
        self.legacy = Legacy()
        self.legacy._prepare_trace()
        self.legacy._start_trace()

    def step(self):
        self._keep()
        self.steps += 1

    def _keep(self):
        wait, warmup, active = self.schedule
        if wait + warmup <= self.steps < wait + warmup + active:
            self.kept.append(self.steps)

    def stop(self):
        Legacy.running = None
        if self.kept and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def export_chrome_trace(self, path):
        with open(path, "w") as stream:
            json.dump({"kept": self.kept, "options": {name: value for name, value in self.options.items()}}, stream)


def install(torch):
    """Adds them to a fake of torch."""
    Optimizer.hooks, Legacy.running = [], None
    optim, optimizer = types.ModuleType("torch.optim"), types.ModuleType("torch.optim.optimizer")
    optimizer.register_optimizer_step_post_hook = lambda function: Hook(Optimizer.hooks, function)
    optim.optimizer, torch.optim = optimizer, optim
    sys.modules.update({"torch.optim": optim, "torch.optim.optimizer": optimizer})
    torch.__path__ = []
    torch.autograd.profiler = types.SimpleNamespace(profile=Legacy)
    torch._C._autograd = types.SimpleNamespace(_profiler_enabled=lambda: Legacy.running is not None)
    torch.profiler = types.SimpleNamespace(
        profile=Profile,
        schedule=lambda wait, warmup, active, repeat: (wait, warmup, active),
        supported_activities=lambda: {"CPU", "CUDA"},
        ProfilerActivity=types.SimpleNamespace(CPU="CPU", CUDA="CUDA"),
    )
    return Optimizer
