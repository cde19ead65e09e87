"""How programs end, and what an estimate says of it."""

import contextlib
import importlib.util
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "workloads/python"), str(ROOT / "workloads/python/tests")]

from allocsim.estimate import reports  # noqa: E402
from allocsim.estimate.answer import answer, asks_alike, fits, recommended, similar_runs  # noqa: E402
from allocsim.estimate.cards import is_beyond  # noqa: E402
from allocsim.estimate.ending import Ending, memory_in, one_line  # noqa: E402
from allocsim.estimate.places import is_last  # noqa: E402
from allocsim.estimate.screen import MAX_LINES, answer_lines, first_line, range_text, size_text  # noqa: E402
from allocsim.estimate.widths import causes_of, interval, size_share  # noqa: E402
from allocsim.recorder.command import SITE  # noqa: E402
from heeded import heed_signals  # noqa: E402

setUpModule = heed_signals

GIB = 1 << 30

#: Has memory looked at as where PyTorch is loaded.
LOADED = """
import sys, types
from allocsim.estimate.ending import current
stats = {"reserved_bytes.all.peak": 5 << 30, "allocated_bytes.all.peak": 4 << 30, "num_ooms": 2}
cuda = types.SimpleNamespace(is_initialized=lambda: True, device_count=lambda: 1, memory_stats=lambda device: stats)
current().loaded(types.SimpleNamespace(__version__="2.14", cuda=cuda), sys._getframe(), lambda: None, lambda reason: None)
"""


