"""What the recorder writes, and when; without a GPU."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import fake_torch  # noqa: E402

import allocsim  # noqa: E402
from allocsim.limits import bytes_of  # noqa: E402
from allocsim.recorder.files import rank_path, write_snapshot  # noqa: E402
from allocsim.recorder.follow import AfterImport  # noqa: E402

TRAIN = """
import os, sys, time
sys.path.insert(0, {here!r})
import fake_torch
torch, device = fake_torch.install()
from allocsim.recorder import follow
follow.follow()
device.allocate(100)
{rest}
"""

#: Locks a mutex of the C library twice, which no signal interrupts.
WAIT_OUTSIDE = """
import ctypes
lock, mutex = ctypes.CDLL(None).pthread_mutex_lock, ctypes.create_string_buffer(128)
lock(mutex)
print(os.getpid(), flush=True)
lock(mutex)
"""


def read(path):
    with open(path, "rb") as stream:
        snapshot = pickle.load(stream)
    return snapshot, json.loads(snapshot["allocsim_record"])


class RecorderTest(unittest.TestCase):
    def setUp(self):
        self.torch, self.device = fake_torch.install()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(sys.modules.pop, "torch")
        self.path = os.path.join(self.folder.name, "run.pickle")

    def test_calls_stand_at_their_position(self):
        with allocsim.record(self.path):
            self.device.allocate(100)
            self.device.free(100)
            self.torch._C._cuda_emptyCache()
            self.device.allocate(200)
            self.torch.cuda.mem_get_info()
        snapshot, record = read(self.path)
        self.assertEqual([e["action"] for e in snapshot["device_traces"][0]], ["alloc", "free_requested", "free_completed", "alloc"])
        self.assertEqual([(c["call"], c["positions"]) for c in record["calls"]], [("empty_cache", [[1, 1, 1, 0]]), ("mem_get_info", [[2, 1, 1, 0]])])
        self.assertEqual(record["devices"][0]["end_position"], [2, 1, 1, 0])
        self.assertEqual((record["reason"], record["complete"], record["version"]), ("end", True, 1))

    def pool_calls(self):
        return [
            (each["call"], each["pool"], each["positions"][0][0])
            for each in read(self.path)[1]["calls"]
            if "pool" in each
        ]

    def test_a_pool_is_released_when_its_object_ends(self):
        with allocsim.record(self.path):
            pool = self.torch.cuda.MemPool()
            self.torch._C._cuda_beginAllocateCurrentThreadToPool(0, pool.id)
            self.device.allocate(100)
            self.torch.cuda.memory._cuda_endAllocateToPool(0, pool.id)
            self.torch._C._cuda_releasePool(0, pool.id)
            self.device.allocate(100)
            del pool
        self.assertEqual(
            self.pool_calls(),
            [("begin_pool", [0, 3], 0), ("end_pool", [0, 3], 1), ("release_pool", [0, 3], 2), ("empty_pool", [0, 3], 2)],
        )

    def test_a_backward_pass_leaves_the_threads_pool_where_the_engine_begins(self):
        autograd = self.torch.autograd
        autograd._engine_run_backward = lambda: self.device.allocate(300)

        def backward():
            self.device.allocate(4)  # The gradient that it begins with is the caller's own.
            autograd._engine_run_backward()

        autograd.backward = backward
        with allocsim.record(self.path):
            pool = self.torch.cuda.MemPool()
            self.torch._C._cuda_beginAllocateCurrentThreadToPool(0, pool.id)
            autograd.backward()
            self.torch.cuda.memory._cuda_endAllocateToPool(0, pool.id)
        self.assertEqual(
            self.pool_calls()[:4],
            [("begin_pool", [0, 3], 0), ("end_pool", [0, 3], 1), ("begin_pool", [0, 3], 2), ("end_pool", [0, 3], 2)],
        )

    def test_graphs_share_a_pool_until_the_last_is_reset(self):
        with allocsim.record(self.path):
            one, two = self.torch.cuda.CUDAGraph(), self.torch.cuda.CUDAGraph()
            for graph in (one, two):
                graph.capture_begin()
                self.device.allocate(100)
                graph.capture_end()
            one.reset()
            del one, graph
            self.device.allocate(100)
            del two
        self.assertEqual(
            self.pool_calls(),
            [
                ("begin_pool", [7, 0], 0),
                ("end_pool", [7, 0], 1),
                ("begin_pool", [7, 0], 1),
                ("end_pool", [7, 0], 2),
                ("release_pool", [7, 0], 3),
            ],
        )

    def test_a_history_that_goes_on_while_it_is_written_is_taken_again(self):
        taken = []
        snapshot = self.torch._C._cuda_memorySnapshot

        def moving(pool):
            taken.append(snapshot(pool))
            if len(taken) == 1:
                self.device.allocate(100)
            return taken[-1]

        self.torch._C._cuda_memorySnapshot = moving
        with allocsim.record(self.path):
            self.device.allocate(100)
        snapshot, record = read(self.path)
        self.assertEqual(len(taken), 2)
        self.assertEqual(record["devices"][0]["end_position"][0], len(snapshot["device_traces"][0]))

    def test_the_limit_is_that_of_the_program(self):
        with allocsim.record(self.path):
            self.torch._C._cuda_setMemoryFraction(0.25, 0)
        device = read(self.path)[1]["devices"][0]
        self.assertEqual((device["limit_bytes"], len(device["memory_fractions"])), (250, 1))

    def test_a_limit_that_comes_after_requests_is_no_steady_one(self):
        with allocsim.record(self.path):
            self.device.allocate(1)
            self.torch._C._cuda_setMemoryFraction(0.25, 0)
        self.assertEqual([f["fraction"] for f in read(self.path)[1]["devices"][0]["memory_fractions"]], [1.0, 0.25])

    def test_no_fraction_is_no_limit(self):
        with allocsim.record(self.path):
            pass
        self.assertIsNone(read(self.path)[1]["devices"][0]["limit_bytes"])

    def test_the_programs_own_recording_does_not_stop_ours(self):
        with allocsim.record(self.path):
            self.torch.cuda.memory._record_memory_history(None)
            self.device.allocate(1)
        self.assertEqual(len(read(self.path)[0]["device_traces"][0]), 1)

    def test_everything_is_put_back(self):
        before = (self.torch._C._cuda_emptyCache, fake_torch.Tensor.record_stream, self.torch.autograd.backward)
        with allocsim.record(self.path):
            self.assertNotEqual(before[0], self.torch._C._cuda_emptyCache)
        self.assertEqual(before, (self.torch._C._cuda_emptyCache, fake_torch.Tensor.record_stream, self.torch.autograd.backward))

    def test_a_failed_request_writes_at_once(self):
        with allocsim.record(self.path):
            self.torch._C.observers[0](0, 500, 1000, 10)
            _, record = read(self.path)
        self.assertEqual((record["reason"], record["complete"]), ("out_of_memory", False))
        self.assertEqual(record["calls"][0]["requested_bytes"], 500)

    def test_an_error_ends_the_file(self):
        with self.assertRaises(ValueError), allocsim.record(self.path):
            raise ValueError
        self.assertEqual(read(self.path)[1]["reason"], "error")

    def test_another_backend_is_refused(self):
        self.torch.cuda.get_allocator_backend = lambda: "cudaMallocAsync"
        with allocsim.record(self.path):
            pass
        self.assertFalse(os.path.exists(self.path))


class ProcessTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "run.pickle")

    def start(self, rest, *options, **environment):
        program = TRAIN.format(here=str(HERE), rest=rest)
        return subprocess.Popen(
            [sys.executable, "-m", "allocsim", "record", "-o", self.path, *options, "--", sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": str(HERE.parent), **environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def finish(self, process):
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def test_the_exit_code_is_that_of_the_program(self):
        code, _, err = self.finish(self.start("sys.exit(7)"))
        self.assertEqual(code, 7, err)
        self.assertTrue(read(self.path)[1]["complete"])

    def test_ranks_write_side_by_side(self):
        self.finish(self.start("", RANK="3"))
        self.assertEqual(os.listdir(self.folder.name), ["run.rank3.pickle"])

    def test_sigterm_writes_and_ends(self):
        process = self.start("print('ready', flush=True); time.sleep(60)")
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        code, _, err = self.finish(process)
        self.assertEqual(code, 128 + signal.SIGTERM, err)
        self.assertEqual(read(self.path)[1]["reason"], "sigterm")

    def test_sigterm_writes_where_the_main_thread_waits_outside_of_python(self):
        process = self.start(WAIT_OUTSIDE)
        number = int(process.stdout.readline())
        time.sleep(0.5)
        os.kill(number, signal.SIGTERM)
        end = time.monotonic() + 30
        while not os.path.exists(self.path) and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(number, signal.SIGKILL)
        self.finish(process)
        record = read(self.path)[1]
        self.assertEqual((record["reason"], record["complete"]), ("sigterm", False))

    def test_a_child_that_is_ended_writes_nothing_of_its_parent(self):
        process = self.start(
            "child = os.fork()\n"
            "if child == 0:\n"
            + textwrap.indent(WAIT_OUTSIDE, "    ") +
            "time.sleep(0.5)\n"
            "os.kill(child, 15); time.sleep(2); os.kill(child, 9); os.waitpid(child, 0)\n"
            "print(os.path.exists({0!r}), flush=True); time.sleep(60)".format(self.path)
        )  # fmt: skip
        self.assertGreater(int(process.stdout.readline()), 0)
        self.assertEqual(process.stdout.readline(), "False\n")
        process.send_signal(signal.SIGTERM)
        self.finish(process)

    def test_sigusr2_writes_and_goes_on(self):
        process = self.start(
            "print('ready', flush=True)\n"
            "while not os.path.exists({0!r}): time.sleep(0.05)\n"
            "print('seen', flush=True); time.sleep(60)".format(self.path)
        )
        process.stdout.readline()
        process.send_signal(signal.SIGUSR2)
        self.assertEqual(process.stdout.readline(), "seen\n")
        self.assertEqual(read(self.path)[1]["reason"], "signal")
        process.send_signal(signal.SIGTERM)
        self.finish(process)

    def test_a_killed_program_leaves_its_latest_file(self):
        for attempt in range(20):
            process = self.start(
                "print(os.getpid(), flush=True)\n"
                "while not os.path.exists({0!r}): time.sleep(0.01)\n"
                "print('flushed', flush=True)\n"
                "while True: device.allocate(1); time.sleep(0.0001)".format(self.path),
                "--flush", "0.1",
            )  # fmt: skip
            number = int(process.stdout.readline())
            process.stdout.readline()
            time_to_kill = (attempt * 37 % 20) / 100
            try:
                process.wait(time_to_kill)
            except subprocess.TimeoutExpired:
                pass
            os.kill(number, signal.SIGKILL)
            self.finish(process)
            self.assertGreaterEqual(len(read(self.path)[0]["device_traces"][0]), 1)
            os.unlink(self.path)

    def test_a_program_that_is_not_there_is_said(self):
        process = subprocess.run(
            [sys.executable, "-m", "allocsim", "record", "--", "no-such-program"],
            env={**os.environ, "PYTHONPATH": str(HERE.parent)}, capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(process.returncode, 2)
        self.assertIn("there is no program no-such-program", process.stderr)


class AfterImportTest(unittest.TestCase):
    def test_asking_for_a_module_is_not_loading_it(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "loaded_late.py").write_text("value = 1\n")
            seen = []
            finder = AfterImport("loaded_late", lambda module: seen.append(module.value))
            sys.path.insert(0, folder)
            sys.meta_path.insert(0, finder)
            try:
                importlib.util.find_spec("loaded_late")
                self.assertEqual(seen, [])
                importlib.import_module("loaded_late")
            finally:
                sys.path.remove(folder)
                sys.modules.pop("loaded_late", None)
            self.assertEqual(seen, [1])
            self.assertNotIn(finder, sys.meta_path)


class FilesTest(unittest.TestCase):
    def test_the_rank_goes_before_the_ending(self):
        self.assertEqual(rank_path("a/run.pickle.gz", "rank1"), "a/run.rank1.pickle.gz")
        self.assertEqual(rank_path("run", ""), "run.pickle")

    def test_packed_files_are_the_same_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two = Path(folder, "one.pickle.gz"), Path(folder, "two.pickle.gz")
            write_snapshot(str(one), {"a": 1})
            write_snapshot(str(two), {"a": 1})
            self.assertEqual(one.read_bytes(), two.read_bytes())

    def test_sizes_have_units_of_1024(self):
        self.assertEqual(bytes_of("24GiB"), 24 << 30)
        self.assertEqual(bytes_of("1.5k"), 1536)
        self.assertRaises(ValueError, bytes_of, "many")


if __name__ == "__main__":
    unittest.main()
