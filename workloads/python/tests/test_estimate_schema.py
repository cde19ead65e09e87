"""The published schema of an estimate has the keys that an estimate has."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from allocsim.estimate.answer import SCHEMA, answer  # noqa: E402
from allocsim.estimate.reports import UNSAID  # noqa: E402

FILE = HERE.parents[2] / "reports/src/main/resources/org/allocsim/reports/answer" / f"{SCHEMA}.json"


class SchemaTest(unittest.TestCase):
    def test_the_schema_has_the_keys_of_an_answer(self):
        schema = json.loads(FILE.read_text(encoding="utf-8"))
        report = UNSAID | {
            "ended": "error", "problem": "NameError: x", "kind": "NameError", "line": "a.py:2", "origin": "program", "operation": None, "exit": None, "exit_code": 1,
            "script": "a.py", "out_of_memory": 0, "out_of_memory_error": None, "reserved_bytes": 0, "allocated_bytes": 0, "others_failed": [],
        }
        found = answer(report, "t4")
        self.assertEqual(set(found), set(schema["required"]))
        self.assertEqual(set(schema["properties"]) - set(found), {"longest"}, "which is in answers to --longest only")
        self.assertEqual(SCHEMA, schema["properties"]["schema"]["const"])
        types = {"integer": int, "number": (int, float), "string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
        for key, value in found.items():
            kinds = schema["properties"][key].get("type", [])
            allowed = tuple(types[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))
            if allowed:
                self.assertTrue(any(isinstance(value, each) for each in allowed), f"{key}: {value!r} is not {kinds}")


if __name__ == "__main__":
    unittest.main()