class EndingTest(unittest.TestCase):
    """Real processes of Python, without PyTorch."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, command):
        base = self.base = os.path.join(tempfile.mkdtemp(dir=self.folder), "report")
        environment = dict(os.environ, PYTHONPATH=SITE, ALLOCSIM_RECORD=json.dumps({"path": "x", "max_entries": 1, "stacks": "none", "flush_seconds": 0, "parent": os.getpid(), "run_folder": self.folder}))
        environment["ALLOCSIM_ESTIMATE"] = json.dumps({"report": base})
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60)
        code = 128 - done.returncode if done.returncode < 0 else done.returncode
        return code, reports.chosen(reports.read(base), code)

    def ended(self, text, loaded=True):
        """The report of a script, whose lines are counted after what loads PyTorch."""
        before = LOADED.replace("\n", ";").strip(";") + "\n" if loaded else ""
        Path(self.folder, "train.py").write_text(before + textwrap.dedent(text).lstrip())
        return self.run_program([sys.executable, "train.py"])

    def place(self, report):
        return None if report["line"] is None else f"{os.path.basename(report['line'])}"

    def test_an_error_has_the_users_own_line(self):
        _, report = self.ended("import json\ndef load():\n    json.loads('{')\nload()\n")
        self.assertEqual(("error", "train.py:4", "program"), (report["ended"], self.place(report), report["origin"]))
        self.assertEqual(5 * GIB, report["reserved_bytes"])

    def test_what_cannot_be_parsed_or_imported_is_an_error_too(self):
        for text, line, problem in (("x = 1\nx = = 3\n", 2, "SyntaxError: invalid syntax"), ("import no_such\n", 1, "ModuleNotFoundError: No module named 'no_such'")):
            _, report = self.ended(text, loaded=False)
            self.assertEqual(("error", f"train.py:{line}", problem), (report["ended"], self.place(report), report["problem"]))

    def test_a_program_that_ends_ordinarily_is_complete(self):
        for text in ("x = 1\n", "for i in range(3):\n    pass\n", "import sys\ndef main():\n    for i in range(3):\n        if i == 1:\n            break\n    return 0\nsys.exit(main())\n",
                     "import sys\ntry:\n    sys.exit(3)\nexcept SystemExit:\n    pass\nwith open('x', 'w') as f:\n    f.write('y')\n",
                     "class A:\n    def __del__(self): raise ValueError('late')\nA()\n", "import os, sys\nsys.stdout.flush()\nos._exit(0)\n",
                     "def main():\n    raise SystemExit\nif __name__ == '__main__':\n    main()\n"):
            code, report = self.ended(text)
            self.assertEqual((0, "end"), (code, report["ended"]), text)

    def test_an_exit_before_the_rest_of_the_program_ran_is_early(self):
        for text, line in (
            ("import sys\nfor i in range(3):\n    if i == 1:\n        sys.exit(0)\n", 5), ("import sys\nif len(sys.argv) == 1:\n    sys.exit()\nprint('work')\n", 4),
            ("if True:\n    raise SystemExit\nprint('work')\n", 3), ("def main():\n    while True:\n        quit()\nmain()\n", 4),
        ):
            code, report = self.ended(text)
            self.assertEqual((0, "exit", f"train.py:{line}"), (code, report["ended"], self.place(report)), text)

    def test_an_exit_with_a_code_or_a_message_is_early_wherever_it_is(self):
        for text, code, problem, function in (
            ("import sys\nsys.exit(3)\n", 3, None, "sys.exit"), ("import sys\nsys.exit('no data')\n", 1, "no data", "sys.exit"), ("import os\nos._exit(5)\n", 5, None, "os._exit"),
            ("import argparse\np = argparse.ArgumentParser()\np.add_argument('x')\np.parse_args()\n", 2, None, "sys.exit"), ("raise SystemExit(4)\n", 4, None, "SystemExit"),
        ):
            found, report = self.ended(text)
            self.assertEqual((code, "exit", problem), (found, report["ended"], report["problem"]), text)
            self.assertEqual((code, function), (report["exit"]["code"], report["exit"]["function"]), text)
            self.assertIsNotNone(report["line"], text)

    def test_a_crash_has_its_line_and_an_end_from_outside_where_it_was(self):
        _, report = self.ended("import ctypes\ndef go():\n    ctypes.string_at(8)\ngo()\n")
        self.assertEqual(("killed", "train.py:4", "Segmentation fault"), (report["ended"], self.place(report), report["problem"]))
        _, report = self.ended("import os\nos.abort()\n")
        self.assertEqual(("exit", "train.py:3"), (report["ended"], self.place(report)))
        code, report = self.ended("import os, signal, time\ndef work():\n    time.sleep(1.5)\n    os.kill(os.getpid(), signal.SIGKILL)\nwork()\n")
        self.assertEqual((128 + signal.SIGKILL, "killed", "SIGKILL"), (code, report["ended"], report["problem"]))
        self.assertEqual(("train.py:4", 5 * GIB), (self.place(report), report["reserved_bytes"]))

    def test_an_interrupt_is_an_error(self):
        _, report = self.ended("import signal, os\nos.kill(os.getpid(), signal.SIGINT)\n")
        self.assertEqual(("error", "KeyboardInterrupt"), (report["ended"], report["kind"]))

    def test_a_thread_of_the_program_that_fails_ends_it_early(self):
        _, report = self.ended("import threading\ndef work():\n    raise ValueError('bad')\nt = threading.Thread(target=work)\nt.start()\nt.join()\n")
        self.assertEqual(("thread", "train.py:4", "ValueError: bad"), (report["ended"], self.place(report), report["problem"]))

    def test_a_traceback_of_another_process_gives_its_line(self):
        text = """
        import concurrent.futures
        def work(x):
            return 1 // x
        if __name__ == '__main__':
            with concurrent.futures.ProcessPoolExecutor(1) as pool:
                pool.submit(work, 0).result()
        """
        code, report = self.ended(text)
        self.assertEqual((1, "error"), (code, report["ended"]))
        self.assertIn("ZeroDivisionError", report["problem"])
        message = (
            "Caught KeyError in DataLoader worker process 0.\\nOriginal Traceback (most recent call last):\\n"
            "  File \\\"/x/site-packages/torch/a.py\\\", line 3, in fetch\\n  File \\\"/home/me/data.py\\\", line 7, in __getitem__\\nKeyError: \\'sample\\'\\n"
        )
        _, report = self.ended(f"raise KeyError(\"{message}\")\n")
        self.assertIn("sample", report["problem"])

    def test_programs_of_several_processes(self):
        Path(self.folder, "bad.py").write_text("x = 1\nundefined\n")
        Path(self.folder, "good.py").write_text(LOADED)
        Path(self.folder, "run.sh").write_text(f"{sys.executable} good.py\n{sys.executable} bad.py\n")
        code, report = self.run_program(["bash", "run.sh"])
        self.assertEqual((1, "error", "bad.py:2", 5 * GIB), (code, report["ended"], self.place(report), report["reserved_bytes"]))

    def test_the_error_is_told_and_not_the_code_of_the_child_that_had_it(self):
        Path(self.folder, "worker.py").write_text("def work():\n" + textwrap.indent(LOADED, "    ") + "    undefined\n")
        text = """
        import multiprocessing, sys, worker
        if __name__ == '__main__':
            child = multiprocessing.get_context('spawn').Process(target=worker.work)
            child.start()
            child.join()
            if child.exitcode:
                raise RuntimeError('the worker failed')
        """
        code, report = self.ended(text, loaded=False)
        self.assertEqual((1, "error", "train.py:7", 5 * GIB), (code, report["ended"], self.place(report), report["reserved_bytes"]))

    def test_the_error_of_a_process_comes_before_that_of_its_starter(self):
        Path(self.folder, "other.py").write_text("undefined\n")
        _, report = self.ended("import subprocess, sys\nsubprocess.run([sys.executable, 'other.py'], check=True)\n", loaded=False)
        self.assertEqual(("error", "other.py:1"), (report["ended"], self.place(report)))

    def test_a_program_that_takes_the_place_of_another_is_the_one_that_is_told(self):
        Path(self.folder, "other.py").write_text("undefined\n")
        code, report = self.ended("import os\nos.execv(sys.executable, [sys.executable, 'other.py'])\n")
        self.assertEqual((1, "error", "other.py:1"), (code, report["ended"], self.place(report)))
        code, report = self.ended("import os\ntry:\n    os.execv('/no/such', ['x'])\nexcept OSError:\n    pass\n")
        self.assertEqual((0, "end"), (code, report["ended"]))

    def test_children_that_were_forked_write_no_report(self):
        code, report = self.ended("import os\nif os.fork() == 0:\n    os._exit(7)\nos.wait()\n")
        self.assertEqual((0, "end"), (code, report["ended"]))
        self.assertEqual(1, len(reports.read(self.base)))

    def test_a_forked_child_that_uses_the_gpu_has_a_report_of_its_own(self):
        text = """
        import os
        from allocsim.estimate.ending import current
        mine = current()
        if os.fork() == 0:
            mine.adopt()
            try:
                undefined
            except NameError as problem:
                mine.failed(problem, problem.__traceback__)
            mine.end()
            os._exit(1)
        os.wait()
        """
        code, report = self.ended(text)
        ends = sorted((each["ended"], self.place(each)) for each in reports.read(self.base))
        self.assertEqual([("end", None), ("error", "train.py:8")], ends)

    def test_a_command_that_runs_no_python_is_told_in_one_sentence(self):
        code, report = self.run_program(["true"])
        self.assertIsNone(report)
        self.assertIn("without running Python", reports.no_process(code, "/bin/true"))
        self.assertIn("could not be run", reports.no_process(127, "bash"))


class LastTest(unittest.TestCase):
    def test_nothing_comes_after_a_line_that_is_in_no_loop_and_is_followed_by_nothing(self):
        text = "def main():\n    if x:\n        leave()\n    else:\n        try:\n            leave()\n        finally:\n            pass\nfor i in x:\n    leave()\nif x:\n    leave()\nmain()\n"
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(text)
            file.flush()
            self.assertEqual([3, 6, 13], [line for line in (3, 6, 10, 12, 13) if is_last(file.name, line)])
        self.assertTrue(is_last("/no/such/file.py", 3))

    def test_of_several_statements_in_a_line_the_last_one_counts(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write("import sys\nx = 1; sys.exit(0)\n")
            file.flush()
            self.assertTrue(is_last(file.name, 2))


def made(**changed):
    """A report of a run that reserved 5 GiB."""
    report = reports.UNSAID | {
        "process": 1, "parent": 0, "script": "train.py", "ended": "end", "problem": None, "kind": None, "line": None, "origin": None, "operation": None, "unsupported_function": None, "out_of_memory_error": None,
        "exit": None, "exit_code": 0, "reserved_bytes": 5 * GIB, "allocated_bytes": 4 * GIB, "out_of_memory": 0, "pytorch": "2.14", "cuda": "13.0", "others_failed": [],
    }
    return report | changed


def complete(reserved, low, high, card, capacity=None, best=None, fit_device="t4", failed=None, **changed):
    """An answer of a run that came to its end; sizes in GiB."""
    found = answer(made(**changed), fit_device, out_of_memory=failed) | {"complete": True, "file": "estimate.pickle", "card_bytes": round(card * GIB), "min_reserved_bytes": None}
    found |= {
        "settings": {
            "recorded": {"conf": "", "reserved_bytes": round(reserved * GIB), "capacity_bytes": round((capacity or reserved) * GIB)},
            "best": {"conf": "expandable_segments:True", "reserved_bytes": round((best or reserved) * GIB)},
        },
        "interval": {"low_bytes": round(low * GIB), "high_bytes": None if high is None else round(high * GIB)}, "peak_requested_bytes": GIB, "smallest_gpu": "rtx-4090",
    }
    found["fits"] = fits(found["card_bytes"], found)
    return found | {"sentence": first_line(found)}


class FirstLineTest(unittest.TestCase):
    def assert_line(self, expected, found):
        self.assertEqual(expected, found["sentence"])

    def test_of_several_gpus_the_one_that_reserved_the_most_is_named(self):
        found = complete(5, 4.9, 5.1, 14, gpus=2, gpu_reserved_bytes=[1 << 30, 5 << 30])
        self.assert_line("Fits on t4 with 9.00 GiB to spare: GPU 1 reserves 5.00 GiB at its peak (4.90 to 5.10 GiB).", found)
        self.assertIn("- The program reserved 1.00 GiB on GPU 0 and 5.00 GiB on GPU 1; this is about GPU 1.", answer_lines(found))
        self.assertIn("Does not fit on t4: GPU 0 needs 5.00 GiB", complete(5, 4.9, 5.1, 3, gpus=2, gpu_reserved_bytes=[5 << 30, 1])["sentence"])

    def test_other_processes_on_the_gpu_are_said(self):
        found = complete(5, 4.9, 5.1, 14, other_processes={"count": 2, "reserved_bytes": 3 << 30})
        expected = "- 2 other processes of the program used the GPU at the same time; their 3.00 GiB and their contexts are taken off the card's memory."
        self.assertIn(expected, answer_lines(found))

    def test_only_processes_that_used_the_same_gpu_at_the_same_time_count(self):
        def process(number, first, last, *peaks, **changed):
            return made(process=number, used_from=first, used_until=last, gpu_reserved_bytes=list(peaks), reserved_bytes=max(peaks, default=0), **changed)

        reserved = [process(1, 0, 9, 50, 0), process(2, 1, 2, 7, 0), process(3, 10, 12, 7, 0), process(4, 2, 3, 0, 20), process(5, None, None)]
        self.assertEqual({"count": 1, "reserved_bytes": 7}, reports.chosen(reserved, 0)["other_processes"])

    def test_a_process_may_have_used_the_gpu_since_it_was_last_seen_not_to(self):
        stats = {"reserved_bytes.all.peak": 0}
        cuda = types.SimpleNamespace(is_initialized=lambda: True, device_count=lambda: 1, memory_stats=lambda device: stats)
        with tempfile.TemporaryDirectory() as folder:
            ending = Ending(os.path.join(folder, "report"))
            ending._torch = types.SimpleNamespace(cuda=cuda)
            for now, bytes_ in ((5, 0), (9, 7), (12, 7)):
                stats["reserved_bytes.all.peak"] = bytes_
                with unittest.mock.patch("allocsim.estimate.ending.time.monotonic", return_value=now):
                    ending._sample()
            self.assertEqual((5, 12, [7]), (ending.report["used_from"], ending.report["used_until"], ending.report["gpu_reserved_bytes"]))

    def test_a_worker_that_its_pool_ends_has_not_failed(self):
        worker = made(process=2, ended="running", signalled=True, seen_line=None, reserved_bytes=10, gpu_reserved_bytes=[10], file="a")
        main = made(process=1, reserved_bytes=1, gpu_reserved_bytes=[1], file="b")
        found = reports.chosen([main, dict(worker)], 0)
        self.assertEqual(("a", "end", []), (found["file"], found["ended"], found["others_failed"]))
        self.assertEqual("killed", reports.chosen([main, dict(worker)], 143)["ended"])

    def test_an_extension_that_cannot_be_built_is_told_with_the_compilers_complaint(self):
        text = "Error building extension 'twice': [1/2] c++ -Werror -c main.cpp -o main.o \nFAILED: twice.so \nc++ main.o -o twice.so\n/usr/bin/ld: cannot find -lcudart: No such file or directory\nninja: build stopped: error"
        self.assertEqual("RuntimeError: Error building extension 'twice': /usr/bin/ld: cannot find -lcudart: No such file or directory", one_line(RuntimeError(text)))
        self.assertEqual("RuntimeError: Error building extension 'twice'", one_line(RuntimeError("Error building extension 'twice'")))

    def test_a_process_that_left_with_the_code_0_has_not_failed(self):
        main = made(process=1, reserved_bytes=1, gpu_reserved_bytes=[1], file="b")
        for code, failed in ((0, []), (3, ["train.py"])):
            left = {"function": "sys.exit", "code": code, "text": None, "line": "train.py:3", "last": False}
            starter = made(process=2, ended="exit", exit=left, script="train.py", reserved_bytes=0)
            self.assertEqual(failed, reports.chosen([main, starter], 0)["others_failed"])

    def test_a_program_that_asks_for_gpus_that_are_not_there_is_told_how_to_show_them(self):
        failed = {"ended": "error", "problem": "AcceleratorError: CUDA error: invalid device ordinal", "origin": "program", "line": "a.py:2", "file": None}
        self.assertIn("The program sees 1 GPU: --gpus 4 shows it as many as it asks for.", answer_lines(answer(made(**failed, missing_gpu=3), "t4")))
        failed["problem"] = "MisconfigurationException: You requested gpu: [0, 1]"
        self.assertIn("The program sees one GPU: --gpus N shows one process more, --world N runs one rank of N.", answer_lines(answer(made(**failed), "t4")))
        failed["problem"] = "RuntimeError: Expected all tensors to be on the same device"
        self.assertFalse([each for each in answer_lines(answer(made(**failed), "t4")) if "--gpus" in each])

    def test_a_complete_answer_begins_with_whether_the_card_is_enough(self):
        for expected, fit, found in (
            ("Fits on t4 with 2.40 GiB to spare: reserves 12.0 GiB at its peak (11.8 to 12.2 GiB).", "yes", complete(12, 11.8, 12.2, 14.4)),
            ("May not fit on t4: reserves 14.3 GiB at its peak (14.0 to 14.6 GiB), of 14.4 GiB available to PyTorch.", "maybe", complete(14.3, 14.0, 14.6, 14.4)),
            ("Does not fit on t4: needs 18.2 GiB (17.8 to 18.6 GiB) of 14.4 GiB available to PyTorch.", "no", complete(18.2, 17.8, 18.6, 14.4)),
        ):
            self.assertEqual(fit, found["fits"])
            self.assert_line(expected, found)

    def test_settings_and_released_memory_are_named_where_they_decide(self):
        found = complete(18, 17.6, 18.4, 14.4, best=13)
        self.assertEqual("setting", found["fits"])
        self.assertTrue(found["sentence"].startswith("Fits on t4 only with expandable_segments:True: reserves 13.0 GiB then"))
        found = complete(18, 17.6, 18.4, 14.4, capacity=13)
        self.assertEqual("tight", found["fits"])
        self.assertIn("release cached memory", found["sentence"])

    def test_a_run_that_ended_early_is_incomplete_and_names_what_is_known(self):
        error = {"ended": "error", "kind": "NameError", "problem": "NameError: name 'x' is not defined", "line": "train.py:63", "origin": "program", "exit_code": 1}
        found = answer(made(**error), "l40s")
        self.assert_line("INCOMPLETE: the program failed at train.py:63: NameError: name 'x' is not defined.", found)
        self.assertFalse(found["complete"])
        self.assertEqual((None, None, None, []), (found["interval"], found["fits"], found["smallest_gpu"], found["gpus_that_fit"]))
        self.assertIn("at least 5.00 GiB", "\n".join(answer_lines(found)))
        self.assertNotIn("Fits", "\n".join(answer_lines(found)))
        found = answer(made(**error, reserved_bytes=0), "l40s")
        self.assert_line("INCOMPLETE: the program failed at train.py:63: NameError: name 'x' is not defined, before any GPU memory was used.", found)
        found = answer(made(**error, reserved_bytes=0) | {"recording_lost": True}, "l40s")
        self.assert_line("INCOMPLETE: the program failed at train.py:63: NameError: name 'x' is not defined, before its GPU memory was recorded.", found)

    def test_each_way_to_end_early_has_its_sentence(self):
        left = {"function": "sys.exit", "code": 3, "text": None, "line": "a.py:3", "last": True}
        for expected, changed in (
            ("the program ended itself at a.py:3 (sys.exit, exit code 3)", {"ended": "exit", "exit": left, "line": "a.py:3"}),
            ("the program ended itself at a.py:3 (sys.exit: no data)", {"ended": "exit", "exit": left, "line": "a.py:3", "problem": "no data"}),
            ("the program ended itself at a.py:3 (sys.exit, before the rest of it ran)", {"ended": "exit", "exit": left | {"code": 0}, "line": "a.py:3"}),
            ("the program ended with exit code 4", {"ended": "exit", "exit": left | {"function": None, "code": 4, "line": None}}),
            ("the program was ended by SIGKILL at about a.py:7", {"ended": "killed", "problem": "SIGKILL", "line": "a.py:7"}),
            ("the program crashed at a.py:7: Segmentation fault", {"ended": "killed", "problem": "Segmentation fault", "line": "a.py:7"}),
            ("a thread failed at a.py:7: ValueError: bad", {"ended": "thread", "problem": "ValueError: bad", "line": "a.py:7", "origin": "program"}),
            ("the program was interrupted (Ctrl-C) at a.py:7", {"ended": "error", "kind": "KeyboardInterrupt", "problem": "KeyboardInterrupt", "line": "a.py:7"}),
            ("the program was stopped at a.py:7 for lack of time", {"ended": "time", "seen_line": "a.py:7", "phases": []}),
        ):
            found = answer(made(**changed), "t4")
            self.assert_line(f"INCOMPLETE: {expected}.", found)
            self.assertFalse(found["complete"])

    def test_a_program_without_a_step_within_its_time_is_given_more(self):
        self.assertTrue(any("--time SECONDS" in line for line in answer_lines(answer(made(ended="time", phases=[]), "t4"))))

    def test_memory_that_was_not_recorded_is_incomplete(self):
        self.assert_line("INCOMPLETE: what the program did with GPU memory was not recorded.", answer(made(), "t4"))

    def test_errors_of_the_mock_driver_and_of_allocsim_are_no_errors_of_the_program(self):
        error = {"ended": "error", "kind": "RuntimeError", "problem": "RuntimeError: CUDA error: operation not supported", "line": "a.py:7", "operation": "aten.sort.default", "unsupported_function": "cusparseSpMM"}
        found = answer(made(**error, origin="mock"), "t4")
        self.assert_line("INCOMPLETE: a.py:7 uses an operation (aten.sort.default, cusparseSpMM) that the mock CUDA driver does not have (RuntimeError: CUDA error: operation not supported).", found)
        self.assertIn("allocsim record", "\n".join(answer_lines(found)))
        found = answer(made(**error, origin="allocsim"), "t4")
        self.assertIn("allocsim itself failed at a.py:7 in aten.sort.default", found["sentence"])
        self.assertIn("allocsim record", "\n".join(answer_lines(found)))

    def test_what_the_card_itself_cannot_do_is_no_error_of_the_mock_driver(self):
        for operation, problem, lacks, expected in (
            ("aten.linalg_lu_factor_ex.default", "CUDA error: no kernel image is available for execution on the device", "libtorch_cuda_linalg.so has kernels for sm_80 only", "It would also fail on the card itself: libtorch_cuda_linalg.so has kernels for sm_80 only. Next: torch.backends.cuda.preferred_linalg_library('cusolver') at"),
            ("own.kernel.default", "CUDA error: no kernel image is available for execution on the device", "own.so has kernels for sm_80 only", "own.so has kernels for sm_80 only. Next: build that library for the card"),
            ("aten.convolution.default", "FIND was unable to find an engine to execute this computation", "own.so has kernels for sm_80 only", "itself. Next: use another data type"),
            ("aten.scaled_dot_product_attention.default", "No available kernel. Aborting execution.", None, "Next: allow other kernels in torch.nn.attention.sdpa_kernel"),
            ("aten._scaled_mm.default", "torch._scaled_mm is only supported on CUDA devices with compute capability >= 8.9", None, "torch.cuda.get_device_capability()"),
        ):
            self.assertTrue(is_beyond(problem))
            error = {"ended": "error", "kind": "RuntimeError", "problem": f"RuntimeError: {problem}", "line": "a.py:7", "operation": operation, "origin": "card"}
            found = answer(made(**error, without_image=lacks), "t4")
            self.assert_line(f"INCOMPLETE: a.py:7 uses an operation ({operation}) that t4 cannot do (RuntimeError: {problem.rstrip('.')}).", found)
            self.assertIn(expected, "\n".join(answer_lines(found)))
        self.assertFalse(is_beyond("CUDA error: operation not supported"))

    def test_an_error_at_a_line_that_reads_what_is_not_known_names_the_remedy(self):
        read = {"line": "a.py:7", "what": "a value", "value": False, "times": 1}
        found = answer(made(ended="error", kind="AssertionError", problem="AssertionError", line="a.py:7", origin="program", reads=[read]), "t4")
        self.assertIn("--value a.py:7=V", "\n".join(answer_lines(found)))

    def test_out_of_memory_is_an_answer(self):
        text = (
            "CUDA out of memory. Tried to allocate 1.46 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.01 GiB is free. Including non-PyTorch memory, this process has 22.62 GiB memory in use. "
            "Of the allocated memory 22.10 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated."
        )
        memory = {"part": "forward", **memory_in(text)}
        failed = made(ended="error", kind="OutOfMemoryError", line="train.py:63", out_of_memory_error=memory, problem="OutOfMemoryError", exit_code=1)
        expected = "Does not fit on rtx-4090: out of memory at train.py:63 (forward), which asked for 1.46 GiB with 22.6 GiB in use."
        found = answer(failed, "rtx-4090")
        self.assert_line(expected, found)
        self.assertFalse(found["complete"])
        found = complete(30, 29.5, 30.5, 23.1, fit_device="rtx-4090", failed=failed)
        self.assert_line(expected, found)
        self.assertIn("Without that limit it would reserve 30.0 GiB (29.5 to 30.5 GiB); PyTorch can use 23.1 GiB of the card.", answer_lines(found))
        self.assertIn("- Next: 'allocsim diagnose estimate.pickle --device rtx-4090' shows what fills the card", "\n".join(answer_lines(found)))
        # All elements of a mask were selected, which is a guess.
        guessed = found | {"min_selected_reserved_bytes": 2 * GIB}
        self.assertEqual(expected.replace("Does not", "May not")[:-1] + ", but that depends on values that are unknown; with others it reserves 2.00 GiB.", first_line(guessed))
        self.assertEqual(expected, first_line(found | {"min_selected_reserved_bytes": 28 * GIB}))
        # Without the limit it failed elsewhere.
        found = answer(made(ended="error", kind="ValueError", problem="ValueError: late", line="train.py:70", origin="program"), "rtx-4090", out_of_memory=failed)
        self.assert_line(expected, found)
        self.assertIn("failed at train.py:70: ValueError: late", "\n".join(answer_lines(found)))

    def test_a_program_that_uses_no_gpu_memory_is_told_in_one_sentence(self):
        for expected, changed in (("it ended without allocating anything on a CUDA device", {}), ("this PyTorch (2.14) is built without CUDA; install a CUDA build", {"cuda": None}), ("it did not load PyTorch", {"pytorch": None})):
            found = answer(made(reserved_bytes=0, **changed), "t4")
            self.assertEqual([f"The program used no GPU memory: {expected}."], answer_lines(found))
            self.assertFalse(found["complete"])


class PeaksTest(unittest.TestCase):
    def test_more_may_be_allocated_at_another_moment_than_that_of_the_reserved_peak(self):
        run = FakeRun()
        with unittest.mock.patch("allocsim.recording.open", lambda file: run):
            found = answer(made(file="run.pickle", card_free_bytes=14 * GIB), "t4")
            self.assertEqual((4 * GIB, round(4.2 * GIB)), (found["peak_requested_bytes"], found["peak_allocated_bytes"]))
            # Requests that failed are granted by the simulator.
            found = answer(made(file="run.pickle", card_free_bytes=14 * GIB, out_of_memory=1, allocated_bytes=3 * GIB), "t4")
            self.assertEqual((3 * GIB, 3 * GIB), (found["peak_requested_bytes"], found["peak_allocated_bytes"]))


class FakeRun:
    """A recording whose reserved peak is at another moment than its peak of allocated memory."""

    def ask(self, name, *options):
        if name == "min-capacity":
            setting = {"conf": "", "capacity_bytes": 5 * GIB, "reserved_if_ample_bytes": 5 * GIB}
            return {"peak_requested_bytes": 4 * GIB, "settings": [setting], "gpus": [{"name": "t4", "capacity_bytes": 14 * GIB}]}
        if name == "peak":
            return {"moment": {"allocated_bytes": round(4.2 * GIB) if ("--of", "allocated") == options else 3 * GIB}}
        return {"settings": [{"conf": "", "peak_reserved_bytes": 5 * GIB, "passes": True, "remarks": []}]}


class RecommendedTest(unittest.TestCase):
    """Which setting is named as the best."""

    def named(self, settings, enough=1000):
        ranked = [{"conf": conf, "peak_reserved_bytes": size, "passes": True, "remarks": []} for conf, size in settings]
        return recommended(ranked, enough)["conf"]

    def test_the_first_of_tune_is_named(self):
        self.assertEqual("a:1", self.named([("a:1", 100), ("a:1,b:2", 99), ("", 150)]))

    def test_the_next_one_that_fits_is_named_where_the_first_does_not(self):
        self.assertEqual("a:1,b:2", self.named([("", 100), ("a:1,b:2", 99), ("a:1", 100)], enough=99.5))
        self.assertEqual("", self.named([("", 100), ("a:1,b:2", 99), ("a:1", 100)], enough=90))

    def test_settings_that_fail_or_are_dangerous_are_not_named(self):
        failing, dangerous, rest = ({"conf": conf, "peak_reserved_bytes": size, "passes": passes, "remarks": remarks} for conf, size, passes, remarks in (
            ("a:1", 50, False, []), ("b:2", 60, True, ["dangerous"]), ("c:3,d:4", 90, True, []),
        ))
        self.assertEqual("c:3,d:4", recommended([failing, dangerous, rest], 100)["conf"])
        self.assertEqual("a:1", recommended([failing], 100)["conf"])


class LinesTest(unittest.TestCase):
    def test_a_program_that_handles_failures_itself_runs_on_this_card(self):
        found = complete(13, 12.7, 13.3, 13.2, best=11, out_of_memory=3)
        self.assertEqual("adapts", found["fits"])
        self.assertEqual("Runs on t4: 3 requests failed for lack of memory, which the program handled itself; it reserves 13.0 GiB of 13.2 GiB available to PyTorch.", found["sentence"])
        self.assertFalse([line for line in answer_lines(found) if line.startswith("Smallest card") or "expandable" in line])

    def test_at_most_thirty_lines_are_printed_and_ten_of_a_kind(self):
        place = [{"line": f"a.py:{i}", "what": "a value", "value": 0, "times": 1} for i in range(22)]
        lines = answer_lines(complete(5, 4.9, 5.1, 14, reads=place))
        self.assertEqual(10, sum(" reads " in line for line in lines))
        self.assertIn("- and 12 more (--json has all)", lines)
        lines = answer_lines(complete(5, 4.9, 5.1, 14, reads=place, selections=place, draws=place, unmeasured=3))
        self.assertLessEqual(len(lines), MAX_LINES)
        for word in (" reads ", " selects ", " chooses "):
            shown = sum(word in line for line in lines)
            self.assertGreater(shown, 1)
            self.assertIn(f"- and {22 - shown} more (--json has all)", lines)

    def test_a_line_is_named_once_by_the_read_that_may_matter_most(self):
        reads = [{"line": "a.py:1", "what": what, "value": value, "times": times, "check": check} for what, value, times, check in (("the contents of a tensor", 0, 90, False), ("a value", 1.0, 9, False), ("a value", 0, 3, False), ("a value", 0, 2, True))]
        for count, expected in ((4, "reads a value that depends on weights or activations: 0 was given, 3 times"), (2, "1.0 was given, 9 times"), (1, "reads the contents of a tensor")):
            line, = (line for line in answer_lines(complete(5, 4.9, 5.1, 14, reads=reads[:count])) if " reads " in line)
            self.assertIn(expected, line)

    def test_lengths_of_several_phases_say_whose_they_are(self):
        seen = [{"line": "a.py:3", "phase": phase, "low": 1, "high": 9} for phase in ("training", "evaluation")]
        lines = answer_lines(complete(5, 4.9, 5.1, 14, lengths={"seen": seen, "longest_possible": 9, "source": "all batches of the data"}))
        self.assertIn("- Lengths of evaluation at a.py:3: 1 to 9.", lines)
        seen[0] |= {"complete": True, "data_high": 9}
        lines = answer_lines(complete(5, 4.9, 5.1, 14, lengths={"seen": seen, "longest_possible": 12, "source": "all batches of the data"}))
        self.assertIn("- Lengths of training at a.py:3: 1 to 9.", lines)
        self.assertIn("- Lengths of evaluation at a.py:3: 1 to 9; the longest that the program can produce is 12 (all batches of the data), which --longest runs.", lines)
        lines = answer_lines(complete(5, 4.9, 5.1, 14, lengths={"seen": seen[:1], "longest_possible": 9, "source": "all batches of the data"}))
        self.assertIn("- Lengths at a.py:3: 1 to 9.", lines)

    def test_what_was_not_run_is_named(self):
        seen = {"line": "a.py:3", "low": 12, "high": 480}
        lines = answer_lines(complete(
            5, 4.9, 5.1, 14, ended="repeats", cut="repeats", steps_run=9, not_reached=[{"phase": "evaluation", "line": "a.py:80"}], later_bytes={"low": 0, "high": 100 << 20},
            lengths={"seen": [seen], "longest_possible": 512, "source": "the tokenizer's max_length"},
        ))
        self.assertIn("- The program was stopped after 9 steps, because they requested nothing new; the rest may reserve up to 100 MiB more, which the interval covers.", lines)
        self.assertIn("- Not reached: evaluation at a.py:80; --time SECONDS or --steps 0 runs longer.", lines)
        self.assertIn("- Lengths at a.py:3: 12 to 480; the longest that the program can produce is 512 (the tokenizer's max_length), which --longest runs.", lines)

    def test_memory_that_grows_with_each_step_is_never_said_to_fit(self):
        for card, fit, expected in (
            (14, "maybe", "May not fit on t4: reserves 5.00 GiB by step 40, and 1.00 MiB more with each step, of 14.0 GiB available to PyTorch."),
            (4, "no", "Does not fit on t4: needs 5.00 GiB by step 40, and 1.00 MiB more with each step, of 4.00 GiB available to PyTorch."),
        ):
            found = complete(5, 4.9, None, card, steps_run=40, growth_bytes_per_step=1 << 20, later_bytes={"low": 0, "high": None})
            self.assertEqual((fit, expected), (found["fits"], found["sentence"]))
            self.assertFalse([line for line in answer_lines(found | {"smallest_gpu": None}) if "card is known" in line or line.startswith("Smallest card")])

    def test_sizes_have_three_digits(self):
        self.assertEqual(["702 MiB", "1.46 GiB", "22.1 GiB", "340 GiB", "1.00 GiB", "8.01 TiB", "4.00 KiB", "7 bytes"], [size_text(each) for each in (702 << 20, 1.46 * GIB, 22.1 * GIB, 340 * GIB, GIB - 1, 8204 * GIB, 4096, 7)])
        self.assertEqual("31.1 to 32.3 GiB", range_text(31.1 * GIB, 32.3 * GIB))
        self.assertEqual("0.88 to 1.10 GiB", range_text(900 << 20, 1.1 * GIB))
        self.assertEqual("998 to 1038 MiB", range_text(998 << 20, 1038 << 20, 1018 << 20))
        self.assertEqual("5.00 GiB", range_text(5 * GIB, 5 * GIB + 1))


class WidthTest(unittest.TestCase):
    def width(self, **changed):
        low, high = interval([10 * GIB], causes_of(made(**changed), 8 * GIB))
        return 1 - low / (10 * GIB), high / (10 * GIB) - 1

    def test_where_nothing_was_guessed_the_interval_is_2_percent_wide_on_each_side(self):
        below, above = self.width()
        self.assertAlmostEqual(0.02, below)
        self.assertAlmostEqual(0.02, above)

    def test_guessed_workspaces_weigh_by_their_bytes(self):
        small, large, huge = (self.width(inferred_bytes=size)[1] for size in (8 << 20, GIB, 100 * GIB))
        self.assertLess(small, 0.021)
        self.assertLess(small, large)
        self.assertLess(large, huge)
        self.assertLess(huge, 0.2)

    def test_each_cause_adds_its_own_width_and_masks_that_select_all_below_alone(self):
        plain = self.width()
        for changed in ({"draws": [1]}, {"uncompiled": [1]}, {"choices": 1}, {"unsized": 1}, {"reads": [{"what": "a value", "value": False}]}):
            below, above = self.width(**changed)
            self.assertGreater(below, plain[0] + 0.01, changed)
            self.assertGreater(above, plain[1] + 0.01, changed)
        below, above = self.width(selections=[1])
        self.assertGreater(below, plain[0] + 0.05)
        self.assertEqual(plain[1], above)

    def test_logged_losses_widen_nothing(self):
        self.assertEqual(self.width(), self.width(reads=[{"what": "a value", "value": 1.0}]))

    def test_a_kernel_that_was_planned_without_the_gpu_may_need_partial_results_and_one_that_a_benchmark_chose_none_or_more(self):
        below, above = self.width(split_bytes=GIB)
        self.assertAlmostEqual(0.02, below)
        self.assertAlmostEqual(0.02 + 1 / 8, above)
        below, above = self.width(tried_bytes=GIB)
        self.assertAlmostEqual(0.02 + 1 / 8, below)
        self.assertAlmostEqual(0.02 + 1 / 8, above)

    def test_sizes_may_differ_where_they_were_guessed_or_their_order_is_drawn(self):
        self.assertEqual(0, size_share(made()))
        for changed in ({"split_bytes": 1}, {"tried_bytes": 1}, {"unsized": 1}, {"inferred_bytes": 1}, {"sampled": 1}, {"draws": [1]}):
            self.assertEqual(0.01, size_share(made(**changed)))
        self.assertEqual(0.09, size_share(made(split_bytes=1, drawn_order=0.09)))
        self.assertEqual(0.2, size_share(made(drawn_order=0.7)))

    def test_runs_ask_alike_where_all_steps_that_both_made_do(self):
        for steps, allocated, alike in (([[3, 4]], 1, True), ([[3]], 1, True), ([[3, 5]], 1, False), ([[]], 1, True), ([], 1, False), ([], 4 * GIB, True)):
            other = made(asked_bytes=steps, allocated_bytes=allocated)
            self.assertEqual(alike, asks_alike(made(asked_bytes=[[3, 4]]), other), steps)

    def test_similar_runs_change_each_size_by_the_share_at_most_and_fill_no_card(self):
        asked = []

        class Run:
            def ask(self, *arguments):
                asked.extend(arguments)
                return {"peak_reserved_bytes": {"min": 3, "p5": 4, "median": 5, "p95": 6, "max": 7}}

        self.assertEqual({"low_bytes": 3, "high_bytes": 7}, similar_runs(Run(), 0.0961, 3 * GIB))
        self.assertEqual(["perturb", "--resize", "9.61%", "--resize-each", "size"], asked[:5])
        self.assertEqual(str(24 * GIB), asked[asked.index("--capacity") + 1])
        lines = answer_lines(complete(5, 4.9, 5.1, 14) | {"similar_runs": {"low_bytes": 4 * GIB, "high_bytes": 6 * GIB}})
        self.assertTrue(any("4.00 to 6.00 GiB" in line for line in lines), lines)

    def test_the_interval_holds_all_peaks_that_chance_decides_between_and_a_page_at_least(self):
        low, high = interval([10 * GIB, 8 * GIB, 12 * GIB], causes_of(made(), 8 * GIB))
        self.assertLess(low, 8 * GIB)
        self.assertGreater(high, 12 * GIB)
        low, high = interval([10 << 20], causes_of(made(), 8 << 20))
        self.assertEqual((8 << 20, 12 << 20), (low, high))
        self.assertEqual((low, high + 7), interval([10 << 20], causes_of(made(), 8 << 20), 7))


def cuda_build():
    spec = importlib.util.spec_from_file_location("estimate_tests", Path(__file__).with_name("test_estimate.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.cuda_build()


class ProgramTest(unittest.TestCase):
    """Programs on the mock CUDA driver, where a CUDA build of PyTorch is there."""

    @classmethod
    def setUpClass(cls):
        problem = cuda_build()
        if problem:
            raise unittest.SkipTest(problem)

    def estimate(self, text, *options):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        Path(folder, "train.py").write_text(text)
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "workloads/python"), CUDA_VISIBLE_DEVICES="")
        command = [sys.executable, "-m", "allocsim", "estimate", "--json", "answer.json", *options, "--", sys.executable, "train.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=300)
        return done, json.loads(Path(folder, "answer.json").read_text())

    def test_an_error_of_the_program_is_incomplete(self):
        done, found = self.estimate("import torch\nx = torch.empty(1 << 30, dtype=torch.uint8, device='cuda')\nx.undefined\n", "--device", "l40s")
        self.assertEqual(1, done.returncode)
        self.assertTrue(done.stdout.startswith("INCOMPLETE: the program failed at train.py:3: AttributeError:"), done.stdout)
        self.assertEqual(("program", GIB), (found["origin"], found["min_reserved_bytes"]))

    def test_an_operation_that_is_given_wrong_shapes_is_an_error_of_the_program(self):
        done, found = self.estimate("import torch\nm = torch.nn.Linear(64, 64).cuda()\nm(torch.randn(8, 32).cuda())\n")
        self.assertEqual(("program", "RuntimeError", 1), (found["origin"], found["kind"], done.returncode))
        self.assertTrue(found["line"].endswith("train.py:3"))

    def test_a_program_without_a_gpu_is_told_in_one_sentence(self):
        done, found = self.estimate("import torch\nm = torch.nn.Linear(100, 10)\nm(torch.randn(8, 100)).mean().backward()\n")
        self.assertEqual((1, "The program used no GPU memory: it ended without allocating anything on a CUDA device.\n"), (done.returncode, done.stdout))
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(found["complete"])


if __name__ == "__main__":
    unittest.main()
