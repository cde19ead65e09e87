"""The mock CUDA driver takes the place of every listed card: its kernels, its memory, and what it does not have."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "workloads/python"))

from allocsim.estimate.cards import CARDS  # noqa: E402
from allocsim.estimate.driver import runs  # noqa: E402
from allocsim.estimate.standin import LIBRARY, NoStandIn, library_folder  # noqa: E402

PROFILES = ROOT / "workloads/src/main/resources/org/allocsim/workloads/profile"
SAMPLE = ROOT / "reports/samples/train_gpt.py"

#: Runs each card in a process of its own that is forked after PyTorch is loaded, and prints what failed and how many worked.
ON_CARDS = """
import contextlib, ctypes, io, json, os, runpy, sys
import torch, torch.nn as nn, torch.nn.functional as F

torch.set_num_threads(1)
# What the first optimizer imports, which takes longest.
import torch._dynamo
cuda = dict(device="cuda")

def attention(dtype, **options):
    query, key, value = (torch.randn(2, 8, 256, 64, dtype=dtype, requires_grad=True, **cuda) for _ in range(3))
    F.scaled_dot_product_attention(query, key, value, is_causal=True, **options).float().sum().backward()

def embedding():
    nn.Embedding(50304, 64).cuda()(torch.randint(0, 50304, (8, 1024), **cuda)).sum().backward()

def bag():
    nn.EmbeddingBag(5000, 64, mode="max").cuda()(torch.randint(0, 5000, (4096,), **cuda), torch.arange(0, 4096, 8, **cuda)).sum().backward()

def cross_entropy():
    head = nn.Linear(64, 5008).cuda()
    with torch.autocast("cuda", torch.bfloat16):
        loss = F.cross_entropy(head(torch.randn(4096, 64, **cuda)), torch.randint(0, 5008, (4096,), **cuda))
    loss.backward()
    nn.utils.clip_grad_norm_(head.parameters(), 1.0)

def indexed():
    x = torch.randn(5000, 64, requires_grad=True, **cuda)
    x[torch.randint(0, 5000, (8192,), **cuda)].sum().backward()
    torch.zeros(5000, **cuda).index_put_((torch.randint(0, 5000, (8192,), **cuda),), torch.ones(8192, **cuda), accumulate=True)

def sample():
    sys.argv = ["train_gpt.py", "--width", "64", "--heads", "2", "--layers", "1", "--batch", "4", "--steps", "2"]
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(SAMPLE, run_name="__main__")

OPERATIONS = {
    "attention bf16": lambda: attention(torch.bfloat16),
    "attention fp16 with dropout": lambda: attention(torch.float16, dropout_p=0.1),
    "attention fp32": lambda: attention(torch.float32),
    "embedding backward": embedding,
    "EmbeddingBag": bag,
    "cross entropy under autocast, clip_grad": cross_entropy,
    "index, index_put": indexed,
    "sort": lambda: torch.sort(torch.randn(100_000, **cuda)),
    "argsort": lambda: torch.argsort(torch.randn(100, 5000, **cuda), stable=True),
    "topk": lambda: torch.topk(torch.randn(8, 50_000, **cuda), 50),
    "unique": lambda: torch.unique(torch.randint(0, 50, (100_000,), **cuda)),
    "cumsum": lambda: (torch.randn(1000, 1000, **cuda).cumsum(0), torch.randn(1_000_000, **cuda).cumsum(0)),
    "nonzero": lambda: torch.nonzero(torch.rand(1000, **cuda) > 0.5),
    "masked_select": lambda: torch.rand(1000, **cuda).masked_select(torch.rand(1000, **cuda) > 0.5),
    "median": lambda: torch.randn(1000, **cuda).median(),
    "multinomial": lambda: (torch.multinomial(torch.rand(8, 5000, **cuda), 1), torch.multinomial(torch.rand(8, 500, **cuda), 9, replacement=True)),
    "randperm": lambda: torch.randperm(100_000, **cuda),
    "bincount, histc": lambda: (torch.bincount(torch.randint(0, 50, (100_000,), **cuda)), torch.histc(torch.rand(1000, **cuda))),
    "layer norm": lambda: nn.LayerNorm(512).cuda()(torch.randn(8, 512, 512, requires_grad=True, **cuda)).sum().backward(),
    "convolution": lambda: nn.Conv2d(3, 16, 3).cuda()(torch.randn(2, 3, 32, 32, **cuda)).sum().backward(),
    "dropout": lambda: F.dropout(torch.randn(512, 512, requires_grad=True, **cuda), 0.1).sum().backward(),
    "the shipped sample": sample,
}

