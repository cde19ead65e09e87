"""The time of a program that builds an extension."""

import io
import os
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from allocsim.estimate.building import Clock, builder, follow_builds, waited_seconds  # noqa: E402
from allocsim.estimate.progress import Progress  # noqa: E402


class BuilderTest(unittest.TestCase):
    def test_compilers_and_what_calls_them_build(self):
        for command in (["ninja", "-v"], ["/usr/local/cuda/bin/nvcc", "a.cu"], ["x86_64-linux-gnu-g++-12", "a.cpp"], "cd src && make -j8", Path("/usr/bin/cc")):
            self.assertIsNotNone(builder(command), command)

    def test_others_do_not(self):
        for command in (["nvidia-smi"], ["python", "make"], ["git", "clone"], "echo 'make", ["gccx"], [], None):
            self.assertIsNone(builder(command), command)


class ClockTest(unittest.TestCase):
    def test_it_stands_still_until_the_last_one_is_done(self):
        with unittest.mock.patch("allocsim.estimate.building.time.monotonic") as now:
            now.return_value = 0.0
            clock = Clock(lambda: 0.0)
            now.return_value = 10.0
            self.assertEqual(10, clock.now())
            with clock.still():
                now.return_value = 15.0
                with clock.still():
                    now.return_value = 20.0
                self.assertEqual(10, clock.now())
                now.return_value = 30.0
            now.return_value = 31.0
            self.assertEqual(11, clock.now())

    def test_waiting_for_a_processor_does_not_count(self):
        with unittest.mock.patch("allocsim.estimate.building.time.monotonic") as now:
            now.return_value = 0.0
            waited = [50.0]
            clock = Clock(lambda: waited[0])
            now.return_value, waited[0] = 10.0, 54.0
            self.assertEqual(6, clock.now())
            # A program gets somewhere in the end.
            now.return_value, waited[0] = 100.0, 149.0
            self.assertEqual(20, clock.now())

    def test_a_busy_process_is_seen_to_wait_no_longer_than_it_ran(self):
        before, began = waited_seconds(), time.monotonic()
        while time.monotonic() - began < 0.3:
            pass
        self.assertLessEqual(waited_seconds() - before, time.monotonic() - began + 0.05)

    def test_the_time_of_a_program_that_builds_does_not_count(self):
        clock = Clock()
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.multiple(subprocess.Popen, wait=subprocess.Popen.wait, communicate=subprocess.Popen.communicate):
            follow_builds(clock, Progress(io.StringIO()))
            spent = []
            for name in ("make", "other"):
                file = os.path.join(folder, name)
                Path(file).write_text("#!/bin/sh\nsleep 0.5\n")
                os.chmod(file, 0o700)
                before, real = clock.now(), time.monotonic()
                subprocess.run([file], check=True)
                self.assertGreater(time.monotonic() - real, 0.5)
                spent.append(clock.now() - before)
        self.assertLess(spent[0], 0.4)
        self.assertGreater(spent[1], 0.5)


if __name__ == "__main__":
    unittest.main()
