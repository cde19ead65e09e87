"""Python runs this when it starts, because `allocsim record` puts this folder on PYTHONPATH.

It stays on the path, so that processes which the program starts record too. A sitecustomize of the
user's own, which this one hides, runs as well.
"""

import os
import sys

#: As that of typing, which takes long to load.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from types import ModuleType

# A part of Python itself, which loads no file.
import _signal  # type: ignore[import-not-found]

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _hidden() -> "ModuleType | None":
    import importlib.machinery
    import importlib.util

    path = [each for each in sys.path if os.path.abspath(each or ".") != _FOLDER]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    return None if spec is None or spec.loader is None else importlib.util.module_from_spec(spec)


def _follow() -> None:
    if "ALLOCSIM_RECORD" not in os.environ or sys.version_info < (3, 9):
        return
    import importlib.util

    # Only this package is taken from its folder, whatever else lies there.
    package = os.path.dirname(os.path.dirname(_FOLDER))
    if "allocsim" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "allocsim", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["allocsim"] = module
        spec.loader.exec_module(module)
    if "ALLOCSIM_ESTIMATE" in os.environ:
        from allocsim.estimate.follow import follow
    else:
        from allocsim.recorder.follow import follow
    follow()


def _interrupt(handler: object) -> bool:
    try:
        _signal.signal(_signal.SIGINT, handler)
    except ValueError:  # Another interpreter of this process has the signals.
        return False
    return True


# Ctrl-C ends the process while this runs: Python would call KeyboardInterrupt a fatal error, and print it.
_ends = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler and _interrupt(_signal.SIG_DFL)
try:
    _follow()
except Exception as problem:
    print("allocsim record: this process is not recorded: %s" % problem, file=sys.stderr)
_module = _hidden()
if _ends and _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:
    _interrupt(_signal.default_int_handler)
if _module is not None:
    sys.modules["sitecustomize"] = _module
    _module.__spec__.loader.exec_module(_module)  # type: ignore[union-attr]
