"""Runs that are ended at any moment, damaged answers, files that are named like modules of Python."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import fuzz_answers  # noqa: E402

from allocsim.recorder.files import Mark, RunFolder, Written, write_snapshot  # noqa: E402


class EndedRunsTest(unittest.TestCase):
    @unittest.skipUnless(sys.platform == "linux", "needs Linux")
    def test_whatever_ends_a_run_its_file_is_whole_and_nothing_else_is_left(self):
        # In a process of its own, which becomes the parent of all that lost theirs.
        done = subprocess.run([sys.executable, str(HERE / "ended_runs.py"), "49", "40"], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("0 problems", done.stdout)


class DamagedAnswersTest(unittest.TestCase):
    def test_every_damaged_answer_ends_in_a_sentence(self):
        found, tally = fuzz_answers.all_problems(49, 600)
        self.assertEqual([], found)
        self.assertGreater(min(tally["answers"], tally["sentences"]), 50)


class ShadowTest(unittest.TestCase):
    def test_files_of_the_working_folder_are_no_modules_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("random", "queue", "json", "signal", "tempfile", "typing", "torch", "subprocess"):
                Path(folder, f"{name}.py").write_text("raise RuntimeError('of the user')\n")
            for program, expected in ((["true"], "or with the options -I, -E or -S"), ([sys.executable, "-c", "1"], "no Python process of this program allocated")):
                done = subprocess.run(
                    [sys.executable, "-m", "allocsim", "record", "--", *program], cwd=folder, env={**os.environ, "PYTHONPATH": str(HERE.parent)}, capture_output=True, text=True,
                )  # fmt: skip
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertIn(expected, done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/null"), "needs devices")
    def test_a_device_takes_no_recording(self):
        for name in ("record", "estimate"):
            done = subprocess.run(
                [sys.executable, "-m", "allocsim", name, "-o", "/dev/null", "--", "true"], env={**os.environ, "PYTHONPATH": str(HERE.parent)}, capture_output=True, text=True,
            )  # fmt: skip
            self.assertEqual((2, 1), (done.returncode, len(done.stderr.splitlines())), done.stderr)
            self.assertIn("-o /dev/null is no file", done.stderr)

    def test_a_program_that_cannot_be_run_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "damaged").write_bytes(b"\x7fELF damaged")
            Path(folder, "damaged").chmod(0o755)
            for command, variables in ((["record", "--", "./damaged"], {}), (["list", "devices"], {"ALLOCSIM": "./damaged"})):
                done = subprocess.run(
                    [sys.executable, "-m", "allocsim", *command], cwd=folder, env={**os.environ, "PYTHONPATH": str(HERE.parent), **variables}, capture_output=True, text=True,
                )  # fmt: skip
                self.assertRegex(done.stderr, r"damaged cannot be run: Exec format error\n$")
                self.assertEqual(1, len(done.stderr.splitlines()))


class FolderTest(unittest.TestCase):
    def test_a_recording_is_known_by_its_content_whatever_its_inode(self):
        with tempfile.TemporaryDirectory() as folder, RunFolder.made() as run:
            path, other = os.path.join(folder, "run.pickle"), os.path.join(folder, "copy")
            marks: list[Mark] = []
            write_snapshot(path, {"a": 1}, ready=marks.append)
            RunFolder(run).note(path, [Written(path, "end", True, 1.0, marks[0])])
            shutil.copyfile(path, other)
            os.replace(other, path)
            self.assertEqual([path], [each.path for each in RunFolder(run).files()])
            Path(path).write_bytes(b"another")
            self.assertEqual([], RunFolder(run).files())

    def test_notes_that_are_damaged_are_none(self):
        with RunFolder.made() as run:
            for number, content in enumerate(("", "[]", "{}", '{"path": 1, "files": []}', '{"path": "/", "files": [1]}', "[" * 5000)):
                Path(run, f"{number}.noted").write_text(content)
            self.assertEqual([], RunFolder(run).files())

    @unittest.skipUnless(shutil.which("sh"), "needs a shell")
    def test_the_folder_of_a_killed_process_is_gone(self):
        with tempfile.TemporaryDirectory() as folder:
            program = (
                f"import sys, time; sys.path.insert(0, {str(HERE.parent)!r})\n"
                "from allocsim.temporary import temporary_folder\n"
                f"with temporary_folder({folder!r}) as made:\n    open(made + '/file', 'w').close()\n    print(flush=True)\n    time.sleep(60)\n"
            )
            with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
                process.stdout.readline()
                self.assertEqual(1, len(os.listdir(folder)))
                process.send_signal(signal.SIGKILL)
            for _ in range(200):
                if not os.listdir(folder):
                    break
                subprocess.run([sys.executable, "-c", "import time; time.sleep(0.02)"])
            self.assertEqual([], os.listdir(folder))


if __name__ == "__main__":
    unittest.main()
