"""How far an estimate runs a program: repetition, shapes, the phases of the source, and loops that end early."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "workloads/python"))

from allocsim.estimate.leave import leave, turns  # noqa: E402
from allocsim.estimate.phases import Phases, rest_bytes  # noqa: E402
from allocsim.estimate.progress import Progress  # noqa: E402
from allocsim.estimate.repetition import Repetition  # noqa: E402
from allocsim.estimate.shapes import elements, is_dominated, shapes_of, varying  # noqa: E402
from allocsim.estimate.source import Source  # noqa: E402

MIB = 1 << 20


class Array:
    """Has the two attributes that a tensor is known by."""

    def __init__(self, *shape):
        self.shape, self.dtype = shape, "int64"


class RepetitionTest(unittest.TestCase):
    def test_a_step_like_an_earlier_one_brings_nothing_new(self):
        steps = Repetition()
        self.assertEqual([True, True, False, False], [steps.add(asked, 10 * MIB) for asked in (1, 2, 2, 1)])
        self.assertEqual(2, steps.repeating)
        self.assertTrue(steps.add(3, 10 * MIB))
        self.assertEqual(0, steps.repeating)

    def test_a_step_that_leaves_more_live_is_new(self):
        steps = Repetition()
        for number in range(10):
            steps.add("same", number * MIB)
        self.assertEqual(0, steps.repeating)

    def test_small_losses_in_a_list_are_no_growth(self):
        steps = Repetition()
        for number in range(40):
            steps.add("same", MIB + number * 512)
        self.assertEqual(39, steps.repeating)
        self.assertEqual(0, steps.growth_bytes_per_step())

    def test_growth_is_told_by_step(self):
        steps = Repetition()
        for number in range(40):
            steps.add("same", number * 3 * MIB)
        self.assertEqual(3 * MIB, steps.growth_bytes_per_step())

    def test_steps_of_different_lengths_do_not_grow(self):
        steps = Repetition()
        for number in range(60):
            steps.add(number, (100 + number * 37 % 50) * MIB)
        self.assertEqual(0, steps.growth_bytes_per_step())

    def test_growth_that_ended_is_none(self):
        steps = Repetition()
        for number in range(120):
            steps.add("same", min(number, 50) * MIB)
        self.assertEqual(0, steps.growth_bytes_per_step())


class ShapesTest(unittest.TestCase):
    def test_tensors_of_nested_batches_are_found(self):
        self.assertEqual(((8, 512), (8,)), shapes_of({"ids": Array(8, 512), "rest": [Array(8), "text"]}))
        self.assertEqual(((3,), (2,)), shapes_of([[1, 2, 3], [4, 5]]))
        self.assertEqual(((7, 3),), shapes_of(types.SimpleNamespace(x=Array(7, 3), name="graph")))
        self.assertEqual(((17, 4),), shapes_of(types.SimpleNamespace(is_nested=True, shape=(3, object(), 4), dtype=None, values=lambda: Array(17, 4))))

    def test_a_batch_of_texts_has_no_known_shape(self):
        self.assertIsNone(shapes_of(["a sentence", "another one"]))

    def test_a_batch_is_dominated_by_one_that_is_as_large_in_each_dimension(self):
        large = ((8, 512), (8,))
        self.assertTrue(is_dominated(((8, 100), (8,)), [large]))
        self.assertTrue(is_dominated(large, [large]))
        self.assertFalse(is_dominated(((9, 100), (8,)), [large]))
        self.assertFalse(is_dominated(((8, 100),), [large]))
        self.assertFalse(is_dominated(((8, 100, 1), (8,)), [large]))

    def test_the_dimension_that_varies_is_that_of_lengths_before_that_of_samples(self):
        self.assertEqual((0, 1), varying([((8, 100), (8,)), ((8, 512), (8,)), ((3, 300), (3,))]))
        self.assertEqual((0, 0), varying([((8, 100),), ((4, 100),)]))
        self.assertIsNone(varying([((8, 100),), ((8, 100),)]))

    def test_elements_are_those_of_all_tensors(self):
        self.assertEqual(28, elements(((4, 5), (8,))))


class PhasesTest(unittest.TestCase):
    def test_each_phase_has_its_own_peak(self):
        phases = Phases()
        phases.step("training", 3)
        phases.note(100, 100)
        phases.now = "evaluation"
        phases.step("evaluation")
        phases.note(60, 100)
        phases.note(150, 170)
        self.assertEqual(
            [{"name": "training", "steps": 3, "peak_reserved_bytes": 100}, {"name": "evaluation", "steps": 1, "peak_reserved_bytes": 170}], phases.report()
        )

    def test_steps_of_random_sizes_may_need_more_the_fewer_were_seen(self):
        sizes = [(number * 37 % 100 + 1) * MIB for number in range(100)]
        few, many = (rest_bytes(sizes[:count], 10 * MIB, 100 * MIB, None) for count in (10, 100))
        self.assertGreater(few, many)
        self.assertGreater(many, 0)

    def test_where_the_longest_was_run_only_the_order_of_sizes_may_add(self):
        sizes = [(number * 37 % 100 + 1) * MIB for number in range(100)]
        self.assertEqual(20 * MIB, rest_bytes(sizes, 10 * MIB, 100 * MIB, 1.0))
        self.assertEqual(2 * MIB, rest_bytes(sizes, 10 * MIB, 100 * MIB, 1.0, is_split=False))

    def test_longer_steps_are_bounded_by_the_longest_that_is_possible(self):
        sizes = [(number * 37 % 100 + 1) * MIB for number in range(100)]
        self.assertEqual(rest_bytes(sizes, 0, 100 * MIB, 1.1, is_split=False), rest_bytes([*sizes, 100 * MIB], 0, 100 * MIB, 1.1, is_split=False))


SCRIPT = '''
import torch

def evaluate(model):
    model.eval()
    with torch.no_grad():
        for x in data:
            model(x)

def unused(model):
    model.eval()

@torch.no_grad()
def init(model):
    pass

def main():
    for epoch in range(3):
        for x in data:
            optimizer.step()
        evaluate(model)
    model.generate(x)

main()
'''


class SourceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.file = os.path.join(folder, "train.py")
        Path(self.file).write_text(SCRIPT)
        self.source = Source([self.file, os.path.join(folder, "missing.py")])

    def line(self, text):
        return SCRIPT.splitlines().index(next(each for each in SCRIPT.splitlines() if text in each)) + 1

    def test_places_that_evaluate_or_generate_are_found_but_for_those_that_nothing_calls(self):
        found = [(each.phase, each.line, each.is_call) for each in self.source.hints]
        self.assertEqual([("evaluation", 5, True), ("evaluation", 6, False)], found[:2])
        self.assertIn(("generation", self.line("model.generate"), True), found)
        self.assertNotIn(self.line("def unused") + 1, [line for _, line, _ in found])
        self.assertNotIn(self.line("def init"), [line for _, line, _ in found])

    def test_loops_around_a_line_come_from_the_innermost_with_what_follows_them(self):
        inner, outer = self.source.loops(self.file, self.line("optimizer.step"))
        self.assertEqual(((self.line("optimizer.step") + 1,), (self.line("model.generate"),)), (inner.after, outer.after))
        self.assertTrue(outer.first < inner.first <= inner.last < outer.last)

    def test_the_way_to_a_statement_that_holds_something_open_goes_by_a_plain_one(self):
        text = "before = 1\nfor turn in range(9):\n    step()\n{}\n    after()\n"
        for head in ("with open(name) as file:", "for each in range(3):", "if (before\n        or turn):"):
            with self.subTest(head):
                Path(self.file).write_text(text.format(head))
                self.assertEqual([(1, 4)], [each.after for each in Source([self.file]).loops(self.file, 3)])

    def test_a_place_is_in_a_loop_that_calls_its_function(self):
        inner, outer = self.source.loops(self.file, self.line("optimizer.step"))
        evaluation = self.source.places(self.source.hints[0])
        self.assertFalse(any(inner.holds(*each) for each in evaluation))
        self.assertTrue(any(outer.holds(*each) for each in evaluation))


def left_at(number):
    """Loops whose third turn asks to leave them; what each function saw."""
    source = Source([__file__])

    def ask(outermost=False):
        frame = sys._getframe(1)
        loops = source.loops(__file__, frame.f_lineno)
        able = [each for each in loops if each.after]
        leave([(frame, turns(loops, able[-1 if outermost else 0]))])

    def ranged():
        for turn in range(10):
            seen = turn
            if turn == number:
                with open(os.devnull):
                    ask()
        return seen

    def endless():
        turn = 0
        while True:
            turn += 1
            if turn == number:
                ask()
            if turn > 100:
                break
        return turn

    def nested():
        turns = []
        for outer in range(2):
            for inner in range(10):
                turns.append(inner)
                if inner == number:
                    ask()
            turns.append("next")
        return turns

    def both():
        turns = []
        for outer in range(3):
            for inner in range(10):
                turns.append(inner)
                if inner == number:
                    ask(outermost=True)
        return turns

    def guarded():
        turns = []
        for outer in range(3):
            try:
                for inner in range(10):
                    turns.append(inner)
                    if inner == number:
                        ask(outermost=True)
                turns.append("next")
            finally:
                turns.append("end")
        return turns

    def unset():
        for turn in range(10):
            if turn == number:
                ask()
        later = turn
        return later

    return ranged(), endless(), nested(), both(), guarded(), unset()


class LeaveTest(unittest.TestCase):
    def test_a_loop_that_is_left_ends_when_its_next_turn_begins(self):
        self.assertIsNone(sys.gettrace())
        # Python 3.12 and later warn of names without a value.
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", RuntimeWarning)
            ranged, endless, nested, both, guarded, unset = left_at(2)
        self.assertEqual([], [str(each.message) for each in warned])
        self.assertEqual((2, 2, 3), (ranged, endless, unset))
        self.assertEqual([0, 1, 2, "next"] * 2, nested)
        self.assertEqual([0, 1, 2], both)
        self.assertEqual([0, 1, 2, "next", "end"], guarded, "what has to be ended is")
        self.assertIsNone(sys.gettrace())


class ProgressTest(unittest.TestCase):
    def test_nothing_is_shown_in_a_pipe(self):
        reading, writing = os.pipe()
        with os.fdopen(reading) as received, os.fdopen(writing, "w") as stream:
            progress = Progress(stream)
            progress.show("training", "step 1", 1 << 30)
            progress.clear()
            stream.close()
            self.assertEqual("", received.read())

    @unittest.skipUnless(hasattr(os, "openpty"), "there are no terminals")
    def test_a_terminal_has_one_line_that_is_cleared(self):
        before = os.environ.get("TERM")
        self.addCleanup(lambda: os.environ.pop("TERM") if before is None else os.environ.update(TERM=before))
        for name, expected in (("xterm", "\r\x1b[Ktraining: step 12, 3.1 GiB reserved\r\x1b[K"), ("dumb", "")):
            os.environ["TERM"] = name
            ours, theirs = os.openpty()
            with os.fdopen(theirs, "w") as stream, mock.patch("allocsim.estimate.progress.time.monotonic", return_value=9.0):
                progress = Progress(stream)
                progress.show("training", "step 12", 3328599654)
                progress.show("training", "step 13", 3328599654)
                progress.clear()
                stream.write("|")
                stream.flush()
                found = ""
                while not found.endswith("|"):  # A terminal gives what was written in pieces.
                    found += os.read(ours, 1000).decode()
            os.close(ours)
            self.assertEqual(expected + "|", found)


def cuda_build():
    """Why programs cannot be run here, or None."""
    if importlib.util.find_spec("torch") is None:
        return "PyTorch is not installed"
    found = subprocess.run([sys.executable, "-c", "import torch; print(torch.version.cuda)"], capture_output=True, text=True)
    if found.returncode != 0 or found.stdout.strip() == "None":
        return "PyTorch is not a CUDA build"
    from allocsim.estimate.standin import NoStandIn, library_folder

    try:
        library_folder()
    except NoStandIn as problem:
        return str(problem)
    return None


MODEL = '''
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
model = nn.Linear(64, 64).cuda()
optimizer = torch.optim.Adam(model.parameters())
def step(x):
    optimizer.zero_grad()
    model(x.cuda()).sum().backward()
    optimizer.step()
'''


class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        why = cuda_build()
        if why is not None:
            raise unittest.SkipTest(why)

    def run_program(self, text, *options, **course):
        """The report of a run, and what the program printed."""
        from allocsim.estimate.command import options_parser
        from allocsim.estimate.runs import Runs
        from allocsim.recorder.program import Signals
        from allocsim.estimate.standin import library_folder
        from allocsim.usage import with_program

        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        script, printed = os.path.join(folder, "train.py"), os.path.join(folder, "printed")
        Path(script).write_text(f"import functools\nprint = functools.partial(print, file=open({printed!r}, 'w'), flush=True)\n" + text)
        given, program = with_program(options_parser(), ["--stacks", "none", "--allow-writes", *options, "--", sys.executable, script])
        report = Runs(given, program, {}, str(library_folder()), os.path.join(folder, "run.pickle"), Signals(print)).run(os.path.join(folder, "run.pickle"), {}, **course)[1]
        return report, Path(printed).read_text().split()

    def test_a_program_that_is_at_its_end_is_not_interrupted_when_its_time_is_over(self):
        report, _ = self.run_program(
            "import atexit, sys, time\nerrors = open(__file__ + '.errors', 'w')\nsys.stderr = errors\natexit.register(time.sleep, 12)\n"
            "import torch\ntorch.zeros(9, device='cuda')\n"
            "sys.unraisablehook = lambda problem: __builtins__.print(problem.exc_type, file=open(__file__ + '.ignored', 'w'))\n",
            "--time", "5",
        )
        self.assertEqual(("end", None), (report["ended"], report["cut"]))
        self.assertFalse(os.path.exists(report["script"] + ".ignored"))

    def test_steps_that_repeat_end_a_program_without_another_phase(self):
        report, _ = self.run_program(MODEL + "for _ in range(100000):\n    step(torch.randn(8, 64))\n")
        self.assertEqual(("repeats", 204), (report["cut"], report["steps_run"]))
        self.assertEqual({"low": 0, "high": 0}, report["later_bytes"])

    def test_a_short_loop_that_repeats_ends_by_itself(self):
        report, printed = self.run_program(MODEL + "for i in range(150):\n    step(torch.randn(8, 64))\nprint(i)\n")
        self.assertEqual((None, 150, []), (report["cut"], report["steps_run"], report["loops_left"]))
        self.assertEqual(["149"], printed)

    def test_large_steps_that_repeat_are_run_on_for_fewer_turns(self):
        report, _ = self.run_program(MODEL + "for i in range(100000):\n    step(torch.randn(8, 64))\n    many = [torch.empty(1, device='cuda') for _ in range(1000)]\n")
        self.assertEqual("repeats", report["cut"])
        self.assertGreater(report["steps_run"], 40)
        self.assertLess(report["steps_run"], 60)

    def test_an_evaluation_after_batches_that_repeat_is_met(self):
        text = MODEL + """
