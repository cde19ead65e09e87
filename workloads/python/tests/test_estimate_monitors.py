"""What an estimated program learns of the described GPU from NVML and nvidia-smi."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from allocsim.estimate.cards import CARDS  # noqa: E402
from allocsim.estimate.runs import monitor_folder  # noqa: E402
from allocsim.estimate.standin import LIBRARY, NoStandIn, library_folder  # noqa: E402

CARD = CARDS["l40s"]

#: Calls of NVML and CUDA, as programs make them through ctypes.
BEGIN = """
import ctypes, json, os, subprocess, sys
nvml = ctypes.CDLL("libnvidia-ml.so.1")
cuda = ctypes.CDLL(None)
class Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]
class Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("bytes", ctypes.c_ulonglong), ("instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]
def device(index=0):
    found = ctypes.c_void_p()
    code = nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(found))
    return found if code == 0 else code
def memory(index=0):
    found = Memory()
    assert nvml.nvmlDeviceGetMemoryInfo(device(index), ctypes.byref(found)) == 0
    return [found.total, found.free, found.used]
def processes():
    count, found = ctypes.c_uint(8), (Process * 8)()
    assert nvml.nvmlDeviceGetComputeRunningProcesses_v3(device(), ctypes.byref(count), found) == 0
    return [[each.pid, each.bytes] for each in found[:count.value]]
def take(size):
    place = ctypes.c_void_p()
    assert cuda.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(size)) == 0
    return place
assert nvml.nvmlInitWithFlags(0) == 0
"""


class Monitors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.library = str(library_folder())
        except NoStandIn as problem:
            raise unittest.SkipTest(str(problem))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, text, **environment):
        """What a program prints as JSON."""
        variables = dict(
            os.environ, LD_PRELOAD=f"{self.library}/{LIBRARY}", LD_LIBRARY_PATH=self.library, ALLOCSIM_ESTIMATE_CARD=CARD.text(),
            ALLOCSIM_ESTIMATE_USAGE=os.path.join(self.folder, "usage"), **environment,
        )
        done = subprocess.run([sys.executable, "-c", BEGIN + textwrap.dedent(text)], capture_output=True, text=True, env=variables, timeout=60)
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)

    def test_a_gpu_that_nobody_uses_is_free_and_has_no_processes(self):
        found = self.run_program("print(json.dumps([memory(), processes()]))")
        self.assertEqual([[CARD.total_bytes, CARD.total_bytes, 0], []], found)

    def test_memory_is_that_of_the_program_with_its_context(self):
        total, free, used, pid, listed = self.run_program("take(64 << 20); m, p = memory(), processes(); print(json.dumps([*m, p[0][0] == os.getpid(), p[0][1]]))")
        self.assertEqual([CARD.context_bytes + (64 << 20), total], [used, free + used])
        self.assertEqual([True, used], [pid, listed])

    def test_what_other_processes_of_the_program_use_counts_until_they_end(self):
        text = """
        take(64 << 20)
        kept, child = os.pipe()
        ended, end = os.pipe()
        if os.fork() == 0:
            take(32 << 20)
            os.write(child, b".")
            os.read(ended, 1)
            os._exit(0)
        os.read(kept, 1)
        both = memory()[2], len(processes())
        os.write(end, b".")
        os.wait()
        print(json.dumps([both, memory()[2]]))
        """
        both, alone = self.run_program(text)
        # A forked process has what its parent had.
        self.assertEqual([2 * CARD.context_bytes + (160 << 20), 2], both)
        self.assertEqual(CARD.context_bytes + (64 << 20), alone)

    def test_numbers_are_those_of_the_host_where_the_program_sees_some_of_its_gpus(self):
        text = "os.environ['CUDA_VISIBLE_DEVICES'] = '3,1'; take(64 << 20); print(json.dumps([memory(3)[2] > 0, memory(1)[2], memory(0)[2], device(4)]))"
        self.assertEqual([True, 0, 0, 2], self.run_program(text, ALLOCSIM_ESTIMATE_DEVICES="2"))

    def test_what_is_not_known_is_not_supported_and_what_is_not_there_is_missing(self):
        text = "print(json.dumps([nvml.nvmlDeviceGetSerial(device(), None, 0), hasattr(nvml, 'nvmlDeviceGetGpcClkVfOffset'), hasattr(nvml, 'nvmlInit')]))"
        self.assertEqual([3, False, False], self.run_program(text))

    def test_nvidia_smi_answers_for_the_described_gpu(self):
        text = """
        take(64 << 20)
        def smi(*arguments):
            done = subprocess.run(["nvidia-smi", *arguments], capture_output=True, text=True)
            return [done.returncode, done.stdout]
        print(json.dumps([
            smi("--query-gpu=name,memory.total,memory.used,utilization.gpu,serial", "--format=csv,noheader,nounits"),
            smi("--query-gpu=memory.free", "--format=csv"),
            smi("-L"),
            smi("--query-gpu=no.such", "--format=csv"),
            smi("-q"),
            smi("--query-compute-apps=used_memory", "--format=csv,noheader"),
            smi(),
        ]))
        """
        values, free, listed, wrong, whole, processes, overview = self.run_program(text, PATH=monitor_folder(self.folder) + os.pathsep + os.environ["PATH"])
        used = (CARD.context_bytes + (64 << 20)) >> 20
        self.assertEqual([0, f"NVIDIA L40S, {CARD.total_bytes >> 20}, {used}, 0, [N/A]\n"], values)
        self.assertEqual([0, f"memory.free [MiB]\n{(CARD.total_bytes - CARD.context_bytes - (64 << 20)) >> 20} MiB\n"], free)
        self.assertEqual([0, "GPU 0: NVIDIA L40S (UUID: GPU-00000000-0000-0000-0000-000000000000)\n"], listed)
        self.assertEqual([2, 'Field "no.such" is not a valid field to query.\n'], wrong)
        self.assertEqual(1, whole[0])
        self.assertIn("is not available in an estimate", whole[1])
        self.assertEqual([0, f"{used} MiB\n"], processes)
        self.assertIn(f"{used}MiB / {CARD.total_bytes >> 20}MiB", overview[1])


if __name__ == "__main__":
    unittest.main()
