"""One rank of a job, without the others."""

from __future__ import annotations

from typing import Any


def alone(torch: Any, rank: int, world: int) -> None:
    """From now on, process groups are PyTorch's own fake ones: collectives return at once, and nobody is waited for.

    Their memory is that which PyTorch asks of its allocator. NCCL's own is not, see ESTIMATE.md.
    """
    import torch.distributed as distributed

    if not distributed.is_available():
        return
    from torch.testing._internal.distributed.fake_pg import FakeStore

    real = distributed.init_process_group

    def init_process_group(*arguments: Any, **options: Any) -> None:
        kept = {name: options[name] for name in ("timeout", "group_name") if name in options}
        real(backend="fake", store=FakeStore(), rank=rank, world_size=world, **kept)

    distributed.init_process_group = init_process_group
    distributed.distributed_c10d.init_process_group = init_process_group
    _reduce_alone(torch)


def _reduce_alone(torch: Any) -> None:
    """DistributedDataParallel asks for the result of its all-reduce, which a fake group does not give: it is the bucket itself.

    NCCL's group keeps a bucket until its watchdog sees that the all-reduce is done, as DistributedDataParallel never waits for the work
    itself (ProcessGroupNCCL's stash of tensors, PyTorch 2.7 and later). The watchdog looks every 100 ms. So the buckets of the first
    step, which are made anew before the second, can outlive the second step; here they always do.
    """
    parallel = torch.nn.parallel.DistributedDataParallel
    made = parallel.__init__

    def begin(self: Any, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        before: list[Any] = []
        now: list[Any] = []

        def reduced(_state, bucket):  # type: ignore[no-untyped-def]  # PyTorch checks annotations, if there are some
            now.append(bucket.buffer())
            if bucket.is_last():
                before[:] = now
                now.clear()
            future: Any = torch.futures.Future()
            future.set_result(bucket.buffer())
            return future

        self.register_comm_hook(None, reduced)

    parallel.__init__ = begin
