"""Remedies: what is pasted does the same as what was tried, what applies is found from what the program did, and nobody's files are touched."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from allocsim.advise import Lines, Remedy  # noqa: E402
from allocsim.advise import command, source  # noqa: E402
from allocsim.advise.catalog import BadRemedy, remedies  # noqa: E402
from allocsim.advise.models import largest  # noqa: E402
from allocsim.advise.trials import Trials  # noqa: E402
from allocsim.estimate.api import answered  # noqa: E402
from allocsim.recording import AllocsimError  # noqa: E402

HAS_TORCH = importlib.util.find_spec("torch") is not None

PROGRAM = """
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    def forward(self, x):
        return x + self.mlp(self.norm(x))
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8000, 256)
        self.blocks = nn.ModuleList(Block(256) for _ in range(4))
        self.head = nn.Linear(256, 8000)
    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)
data = DataLoader(TensorDataset(torch.randint(0, 8000, (256, 65))), batch_size=16)
model = Model().cuda()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for (batch,) in data:
    batch = batch.cuda()
    logits = model(batch[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def facts(**values):
    """Facts of a program in which nothing applies but what is given."""
    empty = {
        "models": [], "optimizers": [], "loaders": [], "losses": [], "sites": [], "held": [], "kept_gradients": [], "switches": 0, "scaler": False, "is_job": False, "compute_capability": [9, 0],
        "installed": [], "sources": {}, "work": {}, "settings": None,
    }  # fmt: skip
    return empty | values


def model(**values):
    """Facts of a model."""
    plain = {
        "name": "Model", "line": "train.py:1", "parameters": {"float32": 1 << 30}, "calls": 9, "training_calls": 9, "switch": None, "is_checkpointed": False, "keeps_cache": False, "is_compiled": False,
        "autocast": None, "kinds": [],
    }  # fmt: skip
    return plain | values


class CatalogTest(unittest.TestCase):
    def test_each_remedy_says_what_it_is(self):
        known = remedies()
        self.assertGreater(len(known), 15)
        for name, remedy in known.items():
            with self.subTest(name):
                self.assertTrue(remedy.title and remedy.cost and type(remedy).__doc__)
                self.assertTrue(remedy.after is None or remedy.after in known)
                # Of a program that did nothing, none can be of use, and each says why.
                self.assertTrue(remedy.reason_against(facts()) or remedy.max_saved_bytes(facts()) in (None, 0))

    def test_a_file_of_the_users_adds_a_remedy(self):
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder, "own.py")
            own.write_text("from allocsim.advise import Remedy\nclass Own(Remedy):\n    name = 'own'\n    title = 'do it'\n")
            self.assertIn("own", remedies([str(own)]))
            own.write_text("raise ValueError('no')\n")
            with self.assertRaisesRegex(BadRemedy, "cannot be loaded: ValueError: no"):
                remedies([str(own)])
            own.write_text("x = 1\n")
            with self.assertRaisesRegex(BadRemedy, "defines no subclass of allocsim.advise.Remedy"):
                remedies([str(own)])

    def test_the_example_of_the_page_is_a_remedy(self):
        text = (HERE.parent / "ADVISE.md").read_text()
        example = text[text.index("    from allocsim.advise import") : text.index("`allocsim advise --remedy freeze.py")]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "freeze.py")
            file.write_text(textwrap.dedent(example))
            found = remedies([str(file)])["freeze-embeddings"]
            self.assertIsNone(found.reason_against(facts(optimizers=[{}])))
            self.assertEqual([Lines("train.py:1", "model.get_input_embeddings().requires_grad_(False)")], found.lines(facts(models=[model()])))

    def test_the_page_of_claims_is_made_of_what_was_measured(self):
        sys.path.insert(0, str(HERE.parents[2] / "validation/estimate"))
        self.addCleanup(sys.path.pop, 0)
        import remedies_page

        self.assertEqual(remedies_page.text(), remedies_page.PAGE.read_text(), "run validation/estimate/remedies.py page")

    def test_every_remedy_of_the_package_is_on_the_page(self):
        text = (HERE.parent / "ADVISE.md").read_text()
        for name in remedies():
            self.assertTrue(f"`{name}`" in text or f"`-{name.rpartition('-')[2]}`" in text, name)


