"""Keys of JSON that were renamed go on working in Python, and warn."""

from __future__ import annotations

import json
import re
import sys
import unittest
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from allocsim.advise.remedy import Remedy  # noqa: E402
from allocsim.recording import Recording  # noqa: E402
from allocsim.renamed import RENAMED, Keyed  # noqa: E402

SOURCES = HERE.parents[2]


class RenamedTest(unittest.TestCase):
    def test_an_old_key_gives_the_value_of_the_new_one_and_warns(self):
        found = json.loads('{"settings": [{"headroom_bytes": 7}], "rejected": 2}', object_hook=Keyed)
        with self.assertWarnsRegex(DeprecationWarning, "'left_bytes' is now 'headroom_bytes'") as warned:
            self.assertEqual(7, found["settings"][0]["left_bytes"])
        self.assertEqual(__file__, warned.filename)
        with self.assertWarns(DeprecationWarning) as warned:
            self.assertEqual(2, found.get("refused"))
        self.assertEqual(__file__, warned.filename)

    def test_an_old_key_is_in_the_answer(self):
        found = Keyed(rejected=2, utilizations=[1])
        self.assertIn("refused", found)
        self.assertIn("rejected", found)
        self.assertNotIn("left", found)
        self.assertNotIn("holds", found)

    def test_the_old_name_of_a_question_warns(self):
        asked = []

        class Run(Recording):
            def __init__(self):
                pass

            def ask(self, name, *options, **keywords):
                asked.append(name)

        with self.assertWarnsRegex(DeprecationWarning, "run.pins\\(\\) is now run.blockers\\(\\)") as warned:
            Run().pins(at="oom")
        self.assertEqual(__file__, warned.filename)
        self.assertEqual(["blockers"], asked)

    def test_other_keys_are_those_of_any_dictionary(self):
        found = Keyed(rejected=2, left=1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual((2, 1, None, 3), (found["rejected"], found["left"], found.get("holds"), found.get("unknown", 3)))
            for key in ("holds", "unknown"):
                with self.assertRaises(KeyError):
                    found[key]
        self.assertEqual('{"rejected": 2, "left": 1}', json.dumps(found))

    def test_new_names_are_those_that_answers_have(self):
        page = (SOURCES / "reports/docs/json.md").read_text() + (SOURCES / "workloads/python/allocsim/estimate/answer.py").read_text()
        page += (SOURCES / "validation/gpu/src/main/java/org/allocsim/reports/answer/gpu/ValidateSummary.java").read_text()
        keys = set(re.findall(r"[a-z0-9_]+", page))
        self.assertEqual([], [new for names in RENAMED.values() for new in names if new not in keys])
        listed = set(re.findall(r"`([a-z0-9_]+)` → ", (SOURCES / "CHANGELOG.md").read_text())) | {"highest_rank", "lost"}
        self.assertEqual(set(), set(RENAMED) - listed)

    def test_a_remedy_with_the_old_method_works_and_warns(self):
        with self.assertWarnsRegex(DeprecationWarning, "Own.most_saved_bytes is now max_saved_bytes"):

            class Own(Remedy):
                def most_saved_bytes(self, facts):
                    return 5

        self.assertEqual(5, Own().max_saved_bytes({}))


if __name__ == "__main__":
    unittest.main()
