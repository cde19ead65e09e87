"""Random operations on files in the working folder, and what comes of each, one line each: ``python file_operations.py SEED COUNT``.

Run once on an overlay and once in a copy of the folder, it prints the same. Links lead up to eight folders out of it, so that it is to be
of the form TOP/1/2/3/4/5/6/7/8.
"""

import errno
import glob
import itertools
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile

NAMES = ["a", "b", "c", "d", "e"]


def begin(folder, seed):
    """Fills a folder: files, folders, links that lead to files, folders, nowhere, in circles and some folders up."""
    chance = random.Random(seed)
    places = [folder]
    for _ in range(14):
        path = os.path.join(chance.choice(places), chance.choice(NAMES))
        if os.path.lexists(path):
            continue
        kind = chance.random()
        if kind < 0.4:
            with open(path, "w") as stream:
                stream.write(f"old {chance.random()}" * chance.randrange(4))
            os.chmod(path, chance.choice([0o644, 0o600, 0o755]))
            os.utime(path, (1e9, 1e9 + chance.randrange(1000)))
        elif kind < 0.8:
            os.mkdir(path)
            places.append(path)
        else:
            to = "/".join(chance.choice([*NAMES, ".."]) for _ in range(chance.randrange(1, 3)))
            os.symlink(os.path.join(folder, to) if chance.random() < 0.3 else to, path)
    for place in reversed(places[1:]):
        os.utime(place, (1e9, 1e9))


