"""allocsim for Python: record a PyTorch program's GPU memory, and ask about the recording.

    allocsim record -- python train.py      # on the command line, without a change to the script
    with allocsim.record("run"): ...        # in a script
    allocsim.open("run.pickle").peak()      # afterwards
    allocsim.estimate(step)                 # before there is a GPU
    allocsim.advise(step)                   # which change makes it fit
"""

from __future__ import annotations

from .version import VERSION as __version__

__all__ = ["AllocsimError", "Recorder", "Recording", "__version__", "advise", "estimate", "open", "record", "run"]

#: As that of typing, which a file of the working folder may hide here from ``python -m allocsim``.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from .recorder import Recorder, record
    from .recording import AllocsimError, Recording, open, run

_LATER = ("AllocsimError", "Recording", "open", "run")


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    # Nobody pays for what is not used, and a command is soon ready for signals.
    if name == "estimate":
        from .estimate.api import estimate

        globals()["estimate"] = estimate  # over the package of the same name, which Python has entered here
        return estimate
    if name == "advise":
        from .advise.api import advise

        globals()["advise"] = advise  # likewise
        return advise
    if name in ("Recorder", "record"):
        from . import recorder

        return getattr(recorder, name)
    if name in _LATER:
        from . import recording

        return getattr(recording, name)
    raise AttributeError(f"module 'allocsim' has no attribute {name!r}")