class AppliesTest(unittest.TestCase):
    def test_blocks_that_leave_least_are_checkpointed(self):
        kinds = [
            {"name": "Stage", "container": None, "count": 4, "outer": 4, "activation_bytes": 1000, "output_bytes": 40, "largest_bytes": 700},
            {"name": "Block", "container": None, "count": 24, "outer": 0, "activation_bytes": 900, "output_bytes": 200, "largest_bytes": 50},
            {"name": "Norm", "container": None, "count": 48, "outer": 2, "activation_bytes": 90, "output_bytes": 10, "largest_bytes": 5},
        ]
        self.assertEqual("Block", largest(kinds)["name"])
        found = remedies()["checkpoint"]
        self.assertIsNone(found.reason_against(facts(models=[model(kinds=kinds)])))
        self.assertEqual("checkpoint the 24 Block", found.title_for(facts(models=[model(kinds=kinds)])))
        self.assertEqual(900, found.max_saved_bytes(facts(models=[model(kinds=kinds)])))
        self.assertIn("three or more", found.reason_against(facts(models=[model()])))
        self.assertIn("already", found.reason_against(facts(models=[model(kinds=kinds, is_checkpointed=True)])))

    def test_blocks_within_others_are_not_checkpointed_twice(self):
        def kind(name: str, outer: int) -> dict:
            return {"name": name, "container": None, "count": 8, "outer": outer, "activation_bytes": 900, "output_bytes": 40, "largest_bytes": 70}

        found = remedies()["checkpoint-all"]
        inner = facts(models=[model(kinds=[kind("Block", 8), kind("Attention", 0)])])
        self.assertIn("are parts of those", found.reason_against(inner))
        beside = facts(models=[model(kinds=[kind("Block", 8), kind("Stem", 8), kind("Attention", 0)])])
        self.assertIsNone(found.reason_against(beside))
        self.assertEqual("checkpoint the 8 Block and the 8 Stem", found.title_for(beside))
        self.assertNotIn("parts", found.lines(beside)[0].text)
        partly = facts(models=[model(kinds=[kind("Block", 8), kind("Attention", 3)])])
        self.assertIn("if id(block) not in parts]", found.lines(partly)[0].text)

    def test_containers_in_a_container_are_blocks_too(self):
        kinds = [{"name": "Sequential", "container": "layers.0", "count": 6, "outer": 6, "activation_bytes": 900, "output_bytes": 90, "largest_bytes": 150}]
        line = remedies()["checkpoint-half"].lines(facts(models=[model(kinds=kinds)]))[0].text
        self.assertIn('for block in list(model.get_submodule("layers.0"))[::2]:', line)

    def test_a_models_own_switch_comes_first(self):
        found = remedies()["checkpoint"]
        own = facts(models=[model(switch="gradient_checkpointing_enable", kinds=[])])
        self.assertEqual("turn on the gradient checkpointing of Model", found.title_for(own))
        self.assertIn("gradient_checkpointing_enable(", found.lines(own)[0].text)

    def test_bfloat16_needs_a_gpu_that_has_it(self):
        for name in ("autocast", "bf16"):
            self.assertIn("8.0", remedies()[name].reason_against(facts(models=[model()], compute_capability=[7, 5])))
            self.assertIsNone(remedies()[name].reason_against(facts(models=[model()])))

    def test_only_calls_that_no_backward_pass_reaches_lose_their_gradients(self):
        sites = [
            {"line": "a.py:1", "calls": 3, "keeps": True, "backward": True},
            {"line": "a.py:2", "calls": 3, "keeps": True, "backward": False},
            {"line": "a.py:3", "calls": 3, "keeps": False, "backward": False},
        ]
        found = remedies()["no-grad"]
        self.assertEqual(["a.py:2"], [each.place for each in found.lines(facts(sites=sites))])
        self.assertIsNotNone(found.reason_against(facts(sites=sites[:1])))


class SourceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(Path(folder.name, "train.py"))
        Path(self.file).write_text("net = make(\n    3,\n)\nself.opt = AdamW(net.parameters(), lr=0.1, fused=False)\nreturned(loss(a.b, c[1:]))\nfor x in y: pass\n")

    def test_the_name_and_the_call_of_a_line_are_found(self):
        self.assertEqual("net", source.assigned(f"{self.file}:2", "model"))
        self.assertEqual("self.opt", source.assigned(f"{self.file}:4", "optimizer"))
        self.assertEqual("model", source.assigned(f"{self.file}:5", "model"))
        self.assertEqual("self.opt = AdamW(net.parameters(), lr=0.1, fused=True)", source.call(f"{self.file}:4", "AdamW", fused="True"))
        self.assertEqual("AdamW([p], lr=0.1, fused=False)", source.call(f"{self.file}:4", "AdamW", "[p]"))
        self.assertEqual(["a.b", "c[1:]"], source.operands(f"{self.file}:5"))

    def test_what_cannot_be_read_is_left_open(self):
        for place in (None, "?", f"{self.file}:99", f"{self.file}:x", "/nowhere.py:3"):
            self.assertEqual("model", source.assigned(place, "model"))
            self.assertIsNone(source.text(place))
            self.assertEqual([], source.operands(place))
            self.assertEqual("AdamW(..., fused=True)", source.call(place, "AdamW", fused="True"))


    def test_lines_to_paste_keep_what_stands_there(self):
        Path(self.file).write_text(
            "data = DataLoader(Noise(4), 64, shuffle=True)\nothers = DataLoader(ds, **kw)\ng, d = G().cuda(), D().cuda(); opt = SGD(p, **options)\n"
            "def build():\n    return GPT(3).cuda()\ntrainer.train()\nfor x in DataLoader(y, 64):\n    pass\n"
        )

        def half(line: int) -> tuple[str, bool]:
            return source.changed_call(f"{self.file}:{line}", "DataLoader", batch_size="32")[1:]

        self.assertEqual(("data = DataLoader(Noise(4), 32, shuffle=True)", True), half(1))
        self.assertEqual(("others = DataLoader(ds, **{**kw, 'batch_size': 32})", True), half(2))
        self.assertEqual(("# a DataLoader is made from here: have it made with batch_size=32", False), half(6))
        self.assertEqual(("# in this line: DataLoader(y, 32)", False), half(7))
        self.assertEqual(["g", "d", "model"], [source.assigned(f"{self.file}:3", "model", made) for made in ("G", "D", "E")])
        self.assertEqual("opt = SGD(p, **{**options, 'fused': True})", source.call(f"{self.file}:3", "SGD", fused="True"))

        def compiled(line: int, made: str) -> tuple[str, bool]:
            return source.after(f"{self.file}:{line}", "model", made, lambda name: f"{name}.compile()")[1:]

        self.assertEqual(("model = GPT(3).cuda()\nmodel.compile()\nreturn model", True), compiled(5, "GPT"))
        self.assertEqual(("d.compile()", False), compiled(3, "D"))
        self.assertEqual(("# a library makes the GPT from here; as soon as it has:\n# model.compile()", False), compiled(6, "GPT"))
        self.assertEqual(("# model is the train that this statement makes\nmodel.compile()", False), compiled(6, "train"))
        found = remedies()["loss-in-parts"].lines(facts(losses=[{"line": f"{self.file}:6", "bytes": 1}]))
        self.assertEqual([False], [each.replaces for each in found])
        own = {"line": f"{self.file}:6", "name": "AdamW", "variable": "self.opt"}
        self.assertIn("self.opt.step() and self.opt.zero_grad() after every 2 batches", remedies()["accumulate-2"].lines(facts(optimizers=[own]))[0].text)
        found = remedies()["accumulate-2"].lines(facts(optimizers=[own | {"variable": None}]))
        self.assertEqual(["# a library makes the steps from here: have it accumulate the gradients of 2 batches"], [each.text for each in found])


    def test_what_a_name_holds_is_let_go_by_lines_that_run(self):
        Path(self.file).write_text("kept, losses = [], {}\nfor batch in data:\n    outputs = model(batch)\n    kept.append(outputs)\n    losses[batch] = f(\n        outputs)\n")

        def lines(name: str, is_kept: bool, has_items: bool = True) -> list[tuple[str, str, bool]]:
            row = {"file": self.file, "function": "<module>", "name": name, "line": f"{self.file}:3", "call": f"{self.file}:3", "bytes": 1 << 30, "calls": 9, "is_kept": is_kept, "has_items": has_items}
            return [(each.place.rpartition(":")[2], each.text, each.replaces) for each in remedies()["release"].lines(facts(held=[row]))]

        self.assertEqual([("3", "outputs = None  # held and never read again\noutputs = model(batch)", True)], lines("outputs", False))
        self.assertEqual([("4", "kept.append(outputs.detach().cpu())", True)], lines("kept", True))
        self.assertEqual([("5", "losses[batch] = f(outputs).detach().cpu()", True)], lines("losses", True))
        self.assertEqual([("3", "losses.clear()  # held and never read again\noutputs = model(batch)", True)], lines("losses", True, False))

    def test_a_container_that_the_source_only_fills_is_not_read(self):
        Path(self.file).write_text("kept.append(x)\nself.cache[3] = y\nseen.add(z)\nprint(len(seen))\nfor each in self.old: pass\nfirst = many[0]\n")
        self.assertEqual([False, False, True, True, True], [source.is_read(self.file, each) for each in ("kept", "self.cache", "seen", "self.old", "many")])

    def test_a_line_that_needs_what_is_held_keeps_it(self):
        Path(self.file).write_text("state = model(state)\n")
        self.assertTrue(source.ahead(f"{self.file}:1", ["state"], []).text.startswith("# ahead of this line: state = None"))
        self.assertEqual("a = b = None  # held and never read again\nc.clear()  # held and never read again\nstate = model(state)", source.ahead(f"{self.file}:1", ["a", "b"], ["c"]).text)

    def test_a_library_that_runs_the_loop_is_told_by_its_settings(self):
        Path(self.file).write_text("arguments = TrainingArguments('out', per_device_train_batch_size=8)\ntrainer = Trainer(max_epochs=2)\ndata = DataLoader(x, batch_size=8)\n")
        loaders = [{"key": "1", "line": f"{self.file}:3", "batch_size": 8, "is_training": True}]

        def lines(remedy: str, **settings: object) -> list[str]:
            given = facts(settings=settings, loaders=loaders, optimizers=[{"line": f"{self.file}:2", "name": "AdamW", "variable": None}])
            return [each.text for each in remedies()[remedy].lines(given)]

        own = {"name": "TrainingArguments", "line": f"{self.file}:1", "batch": 8, "accumulate": 3}
        self.assertEqual(["arguments = TrainingArguments('out', per_device_train_batch_size=4, gradient_accumulation_steps=6)"], lines("accumulate-2", **own))
        self.assertEqual(["arguments = TrainingArguments('out', per_device_train_batch_size=8, bf16=True)"], lines("autocast", **own))
        self.assertIn("optim='adamw_bnb_8bit'", lines("adam-8bit", **own)[0])
        other = {"name": "Trainer", "line": f"{self.file}:2", "batch": None, "accumulate": 1}
        self.assertEqual(["data = DataLoader(x, batch_size=2)", "trainer = Trainer(max_epochs=2, accumulate_grad_batches=4)"], lines("accumulate-4", **other))
        self.assertEqual(["trainer = Trainer(max_epochs=2, precision='bf16-true')"], lines("bf16", **other))
        unseen = {"name": "TrainingArguments", "line": None, "batch": 8, "accumulate": 1}
        self.assertIn("# a library makes the steps from here", lines("accumulate-2", **unseen)[1])

    def test_adam_of_8_bits_is_given_what_it_takes(self):
        Path(self.file).write_text("opt = torch.optim.AdamW(net.parameters(), lr=0.1, fused=True)\nopt = make(net)\n")
        rows = [{"line": f"{self.file}:{line}", "name": "AdamW"} for line in (1, 2)]
        texts = [each.text for each in remedies()["adam-8bit"].lines(facts(optimizers=rows))]
        self.assertEqual("import bitsandbytes\nopt = bitsandbytes.optim.AdamW8bit(net.parameters(), lr=0.1)", texts[0])
        self.assertTrue(texts[1].startswith("# the AdamW is made from here"), texts[1])


