"""What ``allocsim.open`` answers is what the command line answers."""

from __future__ import annotations

import doctest
import json
import lzma
import os
import pickle
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import allocsim  # noqa: E402
import allocsim.recording  # noqa: E402
from allocsim import engine  # noqa: E402
from allocsim.engine import EngineMissing, command, one_process  # noqa: E402
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


def rows(table):
    """A table's rows, whether it is a DataFrame or a list."""
    if isinstance(table, list):
        return table
    return [{key: None if value is pandas_none() else value for key, value in row.items()} for row in table.to_dict("records")]


def pandas_none():
    import pandas

    return pandas.NA


@unittest.skipIf(MISSING, MISSING)
class ExamplesTest(unittest.TestCase):
    def test_examples_of_the_questions_run(self):
        recording = allocsim.open(SAMPLE.with_name("train_gpt.pickle.xz"))
        ended = doctest.testmod(allocsim.recording, extraglobs={"run": recording})
        self.assertGreater(ended.attempted, 10)
        self.assertEqual(ended.failed, 0)

    def test_conditions_hold_for_every_question(self):
        recording = allocsim.open(SAMPLE, memory_limit="1GiB", torch_version="2.11")
        by_option = allocsim.open(SAMPLE, "--torch-version=2.11").what_if(memory_limit="1GiB")
        self.assertEqual((1 << 30, "2.11"), (recording.peak()["moment"] and recording.what_if()["limit_bytes"], by_option["torch_version"]))
        self.assertEqual(recording.what_if()["stats"], by_option["stats"])

    def test_what_there_is_is_listed(self):
        self.assertLessEqual({"open", "record", "estimate", "advise", "run", "Recording"}, set(dir(allocsim)))


@unittest.skipIf(MISSING, MISSING)
class FileTest(unittest.TestCase):
    def test_live_blocks_and_facts_are_those_of_the_file(self):
        recording = allocsim.open(RECORDED)
        self.assertGreater(len(recording.live()), 0)
        self.assertEqual(recording.record["devices"][0]["limit_bytes"], int(0.03 * (80 << 30)))

    def test_a_plain_snapshot_has_no_record(self):
        self.assertIsNone(allocsim.open(SAMPLE).record)

    def test_code_in_a_file_is_not_run(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "bad.pickle"
            file.write_bytes(pickle.dumps({"segments": [], "device_traces": [], "x": print}))
            for ask in (allocsim.open(file).live, allocsim.open(file).events, lambda: allocsim.open(file).record):
                with self.assertRaises(allocsim.AllocsimError):
                    ask()

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

    def test_answers_of_one_process_are_those_of_several(self):
        def answers():
            recording = allocsim.open(SAMPLE)
            return [recording.peak(), *(recording.ask(each).text for each in ("min-capacity", "tune"))]

        alone = answers()
        with one_process():
            self.assertEqual(answers(), alone)
            with self.assertRaisesRegex(allocsim.AllocsimError, "unknown option '--no-such'") as wrong:
                allocsim.open(SAMPLE).ask("peak", "--no-such")
            self.assertEqual(wrong.exception.exit_code, 2)

    def test_a_process_that_ends_is_replaced(self):
        with one_process():
            first = allocsim.open(SAMPLE).peak()
            engine._process._process.kill()
            self.assertEqual(allocsim.open(SAMPLE).peak(), first)

    def test_the_recorded_limit_is_certain(self):
        self.assertIn("limit 2.40 GiB, recorded", allocsim.open(RECORDED).diagnose().text)

    def test_events_are_those_of_the_file(self):
        events = rows(allocsim.open(RECORDED).events())
        with lzma.open(RECORDED) as stream:
            entries = pickle.load(stream)["device_traces"][0]
        self.assertEqual(
            [(each["action"], each["address"], each["bytes"], each["time_ns"]) for each in events],
            [(each["action"], each["addr"] if each["action"] != "oom" else None, each["size"], each["time_us"] * 1000) for each in entries],
        )

    def test_events_under_other_settings_are_those_of_a_replay(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "events"
            run("replay", SAMPLE, "--conf", "expandable_segments:True", "--events", file)
            events = rows(allocsim.open(SAMPLE).events("expandable_segments:True"))
            self.assertEqual(
                [(each["action"], each["size"]) for each in events],
                [(each["action"], each["size"]) for each in map(json.loads, file.read_text().splitlines())],
            )

    def test_a_profile_says_why_its_gpu_is_idle(self):
        profile = allocsim.open(SAMPLE.parent / "loader.trace.json.xz")
        answer = profile.idle(what_if=["workers=4", "workers=4,pinned,non-blocking"])
        self.assertEqual(sum(each["idle_nanos"] for each in answer["causes"]), answer["total"]["idle_nanos"])
        self.assertEqual([each["change"] for each in answer["what_if"]], ["no change", "workers=4", "workers=4,pinned,non-blocking"])
        self.assertEqual(profile.idle(what_if="gpu=2x")["causes"][0]["cause"], "data")
        other = profile.idle(what_if="batch=4x", other_batch=(2, SAMPLE.parent / "loader.trace.json.xz"))
        self.assertEqual(other["what_if"][1]["step_nanos"], other["what_if"][0]["step_nanos"], "nothing grows with the batch")
        with self.assertRaisesRegex(allocsim.AllocsimError, "it is not of the run|its history"):
            profile.idle(memory=SAMPLE.parent / "train_gpt.pickle.xz")

    def test_a_table_has_the_answers_rows(self):
        answer = allocsim.open(SAMPLE).tune()
        self.assertEqual(len(answer.table("settings")), len(answer["settings"]))

    def test_a_page_shows_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            page = allocsim.open(SAMPLE).view(folder, show=False)
            self.assertTrue(Path(page).is_file())
            self.assertTrue(page._repr_html_().startswith("<iframe srcdoc="))

    def test_a_notebook_shows_the_text(self):
        answer = allocsim.open(SAMPLE).peak()
        self.assertTrue(answer._repr_html_().startswith("<pre>"))

    def test_an_error_is_the_programs_sentence(self):
        with self.assertRaises(allocsim.AllocsimError) as raised:
            allocsim.open(Path(__file__)).peak()
        self.assertEqual(raised.exception.exit_code, 1)
        self.assertIn("unknown trace format", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
