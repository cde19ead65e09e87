"""One rank of a job, whoever would start the ranks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from allocsim.estimate.costliest import MAX_RANKS, costliest, other_ranks, rank_line  # noqa: E402
from allocsim.estimate.job import Job, NoSuchRank, launched, told  # noqa: E402
from allocsim.estimate.launch import WrongLaunch, deepspeed  # noqa: E402
from allocsim.estimate.runs import mark_of  # noqa: E402
from allocsim.estimate.standin import NoStandIn, library_folder  # noqa: E402


def eight() -> int:
    return 8


class DeepSpeedTest(unittest.TestCase):
    def test_the_script_runs_with_its_local_rank_and_its_own_arguments(self):
        found = deepspeed(["--num_gpus", "4", "--master_port=3000", "train.py", "--num_gpus", "9", "--deepspeed", "ds.json"], eight)
        self.assertEqual((4, 4), (found.world, found.gpus))
        self.assertEqual([sys.executable, "-u", "train.py", "--local_rank=3", "--num_gpus", "9", "--deepspeed", "ds.json"], found.of_rank(3))

    def test_modules_and_programs_without_python_are_started_as_such(self):
        self.assertEqual([sys.executable, "-u", "-m", "pack.train", "--local_rank=0"], deepspeed(["--module", "pack.train"], eight).of_rank(0))
        self.assertEqual(["./run", "x"], deepspeed(["--no_python", "--no_local_rank", "./run", "x"], eight).of_rank(0))

    def test_without_a_number_all_gpus_of_the_machine_have_a_rank(self):
        self.assertEqual((8, 8), (deepspeed(["train.py"], eight).world, deepspeed(["train.py"], eight).gpus))

    def test_hosts_come_from_the_host_file_and_its_filters(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "hosts")
            path.write_text("# two\na slots=8\n\nb slots=4\n")

            def world(*options: str) -> int:
                return deepspeed(["--hostfile", str(path), *options, "train.py"], eight).world

            self.assertEqual(12, world())
            self.assertEqual(8, world("--num_nodes", "1"))
            self.assertEqual(4, world("--num_gpus", "2"))
            self.assertEqual(6, world("--include", "a:0,1@b"))
            self.assertEqual(11, world("--exclude", "b:1"))
            self.assertEqual(8, world("--exclude", "b"))
            with self.assertRaisesRegex(WrongLaunch, "no host c"):
                world("--include", "c")
            path.write_text("a with 8\n")
            with self.assertRaisesRegex(WrongLaunch, "HOST slots=NUMBER"):
                world()

    def test_hosts_that_no_file_names_are_alike(self):
        self.assertEqual((16, 8), (deepspeed(["--num_nodes", "2", "--num_gpus", "8", "train.py"], eight).world, 8))
        self.assertEqual(32, deepspeed(["--num_nodes=4:8", "--elastic_training", "train.py"], eight).world)

    def test_what_deepspeed_would_refuse_is_refused(self):
        for arguments in ([], ["--num_gpus", "two", "train.py"], ["--unknown", "1", "train.py"]):
            with self.assertRaises(WrongLaunch):
                deepspeed(arguments, eight)


class JobTest(unittest.TestCase):
    def test_the_command_comes_before_the_program_and_the_program_before_the_environment(self):
        environment = {"RANK": "5", "WORLD_SIZE": "6"}
        for asked, told_world, rank, world, expected in (
            (None, None, -1, -1, (5, 6)), (None, None, 1, 4, (1, 4)), (3, None, 1, 4, (3, 4)), (9, 16, 1, 4, (9, 16)), (None, 16, 1, 4, (1, 16)),
        ):
            job = Job(asked, told_world)
            job.join(rank, world, environment=environment)
            self.assertEqual(expected, (job.rank, job.world))

    def test_the_address_of_a_group_may_say_rank_and_world(self):
        job = Job(None, None)
        job.join(-1, -1, "tcp://10.0.0.1:23456?rank=2&world_size=4", environment={})
        self.assertEqual((2, 4), (job.rank, job.world))

    def test_a_program_that_says_nothing_is_the_only_rank(self):
        job = Job(None, None)
        job.join(None, None, environment={})
        self.assertEqual((0, 1), (job.rank, job.world))

    def test_a_rank_beyond_the_job_is_refused_with_its_size(self):
        with self.assertRaisesRegex(NoSuchRank, "--rank 4 is beyond the job, which has 4 ranks"):
            Job(4, None).start(4)
        with self.assertRaisesRegex(NoSuchRank, "1 rank;"):
            Job(1, None).join(0, 1, environment={})

    def test_processes_of_other_ranks_are_known_by_what_they_say(self):
        self.assertEqual([False, False, True], [Job(None, None).is_another(each) for each in (-1, 0, 1)])
        self.assertEqual([False, True, False], [Job(1, None).is_another(each) for each in (None, 0, 1)])

    def test_a_launched_rank_has_the_environment_of_torchrun(self):
        options = {"rank": None, "world": None, "steps": 5}
        rank, environment = launched(options | {"rank": 11}, "OPTIONS", 16, 8)
        self.assertEqual(11, rank)
        expected = {"RANK": "11", "LOCAL_RANK": "3", "WORLD_SIZE": "16", "LOCAL_WORLD_SIZE": "8", "GROUP_RANK": "1", "GROUP_WORLD_SIZE": "2"}
        self.assertEqual(expected, {name: environment[name] for name in expected})
        self.assertEqual({"rank": 11, "world": 16, "steps": 5}, json.loads(environment["OPTIONS"]))
        self.assertEqual(0, launched(options, "OPTIONS", 16, 8)[0])
        self.assertEqual("1024", launched(options | {"world": 1024}, "OPTIONS", 8, 8)[1]["WORLD_SIZE"])
        self.assertEqual("8", environment["ALLOCSIM_ESTIMATE_DEVICES"])
        self.assertNotIn("ALLOCSIM_ESTIMATE_DEVICES", launched(options | {"gpus": 2}, "OPTIONS", 16, 8)[1])

    def test_a_rank_that_the_command_itself_was_started_as_is_the_one_that_runs(self):
        self.assertEqual({"rank": 2, "world": None}, told({"RANK": "2"}, None, None))
        environment: dict[str, str] = {}
        self.assertEqual({"rank": None, "world": 4}, told(environment, None, 4))
        self.assertEqual(("0", "4"), (environment["RANK"], environment["WORLD_SIZE"]))


class MarkTest(unittest.TestCase):
    def test_a_file_in_place_of_another_one_is_told_from_it(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "estimate.pickle")
            for text in ("one", "two"):
                with open(f"{file}.{text}", "w") as stream:
                    stream.write(text)
            os.replace(f"{file}.one", file)
            mark = mark_of(file)
            self.assertEqual(mark, mark_of(file))
            os.replace(f"{file}.two", file)
            self.assertNotEqual(mark, mark_of(file))
            os.unlink(file)
            self.assertIsNone(mark_of(file))
        self.assertIsNone(mark_of(None))


class CostliestTest(unittest.TestCase):
    def test_ranks_run_where_they_pass_messages_and_at_most_eight_with_the_last(self):
        self.assertEqual([], other_ranks({"rank": 0, "stages": []}))
        self.assertEqual([1, 2, 3], other_ranks({"rank": 0, "stages": [0, 1, 2, 3]}))
        found = other_ranks({"rank": 0, "stages": list(range(0, 1024, 16))})
        self.assertEqual(MAX_RANKS - 1, len(set(found)))
        self.assertEqual(1008, found[-1])

    def test_the_recording_of_the_rank_that_reserves_most_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            sizes = [5, 7, 9, 6]

            class Runs:
                def __init__(self, rank: int) -> None:
                    self.rank = rank
                    self.path = f"{folder}/estimate.pickle"

                def of_rank(self, rank: int, world: int) -> Runs:
                    assert world == 4
                    return Runs(rank)

                def run(self, path: str, replaced: dict[str, str]) -> tuple[int, dict[str, object]]:
                    file = path.replace(".pickle", f".rank{self.rank}.pickle")
                    Path(file).write_text(str(sizes[self.rank]))
                    return 0, {"rank": self.rank, "world": 4, "stages": [0, 1, 2, 3], "file": file, "ended": "steps"}

            first = Runs(0).run(f"{folder}/estimate.pickle", {})[1]
            runs, report = costliest(Runs(0), first, lambda file: int(Path(file).read_text()), lambda sentence: None)
            self.assertEqual(2, runs.rank)
            self.assertEqual(["estimate.rank2.pickle"], os.listdir(folder))
            self.assertEqual(f"{folder}/estimate.rank2.pickle", report["file"])
            self.assertEqual(mark_of(report["file"]), report["mark"])
            self.assertEqual("This is rank 2 of 4, which reserves the most of the ranks that were run: rank 0 5, rank 1 7, rank 3 6.", rank_line(report, str))

    def test_a_program_that_is_no_job_has_no_line(self):
        self.assertIsNone(rank_line({"rank": 0, "world": 1, "ranks": []}, str))
        self.assertEqual("This is rank 3 of 8; --rank R runs another.", rank_line({"rank": 3, "world": 8, "ranks": []}, str))


SCRIPT = """
import os, sys, torch, torch.distributed as dist
dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64).cuda())
model(torch.randn(8, 64).cuda()).sum().backward()
print("RAN", dist.get_rank(), dist.get_world_size(), os.environ["LOCAL_WORLD_SIZE"], torch.cuda.device_count(), *sys.argv[1:])
"""

PROCESSES = """
import sys, torch, torch.distributed as dist, torch.multiprocessing as mp
def run(rank, world):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world, init_method="tcp://127.0.0.1:29511")
    torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64).cuda(), device_ids=[rank])
    print("RAN", rank, dist.get_world_size(), flush=True)
