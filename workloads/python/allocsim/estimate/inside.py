"""What ``allocsim estimate`` does inside the program, once it has loaded PyTorch."""

from __future__ import annotations

import atexit
import importlib
import json
import os
import traceback
from typing import TYPE_CHECKING, Any

from ..recorder.recorder import Recorder

if TYPE_CHECKING:
    from .values import Observer

VARIABLE = "ALLOCSIM_ESTIMATE"

#: With it, the card's memory does not end.
UNLIMITED = "ALLOCSIM_ESTIMATE_UNLIMITED"


def begin(torch: Any, frame: Any, recorder: Recorder) -> None:
    """Follows values, ends the program after its steps, and reports what it found (see ``ending``).

    Args:
        torch: the module.
        frame: of who loaded it.
        recorder: of this process.
    """
    options = json.loads(os.environ[VARIABLE])
    from ..recorder.leaving import at_exit
    from .compiled import Compiled
    from .driver import card_free_bytes, no_kernels, refused, was_refused, without_image
    from .ending import begin as begin_ending, current
    from .native import leave_alone
    from .job import Job
    from .launch import follow_launchers, follow_processes
    from .peers import Peers
    from .stepping import Stepping
    from .ranks import Watchdog, alone
    from .stacks import drop_own_frames
    from .values import Values, ctc_loss_of_lists, stand_in_answer, user_line

    recorder.change = drop_own_frames
    recorder.facts.has_no_end = UNLIMITED in os.environ
    recorder.facts.is_on_gpu = False
    job = Job.of(options)
    watchdog = Watchdog(options["late_watchdog"])
    values = Values(options["values"], stand_in_answer(), options["fake_weights"], options["selections"])
    compiled = Compiled(values)
    ending = current() or begin_ending(options["report"])
    report = ending.report
    report |= {"peer": options["peer"], "file": recorder.path, "cuda": torch.version.cuda}

    def check_card() -> None:
        unsuited = no_kernels(torch)
        if unsuited is not None:
            ending.adopt()
            report.update(ended="card", problem=unsuited)
            ending.write()
            # It must not go on: it would fail at its first kernel.
            os._exit(2)

    # Asked any earlier, PyTorch would refuse CUDA to processes that the program forks. PyTorch's own check, which comes later, only warns.
    torch.cuda._queued_calls.insert(0, (check_card, traceback.format_stack()))
    stepping = Stepping(torch, options, report)
    observer: Observer | None = None

    def collect() -> None:
        report.update(stepping.report())
        report["reads"] = sorted(values.reads.values(), key=lambda each: -each["times"])
        report["selections"] = [{"line": line, "times": times} for line, times in values.selections.items()]
        report["picks"] = [{"line": line, "times": times} for line, times in values.picks.items()]
        report["groups"] = [{"line": line, "times": times} for line, times in values.groups.items()]
        report["draws"] = [{"line": line, "times": times} for line, times in values.draws.items()]
        report["sampled"] = values.sampled
        report["tokens"] = [{"line": line, "times": times} for line, times in values.tokens.items()]
        report["uncompiled"] = [{"reason": reason, "times": times} for reason, times in compiled.uncompiled.items()]
        report["choices"] = compiled.choices
        report["unmeasured"] = _counted("standin_unmeasured")
        report["unready"] = _counted("standin_unready")
        report["watchdog_decides"] = watchdog.decided
        report["unsized"] = _counted("standin_unsized")
        report["split_bytes"] = _counted("standin_split_bytes")
        report["tried_bytes"] = _counted("standin_tried_bytes")
        report["inferred_bytes"] = _counted("standin_inferred_bytes")
        report["card_free_bytes"] = card_free_bytes()
        report["gpus"] = torch.cuda.device_count()
        report["missing_gpu"] = _counted("standin_missing_device")
        report["unsupported_functions"] = refused()
        report["without_image"] = without_image()
        if report["ended"] == "error" and report["unsupported_function"] is None:
            report["unsupported_function"] = was_refused()
        if observer is not None:
            report["facts"] = observer.report(job.has_joined)
        report.update(rank=job.rank, world=job.world, stages=sorted(job.stages))

    def note(problem: BaseException, trace: Any) -> None:
        ending.adopt()
        report["file"] = recorder.path
        ending.failed(problem, trace)

    def signalled() -> None:
        ending.adopt()
        report["file"] = recorder.path
        ending.signalled()

    def write() -> None:
        ending.adopt()
        report["file"] = recorder.path
        ending.end()

    if options["fake_weights"]:
        from .weights import follow

        follow()
    peers = Peers(options, VARIABLE)
    alone(torch, job, peers, watchdog)
    follow_launchers(options, VARIABLE, job)
    follow_processes(job, note, write)
    ending.loaded(torch, frame, collect, recorder.write)
    recorder.signalled = signalled
    stepping.follow()
    if options["peer"]:
        atexit.register(peers.linger)
    torch.ctc_loss = ctc_loss_of_lists(torch.ctc_loss)
    leave_alone(values, stepping.went_back)
    compiled.follow()
    if options.get("observer") is not None:
        begin_observer = importlib.import_module(options["observer"]["module"]).begin
        values.observer = observer = begin_observer(torch, options["observer"])
    values.__enter__()
    values.follow_threads()
    # It is left when the program ends, before PyTorch is taken down.
    at_exit(values.leave)


def _counted(name: str) -> int:
    """A counter of the mock CUDA driver."""
    import ctypes

    function = getattr(ctypes.CDLL(None), name)
    function.restype = ctypes.c_int64
    return int(function())
