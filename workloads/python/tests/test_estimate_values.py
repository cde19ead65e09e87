import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from allocsim.estimate.branches import ITERATIONS, Branches
from tests.test_estimate import ROOT, cuda_build


class Asked:
    """As a tensor whose value is unknown: it is chosen where the program asks for it."""

    branches = Branches()

    def __init__(self, *values):
        self.values = values

    def read(self):
        return self.branches.choose(sys._getframe(2), self.values)[0]

    def __bool__(self):
        return bool(self.read())

    def item(self):
        return self.read()


def flag():
    return Asked(False, True)


def number():
    return Asked(1.0, 0.0, 0.5, 1e9, -1.0)


def is_well():
    return bool(flag())


def check(condition, message="wrong"):
    if not condition:
        raise ValueError(message)


class Checker:
    def fail(self, message):
        raise ValueError(message)

    def check(self, condition):
        if not condition:
            self.fail("wrong")


class BranchesTest(unittest.TestCase):
    def setUp(self):
        Asked.branches = Branches()

    def test_an_assertion_holds(self):
        assert flag()
        assert not flag()
        assert flag().item(), "with a message"
        assert flag() and flag() and not flag()

    def test_the_branch_that_raises_is_not_taken(self):
        if flag():
            raise ValueError
        if not flag():
            raise ValueError(f"not {flag!r:>9}")
        well = flag().item()
        if not well:
            if self:
                raise KeyError
            raise ValueError
        if not flag():
            sys.exit(3)

    def test_a_flag_is_followed_through_functions(self):
        if not is_well():
            raise ValueError
        check(flag().item())
        check(number().item() < 0.5)
        checker = Checker()
        checker.check(flag().item())

    def test_all_and_any_of_many_flags(self):
        assert all(flag() for _ in range(3))
        assert not any(flag() for _ in range(3))

    def test_a_number_is_chosen_that_holds(self):
        self.assertEqual(1.0, number().item())
        assert number().item() < 0.1
        assert number().item() > 10
        assert abs(number().item() - 0.5) < 1e-3

    def test_where_no_branch_fails_the_default_is_given(self):
        taken = "first" if flag() else "second"
        self.assertEqual("second", taken)

    def test_a_loop_whose_condition_is_unknown_ends(self):
        counts = [0] * 5
        while flag():
            counts[0] += 1
        while not flag():
            counts[1] += 1
        while number().item() > 1e-3:
            counts[2] += 1
        while True:
            counts[3] += 1
            if flag():
                break
        done = False
        while not done:
            counts[4] += 1
            done = bool(flag())
        self.assertEqual([ITERATIONS] * 5, counts)

    def test_a_loop_that_ends_by_itself_runs_to_its_end(self):
        steps = 0
        while steps < 7:
            steps += 1
            if flag():
                break
        for _ in range(5):
            steps += 1
            if flag():
                break
        self.assertEqual(12, steps)

    def test_what_handles_exceptions_of_a_with_statement_is_no_loop(self):
        def within():
            with contextlib.suppress(KeyError):
                for _ in range(3):
                    if flag():
                        return None
            return None

        steps = 0
        for _ in range(4):
            with contextlib.suppress(KeyError):
                steps += 1
                within()
            with contextlib.suppress(KeyError):
                if flag():
                    break
        self.assertEqual(4, steps)