train, test = DataLoader(TensorDataset(torch.randn(10003, 64)), batch_size=8), DataLoader(TensorDataset(torch.randn(2000, 64)), batch_size=1000)
sizes = set()
for epoch in range(1000):
    for x, in train:
        step(x)
        sizes.add(len(x))
    model.eval()
    with torch.no_grad():
        for x, in test:
            model(x.cuda())
    print(*sorted(sizes))
"""
        report, printed = self.run_program(text)
        self.assertEqual("repeats", report["cut"])
        self.assertEqual(["training", "evaluation"], [each["name"] for each in report["phases"]])
        self.assertEqual(["3", "8"], printed[:2], "the last batch is run")
        self.assertGreater(report["batches_skipped"], 50)
        self.assertEqual([], report["not_reached"])

    def test_batches_of_one_shape_with_an_evaluation_between_them_may_need_no_more(self):
        text = MODEL + """
train, test = DataLoader(TensorDataset(torch.randn(45, 64)), batch_size=8), DataLoader(TensorDataset(torch.randn(2000, 64)), batch_size=1000)
for epoch in range(6):
    for x, in train:
        step(x)
    with torch.no_grad():
        for x, in test:
            model(x.repeat(1 + epoch % 3, 1).cuda())
"""
        report, _ = self.run_program(text)
        self.assertEqual({"low": 0, "high": 0}, report["later_bytes"])

    def test_the_order_of_batches_of_different_lengths_is_known_where_a_seed_is_set(self):
        text = MODEL + """
