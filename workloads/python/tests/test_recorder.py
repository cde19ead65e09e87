"""What the recorder writes, and when; without a GPU."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import signal
import stat
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
from allocsim.recorder.files import RunFolder, part_of, rank_path, whole, write_snapshot  # noqa: E402
from allocsim.recorder.follow import AfterImport  # noqa: E402
from heeded import heed_signals  # noqa: E402

setUpModule = heed_signals

TRAIN = """
import os, signal, sys, time
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
        return self.start_program(TRAIN.format(here=str(HERE), rest=rest), *options, **environment)

    def start_program(self, program, *options, **environment):
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

    def test_a_process_that_allocated_nothing_writes_no_file(self):
        code, _, err = self.finish(self.start("device.history.clear()"))
        self.assertEqual((code, os.listdir(self.folder.name)), (0, []), err)
        self.assertIn("nothing was recorded: no Python process of this program allocated GPU memory through PyTorch", err)

    def test_a_forked_process_that_uses_the_gpu_writes_a_file_of_its_own(self):
        rest = (
            "import multiprocessing\ndef work():\n    for each in waiting:\n        each()\n    device.allocate(7)\n"
            "child = multiprocessing.get_context('fork').Process(target=work)\nchild.start()\nchild.join()\nprint(child.pid)\n"
        )
        program = TRAIN.format(here=str(HERE), rest=rest).replace("device.allocate(100)\n", "")
        program = program.replace("from allocsim", "waiting = []\ntorch.cuda._lazy_call = waiting.append\nfrom allocsim")
        code, out, err = self.finish(self.start_program(program))
        self.assertEqual((code, os.listdir(self.folder.name)), (0, [f"run.pid{out.strip()}.pickle"]), err)
        snapshot, record = read(os.path.join(self.folder.name, f"run.pid{out.strip()}.pickle"))
        self.assertEqual([7], [each["size"] for each in snapshot["device_traces"][0]])
        self.assertTrue(record["complete"])

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
        for time_to_kill in (0, 0.01, 0.03, 0.06, 0.1, 0.15):
            process = self.start(
                "print(os.getpid(), flush=True)\n"
                "while not os.path.exists({0!r}): time.sleep(0.01)\n"
                "print('flushed', flush=True)\n"
                "while True: device.allocate(1); time.sleep(0.0001)".format(self.path),
                "--flush", "0.1",
            )  # fmt: skip
            number = int(process.stdout.readline())
            process.stdout.readline()
            try:
                process.wait(time_to_kill)
            except subprocess.TimeoutExpired:
                pass
            os.kill(number, signal.SIGKILL)
            self.finish(process)
            self.assertGreaterEqual(len(read(self.path)[0]["device_traces"][0]), 1)
            os.unlink(self.path)

    def test_a_group_that_is_killed_before_its_file_has_its_place_leaves_the_earlier_one_alone(self):
        Path(self.path).write_text("earlier")
        process = subprocess.Popen(
            [sys.executable, "-m", "allocsim", "record", "-o", self.path, "--", sys.executable, "-c", TRAIN.format(here=str(HERE), rest=textwrap.dedent("""
                replace = os.replace
                os.replace = lambda one, two: replace(one, two) if str(two).endswith(".noted") else os.killpg(0, 9)
            """))],
            env={**os.environ, "PYTHONPATH": str(HERE.parent)}, start_new_session=True,
        )  # fmt: skip
        process.wait(60)
        end = time.monotonic() + 30
        while len(os.listdir(self.folder.name)) > 1 and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(["run.pickle"], os.listdir(self.folder.name))
        self.assertEqual("earlier", Path(self.path).read_text())

    def test_what_a_signal_leaves_is_the_file_and_nothing_else(self):
        for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGKILL", "SIGSEGV"):
            for wait in (0.0, 0.013, 0.04) if name in ("SIGTERM", "SIGKILL") else (0.02,):
                with self.subTest(name, wait=wait):
                    process = self.start(
                        "print(os.getpid(), flush=True)\n"
                        "while not os.path.exists({0!r}): time.sleep(0.01)\n"
                        "print('flushed', flush=True)\n"
                        "while True: device.allocate(1); time.sleep(0.0001)".format(self.path),
                        "--flush", "0.02",
                    )  # fmt: skip
                    number = int(process.stdout.readline())
                    process.stdout.readline()
                    time.sleep(wait)
                    os.kill(number, getattr(signal, name))
                    _, _, err = self.finish(process)
                    _, record = read(self.path)
                    said = {"SIGTERM": "up to SIGTERM", "SIGHUP": "up to SIGHUP", "SIGINT": "run.pickle ("}.get(name, "before the end of the program")
                    self.assertIn(said, err)
                    self.assertEqual(record["complete"], name in ("SIGTERM", "SIGHUP", "SIGINT"), err)
                    self.assertEqual(["run.pickle"], os.listdir(self.folder.name))
                    os.unlink(self.path)

    def test_a_program_that_leaves_by_exit_without_an_end_is_said_to_end_early(self):
        _, _, err = self.finish(self.start("time.sleep(0.1)\nwhile not os.path.exists({0!r}): time.sleep(0.01)\nos._exit(0)".format(self.path), "--flush", "0.02"))
        self.assertRegex(err, r"run\.pickle \(.*\), up to \d+ s before the end of the program")

    def test_a_file_that_cannot_be_written_is_said_and_the_earlier_one_stays(self):
        code, _, err = self.finish(
            self.start(
                "while not os.path.exists({0!r}): time.sleep(0.01)\n"
                "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)".format(self.path),
                "--flush", "0.05",
            )
        )  # fmt: skip
        self.assertEqual(code, 0, err)
        self.assertIn("run.pickle was not written: File too large; the existing file is from before", err)
        self.assertFalse(read(self.path)[1]["complete"])
        self.assertEqual(["run.pickle"], os.listdir(self.folder.name))

    def test_another_users_file_of_a_fitting_name_is_not_taken_for_one_of_the_run(self):
        planted = Path(self.folder.name, "run.rank7.pickle")
        process = self.start("print('ready', flush=True); sys.stdin.read()")
        process.stdout.readline()
        planted.write_bytes(b"not ours")
        process.send_signal(signal.SIGTERM)
        _, _, err = self.finish(process)
        self.assertIn("run.pickle (", err)
        self.assertNotIn("rank7", err)

    def test_a_program_that_is_not_there_is_said(self):
        process = subprocess.run(
            [sys.executable, "-m", "allocsim", "record", "--", "no-such-program"],
            env={**os.environ, "PYTHONPATH": str(HERE.parent)}, capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(process.returncode, 2)
        self.assertIn("no such program: no-such-program", process.stderr)


class InterruptTest(unittest.TestCase):
    def test_an_end_that_interrupts_a_begin_or_an_end_at_any_line_does_not_wait_for_itself(self):
        program = textwrap.dedent("""
            import os, sys, tempfile, threading
            sys.path[:0] = [{package!r}, {here!r}]
            import fake_torch
            from allocsim.recorder import Recorder
            PLACES = (os.sep + "recorder" + os.sep, os.sep + "threading.py")

            def interrupted(number, path):
                torch, device = fake_torch.install()
                recorder = Recorder(path, flush_seconds=0)
                lines = [0]

                def traced(frame, event, argument):
                    if not any(each in frame.f_code.co_filename for each in PLACES):
                        return None
                    if event == "line":
                        lines[0] += 1
                        if lines[0] == number:
                            sys.settrace(None)
                            recorder._terminate_now()
                    return traced

                recorder._terminate_now = lambda: (recorder._ending.set(), recorder.close("sigterm"))
                sys.settrace(traced)
                try:
                    recorder.install(torch)
                    recorder._ending.set()
                    recorder.close("end")
                finally:
                    sys.settrace(None)
                return lines[0] >= number

            with tempfile.TemporaryDirectory() as folder:
                number = {first}
                while interrupted(number, os.path.join(folder, "run.pickle")):
                    number += {apart}
            print(number > 100)
        """)
        for first in range(1, 8, 2):
            with self.subTest(first):
                done = subprocess.run(
                    [sys.executable, "-c", program.format(package=str(HERE.parent), here=str(HERE), first=first, apart=8)], capture_output=True, text=True, timeout=60,
                )  # fmt: skip
                self.assertEqual(("True\n", ""), (done.stdout, done.stderr))


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

    def test_what_a_killed_process_left_is_removed_and_no_other_file(self):
        for is_killed in (False, True):
            with self.subTest(is_killed=is_killed), tempfile.TemporaryDirectory() as folder:
                part, noted, other = (Path(folder, name) for name in (os.path.basename(part_of("run.pickle")), "run.pickle", "other.1-a.part"))
                for each in (part, noted, other):
                    each.write_text("kept")
                program = (
                    f"import os, sys; sys.path.insert(0, {str(HERE.parent)!r})\n"
                    "from allocsim.temporary import temporary_folder\n"
                    f"with temporary_folder() as made:\n    os.symlink({str(part)!r}, made + '/a.part')\n    os.symlink({str(noted)!r}, made + '/b.part')\n"
                    + ("    os.kill(os.getpid(), 9)" if is_killed else "")
                )
                subprocess.run([sys.executable, "-c", program])
                end = time.monotonic() + 30
                while part.exists() and time.monotonic() < end:
                    time.sleep(0.01)
                self.assertEqual([other.name, noted.name], sorted(os.listdir(folder)))

    def test_sizes_have_units_of_1024(self):
        self.assertEqual(bytes_of("24GiB"), 24 << 30)
        self.assertEqual(bytes_of("1.5k"), 1536)
        for meaningless in ("many", "-1GiB", -1, "nan", "-0.5"):
            self.assertRaises(ValueError, bytes_of, meaningless)



class WholeTest(unittest.TestCase):
    """Files appear whole; what is no file of its own keeps its place."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def written(self, path: str) -> None:
        with whole(path) as stream:
            stream.write(b"what was said")

    def test_a_pipe_stays_a_pipe_and_gets_what_was_written(self) -> None:
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.written(pipe)
        self.assertEqual(b"what was said", os.read(reader, 100))
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))

    def test_a_link_goes_on_leading_to_its_file(self) -> None:
        file, link = os.path.join(self.folder, "file"), os.path.join(self.folder, "link")
        Path(file).write_bytes(b"before")
        os.symlink(file, link)
        self.written(link)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(b"what was said", Path(file).read_bytes())

    def test_an_open_stream_is_not_replaced(self) -> None:
        with tempfile.TemporaryFile() as stream:
            self.written(f"/dev/fd/{stream.fileno()}")
            stream.seek(0)
            self.assertEqual(b"what was said", stream.read())

if __name__ == "__main__":
    unittest.main()
