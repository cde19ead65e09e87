"""Runs that are ended at any moment, damaged answers, files that are named like modules of Python."""

from __future__ import annotations

import importlib.util
import os
import pickle
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import ended_runs  # noqa: E402
import fuzz_answers  # noqa: E402

from allocsim.recorder.files import Mark, RunFolder, Written, write_snapshot  # noqa: E402


@unittest.skipUnless(sys.platform == "linux", "needs Linux")
class EndedRunsTest(unittest.TestCase):
    def check(self, *arguments):
        # In a process of its own, which becomes the parent of all that lost theirs.
        done = subprocess.run([sys.executable, str(HERE / "ended_runs.py"), *arguments], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("0 problems", done.stdout)

    def test_whatever_ends_a_run_its_file_is_whole_and_nothing_else_is_left(self):
        self.check("49", "40", "record")

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs PyTorch")
    def test_whatever_ends_an_estimate_its_files_are_whole_and_nothing_else_is_left(self):
        self.check("49", "6", "estimate")


@unittest.skipUnless(sys.platform == "linux", "needs Linux")
class SurroundingsTest(unittest.TestCase):
    """A recording where something around it is missing, closed or full."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def record(self, more, prefix="", suffix="", flush="0"):
        """Runs a program under ``record`` from a shell."""
        program = ended_runs.RECORDED.format(here=str(HERE), seconds=0.05, before="", after=more).replace('os.write(2, b"USED\\n")', "pass")
        line = shlex.join([sys.executable, "-m", "allocsim", "record", "-o", "run.pickle", "--flush", flush, "--", sys.executable, "-c", program])
        return subprocess.run(["bash", "-c", f"{prefix} {line} {suffix}"], cwd=self.folder, env={**os.environ, "PYTHONPATH": str(HERE.parent)}, capture_output=True, text=True)

    def test_a_program_that_ends_before_its_file_is_written_is_not_said_to_use_no_gpu(self):
        for more, code in (("os._exit(4)", 4), ("os.abort()", 134), ("import ctypes; ctypes.string_at(0)", 139)):
            done = self.record(more)
            self.assertEqual(code, done.returncode)
            self.assertRegex(done.stderr, "nothing was recorded: the program ended before its file was written")

    def test_closed_streams_end_no_command_and_get_no_file(self):
        for suffix in ("<&-", ">&- 2>&-", "<&- >&- 2>&-", "2> >(true)"):
            with self.subTest(suffix):
                self.assertEqual(3, self.record("sys.exit(3)", suffix=suffix).returncode)
                with open(os.path.join(self.folder, "run.pickle"), "rb") as stream:
                    self.assertIn("device_traces", pickle.load(stream))
                os.unlink(os.path.join(self.folder, "run.pickle"))

    def test_a_full_output_is_said(self):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        with open("/dev/full", "w") as full:
            done = subprocess.run([sys.executable, "-m", "allocsim", "record", "--help"], cwd=HERE.parent, env=environment, stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((1, "allocsim: standard output cannot be written: No space left on device\n"), (done.returncode, done.stderr))

    def test_a_working_folder_that_is_gone_ends_no_command(self):
        os.mkdir(os.path.join(self.folder, "gone"))
        done = self.record("import shutil; shutil.rmtree(os.getcwd()); sys.exit(3)", "cd gone;")
        self.assertEqual(3, done.returncode, done.stderr)
        self.assertIn("gone/run.pickle (", done.stderr)

    def test_a_folder_for_temporary_files_that_is_full_is_said(self):
        # A note of the run is what does not fit, and the recording does.
        more = "write = recorder.RunFolder.note\ndef note(*rest):\n    raise OSError(28, 'No space left on device', 'allocsim-x')\nrecorder.RunFolder.note = note"
        done = self.record(more)
        self.assertIn("set TMPDIR to a folder with space", done.stderr)
        self.assertNotIn("nothing was recorded", done.stderr)
        self.assertEqual(["run.pickle"], os.listdir(self.folder))

    def test_a_file_that_another_program_replaced_is_not_said_to_be_written(self):
        done = self.record("while not os.path.exists('run.pickle'): time.sleep(0.01)\nos.rename('run.pickle', 'other')\nos.abort()", suffix="; rm other", flush="0.05")
        self.assertIn("another program replaced or removed run.pickle in the meantime", done.stderr)

    def test_a_file_that_does_not_fit_is_named_and_the_earlier_one_stays(self):
        path = Path(self.folder, "answer.json")
        path.write_text("earlier")
        program = (
            "import resource, signal, sys; sys.path.insert(0, sys.argv[1])\nfrom allocsim.recorder.files import whole\nfrom allocsim.usage import unusable\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)); signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "try:\n    with whole(sys.argv[2]) as stream:\n        stream.write(b'x' * 100)\nexcept OSError as problem:\n    print(unusable(problem))\n"
        )
        done = subprocess.run([sys.executable, "-c", program, str(HERE.parent), str(path)], capture_output=True, text=True)
        self.assertEqual(f"{path} cannot be written: File too large\n", done.stdout, done.stderr)
        self.assertEqual(("earlier", ["answer.json"]), (path.read_text(), os.listdir(self.folder)))


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
            self.assertIn("-o /dev/null is not a regular file", done.stderr)

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