data = [torch.randn(10 + i, 64) for i in range(30)]
for x in DataLoader(data, batch_size=1, shuffle=SHUFFLE):
    step(x)
"""
        for before, shuffle, expected in (("", True, 29 / 49), ("torch.manual_seed(1)\n", True, 0), ("", False, 0)):
            report, _ = self.run_program("import torch\n" + before + text.replace("SHUFFLE", str(shuffle)))
            self.assertAlmostEqual(expected, report["drawn_order"], 3)

    def test_lengths_that_are_drawn_without_a_seed_are_others_in_each_run(self):
        text = MODEL + """
import random
for i in range(12):
    x = torch.randn(2, LENGTH, 64).cuda()
    step(x)
"""
        drawn, of_torch, in_order = "random.randint(10, 90)", "int(torch.randint(10, 90, ()))", "10 + i"
        for before, length, is_drawn in (
            ("", drawn, True), ("", of_torch, True), ("import random; random.seed(3)\n", drawn, False), ("import torch; torch.manual_seed(3)\n", of_torch, False),
            ("", in_order, False), ("import torch; torch.manual_seed(3)\n", drawn, True),
        ):
            # Only the lengths are drawn on the host, or nothing is.
            report, _ = self.run_program("import torch\n" + before + text.replace("LENGTH", length).replace("torch.randn(", "torch.zeros("))
            self.assertEqual(is_drawn, report["drawn_order"] > 0.05, (before, length, report["drawn_order"]))

    def test_another_run_tells_lengths_that_are_drawn_from_those_of_a_generator_with_a_seed(self):
        from allocsim.estimate.answer import asks_alike

        text = MODEL + """
