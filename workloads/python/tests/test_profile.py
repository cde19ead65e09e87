"""Which steps ``allocsim record --time`` profiles, and what it leaves alone."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import fake_profiler  # noqa: E402
import fake_torch  # noqa: E402

import allocsim  # noqa: E402
from allocsim.recorder.profile import ACTIVE, SKIPPED, WARM_UP, profile_path  # noqa: E402

ALL = SKIPPED + WARM_UP + ACTIVE

PROGRAM = """
import sys
sys.path.insert(0, {here!r})
import fake_profiler, fake_torch
torch, device = fake_torch.install()
Optimizer = fake_profiler.install(torch)
from allocsim.recorder import follow
follow.follow()
device.allocate(100)
optimizer = Optimizer()
for step in range({steps}):
    optimizer.step()
"""


def read(path):
    with gzip.open(path, "rt") as stream:
        return json.load(stream)


class StepsTest(unittest.TestCase):
    def setUp(self):
        self.torch, self.device = fake_torch.install()
        self.optimizer_type = fake_profiler.install(self.torch)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("torch", "torch.optim", "torch.optim.optimizer"):
            self.addCleanup(sys.modules.pop, name, None)
        self.path = os.path.join(self.folder.name, "run.pickle")
        self.profile = os.path.join(self.folder.name, "run.trace.json.gz")
        self.said = []
        say = mock.patch("allocsim.recorder.recorder.say", self.said.append)
        say.start()
        self.addCleanup(say.stop)

    def record(self, **options):
        return allocsim.record(self.path, time=True, **options)

    def test_the_steps_after_the_first_ones_are_kept(self):
        optimizer = self.optimizer_type()
        with self.record():
            for _ in range(ALL):
                self.assertFalse(os.path.exists(self.profile))
                optimizer.step()
            self.assertTrue(os.path.exists(self.profile), "as soon as the last step has ended")
            optimizer.step()
        content = read(self.profile)
        self.assertEqual(list(range(WARM_UP, WARM_UP + ACTIVE)), content["kept"])
        self.assertEqual({"profile_memory": True, "with_stack": True}, content["options"])
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["run.pickle", "run.trace.json.gz"])
        self.assertEqual([], self.said)
        self.assertEqual([], self.optimizer_type.hooks, "everything is put back")

    def test_stacks_are_recorded_as_in_the_recording(self):
        optimizer = self.optimizer_type()
        with self.record(stacks="none"):
            for _ in range(ALL):
                optimizer.step()
        self.assertFalse(read(self.profile)["options"]["with_stack"])

    def test_only_the_first_optimizer_counts(self):
        first, second = self.optimizer_type(), self.optimizer_type()
        with self.record():
            for _ in range(ALL - 1):
                first.step()
                second.step()
            self.assertFalse(os.path.exists(self.profile))
            first.step()
            self.assertTrue(os.path.exists(self.profile))

    def test_a_program_that_ends_within_writes_the_steps_it_made(self):
        optimizer = self.optimizer_type()
        with self.record():
            for _ in range(SKIPPED + WARM_UP + 2):
                optimizer.step()
        self.assertEqual([WARM_UP, WARM_UP + 1], read(self.profile)["kept"])

    def test_a_program_of_few_steps_is_told_how_many_it_takes(self):
        optimizer = self.optimizer_type()
        with self.record():
            for _ in range(3):
                optimizer.step()
        self.assertEqual([f"no profile was written: the program made 3 optimizer steps, and a profile takes {ALL}"], self.said)
        self.assertEqual(os.listdir(self.folder.name), ["run.pickle"])

    def test_a_program_without_a_gpu_has_no_profile_to_ask_idle_about(self):
        self.torch.cuda.is_initialized = lambda: False
        optimizer = self.optimizer_type()
        with self.record():
            for _ in range(ALL):
                optimizer.step()
        self.assertEqual([f"no profile was written: the program used no GPU in its first {SKIPPED} steps"], self.said)
        self.assertFalse(os.path.exists(self.profile))

    def test_a_slow_program_is_profiled_for_fewer_steps(self):
        optimizer = self.optimizer_type()
        with mock.patch("allocsim.recorder.profile.MAX_SECONDS", -1.0), self.record():
            for _ in range(ALL):
                optimizer.step()
            self.assertIsNone(fake_profiler.Legacy.running)
        self.assertEqual(["no profile was written: its first steps took more than -1 s"], self.said)
        with mock.patch("allocsim.recorder.profile.WARM_UP", 0), mock.patch("allocsim.recorder.profile.MAX_SECONDS", -1.0), self.record():
            for _ in range(ALL):
                optimizer.step()
        self.assertEqual([0], read(self.profile)["kept"])

    def test_the_programs_own_profiler_comes_first(self):
        optimizer = self.optimizer_type()
        with self.record():
            for _ in range(SKIPPED + WARM_UP + 1):
                optimizer.step()
            with fake_profiler.Legacy() as own:
                self.assertIs(own, fake_profiler.Legacy.running)
                for _ in range(ALL):
                    optimizer.step()
        self.assertEqual(["no profile was written: the program profiles itself"], self.said)
        self.assertFalse(os.path.exists(self.profile))

    def test_a_program_that_is_profiled_already_is_left_alone(self):
        optimizer = self.optimizer_type()
        with self.record(), fake_profiler.Legacy() as own:
            for _ in range(ALL):
                optimizer.step()
            self.assertIs(own, fake_profiler.Legacy.running)
        self.assertEqual(["no profile was written: the program profiles itself"], self.said)

    def test_a_profile_that_cannot_be_written_leaves_the_program_and_its_recording(self):
        optimizer = self.optimizer_type()
        with mock.patch.object(fake_profiler.Profile, "export_chrome_trace", side_effect=OSError(28, "No space left on device")), self.record():
            for _ in range(ALL + 1):
                optimizer.step()
        self.assertEqual(["no profile was written: No space left on device"], self.said)
        self.assertEqual(os.listdir(self.folder.name), ["run.pickle"])

    def test_names_go_with_those_of_the_recordings(self):
        self.assertEqual("run.rank0.trace.json.gz", profile_path("run.rank0.pickle.gz"))
        self.assertEqual("run.trace.json.gz", profile_path("run.pickle"))


class CommandTest(unittest.TestCase):
    def record(self, steps, *options, **environment):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        ended = subprocess.run(
            [sys.executable, "-m", "allocsim", "record", "-o", os.path.join(folder.name, "run.pickle"), *options, "--"]
            + [sys.executable, "-c", PROGRAM.format(here=str(HERE), steps=steps)],
            env={**os.environ, "PYTHONPATH": str(HERE.parent), **environment}, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        return ended, folder.name

    def test_the_command_names_the_profile_and_what_to_ask_of_it(self):
        ended, folder = self.record(ALL, "--time", RANK="1")
        self.assertEqual(0, ended.returncode, ended.stderr)
        self.assertEqual(sorted(os.listdir(folder)), ["run.rank1.pickle", "run.rank1.trace.json.gz"])
        self.assertIn(f"MB), the profile of steps {SKIPPED + WARM_UP + 1} to {ALL}", ended.stderr)
        self.assertRegex(ended.stderr, r"next: allocsim diagnose \S*run.rank1.pickle\n")
        self.assertRegex(ended.stderr, r"next: allocsim idle \S*run.rank1.trace.json.gz\n")

    def test_without_the_option_nothing_is_profiled(self):
        ended, folder = self.record(ALL)
        self.assertEqual(os.listdir(folder), ["run.pickle"])
        self.assertNotIn("idle", ended.stderr)


try:
    import torch as real
    from torch.profiler import profile as _

    MISSING = "" if getattr(real, "__file__", None) else "PyTorch is not installed"
except ImportError:
    MISSING = "PyTorch is not installed"
finally:
    sys.modules.pop("torch", None) if not getattr(sys.modules.get("torch"), "__file__", None) else None

REAL = """
import sys
sys.path.insert(0, {package!r})
import torch
from allocsim.recorder.patches import Patches
from allocsim.recorder.profile import StepProfile
patches, written = Patches(), []
profile = StepProfile({path!r}, True, print, lambda *each: written.append(each))
profile.observe(torch, patches)
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range({steps}):
    optimizer.zero_grad()
    model(torch.ones(4, 8)).sum().backward()
    optimizer.step()
profile.end()
patches.undo()
with torch.profiler.profile():
    pass
print(len(written), written[0][1])
"""


@unittest.skipIf(MISSING, MISSING)
class PyTorchTest(unittest.TestCase):
    def test_the_profile_has_its_steps_and_the_program_may_profile_itself_afterwards(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.trace.json.gz")
            program = textwrap.dedent(REAL).format(package=str(HERE.parent), path=path, steps=ALL + 2)
            ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
            self.assertEqual((0, f"1 steps {SKIPPED + WARM_UP + 1} to {ALL}"), (ended.returncode, ended.stdout.strip()), ended.stderr)
            events = read(path)["traceEvents"]
            steps = [each["name"] for each in events if each["name"].startswith("ProfilerStep#") and each["ph"] == "X"]
            self.assertEqual([f"ProfilerStep#{WARM_UP + step}" for step in range(ACTIVE)], sorted(set(steps)))
            self.assertTrue(any(each.get("cat") == "python_function" for each in events), "the lines of the program")
            self.assertEqual(["run.trace.json.gz"], os.listdir(folder))


if __name__ == "__main__":
    unittest.main()
