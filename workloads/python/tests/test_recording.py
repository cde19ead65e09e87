"""What ``allocsim.open`` answers is what the command line answers."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import allocsim  # noqa: E402
from allocsim.engine import EngineMissing, command  # noqa: E402
from allocsim.recording import run  # noqa: E402

SOURCES = HERE.parents[2]
SAMPLE = SOURCES / "reports" / "samples" / "gpt_oom.pickle.xz"
RECORDED = SOURCES / "validation/src/test/resources/org/allocsim/validation/fidelity/recorded-limit.pickle.xz"

try:
    # That of the sources may have to be built first, which is not a test's business.
    is_source = command()[0][0] == str(SOURCES / "allocsim") and "ALLOCSIM" not in os.environ
    MISSING = "set ALLOCSIM to the program to ask" if is_source else ""
except EngineMissing as problem:
    MISSING = str(problem)


class PickleTest(unittest.TestCase):
    def test_events_and_live_blocks_are_those_of_the_file(self):
        recording = allocsim.open(RECORDED)
        self.assertEqual(len(recording.events()), 3117)
        self.assertGreater(len(recording.live()), 0)
        self.assertEqual(recording.record["devices"][0]["limit_bytes"], int(0.03 * (80 << 30)))

    def test_a_plain_snapshot_has_no_record(self):
        self.assertIsNone(allocsim.open(SAMPLE).record)

    def test_code_in_a_file_is_not_run(self):
        import pickle

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "bad.pickle"
            file.write_bytes(pickle.dumps({"segments": [], "device_traces": [], "x": print}))
            with self.assertRaises(pickle.UnpicklingError):
                allocsim.open(file).events()

    def test_a_file_that_is_not_there_is_said(self):
        with self.assertRaisesRegex(FileNotFoundError, "check the path"):
            allocsim.open("no-such.pickle")


@unittest.skipIf(MISSING, MISSING)
class AnswersTest(unittest.TestCase):
    def test_an_answer_is_the_command_lines_json(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "peak.json"
            run("peak", SAMPLE, "--json", file)
            self.assertEqual(dict(allocsim.open(SAMPLE).peak()), json.loads(file.read_text()))

    def test_the_recorded_limit_is_certain(self):
        self.assertIn("limit 2.40 GiB, recorded", allocsim.open(RECORDED).diagnose().text)

    def test_a_notebook_shows_the_text(self):
        answer = allocsim.open(SAMPLE).peak()
        self.assertTrue(answer._repr_html_().startswith("<pre>"))

    def test_an_error_is_the_programs_sentence(self):
        with self.assertRaises(allocsim.AllocsimError) as raised:
            allocsim.open(Path(__file__)).peak()
        self.assertEqual(raised.exception.exit_code, 1)
        self.assertIn("no known trace format", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
