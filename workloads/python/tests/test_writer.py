"""The order in which a recording's file is written, whoever asks for it at whatever moment."""

from __future__ import annotations

import ast
import itertools
import sys
import threading
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from allocsim.estimate.messages import sealed, unsealed  # noqa: E402
from allocsim.recorder.writer import Writer  # noqa: E402

ASKS = ("flush", "signal", "out_of_memory", "end", "sigterm")
LAST = ("end", "sigterm")


class Model:
    """A recording in which something is asked for at chosen moments: before a write, while it takes its snapshot, before and after it replaces the file."""

    def __init__(self, moments):
        self.moments = list(moments)
        self.clock = 0
        self.file = None
        self.files = []
        self.requests = []
        self.writer = Writer(self.write)

    def moment(self):
        self.clock += 1
        if self.moments:
            for reason in self.moments.pop(0):
                self.requests.append(self.writer.ask(reason, is_last=reason in LAST))

    def write(self, reason, is_last):
        self.moment()
        snapshot = self.clock
        self.moment()
        self.file = (snapshot, reason, is_last)
        self.files.append(self.file)
        self.moment()

    def run(self):
        self.moment()
        while self.moments or any(not self.writer.is_done(each) for each in self.requests):
            if any(not self.writer.is_done(each) for each in self.requests):
                self.writer.step()
            else:
                self.moment()


class InterleavingTest(unittest.TestCase):
    def test_in_every_order_the_last_write_stays_and_everybody_is_served(self):
        choices = [(), *((each,) for each in ASKS), ("flush", "end"), ("end", "flush"), ("sigterm", "end")]
        for moments in itertools.product(choices, repeat=4):
            model = Model(moments)
            model.run()
            asked = [reason for moment in moments for reason in moment]
            with self.subTest(moments):
                self.assertEqual(bool(asked), bool(model.files))
                self.assertTrue(all(model.writer.is_done(each) for each in model.requests))
                self.assertEqual(sorted(model.files), model.files)
                lasts = [is_last for _, _, is_last in model.files]
                self.assertEqual(any(each in LAST for each in asked), any(lasts))
                self.assertNotIn(True, lasts[:-1])
                if any(lasts):
                    self.assertEqual(next(each for each in asked if each in LAST), model.file[1])

    def test_a_write_that_fails_serves_those_who_wait(self):
        def fail(reason, is_last):
            raise MemoryError

        writer = Writer(fail)
        request = writer.ask("flush")
        with self.assertRaises(MemoryError):
            writer.step()
        self.assertTrue(request.served.is_set())


class ThreadTest(unittest.TestCase):
    def test_many_threads_that_ask_at_once_never_write_at_once_or_after_the_last(self):
        for attempt in range(50):
            inside, written = [], []

            def write(reason, is_last):
                inside.append(reason)
                self.assertEqual(1, len(inside))
                written.append(is_last)
                inside.pop()

            writer = Writer(write)
            writer.start()
            threads = [
                threading.Thread(target=lambda last=number == attempt % 8: writer.wait(writer.ask("end" if last else "flush", is_last=last))) for number in range(8)
            ]
            for each in threads:
                each.start()
            for each in threads:
                each.join(30)
                self.assertFalse(each.is_alive())
            self.assertEqual([True], [each for each in written if each])
            self.assertTrue(written[-1])


class PackageTest(unittest.TestCase):
    def test_a_message_that_no_rank_of_the_run_has_made_is_not_loaded(self):
        message = sealed([1, "two"], "key")
        self.assertEqual([1, "two"], unsealed(message, "key"))
        for other in (sealed([print], "another key"), message[:-1], b"", message[:40]):
            with self.assertRaisesRegex(ValueError, "did not come from a rank of this run"):
                unsealed(other, "key")

    def test_no_file_of_the_package_loads_a_pickle_from_a_file(self):
        for source in sorted((HERE.parent / "allocsim").rglob("*.py")):
            if source.name == "messages.py":  # It checks that the run itself has made what it loads.
                continue
            for node in ast.walk(ast.parse(source.read_text("utf-8"))):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pickle":
                    self.assertIn(node.attr, ("dump", "dumps"), f"{source}:{node.lineno}")


if __name__ == "__main__":
    unittest.main()
