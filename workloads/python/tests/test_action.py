"""The action for pull requests, with stand-ins for allocsim and gh."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / ".github" / "actions" / "memory" / "memory_check.py"

ALLOCSIM = """#!{python}
import json, os, sys
command, *arguments = sys.argv[1:]
if "--json" in arguments:
    size = 300 if "new" in arguments[0] else 200
    json.dump({{"moment": {{"reserved_bytes": size}}}}, open(arguments[arguments.index("--json") + 1], "w"))
if command == "check" and "broken" in arguments[0]:
    print("allocsim: broken.pickle: it is damaged", file=sys.stderr)
    sys.exit(1)
print(command, *arguments[:1])
sys.exit(3 if "--max-reserved" in arguments else 0)
"""

GH = """#!{python}
import os, sys
with open(os.environ["GH_LOG"], "a") as log:
    print(*sys.argv[1:], sep="|", file=log)
    if "body=@-" in sys.argv:
        log.write(sys.stdin.read())
if "--paginate" in sys.argv:
    print(os.environ.get("EARLIER", ""))
"""


class ActionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("allocsim", ALLOCSIM), ("gh", GH)):
            file = self.folder / name
            file.write_text(text.format(python=sys.executable))
            file.chmod(file.stat().st_mode | stat.S_IXUSR)
        (self.folder / "old.pickle").touch()

    def run_action(self, **inputs):
        environment = {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_REPOSITORY": "a/b",
            "GH_LOG": str(self.folder / "gh.log"),
            "RECORDING": "new.pickle",
            **inputs,
        }
        return subprocess.run([sys.executable, str(SCRIPT)], env=environment, cwd=self.folder, capture_output=True, text=True)

    def test_a_limit_that_is_not_kept_gives_exit_code_3(self):
        self.assertEqual(self.run_action(LIMITS="--max-reserved 1GiB").returncode, 3)
        self.assertEqual(self.run_action(LIMITS="--no-oom").returncode, 0)

    def test_growth_beyond_the_baseline_gives_exit_code_3(self):
        self.assertEqual(self.run_action(BASELINE="old.pickle", MAX_GROWTH="50").returncode, 0)
        grown = self.run_action(BASELINE="old.pickle", MAX_GROWTH="49")
        self.assertEqual(grown.returncode, 3)
        self.assertIn("grows by 100 bytes, more than 49 %", grown.stdout)
        self.assertIn("change-bytes=100", (self.folder / "output").read_text())

    def test_a_growth_that_means_nothing_is_refused_before_anything_is_run(self):
        for growth in ("-101", "nan", "inf", "much", "1e999"):
            refused = self.run_action(BASELINE="old.pickle", MAX_GROWTH=growth)
            sentence = f"::error::max-growth '{growth}' is not a percentage of at least -100; write one such as 5\n"
            self.assertEqual((refused.returncode, refused.stdout, refused.stderr), (2, sentence, ""))
        self.assertEqual(self.run_action(BASELINE="old.pickle", MAX_GROWTH="-100").returncode, 3)

    def test_without_a_baseline_it_says_so(self):
        result = self.run_action(BASELINE="none.pickle")
        self.assertEqual(result.returncode, 0)
        self.assertIn("There is no baseline none.pickle yet.", result.stdout)

    def test_a_damaged_recording_is_an_error_of_one_sentence(self):
        result = self.run_action(RECORDING="broken.pickle")
        self.assertEqual((result.returncode, result.stdout), (1, "::error::allocsim: broken.pickle: it is damaged\n"))

    def test_it_comments_once_and_then_replaces(self):
        self.run_action(COMMENT="true", PULL_REQUEST="5")
        self.assertIn("api|-X|POST|repos/a/b/issues/5/comments", (self.folder / "gh.log").read_text())
        self.run_action(COMMENT="true", PULL_REQUEST="5", EARLIER="77")
        self.assertIn("api|-X|PATCH|repos/a/b/issues/comments/77", (self.folder / "gh.log").read_text())


if __name__ == "__main__":
    unittest.main()
