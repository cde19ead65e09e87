"""Python runs this when it starts, because `allocsim record` puts this folder on PYTHONPATH.

It stays on the path, so that processes which the program starts record too. A sitecustomize of the
user's own, which this one hides, runs as well.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _run_hidden() -> None:
    import importlib.machinery
    import importlib.util

    path = [each for each in sys.path if os.path.abspath(each or ".") != _FOLDER]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


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
    from allocsim.recorder.follow import follow

    follow()


try:
    _follow()
except KeyboardInterrupt:
    # Python would call it a fatal error of its own while it starts.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.raise_signal(signal.SIGINT)
except Exception as problem:
    print("allocsim record: this process is not recorded: %s" % problem, file=sys.stderr)
_run_hidden()
