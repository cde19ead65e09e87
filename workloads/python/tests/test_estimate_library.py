"""Which library the estimate loads: only one that this user built, and that is as it was built."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from allocsim.estimate import standin  # noqa: E402


@unittest.skipUnless(any(map(shutil.which, standin._COMPILERS)), "there is no C compiler")
class CacheTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name, "allocsim")
        patches = [mock.patch.object(standin, "_cache", lambda: self.cache), mock.patch.object(standin, "_compile", self.compile)]
        for each in patches:
            each.start()
            self.addCleanup(each.stop)
        self.built = []

    def compile(self, compiler, folder, name, units, *options):
        self.built.append(name)
        (folder / name).write_bytes(name.encode())
        (folder / name).chmod(0o700)
        standin._digest_of(folder / name).write_text(standin.hashlib.sha256(name.encode()).hexdigest(), "ascii")

    def test_a_library_is_built_once_in_a_folder_of_this_user_alone(self):
        folder = standin.library_folder()
        self.assertEqual(folder, standin.library_folder())
        self.assertEqual(2, len(self.built))
        self.assertEqual([0o700, 0o700], [each.stat().st_mode & 0o777 for each in (self.cache, folder)])

    def test_a_library_that_was_changed_cut_off_or_may_be_changed_by_others_is_built_anew(self):
        folder = standin.library_folder()
        library = folder / standin.LIBRARY
        for spoil in (lambda: library.write_bytes(b"other"), lambda: library.write_bytes(b""), lambda: library.chmod(0o722), library.unlink):
            self.built.clear()
            spoil()
            self.assertEqual(folder, standin.library_folder())
            self.assertIn(standin.LIBRARY, self.built)
            self.assertEqual(standin.LIBRARY.encode(), library.read_bytes())

    def test_a_folder_that_others_may_write_is_never_used(self):
        folder = standin.library_folder()
        for place in (folder, self.cache):
            place.chmod(0o777)
            other = standin.library_folder()
            self.assertNotEqual(folder, other)
            self.assertEqual(0o700, other.stat().st_mode & 0o777)
            place.chmod(0o700)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_a_folder_of_another_user_is_never_used(self):
        folder = standin.library_folder()
        os.chown(folder, 12345, -1)
        self.assertNotEqual(folder, standin.library_folder())


if __name__ == "__main__":
    unittest.main()