SAMPLE, cards = json.loads(sys.stdin.read())
driver = ctypes.CDLL(None)
for name, text in cards.items():
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        driver.standin_card_of(text.encode())
        failed = {}
        for operation, run in OPERATIONS.items():
            try:
                run()
            except Exception as problem:
                failed[operation] = str(problem).splitlines()[0]
        kept = torch.cuda.get_device_properties(0)
        print(json.dumps([name, failed, [kept.major, kept.minor], kept.total_memory]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
print(json.dumps(torch.cuda.get_arch_list()))
"""


def cuda_build():
    """Why programs cannot be run here, or None."""
    if importlib.util.find_spec("torch") is None:
        return "PyTorch is not installed"
    found = subprocess.run([sys.executable, "-c", "import torch; print(torch.version.cuda)"], capture_output=True, text=True)
    if found.returncode != 0 or found.stdout.strip() == "None":
        return "PyTorch is not a CUDA build"
    try:
        library_folder()
    except NoStandIn as problem:
        return str(problem)
    return None


class Profiles(unittest.TestCase):
    def test_cards_and_device_profiles_agree(self):
        profiles = {path.stem: json.loads(path.read_text()) for path in PROFILES.rglob("*.json")}
        self.assertEqual({path.stem for path in PROFILES.glob("*.json")} - set(CARDS), set())
        for name, card in CARDS.items():
            for figure in ("total_bytes", "context_bytes", "unusable_bytes"):
                self.assertEqual(profiles[name][figure], getattr(card, figure), (name, figure))


class Architectures(unittest.TestCase):
    def test_machine_code_runs_on_later_minor_versions_of_the_same_major_one(self):
        self.assertTrue(runs("sm_86", 89))
        self.assertFalse(runs("sm_86", 80))
        self.assertFalse(runs("sm_75", 80))

    def test_ptx_runs_on_every_later_card(self):
        self.assertTrue(runs("compute_75", 120))
        self.assertFalse(runs("compute_90", 89))

    def test_features_of_one_architecture_run_on_that_one_only_and_those_of_a_family_in_it(self):
        self.assertTrue(runs("sm_90a", 90))
        self.assertFalse(runs("compute_90a", 100))
        self.assertTrue(runs("compute_100f", 103))
        self.assertFalse(runs("compute_100f", 120))


class OnADriver(unittest.TestCase):
    """Tests of programs on the mock driver."""

    @classmethod
    def setUpClass(cls):
        problem = cuda_build()
        if problem:
            raise unittest.SkipTest(problem)

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def bare(self, text, given="", card="h100-80gb", **environment):
        """What a program prints on the mock driver alone."""
        library = str(library_folder())
        variables = dict(
            os.environ, LD_PRELOAD=f"{library}/{LIBRARY}", LD_LIBRARY_PATH=library, ALLOCSIM_ESTIMATE_CARD=CARDS[card].text(), **environment
        )
        done = subprocess.run([sys.executable, "-c", text], input=given, capture_output=True, text=True, env=variables, timeout=300, cwd=self.folder)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def estimate(self, text, *options):
        """The exit code of an estimate and what it said."""
        script = Path(self.folder, "program.py")
        script.write_text(text)
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "workloads/python"), CUDA_VISIBLE_DEVICES="")
        command = [sys.executable, "-m", "allocsim", "estimate", "--only-record", *options, "--", sys.executable, str(script)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, cwd=self.folder)
        return done.returncode, done.stderr + done.stdout


class EveryCard(OnADriver):
    def test_every_card_runs_what_the_installed_pytorch_has_kernels_for(self):
        lines = [json.loads(each) for each in self.bare(ON_CARDS, json.dumps([str(SAMPLE), {name: card.text() for name, card in CARDS.items()}])).splitlines()]
        architectures = lines.pop()
        self.assertEqual(len(CARDS), len(lines))
        for name, failed, capability, total_bytes in lines:
            number = 10 * capability[0] + capability[1]
            self.assertEqual(CARDS[name].compute_capability, f"{capability[0]}.{capability[1]}")
            self.assertEqual(CARDS[name].total_bytes, total_bytes)
            if any(runs(each, number) for each in architectures):
                self.assertEqual({}, failed, name)
            else:
                self.assertEqual("CUDA error: no kernel image is available for execution on the device", failed["sort"], name)

    def test_a_card_without_kernels_is_refused_in_one_sentence(self):
        code, said = self.estimate("import torch\ntorch.zeros(1, device='cuda')\n", "--device", "v100-32gb")
        if "begin at" not in said:
            self.skipTest("the installed PyTorch has kernels for V100")
        self.assertEqual(2, code)
        self.assertEqual(1, len(said.splitlines()), said)
        self.assertIn("has no kernels for Tesla V100-SXM2-32GB (compute capability 7.0): its kernels begin at ", said)


class Turing(OnADriver):
    """What PyTorch and its libraries do otherwise on a card without bfloat16."""

    def test_what_the_card_cannot_do_ends_the_program_with_its_line_and_a_way_out(self):
        convolution = "torch.nn.Conv2d(8, 8, 3, groups=8).cuda().bfloat16().to(memory_format=torch.channels_last)(torch.ones(2, 8, 9, 9).cuda().bfloat16().to(memory_format=torch.channels_last))"
        for operation, way in (
            (convolution, "use another data type"),
            ("torch._scaled_mm(*[torch.ones(16, 16).cuda().to(torch.float8_e4m3fn).t()] * 2, *[torch.ones(()).cuda()] * 2)", "torch.cuda.get_device_capability()"),
        ):
            code, said = self.estimate(f"import torch\n{operation}\n", "--device", "t4")
            self.assertEqual(1, code)
            self.assertIn("program.py:2 uses an operation (aten.", said)
            self.assertIn("that t4 cannot do (", said)
            self.assertIn(way, said)
            self.assertNotIn("mock CUDA driver", said)

    def test_a_library_without_kernels_for_the_card_is_named(self):
        code, said = self.estimate("import torch\ntorch.linalg.lu_factor(torch.randn(300, 64, 64).cuda())\n", "--device", "t4")
        if code == 0:
            self.skipTest("the installed PyTorch has MAGMA's kernels for T4")
        self.assertIn("program.py:2 uses an operation (aten.linalg_lu_factor_ex.default) that t4 cannot do (", said)
        self.assertIn("It would also fail on the card itself: libtorch_cuda_linalg.so has kernels for sm_80, ", said)

    def test_a_function_that_pytorch_does_not_compile_for_the_card_runs_as_without_compile(self):
        text = """
import sys, torch
def peak(compiled):
    torch.cuda.reset_peak_memory_stats()
    model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.GELU()) for _ in range(4)]).cuda().bfloat16()
    (torch.compile(model) if compiled else model)(torch.randn(4096, 512, device="cuda", dtype=torch.bfloat16)).sum().backward()
    return torch.cuda.max_memory_allocated()
