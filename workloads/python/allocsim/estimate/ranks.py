"""One rank of a job, without the others."""

from __future__ import annotations

import functools
import pickle
import sys
from typing import Any

from .job import Job, NoSuchRank
from .launch import leave_to_the_rank, refuse, when_loaded
from .peers import Peers


class Watchdog:
    """NCCL's group keeps what is reduced until its watchdog, a thread that looks every 100 ms, has seen that the work is done.

    DistributedDataParallel never waits for the work itself, so nothing else lets go of a bucket. What the watchdog has seen is freed when
    the next collective is submitted (ProcessGroupNCCL's shelves, PyTorch 2.7 and later). DistributedDataParallel makes its buckets anew
    in the second forward pass, right after it has waited for the GPU and submitted two broadcasts. If the watchdog looked
    between the last all-reduce and these, in the few milliseconds of an optimizer step, the first buckets are gone (prompt); if not, they
    stay beside the new ones until the backward pass (late). Nothing in the program decides it, and ranks of one job differ.

    Args:
        late: whether it looks late.
    """

    def __init__(self, late: bool) -> None:
        self.late = late
        #: Whether buckets were made anew, so that it mattered.
        self.decided = False


def alone(torch: Any, job: Job, peers: Peers, watchdog: Watchdog) -> None:
    """From now on, process groups are PyTorch's own fake ones: collectives return at once, and nobody is waited for.

    Their memory is that which PyTorch asks of its allocator. NCCL's own is not, see ESTIMATE.md.
    """
    import torch.distributed as distributed

    if not distributed.is_available():
        return
    real = distributed.init_process_group

    def init_process_group(
        backend: Any = None, init_method: str | None = None, timeout: Any = None, world_size: int = -1, rank: int = -1, store: Any = None,
        group_name: str = "", *others: Any, **options: Any,
    ) -> None:
        from torch.testing._internal.distributed.fake_pg import FakeStore

        leave_to_the_rank(job, rank)
        try:
            job.join(rank, world_size, init_method)
        except NoSuchRank as problem:
            refuse(problem)
        peers.join(job)
        kept = {} if timeout is None else {"timeout": timeout}
        real(backend="fake", store=FakeStore(), rank=job.rank, world_size=job.world, group_name=group_name, **kept)

    for name, module in list(sys.modules.items()):
        # Those that took the function by its name.
        if name.startswith("torch.distributed") and getattr(module, "init_process_group", None) is real:
            module.init_process_group = init_process_group  # type: ignore[attr-defined]
    _reduce_alone(torch, watchdog)
    _exchange_objects(torch, peers)
    _follow_messages(distributed, job)
    when_loaded("torch.distributed.pipelining.schedules", _infer_shapes)


def _follow_messages(distributed: Any, job: Job) -> None:
    """Notes the groups in which ranks send to or receive from single ranks."""
    module = distributed.distributed_c10d

    def follow(name: str) -> None:
        real = getattr(module, name)

        @functools.wraps(real)
        def noted(tensor: Any, *arguments: Any, **options: Any) -> Any:
            group = options.get("group", arguments[1] if len(arguments) > 1 else None)
            job.pass_messages(distributed.get_process_group_ranks(group or distributed.group.WORLD))
            return real(tensor, *arguments, **options)

        setattr(module, name, noted)
        setattr(distributed, name, noted)

    # What batch_isend_irecv is given names isend and irecv, and is checked to be one of them.
    for name in ("send", "recv", "isend", "irecv"):
        follow(name)


def _reduce_alone(torch: Any, watchdog: Watchdog) -> None:
    """DistributedDataParallel asks for the result of its all-reduce, which a fake group does not give: it is the bucket itself."""
    parallel = torch.nn.parallel.DistributedDataParallel
    made = parallel.__init__

    def begin(self: Any, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        kept = _Kept(watchdog)

        def reduced(_state, bucket):  # type: ignore[no-untyped-def]  # PyTorch checks annotations, if there are some
            kept.reduce(bucket.buffer(), bucket.is_last())
            future: Any = torch.futures.Future()
            future.set_result(bucket.buffer())
            return future

        self.register_comm_hook(None, reduced)

    parallel.__init__ = begin


class _Kept:
    """Buckets of one model that the group keeps."""

    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._before: list[Any] = []
        self._now: list[Any] = []

    def reduce(self, bucket: Any, is_last: bool) -> None:
        """Keeps a bucket until those of the next step are reduced."""
        if not self._watchdog.late:
            return
        if self._before and all(bucket.data_ptr() != each.data_ptr() for each in self._before):
            self._watchdog.decided = True
        self._now.append(bucket)
        if is_last:
            self._before, self._now = self._now, []


def _exchange_objects(torch: Any, peers: Peers) -> None:
    """Objects that ranks send to each other arrive."""
    distributed = torch.distributed
    module = distributed.distributed_c10d
    send_nothing = module.send_object_list

    def other(group: Any, rank: int | None, group_rank: int | None) -> int | None:
        return distributed.get_global_rank(group or distributed.group.WORLD, group_rank) if group_rank is not None else rank

    def send_object_list(object_list: Any, dst: int | None = None, group: Any = None, device: Any = None, group_dst: int | None = None, **options: Any) -> None:
        to = other(group, dst, group_dst)
        assert to is not None
        peers.send(list(object_list), to)
        send_nothing(object_list, to, group, device or torch.device("cuda"), **options)

    def recv_object_list(object_list: Any, src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None, **options: Any) -> int:
        source = other(group, src, group_src)
        if source is None:
            raise RuntimeError("recv_object_list from any rank cannot run for one rank alone; name the rank")
        objects = peers.receive(source)
        # NCCL receives their sizes and their bytes on the GPU.
        place = device or torch.device("cuda")
        sizes = torch.empty(len(objects), dtype=torch.long, device=place)
        data = torch.empty(sum(len(pickle.dumps(each)) for each in objects), dtype=torch.uint8, device=place)
        del sizes, data
        object_list[:] = objects
        return source

    for name, function in (("send_object_list", send_object_list), ("recv_object_list", recv_object_list)):
        setattr(distributed, name, function)
        setattr(module, name, function)


def _infer_shapes(schedules: Any) -> None:
    """Stages of a pipeline that were told no shapes ask each other, as in a real job.

    PyTorch (2.13 and later) refuses it for a fake group, as objects do not arrive there; here they do. In a real job the stages vote;
    they run one script, and so this rank's own stages decide.
    """
    schedule = schedules._PipelineSchedule
    vote = getattr(schedule, "_warmup_p2p", None)
    if vote is None:
        return

    def decide(self: Any, stages: Any, has_backward: bool, p2p_done: bool) -> None:
        if not all(isinstance(stage, schedules.PipelineStage) for stage in stages):
            vote(self, stages, has_backward, p2p_done)
            return
        asks = any(schedules.InferenceMode.needs_dynamic(stage._user_meta, has_backward) for stage in stages)
        for stage in stages:
            stage._inference_mode = schedules.InferenceMode.DYNAMIC if asks else schedules.InferenceMode.STATIC

    schedule._warmup_p2p = decide
