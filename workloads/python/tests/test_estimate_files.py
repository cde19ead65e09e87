"""What a program that is estimated does to files: it sees its changes, and the user's files stay as they are."""

import contextlib
import importlib.util
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "workloads/python"))

from allocsim.estimate import landlock  # noqa: E402
from allocsim.estimate.files import Files, FilesProblem, scratch_base, writes_sentence  # noqa: E402
from allocsim.estimate.screen import size_text  # noqa: E402
from allocsim.estimate.standin import NoStandIn, library_folder  # noqa: E402
from allocsim.estimate.supervisor import is_possible  # noqa: E402


def library():
    """The folder of the libraries, or a reason to skip."""
    try:
        return str(library_folder())
    except NoStandIn as problem:
        raise unittest.SkipTest(str(problem))


def state(folder):
    """All that is to stay: types, modes, times and bytes of everything in a folder."""
    found = {}
    for place, folders, names in os.walk(folder):
        for name in [".", *folders, *names]:
            path = os.path.join(place, name)
            about = os.lstat(path)
            content = None
            if stat.S_ISLNK(about.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(about.st_mode):
                with open(path, "rb") as stream:
                    content = stream.read()
            found[os.path.relpath(path, folder)] = (about.st_mode, about.st_mtime_ns, about.st_ino, content)
    return found


class FilesCase(unittest.TestCase):
    """A folder of the user, ``self.home``, and programs that run in it as in an estimate."""

    def setUp(self):
        self.library = library()
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="home-"))
        self.addCleanup(shutil.rmtree, self.home)

    def make(self, **files):
        for name, text in files.items():
            path = Path(self.home, name.replace("__", "/").replace("_dot_", "."))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_in(self, *program, text=None, code=0, **variables):
        """Runs a program; its output, and what it left as the answer would tell it."""
        if text is not None:
            program = (sys.executable, "-c", textwrap.dedent(text))
        before = state(self.home)
        with tempfile.TemporaryDirectory(prefix="allocsim-", dir=scratch_base()) as folder:
            files = Files(folder, self.library, False)
            environment = files.environment({**os.environ, **variables})
            with files.followed() as first:
                done = subprocess.run(program, cwd=self.home, env=environment, preexec_fn=first, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            writes = files.writes()
        self.assertEqual(before, state(self.home), done.stderr)
        if code is not None:
            self.assertEqual(code, done.returncode, done.stderr)
        return done.stdout, writes

    def printed(self, text, **options):
        return self.run_in(text=text, **options)[0].splitlines()


class OwnChangesTest(FilesCase):
    """A program sees what it did; ``run_in`` checks that the user's files are as they were."""

    def test_files_are_written_appended_to_and_removed(self):
        self.make(a="old", d__b="b", d__c="c")
        self.assertEqual(["old", "new", "old+ d/b", "['b']", "['d', 'f', 'new.txt'] x"], self.printed("""
            import os, pathlib
            here = pathlib.Path(".")
            print((here / "a").read_text())
            (here / "a").write_text("new"); print((here / "a").read_text())
            with open("d/b", "r+") as stream: stream.write("old+ d/b")
            print(open("d/b").read())
            (here / "d/c").unlink(); print(os.listdir("d"))
            (here / "e").mkdir(); (here / "e/x").write_text("x"); (here / "e").rename("f"); os.replace("a", "new.txt")
            print(sorted(os.listdir(".")), (here / "f/x").read_text())
        """))

    def test_a_checkpoint_is_resumed_from_and_then_overwritten(self):
        self.make(best_dot_pt="epoch 7")
        self.assertEqual(["epoch 7", "epoch 8", "True"], self.printed("""
            import os
            print(open("best.pt").read())
            with open("best.pt.tmp", "w") as stream: stream.write("epoch 8")
            os.replace("best.pt.tmp", "best.pt")
            print(open("best.pt").read()); print(not os.path.exists("best.pt.tmp"))
        """))

    def test_folders_of_checkpoints_rotate(self):
        self.make(**{"out__checkpoint-1__model": "1", "out__checkpoint-2__model": "2", "out__checkpoint-2__deep__er": "3"})
        lines, writes = self.run_in(text="""
            import os, shutil
            for step in (3, 4):
                os.makedirs(f"out/tmp-checkpoint-{step}"); open(f"out/tmp-checkpoint-{step}/model", "w").write(str(step))
                os.rename(f"out/tmp-checkpoint-{step}", f"out/checkpoint-{step}")
                shutil.rmtree(f"out/checkpoint-{step - 2}")
            print(sorted(os.listdir("out")))
            os.rename("out/checkpoint-4", "out/checkpoint-1"); print(os.listdir("out/checkpoint-1"), os.path.exists("out/checkpoint-2/deep"))
            shutil.rmtree("out"); os.makedirs("out/checkpoint-2"); print(os.listdir("out/checkpoint-2"))
        """)
        self.assertEqual(["['checkpoint-3', 'checkpoint-4']", "['model'] False", "[]"], lines.splitlines())
        self.assertEqual((0, 3), (writes["files"], writes["deleted"]))

    def test_databases_log(self):
        import sqlite3
        with contextlib.closing(sqlite3.connect(os.path.join(self.home, "log.db"))) as base, base:
            base.execute("create table steps (step int)")
            base.execute("insert into steps values (1)")
        for mode in ("wal", "delete", "truncate", "persist"):
            self.assertEqual([f"{mode} 2 2"], self.printed(f"""
                import sqlite3, subprocess, sys
                base = sqlite3.connect("log.db")
                mode = base.execute("pragma journal_mode={mode}").fetchone()[0]
                with base: base.execute("insert into steps values (2)")
                count = "import sqlite3; print(sqlite3.connect('log.db').execute('select count(*) from steps').fetchone()[0])"
                other = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True).stdout.strip()
                print(mode, base.execute("select count(*) from steps").fetchone()[0], other)
            """))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
    def test_arrays_are_mapped_and_saved(self):
        import numpy
        numpy.save(os.path.join(self.home, "a.npy"), numpy.arange(1000))
        self.assertEqual(["0 7 7"], self.printed("""
            import numpy
            before = numpy.load("a.npy", mmap_mode="r")[3] - 3
            array = numpy.load("a.npy", mmap_mode="r+"); array[3] = 7; array.flush()
            after = numpy.load("a.npy")[3]
            numpy.save("a.npy", numpy.array([7])); numpy.memmap("raw", "int64", "w+", shape=(4,))[:] = 7
            print(before, after, numpy.load("a.npy")[0])
        """))

    def test_modes_times_and_links_change(self):
        self.make(a="1", b="2")
        self.assertEqual(["0o600 1000 0o711 1 ['a', 'b', 'hard', 'soft'] new"], self.printed("""
            import os
            os.chmod("a", 0o600); os.utime("a", (1000, 1000))
            with open("b") as stream: os.fchmod(stream.fileno(), 0o711)
            os.link("a", "hard"); os.symlink("hard", "soft")
            open("soft", "w").write("new")
            print(oct(os.stat("a").st_mode & 0o777), 1000, oct(os.stat("b").st_mode & 0o777), os.stat("b").st_nlink, sorted(os.listdir(".")), open("a").read())
        """))

    def test_open_folders_lead_to_the_same_files(self):
        self.make(d__a="a", d__b="b")
        self.assertEqual(["['b', 'c'] ['b', 'c'] ['b', 'c'] /d"], self.printed("""
            import os
            folder = os.open("d", os.O_RDONLY)
            os.unlink("a", dir_fd=folder)
            os.close(os.open("c", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
            home = os.getcwd(); os.fchdir(folder)
            with os.scandir(folder) as entries: names = sorted(each.name for each in entries)
            print(sorted(os.listdir(folder)), sorted(os.listdir(".")), names, os.getcwd()[len(home):])
        """))

    def test_other_programs_take_part(self):
        self.make(a="old\n", b="b\n", d__x="x", e__y="y")
        lines, _ = self.run_in("bash", "-c", """
            set -e
            rm -rf d; mv e f; sed -i s/old/new/ a; cp a c; echo more >> a; echo less > b; mkdir -p g/h; cp -r f g/h; find . -type f | sort; cat a b c
            printf '#!/bin/sh\\necho run $0\\n' > run.sh; chmod +x run.sh; ./run.sh; cd g/h; pwd -P | tail -c 5; ls ..
        """)
        self.assertEqual(["./a", "./b", "./c", "./f/y", "./g/h/f/y", "new", "more", "less", "new"], lines.splitlines()[:9])
        self.assertEqual(["/g/h", "h"], lines.splitlines()[10:])

    def test_programs_without_an_environment_take_part(self):
        self.make(a="old")
        lines, writes = self.run_in("env", "-i", sys.executable, "-c", "open('a', 'w').write('new'); print(open('a').read())")
        self.assertEqual("new\n", lines)
        self.assertEqual(1, writes["files"])

    def test_programs_that_load_no_library_take_part(self):
        self.make(a="old ", d__b="b")
        source, program = (os.path.join(self.home, name) for name in ("static.c", "static"))
        Path(source).write_text("""
            #include <stdio.h>
            #include <sys/stat.h>
            #include <unistd.h>
            int main(void) {
              char text[100] = {0};
              struct stat found;
              FILE *file = fopen("a", "a");
              if (!file || fputs("static", file) < 0 || fclose(file)) return 1;
              file = fopen("a", "r");
              if (!file || !fgets(text, sizeof text, file)) return 2;
              if (unlink("d/b") || access("d/b", F_OK) == 0 || rmdir("d") || mkdir("n", 0755) || rename("a", "n/a")) return 3;
              if (chmod("n/a", 0600) || stat("n/a", &found)) return 4;
              printf("%s %o %d\\n", text, found.st_mode & 0777, (int)found.st_size);
              return 0;
            }
        """)
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler or subprocess.run([compiler, "-static", source, "-o", program], capture_output=True).returncode:
            self.skipTest("no static program can be built here")
        if not is_possible():
            self.skipTest("the kernel has no filter of system calls that another process answers")
        lines, writes = self.run_in(program)
        self.assertEqual("old static 600 10\n", lines)
        self.assertEqual(1, writes["renamed"])
        self.assertEqual("old static 600 10\n['n', 'static', 'static.c']\n", self.printed_by_python(program))

    def printed_by_python(self, program):
        return self.run_in(text=f"""
            import os, subprocess
            print(subprocess.run([{program!r}], capture_output=True, text=True).stdout, end="")
            print(sorted(os.listdir(".")))
        """)[0]

    def test_processes_share_what_they_write(self):
        self.make(shared="0")
        for kind in ("fork", "spawn", "forkserver"):
            Path(self.home, "work.py").write_text(textwrap.dedent("""
                import multiprocessing, os, sys
                def work(number):
                    with open("shared", "a") as stream: stream.write(str(number))
                    os.makedirs("out", exist_ok=True); open(f"out/{number}", "w").write("x")
                    return sorted(os.listdir("."))
                if __name__ == "__main__":
                    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool: pool.map(work, [1, 2, 3, 4])
                    print("".join(sorted(open("shared").read())), sorted(os.listdir("out")))
            """))
            lines, _ = self.run_in(sys.executable, "work.py", kind)
            self.assertEqual("01234 ['1', '2', '3', '4']\n", lines, kind)

    def test_threads_write_at_once(self):
        self.make(log="")
        self.assertEqual(["400 0"], self.printed("""
            import os, threading
            def work(number):
                for step in range(100):
                    with open("log", "a") as stream: stream.write("x")
                    open(f"{number}-{step}", "w").close(); os.replace(f"{number}-{step}", f"{number}"); os.remove(f"{number}")
            threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
            [each.start() for each in threads]; [each.join() for each in threads]
            print(os.path.getsize("log"), len(os.listdir(".")) - 1)
        """))

    def test_libraries_that_were_just_built_are_loaded(self):
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("there is no C compiler")
        self.assertEqual(["42"], self.printed("""
            import ctypes, subprocess
            open("a.c", "w").write("int answer(void) { return 42; }")
            subprocess.run(["cc", "-shared", "-fPIC", "a.c", "-o", "liba.so"], check=True)
            print(ctypes.CDLL("./liba.so").answer())
        """))

    def test_a_library_is_found_in_the_folders_that_its_user_names(self):
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("there is no C compiler")
        os.mkdir(os.path.join(self.home, "beside"))
        Path(self.home, "inner.c").write_text("int answer(void) { return 42; }")
        Path(self.home, "outer.c").write_text("#include <dlfcn.h>\nint ask(void) { void *it = dlopen(\"libinner.so\", RTLD_NOW); return it ? ((int (*)(void))dlsym(it, \"answer\"))() : -1; }")
        for command in (["inner.c", "-o", "beside/libinner.so"], ["outer.c", "-ldl", "-Wl,-rpath,$ORIGIN/beside", "-o", "libouter.so"]):
            subprocess.run([compiler, "-shared", "-fPIC", *command], cwd=self.home, check=True)
        self.assertEqual(["42"], self.printed("import ctypes; open('x', 'w').close(); print(ctypes.CDLL('./libouter.so').ask())"))

    def test_devices_pipes_and_shared_memory_are_real(self):
        self.assertEqual(["shared b'piped' b'fifo'"], self.printed("""
            import os, threading
            from multiprocessing import shared_memory
            memory = shared_memory.SharedMemory(create=True, size=16); memory.buf[:6] = b"shared"
            other = shared_memory.SharedMemory(memory.name)
            text = bytes(other.buf[:6]).decode(); other.close(); memory.close(); memory.unlink()
            open("/dev/null", "w").write("x")
            one, two = os.pipe(); os.write(two, b"piped")
            os.mkfifo("fifo"); thread = threading.Thread(target=lambda: open("fifo", "wb").write(b"fifo")); thread.start()
            print(text, os.read(one, 5), open("fifo", "rb").read()); thread.join()
        """))

    def test_random_operations_give_what_they_give_in_a_real_folder(self):
        operations = os.path.join(os.path.dirname(os.path.abspath(__file__)), "file_operations.py")
        spec = importlib.util.spec_from_file_location("file_operations", operations)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        depth = os.path.join(*"12345678")
        for seed in range(1000, 1012):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as copy:
                shutil.rmtree(self.home)
                for top in (self.home, copy):
                    os.makedirs(os.path.join(top, depth))
                    module.begin(os.path.join(top, depth), seed)
                command = [sys.executable, operations, str(seed), "60"]
                real = subprocess.run(command, cwd=os.path.realpath(os.path.join(copy, depth)), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True)
                seen, _ = self.run_in("env", "-C", os.path.join(self.home, depth), *command)
                self.assertEqual(real.stdout, seen)


class ToldTest(FilesCase):
    def test_what_was_dropped_is_told(self):
        self.make(a="a", b="b", c="c", d__e="e", d__f="f")
        _, writes = self.run_in(text="""
            import os, shutil, tempfile
            with tempfile.NamedTemporaryFile("w", delete=False) as stream: stream.write("temporary")
            open("best.pt", "wb").write(bytes(3 << 20)); open("a", "a").write("more")
            os.remove("b"); os.rename("c", "z"); shutil.rmtree("d"); open("z", "r+").close()
        """)
        self.assertEqual(
            {"dropped": True, "files": 3, "bytes": (3 << 20) + 6, "deleted": 3, "renamed": 1, "examples": [os.path.join(self.home, name) for name in ("best.pt", "a", "z")]}, writes
        )
        with contextlib.chdir(self.home) if hasattr(contextlib, "chdir") else contextlib.nullcontext():
            sentence = writes_sentence(writes, size_text)
        self.assertIn("3 files (3.00 MiB: ", sentence)
        self.assertIn("deleted 3 files and renamed 1 file", sentence)
        self.assertIn("--allow-writes", sentence)

    def test_what_was_only_opened_for_writing_was_not_written(self):
        self.make(a="a")
        self.assertEqual(0, self.run_in(text="open('a', 'r+').close(); open('a', 'a').close()")[1]["files"])

    def test_a_program_that_writes_nothing_has_no_sentence(self):
        self.assertIsNone(writes_sentence(self.run_in(text="import os; os.listdir('.')")[1], size_text))

    def test_with_writes_allowed_nothing_is_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            files = Files(folder, self.library, True)
            self.assertEqual({"A": "b"}, files.environment({"A": "b"}))
            with files.followed() as first:
                self.assertIsNone(first)
            self.assertIsNone(files.writes())

    def test_a_library_that_cannot_be_loaded_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            files = Files(folder, folder, False)
            with self.assertRaisesRegex(FilesProblem, "cannot be preloaded.*--allow-writes"):
                files.environment(dict(os.environ))


class BackstopTest(FilesCase):
    @unittest.skipUnless(sys.platform == "linux" and landlock.version(), "the kernel has no Landlock")
    def test_what_evades_everything_else_is_refused(self):
        self.make(a="old", d__b="b")
        scratch = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, scratch)
        before = state(self.home)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent("""
                import os, sys
                for change in (lambda: open("a", "w"), lambda: os.remove("a"), lambda: os.rename("d/b", "c"), lambda: os.mkdir("e"), lambda: os.truncate("a", 0)):
                    try:
                        change()
                    except PermissionError:
                        print("refused")
                open(sys.argv[1] + "/x", "w").close(); os.mkdir(sys.argv[1] + "/y"); os.rename(sys.argv[1] + "/x", sys.argv[1] + "/y/x"); print(open("a").read())
            """), scratch],
            cwd=self.home, preexec_fn=landlock.writing_only([scratch, "/dev", "/proc"]), capture_output=True, text=True,
        )
        self.assertEqual((["refused"] * 5 + ["old"], ""), (done.stdout.splitlines(), done.stderr))
        self.assertEqual(before, state(self.home))