print("the same" if peak(False) == peak(True) else "another", file=sys.stderr)
"""
        self.assertIn("the same", self.estimate(text, "--device", "t4")[1])


class Memory(OnADriver):
    def test_requests_beyond_the_free_memory_fail_with_pytorchs_own_error(self):
        card = CARDS["t4"]
        text = """
import torch
free, total = torch.cuda.mem_get_info()
print(free, total)
kept = []
try:
    while True:
        kept.append(torch.empty(1 << 30, dtype=torch.uint8, device="cuda"))
except torch.cuda.OutOfMemoryError as problem:
    print(len(kept), str(problem).replace("\\n", " "))
print(torch.cuda.mem_get_info()[0])
kept.clear()
torch.cuda.empty_cache()
print(torch.cuda.mem_get_info()[0])
"""
        free_and_total, failure, left, again = self.bare(text, card="t4").splitlines()
        free_bytes = card.total_bytes - card.context_bytes
        self.assertEqual(f"{free_bytes} {card.total_bytes}", free_and_total)
        held = free_bytes // (1 << 30)
        self.assertTrue(failure.startswith(f"{held} CUDA out of memory. Tried to allocate 1024.00 MiB. GPU 0 has a total capacity of 14.76 GiB of which "), failure)
        self.assertEqual(free_bytes - (held << 30), int(left))
        self.assertEqual(free_bytes, int(again))

    def test_each_device_has_its_own_memory(self):
        text = """