CHECKS = """
import math, torch
import torch.distributions as D
net = torch.nn.Linear(4, 4).cuda()
x = torch.randn(8192, 4, device="cuda")
big = torch.randn(3_000_000, 2, device="cuda")
p = net(x).softmax(-1)
assert torch.isfinite(big * 2).all() and not torch.isnan(big * 2).any().item()
assert bool(torch.isfinite(big * 2).all().cpu())
assert ((p.sum(-1) - 1).abs() < 1e-6).all()
assert net(x).mean() < 1e9 and net(x).mean().item() < 10 and math.isfinite(net(x).mean())
assert torch.allclose(net(x), net(x)) and torch.equal(net(x), net(x))
torch.testing.assert_close(net(x), net(x))
D.Categorical(logits=net(x)).log_prob(D.Categorical(probs=p).sample())
D.Normal(net(x), net(x).exp()).log_prob(net(x))
D.Dirichlet(net(x).exp()).log_prob(p)
D.MultivariateNormal(net(x[:16]), torch.eye(4, device="cuda") * net(x[:16]).exp().mean()).sample()
D.VonMises(net(x), net(x).exp()).sample()
torch.normal(net(x), net(x).exp())
torch.linalg.eig(net.weight.detach())
torch.segment_reduce(net(x).detach(), "sum", lengths=torch.full((2,), 4096, device="cuda"))
net(x).sum().backward()
torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
error = net(x).abs().max()
while error > 1e-4:
    error = net(x).abs().max()
"""

TOKENS = """
import torch
scores = torch.nn.Linear(8, 50_000).cuda()(torch.randn(40, 8).cuda()).softmax(-1)
few = torch.nn.Linear(8, 500).cuda()(torch.randn(4000, 8).cuda()).softmax(-1)
scores.argmax(-1) == 7
for choose in (lambda: scores.argmax(-1), lambda: torch.multinomial(scores, 1), lambda: torch.multinomial(few, 1), lambda: scores.topk(4).indices):
    tokens = choose()
    assert not (tokens == 7).any()
    print(int(tokens.min() > 3))
tokens = torch.multinomial(few, 1)
print(int((tokens == 7).sum()))
"""

USED_TOKENS = """
import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
scores = torch.nn.Linear(8, 50_000).cuda()(torch.randn(40, 8).cuda()).detach()
labels = torch.randint(50_000, (40,), device="cuda")
(scores.topk(5).indices == labels[:, None]).any(-1).float().mean().item()
embedding = torch.nn.Embedding(50_000, 4).cuda()
embedding(torch.cat([scores.argmax(-1), scores.argmax(-1)]))
(torch.multinomial(scores.exp(), 1) == 2).all()
values = next(each for each in _get_current_dispatch_mode_stack() if hasattr(each, "selections"))
print(*(line.rpartition(":")[2] for line in values.tokens), sep="\\n")
"""

READS = """
import io, torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
net = torch.nn.Linear(64, 64).cuda()
loss = net(torch.randn(8, 64).cuda()).square().mean()
loss.backward()
torch.save({"net": net.state_dict(), "grad": net.weight.grad}, io.BytesIO())
def step(): return loss.item(), (loss * 1e6).long().item(), net.weight.grad.cpu()
step()
assert (net.weight.grad.cpu() == 3).all()
values = next(each for each in _get_current_dispatch_mode_stack() if hasattr(each, "selections"))
print(*(line.rpartition(":")[2] for line, _, _ in values.reads), sep="\\n")
print(*(int(each["value"]) for each in values.reads.values()), sep="\\n")
"""

DRAWN_EVENLY = """
import torch
x = torch.zeros(1_000_000, 2, device="cuda")
mask = torch.rand(1_000_000, device="cuda") >= 0.2
print(len(x[mask]))
print(len(x[~mask]))
print(int(mask.sum()))
kept = torch.empty(1_000_000, device="cuda").bernoulli_(0.3).bool().nonzero()
print(len(kept))
numbers = torch.rand_like(x)
numbers.mul_(5)
print(len(x[numbers[:, 0] < 0.5]))
print(len(x[(numbers < 0.5).any(-1)]))
labels = torch.randint(0, 40, (1_000_000,), device="cuda")
chosen = torch.nn.Linear(2, 40).cuda()(x).argmax(-1)
print(int((chosen[mask] == labels[mask]).sum()) > -1)
(chosen.cpu() == labels.cpu()).sum().item()
x[x > 0.5] = 0
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
values = next(each for each in _get_current_dispatch_mode_stack() if hasattr(each, "selections"))
print(*(line.rpartition(":")[2] for line in values.selections), sep="\\n")
print(len(values.draws))
"""

