"""What is suggested for mistyped paths."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import allocsim  # noqa: E402
from allocsim.missing import missing_folder, similar_path  # noqa: E402
from allocsim.recorder.program import NotRun, runnable  # noqa: E402


class MissingTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        (self.folder / "runs").mkdir()
        for name in ("train.py", "snapshot.pickle", "gpt.pickle.xz", "a.pickle", "runs/rank0.pickle"):
            (self.folder / name).touch()

    def similar(self, typed):
        return similar_path(self.folder / typed)

    def meant(self, name):
        return f"did you mean '{self.folder / name}'?"

    def test_files_and_folders_may_be_mistyped(self):
        for typed, meant in (
            ("snapsot.pickle", "snapshot.pickle"),
            ("snapshot.pickel", "snapshot.pickle"),
            ("gpt.pickle", "gpt.pickle.xz"),
            ("trian.py", "train.py"),
            ("rusn/rank0.pickle", "runs/rank0.pickle"),
            ("rusn/rnak0.pickle", "runs/rank0.pickle"),
        ):
            self.assertEqual(self.meant(meant), self.similar(typed), typed)

    def test_other_names_are_not_similar(self):
        for typed in ("b.pickle", "other.pickle", "train.json", "nowhere/train.py", "train.py/snapshot.pickle"):
            self.assertEqual("check the path", self.similar(typed), typed)

    def test_a_suggestion_is_relative_where_the_path_is(self):
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            self.assertEqual("did you mean 'train.py'?", similar_path("trian.py"))
        finally:
            os.chdir(before)

    def test_a_recording_that_does_not_exist_has_a_suggestion(self):
        with self.assertRaisesRegex(FileNotFoundError, "no such file; did you mean '.*snapshot.pickle'"):
            allocsim.open(self.folder / "snapsot.pickle")

    def test_a_missing_folder_has_a_suggestion(self):
        self.assertEqual(f"the folder {self.folder / 'rusn'} does not exist; {self.meant('runs')}", missing_folder(str(self.folder / "rusn")))
        self.assertEqual(f"the folder {self.folder / 'xyz'} does not exist; create it first", missing_folder(str(self.folder / "xyz")))

    def test_a_script_that_does_not_exist_is_not_run(self):
        script = str(self.folder / "trian.py")
        said = f"{script}: no such file; {self.meant('train.py')}"
        for program in (
            ["python3", script],
            ["python3", "-u", "-X", "dev", script, "--lr", "1"],
            ["python3", "-m", "torch.distributed.run", "--nproc-per-node", "2", script],
        ):
            with self.assertRaises(NotRun) as refused:
                runnable(program, "estimate")
            self.assertEqual(said, str(refused.exception))

    def test_what_names_no_missing_script_is_run(self):
        for program in (
            ["python3", str(self.folder / "train.py"), "missing.py"],
            ["python3", "-c", "print()", "missing.py"],
            ["python3", "-m", "json.tool", "missing.py"],
            ["python3", "-", "missing.py"],
            ["python3"],
            ["env", "python3", "missing.py"],
        ):
            self.assertEqual(program, runnable(program, "estimate"))

    def test_a_script_named_alone_has_a_suggestion(self):
        with self.assertRaises(NotRun) as refused:
            runnable([str(self.folder / "trian.py")], "record")
        self.assertEqual(f"no such program: {self.folder / 'trian.py'}; {self.meant('train.py')}", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
