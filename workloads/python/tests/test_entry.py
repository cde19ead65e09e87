"""The command ``allocsim`` before it asks anybody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from heeded import heed_signals  # noqa: E402

setUpModule = heed_signals
COMMAND = [sys.executable, "-m", "allocsim"]


class EntryTest(unittest.TestCase):
    def setUp(self):
        self.environment = os.environ | {"PYTHONPATH": str(ROOT)}

    def run_command(self, *arguments):
        return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=self.environment)

    def test_help_with_a_command_of_python_is_the_help_of_the_command(self):
        for name in ("record", "estimate"):
            helped = self.run_command("help", name)
            self.assertEqual((0, ""), (helped.returncode, helped.stderr))
            self.assertEqual(self.run_command(name, "--help").stdout, helped.stdout)
            self.assertIn(f"allocsim {name}", helped.stdout)

    def test_a_reader_that_has_enough_is_no_error(self):
        # With a buffer the pipe is found closed at the end only.
        self.environment.pop("PYTHONUNBUFFERED", None)
        for name in ("record", "estimate"):
            reading, writing = os.pipe()
            os.close(reading)
            done = subprocess.run([*COMMAND, name, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, env=self.environment)
            os.close(writing)
            self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_a_script_that_is_named_alone_is_run_by_this_python(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "train.py").write_text("import sys; print(sys.executable, sys.argv)\n")
            done = subprocess.run([*COMMAND, "record", "train.py", "--epochs", "2"], cwd=folder, capture_output=True, text=True, env=self.environment)
            self.assertEqual(f"{sys.executable} ['train.py', '--epochs', '2']\n", done.stdout)

    def test_a_program_that_is_missing_is_said_with_an_example(self):
        for name in ("record", "estimate", "advise"):
            for program, expected in (("nowhere.py", "no such program: nowhere.py; write it as"), (None, "needs a program, as in: ")):
                done = subprocess.run([*COMMAND, name, *([program] if program else [])], capture_output=True, text=True, env=self.environment)
                self.assertEqual(2, done.returncode)
                self.assertIn(expected, done.stderr)
                self.assertRegex(done.stderr, rf"allocsim {name} .*-- python train.py$")

    def test_an_interrupt_ends_without_a_traceback(self):
        with tempfile.TemporaryDirectory() as folder:
            # An argument parser that hangs stands for any moment in which the command itself is interrupted.
            Path(folder, "argparse.py").write_text("import sys, time\nprint('ready', file=sys.stderr, flush=True)\ntime.sleep(60)\n")
            environment = self.environment | {"PYTHONPATH": os.pathsep.join([folder, str(ROOT)])}
            process = subprocess.Popen([*COMMAND, "record"], stderr=subprocess.PIPE, text=True, env=environment)
            self.assertEqual("ready\n", process.stderr.readline())
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            self.assertEqual(("", 130), (process.communicate(timeout=60)[1], process.returncode))


if __name__ == "__main__":
    unittest.main()