MOVED = """
import torch
lengths = torch.tensor([3, 5, 9], device="cuda")
with torch.inference_mode():
    print(sum(lengths.tolist()))
    print(int(lengths.cpu().sum()))
rows = torch.nested.nested_tensor([torch.randn(each, 4) for each in (3, 5, 9)], layout=torch.jagged, device="cuda")
print(sum(len(each) for each in rows.unbind()))
parts = torch.nn.Linear(4, 4).cuda()(rows).unbind()
torch.stack([each.mean(0) for each in parts]).sum().backward()
"""

THREADS = """
import threading, torch
from concurrent.futures import ThreadPoolExecutor
def count():
    print(sum(torch.arange(5, device="cuda").tolist()))
    print(int(torch.nn.Linear(8, 8).cuda()(torch.ones(2, 8).cuda()).sum().item()))
thread = threading.Thread(target=count)
thread.start()
thread.join()
with ThreadPoolExecutor(1) as pool:
    pool.submit(count).result()
"""

AUTOCAST = """
import torch
layers = [torch.nn.Linear(32, 256 * each).cuda() for each in range(1, 17)]
attention = torch.nn.MultiheadAttention(32, 2).cuda()
x = torch.randn(8, 32, device="cuda")
events = lambda: torch.cuda.memory._snapshot()["device_traces"][0]
with torch.autocast("cuda", dtype=torch.bfloat16):
    for layer in layers:
        layer(x)
        layer(x)
    attention(x, x, x)
    before = events()
freed = [each["addr"] for each in events()[len(before):] if each["action"] == "free_completed"]
made = {each["addr"]: place for place, each in enumerate(before) if each["action"] == "alloc"}
order = [made[each] for each in freed]
print(len(order))
print(int(order == sorted(order)))
"""

TRANSFORMED = """
import torch
from torch.func import functional_call, grad, jvp, vmap
model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10)).cuda()
parameters = {name: each.detach() for name, each in model.named_parameters()}
loss = lambda p, x, y: torch.nn.functional.cross_entropy(functional_call(model, p, (x[None],)), y[None])
gradients = vmap(grad(loss), (None, 0, 0))(parameters, torch.randn(16, 64, device="cuda"), torch.randint(0, 10, (16,), device="cuda"))
jvp(lambda x: torch.nn.functional.linear(x, parameters["0.weight"]), (torch.randn(4, 64, device="cuda"),), (torch.ones(4, 64, device="cuda"),))
torch.nested.nested_tensor([torch.randn(3, 4), torch.randn(5, 4)], layout=torch.jagged).cuda().sin()
vmap(grad(lambda q: 0.5 * (q ** 2).sum() / 0.01))(torch.randn(8, 32, device="cuda"))
print(gradients["0.weight"].shape[0])
"""

GIVEN = """
import torch
depth = torch.zeros(8, 1, 100, 100)
depth[:, :, :30] = 50
gpu = depth.cuda(non_blocking=True)
values = torch.nn.Conv2d(1, 1, 3, padding=1).cuda()(gpu)
print(len(values[gpu > 0]), ((gpu > 0) & (gpu < 80)).sum().item(), len(gpu[4:, 0, :20][gpu[4:, 0, :20] >= 50]), sep="\\n")
image = torch.zeros(2, 3, 64, 64)
image[:, 1] = 0.75
image = image.to("cuda", torch.float16, memory_format=torch.channels_last)
print(len(image[image > 0.5]), len(image[:, 1][image[:, 1] > 0.5]), sep="\\n")
edges = torch.arange(1 << 20).expand(2, -1).clone()
edges[1, :5] += 1
edges = edges.cuda()
print(len(edges[0][edges[0] != edges[1]]), int(edges.max()), sep="\\n")
# Who writes to it, on the GPU or on the host, or computes it, leaves it unknown: all are selected.
gpu.mul_(2)
print(len(gpu[gpu > 120]))
again = depth.cuda()
depth.add_(1)
print(len(again[again > 120]))
saved = values.detach().cpu().cuda()
print(len(saved[saved > 120]))
"""