class Operations:
    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.home = os.getcwd()

    def path(self):
        parts = [self.chance.choice(NAMES) for _ in range(self.chance.choice([1, 1, 2, 2, 3]))]
        kind = self.chance.random()
        if kind < 0.1:
            parts.insert(self.chance.randrange(len(parts) + 1), self.chance.choice(["..", "."]))
        # Within the folder, so that nothing else is touched.
        path = os.path.normpath("/" + "/".join(parts))[1:] or "a" if ".." in parts else "/".join(parts)
        if kind > 0.9:
            path += "/"
        where = self.chance.random()
        return os.path.join(self.home, path) if where < 0.3 else path

    def shown(self, value):
        """A result without the place of the folder, which links may lead out of."""
        return repr(value).replace(self.home, "HOME").replace(self.home.split(os.sep + "1" + os.sep)[0], "TOP")

    # --- one operation each; what they return is compared ---

    def read(self):
        with open(self.path()) as stream:
            return stream.read()

    def write(self):
        with open(self.path(), self.chance.choice(["w", "a", "r+", "x", "w+", "a+"])) as stream:
            stream.write(f"new {self.chance.random()}")
            return stream.tell()

    def opened(self):
        flags = self.chance.choice([os.O_RDONLY, os.O_WRONLY, os.O_RDWR])
        for flag in (os.O_CREAT, os.O_EXCL, os.O_TRUNC, os.O_NOFOLLOW, os.O_APPEND):
            if self.chance.random() < 0.3:
                flags |= flag
        path = self.path()
        # Creating exclusively without creating, and truncating without writing, are not defined.
        if not flags & os.O_CREAT:
            flags &= ~os.O_EXCL
        if flags & 3 == os.O_RDONLY:
            flags &= ~os.O_TRUNC
        file = os.open(path, flags, 0o640)
        try:
            found = os.fstat(file)
            return found.st_size if stat.S_ISREG(found.st_mode) else "folder", oct(found.st_mode)
        finally:
            os.close(file)

    def truncate(self):
        os.truncate(self.path(), self.chance.randrange(10))

    def look(self):
        path = self.path()
        found = self.chance.choice([os.stat, os.lstat])(path)
        is_file = stat.S_ISREG(found.st_mode)
        return oct(found.st_mode), found.st_size if is_file else 0, found.st_nlink if is_file else 0, int(found.st_mtime) if found.st_mtime < 2e9 and is_file and found.st_mtime < 1.1e9 else 0

    def exists(self):
        path = self.path()
        return os.path.exists(path), os.path.lexists(path), os.path.isdir(path), os.path.islink(path), os.access(path, os.W_OK)

    def names(self):
        return sorted(os.listdir(self.path()))

    def entries(self):
        with os.scandir(self.path()) as found:
            return sorted((each.name, each.is_dir(), each.is_symlink(), each.is_file(follow_symlinks=False)) for each in found)

    def names_of_open_folder(self):
        file = os.open(self.path(), os.O_RDONLY | os.O_DIRECTORY)
        try:
            return sorted(os.listdir(file))
        finally:
            os.close(file)

    def walk(self):
        return [(place, sorted(folders), sorted(names)) for place, folders, names in sorted(os.walk(self.path()))]

    def find_all(self):
        return sorted(glob.glob("*") + glob.glob("*/*/*"))

    def remove(self):
        os.remove(self.path())

    def remove_folder(self):
        os.rmdir(self.path())

    def remove_tree(self):
        path = self.path()
        if os.path.realpath(path) != self.home:
            shutil.rmtree(path)

    def make_folder(self):
        os.mkdir(self.path(), self.chance.choice([0o755, 0o700]))

    def make_folders(self):
        os.makedirs(self.path(), exist_ok=self.chance.random() < 0.5)

    def rename(self):
        self.chance.choice([os.rename, os.replace])(self.path(), self.path())

    def move(self):
        return shutil.move(self.path(), self.path())

    def link(self):
        os.link(self.path(), self.path(), follow_symlinks=False)

    def symlink(self):
        os.symlink(self.path(), self.path())

    def read_link(self):
        return os.readlink(self.path())

    def real(self):
        return os.path.realpath(self.path())

    def mode(self):
        os.chmod(self.path(), self.chance.choice([0o644, 0o600, 0o755]))

    def mode_of_open_file(self):
        file = os.open(self.path(), os.O_RDONLY)
        try:
            os.fchmod(file, 0o751)
        finally:
            os.close(file)

    def times(self):
        os.utime(self.path(), (1e9, 1e9 + self.chance.randrange(1000)))

    def copy(self):
        self.chance.choice([shutil.copyfile, shutil.copy, shutil.copy2])(self.path(), self.path())

    def copy_tree(self):
        one, two = self.path(), self.path()
        # A folder that is copied into itself has no end.
        if not os.path.realpath(two).startswith(os.path.realpath(one)):
            shutil.copytree(one, two, symlinks=True)

    def relative_to_open_folder(self):
        folder = os.open(self.path(), os.O_RDONLY | os.O_DIRECTORY)
        try:
            name, other = self.chance.choice(NAMES), self.chance.choice(NAMES)
            kind = self.chance.randrange(7)
            if kind == 0:
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=folder))
            elif kind == 1:
                os.unlink(name, dir_fd=folder)
            elif kind == 2:
                os.mkdir(name, dir_fd=folder)
            elif kind == 3:
                os.rename(name, other, src_dir_fd=folder, dst_dir_fd=folder)
            elif kind == 4:
                os.rmdir(name, dir_fd=folder)
            elif kind == 5:
                os.symlink(other, name, dir_fd=folder)
            return sorted(os.listdir(folder))
        finally:
            os.close(folder)

    def within(self):
        os.chdir(self.path())
        try:
            here = os.getcwd()
            kind, name = self.chance.randrange(3), self.chance.choice(NAMES)
            if kind == 0:
                with open(name, "a") as stream:
                    stream.write("x")
            elif kind == 1:
                os.mkdir(name)
            return here, sorted(os.listdir(".")), os.path.samefile(".", here)
        finally:
            os.chdir(self.home)

    def temporary(self):
        file, path = tempfile.mkstemp(dir=self.path() if self.chance.random() < 0.5 else ".")
        os.write(file, b"temporary")
        os.close(file)
        os.replace(path, self.path())

    def shell(self):
        command = self.chance.choice(["rm -rf {0}", "mv {0} {1}", "cp -r {0} {1}", "cp -a {0} {1}", "echo x >> {0}", "echo y > {0}", "sed -i s/old/sed/ {0}", "mkdir -p {0}", "touch {0}", "ls {0}", "find . | sort", "ln -sf {0} {1}", "cat {0}", "chmod 700 {0}"])
        paths = [self.path().rstrip("/") for _ in range(2)]
        done = subprocess.run(["bash", "-c", command.format(*paths)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return command, done.returncode, done.stdout

    def child(self):
        path = self.path()
        child = os.fork()
        if child == 0:
            try:
                with open(path, "a") as stream:
                    stream.write("child")
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    def all(self):
        """Everything, at the end."""
        found = []
        for place, folders, names in os.walk(self.home):
            folders.sort()
            for name in sorted([*folders, *names]):
                path = os.path.join(place, name)
                about = os.lstat(path)
                if stat.S_ISLNK(about.st_mode):
                    content = os.readlink(path)
                elif stat.S_ISREG(about.st_mode):
                    content = open(path).read()
                else:
                    content = ""
                found.append((path, oct(about.st_mode), content))
        return found


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    # The same names in both runs.
    tempfile._name_sequence = (f"t{number}" for number in itertools.count())
    operations = Operations(seed)
    names = [name for name in vars(Operations) if not name.startswith("_") and name not in ("path", "shown", "all")]
    for number in range(count):
        name = operations.chance.choice(names)
        try:
            result = operations.shown(getattr(operations, name)())
        except (OSError, shutil.Error) as problem:
            result = errno.errorcode.get(problem.errno, problem.errno) if isinstance(problem, OSError) and problem.errno else type(problem).__name__
        except RecursionError:
            result = "RecursionError"
        print(number, name, result)
    for each in operations.all():
        print(operations.shown(each))


if __name__ == "__main__":
    main()
