"""For pytest: the fixture ``gpu_memory_limit`` and the marker ``gpu_memory``.

    @pytest.mark.gpu_memory("2GiB")
    def test_step(): ...

    def test_step(gpu_memory_limit):
        with gpu_memory_limit("2GiB", record="step.pickle"):
            step()
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

import pytest

from .limits import PeakLimit


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu_memory(limit, device=0): fails when PyTorch reserves more GPU memory")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    marker = item.get_closest_marker("gpu_memory")
    if marker is None:
        return (yield)
    limit = PeakLimit(*marker.args, **marker.kwargs)
    limit.begin()
    result = yield
    limit.check(item.name)
    return result


@pytest.fixture
def gpu_memory_limit() -> Callable[..., Any]:
    """A context manager that fails when its block reserves more than a limit, and can record it."""

    @contextlib.contextmanager
    def limited(limit: int | str, device: int = 0, record: str | None = None) -> Iterator[PeakLimit]:
        from .recorder import record as recording

        peak = PeakLimit(limit, device)
        peak.begin()
        with recording(record) if record else contextlib.nullcontext():
            yield peak
        peak.check()

    return limited