TRACED = """
import torch
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 4)).eval()
counts = []
for device in ("cpu", "cuda"):
    images = torch.rand(2, 3, 8, 8, device=device)
    traced = torch.jit.trace(model.to(device), images)
    counts.append(sum(1 for _ in traced.inlined_graph.nodes()))
    print(int(counts[0] == counts[-1]))
frozen = torch.jit.freeze(traced)
for _ in range(4):
    print(len(frozen(images)))
"""

NEAR = """
import torch
points, cloud = torch.rand(2400, 3), torch.arange(2400) // 30
expected = (torch.cdist(points, points) < 0.3) & (cloud[:, None] == cloud[None])
expected.fill_diagonal_(False)
moved, of = points.cuda(), cloud.cuda()
near = (torch.cdist(moved, moved) < 0.3) & (of[:, None] == of[None])
near.fill_diagonal_(False)
edges = near.nonzero()
print(int(torch.equal(edges.cpu(), expected.nonzero())))
print(int(len(moved[near.any(1)]) == int(expected.any(1).sum())))
unknown = torch.nn.Linear(3, 3).cuda()(moved).detach()
near = (torch.cdist(unknown, unknown) < 0.3) & (of[:, None] == of[None])
near &= ~torch.eye(2400, dtype=torch.bool, device="cuda")
print(len(near.nonzero()))
near[unknown[:, 0] > 0] = True
print(len(near.nonzero()))
"""

SAMPLED = """
import torch
scores = torch.nn.Linear(4, 1).cuda()(torch.rand(2000, 4).cuda()).detach()[:, 0]
good, bad = (scores > 0.5).nonzero()[:, 0], (scores <= 0.5).nonzero()[:, 0]
good, bad = good[torch.randperm(len(good), device="cuda")[:128]], bad[torch.randperm(len(bad), device="cuda")[:384]]
first, second = (torch.zeros_like(scores, dtype=torch.uint8) for _ in range(2))
first[good], second[bad] = 1, 1
print(len(torch.where(first | second)[0]))
print(int(first.count_nonzero() >= 0) and len(scores[first.bool()]))
first.fill_(scores[0] > 0)
print(len(torch.where(first)[0]))
places = (scores * 100).long()
def cut(places):
    left, right = max(places[0], 0), min(places[1] + 1, 640)
    return torch.zeros(8, 8, device="cuda")[left:right, 0].numel()
print(max(cut(places) for _ in range(600)))
"""

PICKED = """
import torch
scores = torch.nn.Linear(4, 3).cuda()(torch.rand(2000, 4).cuda()).detach()
labels = scores.argmax(1)
labels[scores[:, 0] < 0.5] = 0
good, bad = torch.where(labels >= 1)[0], torch.where(labels == 0)[0]
print(len(good))
print(len(bad))
taken = torch.zeros_like(labels, dtype=torch.uint8)
taken[good[torch.randperm(len(good), device="cuda")[:20]]] = 1
taken[bad[:30]] = 1
places = torch.where(taken)[0]
print(len(places))
print(len(labels[places][labels[places] > 0]))
before = labels == 0
labels[scores[:, 1] < 0.5] = -1
print(len(before.nonzero()))
print(len((labels < 0).nonzero()))
assert (scores.argmax(1) + scores[:, 0].long() >= 0).all()
"""

LARGE_MASKS = """
import torch
lengths = torch.tensor([1500, 2048, 700], device="cuda")
mask = torch.arange(2048, device="cuda") < lengths[:, None]
bias = (1.0 - mask.to(torch.float32)) * -10000.0
print(int((bias < 0).any(-1).sum()))
for _ in range(6):
    pairs = mask[:, None, :, None] & mask[:, None, None, :]
    bias = torch.where(pairs, 0.0, torch.finfo(torch.float32).min)
rows = bias[:, 0, 0, :]
whole = torch.zeros_like(mask)
whole[:, 0] = True
rows[whole] = 1.0
print(int((rows > 0).flatten().any().item()))
print(int((rows < 0).sum()))
print(int(pairs[1].all()) and int(pairs[2].sum()))
scores = torch.nn.Linear(4, 2048).cuda()(torch.rand(3, 2048, 4, device="cuda")) + rows[:, None]
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
values = next(each for each in _get_current_dispatch_mode_stack() if hasattr(each, "draws"))
print(int(values.twin(scores) is None))
"""

