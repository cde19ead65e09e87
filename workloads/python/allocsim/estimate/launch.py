"""Makes launchers start one rank of their job instead of all.

torchrun, ``python -m torch.distributed.run``, ``torch.distributed.launch`` and ``accelerate launch`` end in one function of PyTorch, which is replaced in
their own process: so it does not matter which script or which program started them. DeepSpeed's launcher is replaced likewise.
``torch.multiprocessing.spawn`` calls its function once, in this process. Ranks that a program starts in any other way end themselves when they say which rank they are.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import multiprocessing
import multiprocessing.process
import multiprocessing.util
import os
import re
import sys
from dataclasses import dataclass
from typing import Any, Callable, Mapping, NoReturn, Sequence

from ..recorder.follow import AfterImport
from ..visible import tell
from .hosts import MAX_GPUS, rank_environment
from .job import Job, NoSuchRank, launched

#: What torchrun replaces by the local rank in the arguments of a worker (torch/distributed/elastic/utils/api.py, PyTorch 2.14).
_LOCAL_RANK_MACRO = "${local_rank}"

#: How many processes DeepSpeed starts on a host that no host file describes, and where it looks for one (deepspeed/launcher/runner.py, 0.18).
_HOST_FILE = "/job/hostfile"
_SLOTS = re.compile(r"^(\S+)\s+slots=(\d+)")


@dataclass(frozen=True)
class Launch:
    """What a launcher would start: the number of ranks on each host, and the command of each."""

    world: int
    gpus: int
    command: tuple[str, ...]

    def of_rank(self, local_rank: int) -> list[str]:
        """The command of a rank."""
        return [each.replace(_LOCAL_RANK_MACRO, str(local_rank)) for each in self.command]


class WrongLaunch(Exception):
    """A command line that the launcher itself would refuse."""


def follow_launched(options: Mapping[str, Any]) -> None:
    """What a process of Python does first: it ends if it is not the rank to run; otherwise it sees the GPUs of its host, or as many as the user said.

    Args:
        options: what the command told this process.
    """
    rank = os.environ.get("RANK", "")
    if rank.isdigit() and Job.of(options).is_another(int(rank)):
        os._exit(0)
    if options.get("gpus") is not None:
        # The user said how many.
        return
    # DeepSpeed calls it LOCAL_SIZE.
    gpus = os.environ.get("LOCAL_WORLD_SIZE") or os.environ.get("LOCAL_SIZE") or ""
    if gpus.isdigit():
        _show_gpus(int(gpus))
    # Processes of a program choose the GPU of their rank before they say which rank they are.
    if "--multiprocessing-fork" in sys.argv:
        _show_gpus(MAX_GPUS)
    os.register_at_fork(after_in_child=lambda: _show_gpus(MAX_GPUS))


def _show_gpus(count: int) -> None:
    """Makes the mock driver show at least this many GPUs."""
    show = getattr(ctypes.CDLL(None), "standin_devices", None)
    if show is not None and count > int(os.environ.get("ALLOCSIM_ESTIMATE_DEVICES", 1)):
        show(count)


def follow_launchers(options: Mapping[str, Any], variable: str, job: Job) -> None:
    """From now on, launchers that this process loads start one rank.

    Args:
        options: what the command told this process.
        variable: the variable of the environment that holds these options.
        job: of this process.
    """

    def launch(found: Launch) -> NoReturn:
        try:
            rank, environment = launched(options, variable, found.world, found.gpus)
        except NoSuchRank as problem:
            refuse(problem)
        command = found.of_rank(int(environment["LOCAL_RANK"]))
        sys.stdout.flush()
        sys.stderr.flush()
        os.execvpe(command[0], command, dict(os.environ) | environment)

    when_loaded("torch.distributed.launcher.api", lambda module: _replace_agent(module, launch, job))
    when_loaded("torch.multiprocessing.spawn", lambda module: _replace_spawn(module, job))
    when_loaded("deepspeed.launcher.runner", lambda module: _replace_runner(module, launch))


def when_loaded(name: str, action: Callable[[Any], None]) -> None:
    """Calls a function with a module, now or as soon as it has been loaded."""
    if name in sys.modules:
        # A package may have a function of this name, as torch.multiprocessing.spawn is.
        action(sys.modules[name])
    else:
        sys.meta_path.insert(0, AfterImport(name, action))


def refuse(problem: Exception) -> NoReturn:
    """Ends the program: its job has no such rank."""
    tell(f"allocsim estimate: {problem}")
    raise SystemExit(2)


# --- torchrun, accelerate ------------------------------------------------------------------


def _replace_agent(api: Any, launch: Callable[[Launch], NoReturn], job: Job) -> None:
    def launch_agent(config: Any, entrypoint: Any, args: Sequence[Any], **others: Any) -> Any:
        # With elastic hosts, few ranks need most memory each.
        world = config.min_nodes * config.nproc_per_node
        os.environ.update({
            "TORCHELASTIC_RUN_ID": config.run_id or "none", "TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_MAX_RESTARTS": str(config.max_restarts),
            "TORCHELASTIC_USE_AGENT_STORE": "False", "ROLE_NAME": config.role,
        })
        if callable(entrypoint):
            rank = _start(job, world)
            os.environ.update(rank_environment(rank, job.world, config.nproc_per_node))
            return {rank: entrypoint(*args)}
        launch(Launch(world, config.nproc_per_node, (entrypoint, *map(str, args))))

    api.launch_agent = launch_agent


# --- torch.multiprocessing ------------------------------------------------------------------


def _replace_spawn(module: Any, job: Job) -> None:
    start_all = module.start_processes

    def start_processes(fn: Any, args: Any = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn") -> Any:
        if nprocs < 2:
            return start_all(fn, args, nprocs, join, daemon, start_method)
        rank = _start(job, nprocs)
        fn(rank, *args)
        if not job.has_joined:
            # They share work without being ranks of a job.
            job.world, job.rank = 1, 0
            return start_all(_Others(fn, rank), args, nprocs, join, daemon, start_method)
        return None if join else module.ProcessContext([], [])

    module.start_processes = start_processes
    sys.modules["torch.multiprocessing"].start_processes = start_processes  # type: ignore[attr-defined]


class _Others:
    """A function for all ranks but the one for which it was called already."""

    def __init__(self, function: Any, but: int) -> None:
        self._function = function
        self._but = but

    def __call__(self, number: int, *arguments: Any) -> None:
        if number != self._but:
            self._function(number, *arguments)


def _start(job: Job, world: int) -> int:
    try:
        return job.start(world)
    except NoSuchRank as problem:
        refuse(problem)


def follow_processes(job: Job, note: Callable[[BaseException, Any], None], write: Callable[[], None]) -> None:
    """Makes a rank that the program starts as a process report how it ended, which a forked process would not do.

    Args:
        job: of this process.
        note: is told of an exception that ends the process, and its traceback.
        write: writes the report.
    """
    began = os.getpid()
    run = multiprocessing.process.BaseProcess.run

    def followed(self: Any) -> None:
        try:
            run(self)
        except Exception as problem:
            note(problem, problem.__traceback__)
            if os.getpid() != began:
                write()
            raise
        # Python's own end of a forked process runs nothing that was registered before the fork.
        torch = sys.modules.get("torch")
        if os.getpid() != began and torch is not None and torch.cuda.is_initialized():
            write()

    def joined() -> None:
        if os.getpid() != began:
            multiprocessing.util.Finalize(None, write, exitpriority=0)

    multiprocessing.process.BaseProcess.run = followed  # type: ignore[method-assign]
    job.joined = joined


def leave_to_the_rank(job: Job, rank: int | None) -> None:
    """Ends a process that a program started for another rank than the one that is to run."""
    if multiprocessing.parent_process() is not None and job.is_another(rank):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


# --- DeepSpeed ------------------------------------------------------------------------------


def _replace_runner(runner: Any, launch: Callable[[Launch], NoReturn]) -> None:
    def main(args: Sequence[str] | None = None) -> None:
        try:
            found = deepspeed(list(sys.argv[1:] if args is None else args), _visible_gpus)
        except WrongLaunch as problem:
            refuse(problem)
        launch(found)

    runner.main = main


def _visible_gpus() -> int:
    torch = importlib.import_module("torch")
    return int(torch.cuda.device_count())


def deepspeed(arguments: list[str], visible_gpus: Callable[[], int]) -> Launch:
    """What ``deepspeed ARGUMENTS`` would start; its options are those of deepspeed/launcher/runner.py (DeepSpeed 0.18).

    Args:
        arguments: of the command.
        visible_gpus: GPUs of this machine, where the arguments name no number.

    Raises:
        WrongLaunch: it would start nothing.
    """
    parser = _Quiet(prog="deepspeed", add_help=False, allow_abbrev=False)
    parser.add_argument("-H", "--hostfile", default=_HOST_FILE)
    parser.add_argument("-i", "--include", default="")
    parser.add_argument("-e", "--exclude", default="")
    parser.add_argument("--num_nodes", default="-1")
    parser.add_argument("--num_gpus", "--num_accelerators", type=int, default=-1)
    for name in ("--module", "--no_python", "--no_local_rank", "--no_ssh_check", "--no_ssh", "--force_multi", "--save_pid", "--elastic_training", "--bind_cores_to_rank"):
        parser.add_argument(name, action="store_true")
    for name in ("--min_elastic_nodes", "--max_elastic_nodes", "--master_port", "--master_addr", "--node_rank", "--launcher", "--launcher_args",
                 "--enable_each_rank_log", "--autotuning", "--bind_core_list", "--ssh_port", "--venv_script"):
        parser.add_argument(name)
    parser.add_argument("user_script")
    parser.add_argument("user_args", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    hosts = _filtered(_hosts(options.hostfile, options.num_gpus, visible_gpus), options.include, options.exclude)
    # With elastic hosts, MIN:MAX, few ranks need most memory each.
    nodes = options.num_nodes.partition(":")[0]
    if nodes.isdigit() and int(nodes) > 0:
        # Hosts that no host file names are like this one.
        hosts = (hosts + hosts[-1:] * int(nodes))[: int(nodes)]
    if options.num_gpus > 0:
        hosts = [min(each, options.num_gpus) for each in hosts]
    if not sum(hosts):
        raise WrongLaunch("deepspeed would start no rank on these hosts and GPUs")
    command = [] if options.no_python else [sys.executable, "-u", *(["-m"] if options.module else [])]
    command.append(options.user_script)
    if not options.no_local_rank:
        command.append(f"--local_rank={_LOCAL_RANK_MACRO}")
    return Launch(sum(hosts), hosts[0], (*command, *options.user_args))


class _Quiet(argparse.ArgumentParser):
    """Raises an exception that says what is wrong."""

    def error(self, message: str) -> NoReturn:
        raise WrongLaunch(f"deepspeed: {message}")


def _hosts(path: str, gpus: int, visible_gpus: Callable[[], int]) -> dict[str, list[int]]:
    """GPUs of each host by its name."""
    if not os.path.isfile(path):
        return {"localhost": list(range(gpus if gpus > 0 else visible_gpus()))}
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            match = _SLOTS.match(line.strip())
            if match:
                found[match[1]] = list(range(int(match[2])))
            elif line.strip() and not line.lstrip().startswith("#"):
                raise WrongLaunch(f"{path} has a line that is not HOST slots=NUMBER: {line.strip()}")
    return found


def _filtered(hosts: dict[str, list[int]], include: str, exclude: str) -> list[int]:
    """How many GPUs of each host are used; parts are ``host`` or ``host:0,2``, separated by ``@``."""
    named: dict[str, list[int]] = {}
    for part in (include or exclude).split("@") if include or exclude else []:
        host, _, slots = part.partition(":")
        if host not in hosts:
            raise WrongLaunch(f"deepspeed knows no host {host}")
        named[host] = [int(each) for each in slots.split(",") if each.isdigit()] if slots else hosts[host]
    if include:
        return [len(set(named[host])) for host in hosts if host in named]
    left = [len(set(slots) - set(named.get(host, ()))) for host, slots in hosts.items()]
    return [each for each in left if each]