import torch
kept = [torch.empty(10 << 30, dtype=torch.uint8, device=f"cuda:{index}") for index in (0, 1, 1)]
print(*(torch.cuda.mem_get_info(index)[0] - torch.cuda.mem_get_info(2)[0] for index in range(3)))
del kept
for index in range(3):
    with torch.cuda.device(index):
        torch.cuda.empty_cache()
print(*(torch.cuda.mem_get_info(index)[0] for index in range(3)))
"""
        free_bytes = CARDS["l4"].total_bytes - CARDS["l4"].context_bytes
        for conf in ("", "expandable_segments:True"):
            taken, again = self.bare(text, card="l4", ALLOCSIM_ESTIMATE_DEVICES="3", PYTORCH_CUDA_ALLOC_CONF=conf).splitlines()
            self.assertEqual([-10 << 30, -20 << 30, 0], [int(each) for each in taken.split()])
            self.assertEqual([free_bytes] * 3, [int(each) for each in again.split()])

    def test_a_model_on_all_devices_of_a_process_takes_memory_of_each(self):
        # The second device's thread may still end its backward pass when Python is gone, of which PyTorch dies.
        text = """
import os, torch, torch.nn as nn
model = nn.DataParallel(nn.Linear(1024, 1024, bias=False).cuda())
model(torch.randn(64, 1024, device="cuda")).sum().backward()
print(*(torch.cuda.max_memory_allocated(index) > 4 << 20 for index in range(2)), flush=True)
os._exit(0)
"""
        self.assertEqual("True True", self.bare(text, ALLOCSIM_ESTIMATE_DEVICES="2").strip())

    def test_unlimited_memory_lets_requests_succeed(self):
        text = "import torch\nkept = [torch.empty(10 << 30, dtype=torch.uint8, device='cuda') for _ in range(9)]\nprint('held', torch.cuda.mem_get_info()[0])\n"
        self.assertIn("OutOfMemoryError", self.estimate(text, "--device", "l4")[1])
        code, said = self.estimate(text, "--device", "l4", "--unlimited")
        self.assertEqual(0, code, said)
        self.assertIn("held 0", said)

    def test_a_convolution_without_room_for_its_workspace_takes_one_that_needs_none(self):
        text = """
import torch
layer = torch.nn.Conv2d(256, 256, 3, padding=1).cuda()
x = torch.randn(256, 256, 64, 64, device="cuda")
torch.cuda.empty_cache()
room = torch.empty(torch.cuda.mem_get_info()[0] - (1 << 30) - (80 << 20), dtype=torch.uint8, device="cuda")
layer(x)
"""
        self.bare(text, card="l4")


class OwnKernels(OnADriver):
    def test_kernels_that_pytorch_compiles_itself_are_kept_with_the_estimate(self):
        text = """
import os, sys, torch
torch.ones(8, device="cuda").prod(), torch.special.zeta(torch.ones(8, device="cuda"), 2.0)
print(len(os.listdir(os.environ["PYTORCH_KERNEL_CACHE_PATH"])) > 0, file=sys.stderr)
"""
        code, said = self.estimate(text, "--device", "l4")
        self.assertEqual(0, code, said)
        self.assertIn("True", said)
        self.assertNotIn("cache", said)


class Refusals(OnADriver):
    def test_an_error_names_the_function_that_the_driver_does_not_have_and_the_next_step(self):
        text = """import torch
x = torch.zeros(9, device="cuda")
x.untyped_storage()._share_cuda_()
"""
        code, said = self.estimate(text)
        self.assertEqual(1, code)
        self.assertIn("program.py:3 calls cudaIpcGetMemHandle, which the mock CUDA driver does not have (", said)
        self.assertIn("skip that call while ALLOCSIM_ESTIMATE is set in the environment", said)
        self.assertNotIn("stand-in", said)

    def test_a_function_that_was_refused_before_is_not_the_reason_of_a_later_error(self):
        text = """import torch
x = torch.zeros(9, device="cuda")
try:
    x.untyped_storage()._share_cuda_()
except RuntimeError:
    pass
x + 1
raise ValueError("of its own")
"""
        code, said = self.estimate(text)
        self.assertNotIn("mock CUDA driver does not have", said)
        self.assertIn("ValueError: of its own", said)


if __name__ == "__main__":
    unittest.main()