NEIGHBOURS = """
import torch
places = torch.rand(2000, 3, generator=torch.Generator().manual_seed(1))
on_gpu = places.cuda()
print(int(len((torch.cdist(on_gpu, on_gpu) < 0.1).nonzero()) == int((torch.cdist(places, places) < 0.1).sum()) > 2000))
print(int(len((((on_gpu[:, None] - on_gpu) ** 2).sum(-1) < 0.01).nonzero()) == int((((places[:, None] - places) ** 2).sum(-1) < 0.01).sum()) > 2000))
group = torch.arange(2000, device="cuda") // 10
distances = torch.nn.Linear(3, 2000).cuda()(on_gpu).detach()
near = (distances < 0.1) & (group[:, None] == group)
near.fill_diagonal_(False)
print(len(near.nonzero()))
print(len(distances[near.clone()]))
near &= distances > 0
print(len(near.triu(1).nonzero()))
near.fill_diagonal_(True)
print(len(near.nonzero()))
"""

CHOSEN = """
import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
def deciding():
    values = next(each for each in _get_current_dispatch_mode_stack() if hasattr(each, "draws"))
    return len(values.draws)
scores = torch.nn.Linear(4, 8).cuda()(torch.rand(2000, 4).cuda()).detach()
labels = torch.arange(2000, device="cuda") % 8
(scores.argmax(1) == labels).float().mean().item()
scores.gather(1, scores.topk(2).indices).sum().item()
print(deciding())
experts = scores.argmax(-1)
copied = experts.clone()
copied += 1
print(sum(len(copied[copied == each]) for each in range(1, 9)))
print(deciding())
print(sum(scores.topk(2).indices.flatten().bincount(minlength=8).tolist()))
print(deciding())
"""

CHOSEN_ALIKE = """
import torch
scores = torch.nn.Linear(4, 8).cuda()(torch.rand(2000, 4).cuda()).detach()
print(len(scores.argmax(-1).unique()))
print(sum(each > 0 for each in scores.topk(2).indices.flatten().bincount(minlength=8).tolist()))
print(len(scores.T.argmax(0).unique()))
print(len(torch.multinomial(scores.softmax(-1), 1).unique()))
"""

DRAWN_BY_THE_GPU = """
import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
values = next(each for each in _get_current_dispatch_mode_stack() if hasattr(each, "sampled"))
known = torch.arange(100, device="cuda") % 7
print(len(known.unique()))
print(values.sampled)
table = torch.nn.EmbeddingBag(1000, 4, sparse=True).cuda()
table(torch.randint(0, 1000, (100, 5), device="cuda")).sum().backward()
rows = table.weight.grad.coalesce().indices().shape[1]
print(int(300 < rows < 450))
print(values.sampled)
"""

GIVEN_FUNCTIONS = """
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch._higher_order_ops import scan, while_loop
q = torch.randn(2, 4, 256, 64, device="cuda", requires_grad=True)
mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 256, 256, device="cuda")
flex_attention(q, q, q, block_mask=mask).sum().backward()
print(q.grad.shape[2])
two = torch.full((), 2, device="cuda")
print(torch.cond(two > 1, lambda x: x + 1, lambda x: x - 1, (two,)).item())
print(while_loop(lambda i: i < 5, lambda i: (i + 1,), (two,))[0].item())
print(scan(lambda sum, x: (sum + x, sum * 1), torch.zeros(8, device="cuda"), torch.rand(4, 8, device="cuda"))[1].shape[0])
"""