def work(number):
    print("WORKED", number, flush=True)
if __name__ == "__main__":
    if sys.argv[1] == "spawn":
        mp.spawn(run, args=(4,), nprocs=4)
        print("AFTER", flush=True)
    elif sys.argv[1] == "work":
        mp.spawn(work, nprocs=2)
        torch.ones(3).cuda()
    else:
        started = [mp.get_context("fork").Process(target=run, args=(rank, 3)) for rank in range(3)]
        for each in started:
            each.start()
        for each in started:
            each.join()
        print("AFTER", *(each.exitcode for each in started), flush=True)
"""


class LaunchedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import torch

            library_folder()
        except (ImportError, NoStandIn, OSError) as problem:
            raise unittest.SkipTest(str(problem)) from None
        if not torch.backends.cuda.is_built():
            raise unittest.SkipTest("this PyTorch build has no CUDA")

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        Path(self.folder, "train.py").write_text(SCRIPT)
        Path(self.folder, "processes.py").write_text(PROCESSES)

    def run_command(self, *command: str, options: tuple[str, ...] = (), expected: int = 0) -> tuple[list[str], list[str]]:
        """What the program said, and the recordings."""
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), self.folder]), CUDA_VISIBLE_DEVICES="")
        environment["PATH"] = os.path.dirname(sys.executable) + os.pathsep + environment["PATH"]
        for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
            environment.pop(name, None)
        line = [sys.executable, "-m", "allocsim", "estimate", "--only-record", *options, "--", *command]
        done = subprocess.run(line, capture_output=True, text=True, env=environment, cwd=self.folder, timeout=600)
        self.assertEqual(expected, done.returncode, done.stderr)
        self.said = done.stderr
        words = ("RAN", "AFTER", "WORKED")
        return [each for each in done.stderr.splitlines() if each.startswith(words)], sorted(each for each in os.listdir(self.folder) if each.endswith(".pickle"))

    def test_torchrun_runs_rank_0_of_all(self):
        ran, files = self.run_command("torchrun", "--nproc-per-node", "8", "--nnodes", "2", "train.py", "--lr", "3")
        self.assertEqual((["RAN 0 16 8 8 --lr 3"], ["estimate.rank0.pickle"]), (ran, files))

    def test_a_script_that_calls_the_launcher_runs_one_rank_and_goes_on(self):
        Path(self.folder, "run.sh").write_text("set -e\nenv A=B python -m torch.distributed.run --standalone --nproc-per-node 4 -m train x\necho AFTER\n")
        ran, files = self.run_command("bash", "run.sh", options=("--rank", "3"))
        self.assertEqual((["RAN 3 4 4 4 x", "AFTER"], ["estimate.rank3.pickle"]), (ran, files))

    def test_one_process_sees_as_many_gpus_as_are_asked_for(self):
        Path(self.folder, "both.py").write_text("import sys, torch\nfor i in range(2): torch.ones(1 << 20, device=f'cuda:{i}')\nprint('RAN', torch.cuda.device_count(), file=sys.stderr)\n")
        self.assertEqual((["RAN 2"], ["estimate.pickle"]), self.run_command("python", "both.py", options=("--gpus", "2")))
        self.run_command("python", "both.py", expected=1)
        self.assertIn("invalid device ordinal", self.said)

    def test_workers_of_a_process_see_as_many_gpus_as_it_does_where_the_number_is_given(self):
        Path(self.folder, "pool.py").write_text(
            "import multiprocessing, sys, torch\n"
            "def work():\n    torch.ones(1 << 20, device='cuda')\n    print('RAN', torch.cuda.device_count(), file=sys.stderr, flush=True)\n"
            "if __name__ == '__main__':\n    for kind in ('spawn', 'fork'):\n"
            "        worker = multiprocessing.get_context(kind).Process(target=work)\n        worker.start()\n        worker.join()\n"
        )
        for options, count in (((), 8), (("--gpus", "2"), 2)):
            self.assertEqual([f"RAN {count}"] * 2, self.run_command("python", "pool.py", options=options)[0])

    def test_a_forked_worker_that_ends_as_it_should_is_recorded(self):
        Path(self.folder, "fork.py").write_text(
            "import multiprocessing, os, sys, torch\n"
            "def work():\n    torch.ones(1 << 20, device='cuda')\n    print('RAN', os.getpid(), file=sys.stderr, flush=True)\n"
            "worker = multiprocessing.get_context('fork').Process(target=work)\nworker.start()\nworker.join()\n"
        )
        (ran,), files = self.run_command("python", "fork.py")
        self.assertEqual([f"estimate.pid{ran.split()[1]}.pickle"], files)

    def test_a_rank_that_no_launcher_starts_is_refused(self):
        self.run_command("torchrun", "--nproc-per-node", "2", "train.py", options=("--rank", "2"), expected=2)
        self.assertIn("--rank 2 is beyond the job, which has 2 ranks", self.said)
        self.assertNotIn("Traceback", self.said)

    def test_accelerate_runs_one_rank(self):
        try:
            import accelerate  # noqa: F401
        except ImportError:
            self.skipTest("accelerate is not installed")
        ran, files = self.run_command("accelerate", "launch", "--num_processes", "2", "--multi_gpu", "train.py")
        self.assertEqual((["RAN 0 2 2 2"], ["estimate.rank0.pickle"]), (ran, files))

    def test_deepspeed_runs_one_rank(self):
        # A package that has the launcher's name and place; the real one needs a compiler for GPUs.
        package = Path(self.folder, "deepspeed", "launcher")
        package.mkdir(parents=True)
        Path(self.folder, "deepspeed", "__init__.py").write_text("import torch\n")
        (package / "__init__.py").write_text("")
        (package / "runner.py").write_text("def main(args=None):\n    raise SystemExit('started all')\n")
        Path(self.folder, "start.py").write_text("from deepspeed.launcher.runner import main\nmain()\n")
        ran, files = self.run_command("python", "start.py", "--num_gpus", "8", "train.py", "--lr", "3")
        self.assertEqual((["RAN 0 8 8 8 --local_rank=0 --lr 3"], ["estimate.rank0.pickle"]), (ran, files))

    def test_ranks_that_any_launcher_starts_end_but_for_one(self):
        Path(self.folder, "start.py").write_text(
            "import os, subprocess, sys\n"
            "def start(rank):\n"
            "    place = {'RANK': rank, 'LOCAL_RANK': rank, 'WORLD_SIZE': 3, 'LOCAL_WORLD_SIZE': 3}\n"
            "    return subprocess.Popen([sys.executable, 'train.py'], env=os.environ | {name: str(place[name]) for name in place})\n"
            "print('AFTER', *[each.wait() for each in [start(rank) for rank in range(3)]], file=sys.stderr)\n"
        )
        ran, files = self.run_command("python", "start.py")
        self.assertEqual((["RAN 0 3 3 3", "AFTER 0 0 0"], ["estimate.rank0.pickle"]), (ran, files))

    def test_a_model_is_wrapped_where_another_device_is_the_default(self):
        script = SCRIPT.replace("model = ", 'with torch.device("cuda"):\n    model = ').replace("Linear(64, 64).cuda()", "Linear(64, 64)")
        Path(self.folder, "train.py").write_text(script)
        ran, files = self.run_command("torchrun", "--nproc-per-node", "2", "train.py")
        self.assertEqual((["RAN 0 2 2 2"], ["estimate.rank0.pickle"]), (ran, files))

    def test_spawn_calls_its_function_for_one_rank(self):
        self.assertEqual((["RAN 2 4", "AFTER"], ["estimate.pickle"]), self.run_command("python", "processes.py", "spawn", options=("--rank", "2")))

    def test_spawned_work_without_a_group_is_done_for_all(self):
        ran, files = self.run_command("python", "processes.py", "work")
        self.assertEqual((["WORKED 0", "WORKED 1"], ["estimate.pickle"]), (ran, files))

    def test_forked_processes_of_other_ranks_end_and_the_one_of_rank_0_is_recorded(self):
        ran, files = self.run_command("python", "processes.py", "fork")
        self.assertEqual(["RAN 0 3", "AFTER 0 0 0"], ran)
        self.assertEqual(1, len(files), files)

    def test_a_process_group_of_one_rank_needs_no_launcher(self):
        ran, files = self.run_command("torchrun", "--nproc-per-node", "1", "train.py")
        self.assertEqual((["RAN 0 1 1 1"], ["estimate.rank0.pickle"]), (ran, files))


if __name__ == "__main__":
    unittest.main()