class CommandTest(unittest.TestCase):
    def refused(self, *arguments: str) -> str:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            code = command.main(arguments)
        self.assertIn(code, (1, 2))
        return said.getvalue()

    def test_what_makes_no_sense_is_refused_in_one_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            out = ["-o", os.path.join(folder, "new")]
            self.assertIn("needs a program", self.refused(*out))
            self.assertIn("--device nonsense is not a known GPU", self.refused(*out, "--device", "nonsense", "--", sys.executable))
            self.assertIn("no such program: nowhere", self.refused(*out, "--", "nowhere"))
            self.assertIn("--remedies magic is not a known remedy", self.refused(*out, "--remedies", "magic", "--", sys.executable))
            self.assertIn("--value x is not FILE:LINE=VALUE", self.refused(*out, "--value", "x", "--", sys.executable))
            self.assertIn("none.py", self.refused(*out, "--remedy", "none.py", "--", sys.executable))

    def test_sizes_and_shares_are_read_as_people_write_them(self):
        parse = command.options_parser().parse_args
        self.assertEqual(20 << 30, parse(["--target", "20GiB"]).target)
        self.assertEqual(3 << 29, parse(["--target", "1.5GiB"]).target)
        self.assertEqual(0.1, parse(["--margin", "10%"]).margin)
        for wrong in (["--target", "lots"], ["--target", "0"], ["--margin", "1"], ["--jobs", "0"], ["--budget", "-1"]):
            with mock.patch("sys.stderr"), self.assertRaises(SystemExit):
                parse(wrong)

    def test_a_folder_of_the_users_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "notes.txt").write_text("mine")
            self.assertIn("is not empty", self.refused("-o", folder, "--", sys.executable))
            Path(folder, "trials.json").write_text("{}")
            self.assertIn("is not empty", self.refused("-o", folder, "--", sys.executable))
            self.assertEqual(["notes.txt", "trials.json"], sorted(os.listdir(folder)))


