"""Two programs that measure in turns on one core: a sample of one, a sample of the other.

The speed of a core changes by the second where other machines share it, and differs between cores.
Samples that follow each other on the same core have the same of it, so their ratio is steadier than
either of them.

A program that takes turns prints a line of JSON with facts when it is ready, one with a sample for
each line of its standard input, and one with further facts when that ends; then it ends itself.
While it waits for its turn it leaves the core to the other.
"""

import json
import os
import select
import subprocess
import tempfile
import time

from comparison import Failed, exited


class Turns:
    """A program on one core, which is ready when this is made and ended when it is left."""

    def __init__(self, command, core, seconds=240, **extra):
        self.command = command
        self.seconds = seconds
        self.until = time.monotonic() + seconds
        self.pending = b""
        self.errors = tempfile.TemporaryFile()
        self.process = None
        try:
            self.process = self.started(core, extra)
            self.facts = self.answer()
        except BaseException:
            self.close()
            raise

    def started(self, core, extra):
        # A process starts on the cores of who starts it.
        usual = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {core})
        try:
            return subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=self.errors, **extra)
        except OSError as error:
            raise Failed("%s: %s" % (self.command[0], error.strerror)) from error
        finally:
            os.sched_setaffinity(0, usual)

    def sample(self):
        """Measures one sample."""
        try:
            self.process.stdin.write(b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.ended() from None
        return self.answer()

    def end(self):
        """All facts, once the program has ended well."""
        self.process.stdin.close()
        facts = {**self.facts, **self.answer()}
        if self.wait() != 0:
            raise self.ended()
        return facts

    def answer(self):
        """The next line of the program."""
        out = self.process.stdout.fileno()
        while b"\n" not in self.pending:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                raise self.late()
            more = os.read(out, 1 << 16)
            if not more:
                raise self.ended()
            self.pending += more
        line, self.pending = self.pending.split(b"\n", 1)
        try:
            return json.loads(line)
        except ValueError:
            raise Failed("%s printed no JSON: %s" % (
                os.path.basename(self.command[0]), line[:200].decode(errors="replace"))) from None

    def wait(self):
        try:
            return self.process.wait(timeout=max(0, self.until - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise self.late() from None

    def late(self):
        return Failed("%s took more than %d s" % (os.path.basename(self.command[0]), self.seconds))

    def ended(self):
        """Why the program ended before it should."""
        code = self.wait()
        self.errors.seek(0)
        return exited(self.command, code, self.errors.read().decode(errors="replace"))

    def close(self):
        self.errors.close()
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            try:
                self.process.stdin.close()
            except OSError:
                pass  # What it did not read is no loss.

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.close()


def pairs(one, other, count):
    """Samples of two programs in turns; now this one begins, now that one."""
    if count < 1:
        raise Failed("at least one sample is needed")
    found = []
    for number in range(count):
        if number % 2 == 0:
            first = one.sample()
            found.append((first, other.sample()))
        else:
            first = other.sample()
            found.append((one.sample(), first))
    return found