import random
lengths = GENERATOR
for _ in range(12):
    x = torch.randn(2, lengths.randint(10, 90), 64).cuda()
    step(x)
"""
        for generator, alike in (("random.Random(3)", True), ("random.Random()", False)):
            first, second = (self.run_program(text.replace("GENERATOR", generator))[0] for _ in range(2))
            self.assertTrue(first["may_draw_lengths"])
            self.assertEqual(12, len(first["asked_bytes"][0]))
            self.assertEqual(alike, asks_alike(first, second), generator)

    def test_a_compiled_program_tries_no_kernels_where_it_has_the_caches_of_an_earlier_run(self):
        from allocsim.estimate.runs import has_compiled

        text = """
import torch
@torch.compile
def scaled(x):
    return torch.softmax(x, -1) * torch.linalg.vector_norm(x, dim=-1, keepdim=True)
scaled(torch.randn(64, 4096, device="cuda")).sum().item()
"""
        caches = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, caches)
        self.assertFalse(has_compiled(caches))
        first, second = (self.run_program(text, caches=caches)[0] for _ in range(2))
        self.assertEqual((None, None), (first["problem"], second["problem"]))
        self.assertTrue(has_compiled(caches))
        # A first run clears a buffer as large as the L2 cache before it measures.
        self.assertGreater(first["allocated_bytes"] - second["allocated_bytes"], 40 << 20)

    def test_what_follows_a_long_loop_is_met(self):
        text = MODEL + "for _ in range(100000):\n    step(torch.randn(8, 64))\nmodel.eval()\nwith torch.no_grad():\n    model(torch.randn(1 << 16, 64).cuda())\nprint('done')\n"
        report, printed = self.run_program(text)
        self.assertEqual((None, ["done"], 1), (report["cut"], printed, len(report["loops_left"])))

    def test_a_model_within_a_compiled_one_generates(self):
        report, _ = self.run_program(
            MODEL + "class Writer(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.net = model\n    def generate(self):\n        return self.net(torch.ones(8, 64, device='cuda'))\n"
            "writer = Writer()\ncompiled = torch.compile(writer)\nfor i in range(200):\n    step(torch.randn(8, 64))\ncompiled.eval()\nwriter.generate()\n"
        )
        self.assertEqual(["training", "evaluation", "generation"], [each["name"] for each in report["phases"]])
        self.assertEqual([], report["not_reached"])

    def test_steps_after_the_loops_that_were_left_may_differ(self):
        report, _ = self.run_program(
            MODEL + "for i in range(200):\n    step(torch.randn(8, 64))\nother = torch.optim.SGD(model.parameters())\nfor size in (8, 16, 32, 64, 128, 256):\n"
            "    other.zero_grad()\n    model(torch.randn(size, 64).cuda()).sum().backward()\n    other.step()\nmodel.eval()\n"
        )
        self.assertEqual(("end", {"low": 0, "high": 0}), (report["ended"], report["later_bytes"]))

    def test_the_longest_batch_is_run_and_named(self):
        text = MODEL + """