BACKWARD = """
import torch
scores = torch.nn.Linear(4, 1).cuda()(torch.rand(2000, 4).cuda())
above = scores > 0.5
chosen = scores[above]
chosen.sum().backward(retain_graph=True)
# The mask is a part of another one, so that nothing tells that it selects as many again.
chosen = scores[:1000][above[:1000]]
chosen.sum().backward()
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
values = next(each for each in _get_current_dispatch_mode_stack() if hasattr(each, "selections"))
print(*(line.rpartition(":")[2] for line in values.selections), sep="\\n")
"""

GIVEN_COUNT = """
import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
values = next(each for each in _get_current_dispatch_mode_stack() if hasattr(each, "selections"))
scores = torch.nn.Linear(4, 1).cuda()(torch.rand(2000, 4).cuda())
chosen = scores[scores > 0.5]
chosen.sum().backward()
print(len(chosen))
print(len(values.selections))
print(sum(what == "the length of a selection" for _, what, _ in values.reads))
"""

GRADIENT_OF_INDEX = """
import torch
table = torch.rand(1 << 20, 4, device="cuda", requires_grad=True)
for places in (torch.arange(8, device="cuda"), torch.arange(1 << 20, device="cuda") < 8):
    rows = table[places]
    torch.cuda.reset_peak_memory_stats()
    rows.sum().backward()
    table.grad = None
    print(torch.cuda.max_memory_allocated() >> 24)
"""

DETECTIONS = """
import torch
from torchvision.ops import batched_nms, nms
boxes = torch.nn.Linear(4, 4).cuda()(torch.rand(1000, 4).cuda()).detach()
print(len(nms(boxes, boxes[:, 0].contiguous(), 0.5)))
print(len(batched_nms(boxes, boxes[:, 0].contiguous(), torch.zeros(1000, dtype=torch.long, device="cuda"), 0.5)))
"""


class ValuesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        problem = cuda_build()
        if problem:
            raise unittest.SkipTest(problem)

    def run_program(self, text, *options):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        script = Path(folder, "program.py")
        script.write_text(text)
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "workloads/python"), CUDA_VISIBLE_DEVICES="")
        command = [sys.executable, "-m", "allocsim", "estimate", "--only-record", "-o", f"{folder}/run.pickle", *options, "--", sys.executable, str(script)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
        self.assertEqual(0, done.returncode, done.stderr)
        return [int(line) for line in done.stderr.splitlines() if line.isdigit()]

    def test_checks_of_unknown_values_pass(self):
        self.run_program(CHECKS)

    def test_tokens_are_neither_special_nor_what_they_are_compared_with(self):
        self.assertEqual([1, 1, 1, 1, 0], self.run_program(TOKENS))

    def test_choices_among_many_are_tokens_where_they_are_looked_up_or_compared_with_an_id(self):
        self.assertEqual([8, 9], self.run_program(USED_TOKENS))

    def test_reads_of_one_line_are_told_apart_and_what_is_saved_is_no_read(self):
        self.assertEqual([8, 8, 8, 10, 1, 0, 0, 3], self.run_program(READS, "--value", "program.py:10=3"))

    def test_a_traced_program_is_what_it_is_without_an_estimate(self):
        self.assertEqual([1, 1, 2, 2, 2, 2], self.run_program(TRACED))

    def test_masks_of_numbers_drawn_evenly_select_their_share(self):
        self.assertEqual([800_000, 200_000, 800_000, 300_000, 1_000_000, 1_000_000, 12, 13, 0], self.run_program(DRAWN_EVENLY))

    def test_known_values_come_to_the_host_in_inference_mode_and_of_nested_tensors(self):
        self.assertEqual([17, 17, 17], self.run_program(MOVED))

    def test_threads_of_the_program_read_what_is_known(self):
        self.assertEqual([10, 1, 10, 1], self.run_program(THREADS))

    def test_what_autocast_keeps_is_freed_in_the_order_of_its_casts(self):
        # A weight and a bias of each of 16 layers, and of the last one of attention, whose other weights are views.
        self.assertEqual([34, 1], self.run_program(AUTOCAST))

    def test_drawn_choices_are_named_where_a_size_or_a_number_that_is_read_follows_from_them(self):
        self.assertEqual([0, 2000, 1, 4000, 2], self.run_program(CHOSEN))

    def test_choices_fall_on_the_same_few_where_they_are_to_be_alike(self):
        self.assertEqual([8, 8, 8, 8], self.run_program(CHOSEN_ALIKE))
        self.assertEqual([1, 2, 1, 1], self.run_alike(CHOSEN_ALIKE))

    def run_alike(self, text):
        """As `run_program`, with unknown choices alike, which is no option: a further run of an estimate has it."""
        return self.run_program(f"from torch.utils._python_dispatch import _get_current_dispatch_mode_stack\nfor each in _get_current_dispatch_mode_stack():\n    each._alike = True\n{text}")

    def test_counts_of_what_the_gpu_draws_are_not_exact(self):
        self.assertEqual([7, 0, 1, 1], self.run_program(DRAWN_BY_THE_GPU))

    def test_what_a_backward_pass_selects_is_named_by_the_line_that_began_it(self):
        self.assertEqual([5, 8, 9], self.run_program(BACKWARD))

    def test_a_mask_selects_as_many_in_the_backward_pass_as_it_was_given(self):
        self.assertEqual([3, 0, 1], self.run_program(GIVEN_COUNT, "--value", "program.py:6=3"))

    def test_gradients_of_what_was_selected_are_put_back_in_place(self):
        self.assertEqual([2, 2], self.run_program(GRADIENT_OF_INDEX))

    def test_operations_that_are_given_functions_run(self):
        self.assertEqual([256, 3, 5, 4], self.run_program(GIVEN_FUNCTIONS))

    def test_transforms_of_functions_and_other_layouts_run(self):
        self.assertEqual([16], self.run_program(TRANSFORMED))

    def test_a_mask_that_was_set_at_unknown_places_selects_no_more_than_were_set(self):
        self.assertEqual([512, 128, 2000, 0], self.run_program(SAMPLED))

    def test_neighbours_of_points_that_the_host_gave_are_known_and_others_are_at_most_those_that_a_known_mask_leaves(self):
        self.assertEqual([1, 1, 72_000, 5_760_000], self.run_program(NEAR))

    def test_masks_and_bounds_of_large_tensors_that_the_host_gave_are_known(self):
        self.assertEqual([24_000, 24_000, 8_000, 8_192, 8_192, 5, (1 << 20) - 1, 80_000, 80_000, 80_000], self.run_program(GIVEN))

    def test_masks_of_all_pairs_and_the_biases_that_are_made_of_them_are_known(self):
        self.assertEqual([2, 1, 548 + 1348, 700 * 700, 1], self.run_program(LARGE_MASKS))

    def test_neighbours_are_those_of_positions_that_the_host_gave_and_no_more_than_what_is_known_allows(self):
        self.assertEqual([1, 1, 20_000, 20_000, 20_000, 22_000], self.run_program(NEIGHBOURS))

    def test_what_passes_comparisons_of_unknown_integers_agrees_in_all_of_them(self):
        self.assertEqual([44, 1956, 50, 20, 1956, 44], self.run_program(PICKED))

    def test_some_one_or_half_of_unknown_integers_pass(self):
        from allocsim.estimate.picks import Picks, compared, drawn

        for selections, count in (("likely", 31), ("few", 1), ("most", 500)):
            self.assertEqual(count, Picks(selections).count(1000))
        for comparison in ("eq", "ne", "lt", "le", "gt", "ge"):
            self.assertEqual(31, int(compared(drawn((10, 100), comparison, 7, 31), comparison, 7).count_nonzero()))
        self.assertEqual([0, 0, 0], [Picks(each).count(0) for each in ("likely", "few", "most")])

    @unittest.skipUnless(importlib.util.find_spec("torchvision"), "torchvision is not installed")
    def test_detections_that_a_library_selects_by_unknown_values_are_all_kept(self):
        self.assertEqual([1000, 1000], self.run_program(DETECTIONS))


if __name__ == "__main__":
    unittest.main()
