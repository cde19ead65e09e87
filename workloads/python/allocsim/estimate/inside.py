"""What ``allocsim estimate`` does inside of the program, once it has loaded PyTorch."""

from __future__ import annotations

import atexit
import json
import os
import sys
import traceback
from typing import Any

VARIABLE = "ALLOCSIM_ESTIMATE"


def begin(torch: Any) -> None:
    """Follows values, ends the program after its steps, and writes a report beside the recording."""
    options = json.loads(os.environ[VARIABLE])
    from .compiled import Compiled
    from .native import leave_alone
    from .ranks import Watchdog, alone
    from .values import Values, ctc_loss_of_lists, stand_in_answer, user_line

    watchdog = Watchdog(options["late_watchdog"])
    values = Values(options["values"], stand_in_answer(), options["fake_weights"])
    compiled = Compiled(values)
    report: dict[str, Any] = {"pytorch": str(torch.__version__), "ended": "end", "problem": None, "line": None, "world": options["world"]}

    def write() -> None:
        report["reads"] = sorted(values.reads.values(), key=lambda each: -each["times"])
        report["selections"] = [{"line": line, "times": times} for line, times in values.selections.items()]
        report["draws"] = [{"line": line, "times": times} for line, times in values.draws.items()]
        report["uncompiled"] = [{"reason": reason, "times": times} for reason, times in compiled.uncompiled.items()]
        report["choices"] = compiled.choices
        report["unmeasured"] = _counted("standin_unmeasured")
        report["unready"] = _counted("standin_unready")
        report["watchdog_decides"] = watchdog.decided
        with open(options["report"], "w", encoding="utf-8") as stream:
            json.dump(report, stream)

    def failed(kind: type[BaseException], problem: BaseException, trace: Any) -> None:
        report["ended"] = "error"
        report["problem"] = f"{kind.__name__}: {problem}".splitlines()[0]
        lines = [f"{each.filename}:{each.lineno}" for each in traceback.extract_tb(trace)]
        own = [each for each in lines if "site-packages" not in each and "dist-packages" not in each and not each.startswith("<")]
        report["line"] = (own or lines or [None])[-1]
        inherited(kind, problem, trace)

    inherited = sys.excepthook
    sys.excepthook = failed
    counts: dict[int, int] = {}

    def stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
        counts[id(optimizer)] = counts.get(id(optimizer), 0) + 1
        if options["steps"] and counts[id(optimizer)] >= options["steps"]:
            report["ended"] = "steps"
            raise SystemExit(0)

    if options["fake_weights"]:
        from .weights import follow

        follow()
    if options["world"] > 1:
        from .peers import Peers

        peers = Peers(options, VARIABLE)
        alone(torch, options["rank"], options["world"], peers, watchdog)
        if options["peer"]:
            atexit.register(peers.linger)
    from torch.optim.optimizer import register_optimizer_step_post_hook

    register_optimizer_step_post_hook(stepped)
    atexit.register(write)
    torch.ctc_loss = ctc_loss_of_lists(torch.ctc_loss)
    leave_alone(values)
    compiled.follow()
    values.__enter__()
    # It is left when the program ends, before PyTorch is taken down.
    atexit.register(values.__exit__, None, None, None)


def _counted(name: str) -> int:
    """A counter of the stand-in."""
    import ctypes

    function = getattr(ctypes.CDLL(None), name)
    function.restype = ctypes.c_int64
    return int(function())
