"""Limits in training loops and tests: callbacks with fakes of their libraries, the plugin in a real pytest where there is one."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import fake_torch  # noqa: E402

from allocsim.callbacks import lightning_callback, transformers_callback  # noqa: E402
from allocsim.limits import MemoryLimitExceeded  # noqa: E402


class CallbackTest(unittest.TestCase):
    def setUp(self):
        self.torch, self.device = fake_torch.install()
        self.torch.cuda.is_available = lambda: True
        self.torch.cuda.reset_peak_memory_stats = lambda number: None
        self.reserved = 0
        self.torch.cuda.max_memory_reserved = lambda number: self.reserved
        transformers = types.ModuleType("transformers")
        transformers.TrainerCallback = type("TrainerCallback", (), {})
        lightning = types.ModuleType("pytorch_lightning")
        callbacks = types.ModuleType("pytorch_lightning.callbacks")
        callbacks.Callback = type("Callback", (), {})
        fakes = {
            "transformers": transformers, "pytorch_lightning": lightning, "pytorch_lightning.callbacks": callbacks,
            # None says that there is no such module, whatever is installed.
            "lightning": None,
        }  # fmt: skip
        for name, module in fakes.items():
            before = sys.modules.get(name, self)
            sys.modules[name] = module
            self.addCleanup(self._put_back, name, before)
        self.addCleanup(sys.modules.pop, "torch")

    def _put_back(self, name, before):
        if before is self:
            del sys.modules[name]
        else:
            sys.modules[name] = before

    def train(self, callback, *reserved):
        if hasattr(callback, "on_train_begin"):
            device = types.SimpleNamespace(device=types.SimpleNamespace(index=0))
            callback.on_train_begin(device, None, None)
            for number, self.reserved in enumerate(reserved):
                callback.on_step_end(None, types.SimpleNamespace(global_step=number), None)
            callback.on_train_end(None, None, None)
        else:
            strategy = types.SimpleNamespace(root_device=types.SimpleNamespace(index=0))
            trainer = types.SimpleNamespace(strategy=strategy, global_step=0)
            callback.on_fit_start(trainer, None)
            for trainer.global_step, self.reserved in enumerate(reserved):
                callback.on_train_batch_end(trainer, None, None, None, 0)
            callback.on_fit_end(trainer, None)

    def test_both_end_the_training_above_the_limit(self):
        for callback in (transformers_callback("1KiB", fails=True), lightning_callback("1KiB", fails=True)):
            with self.assertRaisesRegex(MemoryLimitExceeded, "step 1: PyTorch reserved 1025 bytes on GPU 0, 1 more"):
                self.train(callback, 1024, 1025, 10)

    def test_both_warn_once(self):
        for callback in (transformers_callback("1KiB"), lightning_callback(1024)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.train(callback, 1024, 1025, 1026)
            self.assertEqual([each.category for each in caught], [ResourceWarning])

    def test_both_record_the_training(self):
        for make in (transformers_callback, lightning_callback):
            with tempfile.TemporaryDirectory() as folder:
                self.train(make(record=os.path.join(folder, "run.pickle")), 1)
                self.assertEqual(os.listdir(folder), ["run.pickle"])


TESTS = """
import sys
sys.path.insert(0, {here!r})
import fake_torch, pytest
torch, device = fake_torch.install()
torch.cuda.is_available = lambda: True
torch.cuda.reset_peak_memory_stats = lambda number: None
torch.cuda.max_memory_reserved = lambda number: 3000

@pytest.mark.gpu_memory("2KiB")
def test_marked_above(): pass

@pytest.mark.gpu_memory("4KiB")
def test_marked_below(): pass

def test_part_above(gpu_memory_limit):
    with gpu_memory_limit("2KiB"): pass

def test_part_below(gpu_memory_limit, tmp_path):
    with gpu_memory_limit("4KiB", record=str(tmp_path / "run.pickle")): pass
    assert (tmp_path / "run.pickle").is_file()
"""


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest is not installed")
class PluginTest(unittest.TestCase):
    def test_tests_above_their_limit_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "test_memory.py")
            file.write_text(TESTS.format(here=str(HERE)))
            process = subprocess.run(
                [sys.executable, "-m", "pytest", "-p", "allocsim.pytest_plugin", "-p", "no:cacheprovider", "-rA", "--strict-markers", str(file)],
                env={**os.environ, "PYTHONPATH": str(HERE.parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                capture_output=True, text=True,
            )  # fmt: skip
            outcomes = {line.split("::")[1].split()[0]: line.split()[0] for line in process.stdout.splitlines() if line.startswith(("PASSED", "FAILED"))}
        self.assertEqual(
            outcomes,
            {"test_marked_above": "FAILED", "test_marked_below": "PASSED", "test_part_above": "FAILED", "test_part_below": "PASSED"},
            process.stdout,
        )


if __name__ == "__main__":
    unittest.main()