TRAINER = """
import os, torch
from torch.utils.tensorboard import SummaryWriter
from safetensors.torch import load_file
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

old = torch.load("best.pt"); assert old["epoch"] == 7, old
model = GPT2LMHeadModel(GPT2Config(n_layer=1, n_embd=32, n_head=2, vocab_size=128, n_positions=32))
data = [{"input_ids": torch.arange(16), "labels": torch.arange(16)} for _ in range(32)]
arguments = TrainingArguments("out", max_steps=5, save_steps=1, save_total_limit=1, per_device_train_batch_size=2, report_to=["tensorboard"], logging_steps=1, dataloader_num_workers=1)
Trainer(model, arguments, train_dataset=data).train()
torch.save({"epoch": 8}, "best.pt.new"); os.replace("best.pt.new", "best.pt")
with SummaryWriter("runs/one") as writer: writer.add_scalar("loss", 1.0, 1)
assert torch.load("best.pt")["epoch"] == 8
folders = sorted(each for each in os.listdir("out") if each.startswith("checkpoint"))
assert folders == ["checkpoint-5"], folders
assert load_file("out/checkpoint-5/model.safetensors")
"""


class KilledTest(FilesCase):
    """A program whose command is killed, here behind a shell or not, is killed before its file calls fail, and with all that it started."""

    def check(self, *shell):
        for attempt in range(8):
            command = [sys.executable, "-m", "allocsim", "estimate", "--", *shell, sys.executable, "-c", "import os\nprint('runs', flush=True)\nwhile True: os.listdir('.')"]
            with subprocess.Popen(
                command, cwd=self.home, env={**os.environ, "PYTHONPATH": str(ROOT / "workloads/python")}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            ) as process:
                self.assertEqual("runs\n", process.stderr.readline())
                time.sleep(0.005 * attempt)
                process.kill()
                # It ends when all that have it ended.
                self.assertEqual("", process.stderr.read())
        self.assertEqual([], os.listdir(self.home))

    def test_of_the_command(self):
        self.check()

    def test_of_a_shell(self):
        self.check("sh", "-c", '"$@"; exit $?', "sh")


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class EstimateTest(FilesCase):
    def setUp(self):
        import torch
        if torch.version.cuda is None:
            self.skipTest("PyTorch is not a CUDA build")
        for name in ("transformers", "accelerate", "safetensors", "tensorboard"):
            if importlib.util.find_spec(name) is None:
                self.skipTest(f"{name} is not installed")
        super().setUp()
        torch.save({"epoch": 7}, os.path.join(self.home, "best.pt"))
        self.make(**{"train_dot_py": TRAINER, "out__checkpoint-5__model.safetensors": "old", "out__checkpoint-1__note": "old"})

    def estimate(self, *options):
        answer = os.path.join(tempfile.gettempdir(), f"answer-{os.getpid()}.json")
        self.addCleanup(lambda: os.path.exists(answer) and os.unlink(answer))
        recording = answer.replace(".json", ".pickle")
        self.addCleanup(lambda: os.path.exists(recording) and os.unlink(recording))
        done = subprocess.run(
            [sys.executable, "-m", "allocsim", "estimate", "--steps", "0", "-o", recording, "--json", answer, *options, "--", sys.executable, "train.py"],
            cwd=self.home, env={**os.environ, "PYTHONPATH": str(ROOT / "workloads/python")}, capture_output=True, text=True,
        )
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout, json.loads(Path(answer).read_text())

    def test_a_training_that_saves_and_rotates_checkpoints_changes_no_file(self):
        before = state(self.home)
        text, answer = self.estimate()
        self.assertEqual(before, state(self.home))
        self.assertEqual("end", answer["ended"])
        self.assertGreaterEqual(answer["writes"]["files"], 5)
        self.assertIn("the estimate dropped these changes", text)

    def test_with_writes_allowed_it_changes_them(self):
        text, answer = self.estimate("--allow-writes")
        self.assertIsNone(answer["writes"])
        self.assertEqual(["checkpoint-5"], [each for each in os.listdir(os.path.join(self.home, "out")) if each.startswith("checkpoint")])


if __name__ == "__main__":
    unittest.main()