class ApiTest(unittest.TestCase):
    def test_an_answer_has_tables_and_shows_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "answer.json")
            program = f"import json; json.dump({{'fits': True, 'trials': [{{'fits': 'yes', 'reserved_bytes': 7}}]}}, open({file!r}, 'w')); print('Fits.')"
            answer = answered([sys.executable, "-c", program], file, None)
        self.assertEqual({"fits": True, "trials": [{"fits": "yes", "reserved_bytes": 7}]}, answer)
        self.assertEqual("Fits.\n", repr(answer))
        self.assertEqual(1, len(answer.table("trials")))


class TrialsTest(unittest.TestCase):
    ASKED = {"program": ["python", "train.py"], "options": {"device": "h200"}, "values": {}, "files": []}

    def test_runs_are_taken_from_an_earlier_call_of_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "train.py")
            script.write_text("1\n")
            out = os.path.join(folder, "advice")
            trials = Trials(out, dict(self.ASKED))
            digest = "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"  # of "1\n"
            trials.found["trials"] += [{"remedies": [], "answer": {"complete": True}}, {"remedies": ["fused"], "answer": {"complete": False}}, {"remedies": ["loop"], "answer": None}]
            trials.save(facts={"sources": {str(script): digest}})
            again = Trials(out, dict(self.ASKED))
            self.assertIsNotNone(again.baseline())
            # What failed is tried again.
            self.assertEqual([[]], [each["remedies"] for each in again.found["trials"]])
            self.assertFalse(again.replaces)
            self.assertIsNone(Trials(out, self.ASKED | {"options": {"device": "t4"}}).baseline())
            script.write_text("2\n")
            changed = Trials(out, dict(self.ASKED))
            self.assertIsNone(changed.baseline())
            self.assertTrue(changed.replaces)

    def test_the_rank_that_decides_is_remembered(self):
        with tempfile.TemporaryDirectory() as folder:
            asked = self.ASKED | {"options": {"device": "h200", "rank": None}}
            out = os.path.join(folder, "advice")
            trials = Trials(out, dict(asked))
            trials.found["trials"].append({"remedies": [], "answer": {"complete": True}, "rank": 3, "world": 4})
            trials.save(facts={"sources": {}})
            again = dict(asked)
            Trials(out, again)
            self.assertEqual({"device": "h200", "rank": 3, "world": 4}, again["options"])

    def test_what_is_no_list_of_trials_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in ("", "[]", "{", '{"schema": "other"}'):
                Path(folder, "trials.json").write_text(text)
                with self.assertRaises(AllocsimError):
                    Trials(folder, dict(self.ASKED))