data = [torch.randn(4 if i != 777 else 99, 64) for i in range(1000)]
for x in DataLoader(data, batch_size=1):
    step(x)
    longest = torch.cuda.max_memory_allocated()
    print(x.shape[1])
"""
        report, printed = self.run_program(text)
        self.assertEqual("99", max(printed, key=int))
        self.assertLess(len(printed), 220)
        seen, = report["lengths"]["seen"]
        self.assertEqual((4, 99), (seen["low"], seen["high"]))
        self.assertEqual(99, report["lengths"]["longest_possible"])
        _, printed = self.run_program(text, longest={"tensor": 0, "dimension": 1, "length": 200})
        self.assertIn("200", printed)

    def test_an_epoch_that_was_run_whole_had_the_longest_batch(self):
        text = MODEL + """
data = [torch.randn(10 + i, 64) for i in range(12)]
loader = DataLoader(data, batch_size=1, sampler=SAMPLER)
for epoch in range(1000):
    for x in loader:
        step(x)
"""
        for sampler, expected in (("torch.utils.data.RandomSampler(data)", 21), ("torch.utils.data.RandomSampler(data, num_samples=7)", None)):
            report, _ = self.run_program(text.replace("SAMPLER", sampler))
            self.assertEqual("repeats", report["cut"])
            self.assertEqual(expected, report["lengths"]["longest_possible"])

    def test_a_program_that_takes_batches_one_by_one_gets_all_of_them(self):
        text = MODEL + "it = iter(DataLoader(torch.randn(300, 64), batch_size=1))\nfor _ in range(300):\n    x = next(it)\n    model(x.cuda())\nprint('all')\n"
        report, printed = self.run_program(text)
        self.assertEqual(("end", ["all"], 0), (report["ended"], printed, report["batches_skipped"]))

    def test_growth_is_said_and_ends_with_the_time(self):
        text = MODEL + "kept = []\nwhile True:\n    step(torch.randn(8, 64))\n    kept.append(torch.empty(1 << 20, dtype=torch.uint8, device='cuda'))\n"
        report, _ = self.run_program(text, "--time", "4")
        self.assertEqual(("time", 1 << 20, None), (report["cut"], report["growth_bytes_per_step"], report["later_bytes"]["high"]))

    def test_a_program_that_holds_up_its_end_is_ended(self):
        text = MODEL + "while True:\n    try:\n        step(torch.randn(8, 64))\n    except:\n        print('caught')\n"
        report, printed = self.run_program(text, "--steps", "3")
        self.assertEqual(("steps", ["caught"]), (report["ended"], printed))

    def test_a_program_without_steps_ends_with_its_time(self):
        report, _ = self.run_program("import torch\nx = torch.ones(8, device='cuda')\nwhile True:\n    pass\n", "--time", "1")
        self.assertEqual("time", report["cut"])


if __name__ == "__main__":
    unittest.main()