@unittest.skipUnless(HAS_TORCH, "needs PyTorch")
class WorkTest(unittest.TestCase):
    def counted(self, *evaluating: bool) -> tuple[int, list[int]]:
        import torch

        from allocsim.advise.work import Work

        work = Work(torch)
        work.stepped()
        for is_evaluating in evaluating:
            work._now.ran("fp32", 10, 1)
            if is_evaluating:
                work.evaluated()
                work._now.ran("fp32", 99, 1)
            work.stepped()
        report = work.report()
        return report["steps"], [each["flops"] * each["count"] for each in report["operations"]]

    def test_steps_with_an_evaluation_count_only_where_there_are_no_others(self):
        self.assertEqual((2, [20]), self.counted(False, True, False))
        self.assertEqual((2, [20, 198]), self.counted(True, True))
        self.assertEqual((0, []), self.counted())


@unittest.skipUnless(HAS_TORCH and sys.platform == "linux", "needs PyTorch")
class SameAsPastedTest(unittest.TestCase):
    """What was tried from outside reserves to the byte what the program does with the lines that are pasted."""

    NAMES = ("checkpoint", "checkpoint-half", "autocast", "offload", "fused", "no-foreach", "states-on-host", "loss-in-parts")

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.script = cls.folder / "train.py"
        cls.script.write_text(PROGRAM)
        done = cls.run_command(
            "advise", "--all", "--remedies", ",".join((*cls.NAMES, "step-in-backward", "accumulate-2", "release", "fsdp-2")), "-o", str(cls.folder / "advice"), "--json", str(cls.folder / "advice.json"),
            "--", sys.executable, str(cls.script),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        cls.trials = json.loads((cls.folder / "advice" / "trials.json").read_text())
        cls.found = {"+".join(each["remedies"]): each["answer"] for each in cls.trials["trials"]}

    @staticmethod
    def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "allocsim", *arguments], env={**os.environ, "PYTHONPATH": str(HERE.parent)}, capture_output=True, text=True)

    def estimated(self, name: str, text: str, *launcher: str) -> dict:
        script = self.folder / f"{name}.py"
        script.write_text(text)
        done = self.run_command("estimate", "--unlimited", "-o", str(self.folder / f"{name}.pickle"), "--json", str(self.folder / f"{name}.json"), "--", sys.executable, *launcher, str(script))
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads((self.folder / f"{name}.json").read_text())

    def assert_same(self, name: str, estimated: dict) -> None:
        tried = self.found[name]
        self.assertEqual(estimated["settings"]["recorded"]["reserved_bytes"], tried["settings"]["recorded"]["reserved_bytes"])
        # Numbers of one element may be made differently, and names of pasted lines hold targets.
        self.assertAlmostEqual(estimated["peak_requested_bytes"], tried["peak_requested_bytes"], delta=16384)

    def test_watching_a_program_changes_nothing(self):
        self.assert_same("", self.estimated("baseline", PROGRAM))

    def test_lines_that_are_pasted_do_the_same(self):
        for row in self.trials["remedies"]:
            if row["name"] in self.NAMES:
                with self.subTest(row["name"]):
                    self.assertIsNone(row["reason_against"])
                    self.assert_same(row["name"], self.estimated(row["name"], pasted(PROGRAM, row["lines"])))

    def test_gradients_of_parts_of_a_batch_are_accumulated(self):
        text = PROGRAM.replace("batch_size=16", "batch_size=8").replace("for (batch,) in data:", "for i, (batch,) in enumerate(data):")
        text = text.replace("    opt.zero_grad()\n", "").replace("    opt.step()\n", "    if i % 2:\n        opt.step()\n        opt.zero_grad()\n")
        self.assert_same("accumulate-2", self.estimated("accumulate", text))

    def test_gradients_are_freed_where_the_optimizer_steps_within_the_backward_pass(self):
        lines = next(each["lines"] for each in self.trials["remedies"] if each["name"] == "step-in-backward")
        text = pasted(PROGRAM, lines).replace("    opt.zero_grad()\n", "").replace("    opt.step()\n", "")
        self.assert_same("step-in-backward", self.estimated("backward", text))

    def test_a_model_is_sharded_as_by_the_lines(self):
        lines = next(each["lines"] for each in self.trials["remedies"] if each["name"] == "fsdp-2")
        launcher = ("-m", "torch.distributed.run", "--nproc-per-node", "2")
        self.assert_same("fsdp-2", self.estimated("sharded", pasted(PROGRAM, lines), *launcher))

    def test_a_changed_program_is_run_anew(self):
        self.assertEqual([str(self.script)], list(self.trials["facts"]["sources"]))

    def test_what_is_held_into_the_next_step_is_named(self):
        self.assertIn("logits", [each["name"] for each in self.trials["facts"]["held"]])
        self.assertNotIn("batch", [each["name"] for each in self.trials["facts"]["held"]])

    def test_the_answer_is_a_table_of_what_was_tried(self):
        answer = json.loads((self.folder / "advice.json").read_text())
        self.assertTrue(answer["fits"])
        self.assertEqual(len(self.trials["trials"]), len(answer["trials"]))
        checkpoint = next(each for each in answer["trials"] if each["remedies"] == ["checkpoint"])
        self.assertGreater(checkpoint["added_time_ratio"], 0.01)


def pasted(text: str, lines: list[dict]) -> str:
    """A program with lines pasted into it, from the last to the first."""
    rows = text.split("\n")
    for each in sorted(lines, key=lambda row: -int(row["place"].rpartition(":")[2])):
        at = int(each["place"].rpartition(":")[2])
        indent = rows[at - 1][: len(rows[at - 1]) - len(rows[at - 1].lstrip())]
        rows[at - 1 if each["replaces"] else at : at] = [indent + row for row in each["text"].split("\n")]
    return "\n".join(rows)


if __name__ == "__main__":
    unittest.main()
