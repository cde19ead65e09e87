"""Lists what is in a bundle or a wheel as CycloneDX 1.6, in ARCHIVE.cdx.json beside it.

    python3 build/sbom.py SBOM ARCHIVE

SBOM is the list of all libraries, build/licences/target/sbom.json, which './mvnw verify -Psbom' makes.
The archive's list has those of them that the archive has, each with the SHA-256 of its file there: it
is not that of the library where a bundle leaves out what only other platforms need. It also has the
Java run-time, as the run-time's own file 'release' names it. Equal archives make equal lists.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tarfile
import urllib.parse
import zipfile
from pathlib import Path, PurePosixPath

#: Where the program is in a bundle and in a wheel.
ROOTS = ("allocsim/program/", "allocsim/")

#: Components of which an archive has a file of another name.
OTHER_NAMES = {"allocsim-app": "allocsim.jar", "jcuda-natives": "libJCudaDriver-"}

#: How the licence of OpenJDK's run-times begins.
GPL = b"The GNU General Public License (GPL)\n\nVersion 2, June 1991"


class Refused(Exception):
    """Why there is no list, as a sentence."""


def files_of(archive: Path) -> dict[str, bytes]:
    """The files of the program in an archive, by their path in the program's folder."""
    files = {}
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as wheel:
            files = {name: wheel.read(name) for name in wheel.namelist()}
    elif tarfile.is_tarfile(archive):
        with tarfile.open(archive) as bundle:
            files = {each.name: bundle.extractfile(each).read() for each in bundle if each.isfile()}
    root = next((root for root in ROOTS if f"{root}allocsim.jar" in files), None)
    if root is None:
        raise Refused(f"{archive} has no program of allocsim; give a bundle, or a wheel made of one")
    return {name.removeprefix(root): content for name, content in files.items() if name.startswith(root)}


def run_time(archive: Path, files: dict[str, bytes]) -> dict:
    """The component of the Java run-time."""
    release = {}
    for line in files.get("runtime/release", b"").decode().splitlines():
        key, _, value = line.partition("=")
        release[key] = value.strip('"')
    for key in ("IMPLEMENTOR", "JAVA_RUNTIME_VERSION", "MODULES"):
        if not release.get(key):
            raise Refused(f"runtime/release of {archive} has no {key}; make the archive anew, with a whole JDK")
    version = release["JAVA_RUNTIME_VERSION"]
    component = {
        "type": "platform",
        "bom-ref": "java-runtime",
        "supplier": {"name": release["IMPLEMENTOR"]},
        "name": "openjdk",
        "version": version,
        "description": f"Java run-time of {release.get('IMPLEMENTOR_VERSION', version)}, modules {release['MODULES']}",
        "purl": f"pkg:generic/openjdk@{urllib.parse.quote(version, safe='')}",
    }
    if files.get("runtime/legal/java.base/LICENSE", b"").startswith(GPL):
        component["licenses"] = [{"expression": "GPL-2.0-only WITH Classpath-exception-2.0"}]
    return component


def libraries(archive: Path, files: dict[str, bytes], components: list[dict]) -> list[dict]:
    """The components that the archive has, with the digests of its files."""
    left = {name for name in files if name.startswith(("lib/", "parts/")) or name == "allocsim.jar"}
    found = []
    for component in components:
        start = OTHER_NAMES.get(component["name"], f"{component['name']}-{component['version']}")
        for name in sorted(name for name in left if PurePosixPath(name).name.startswith(start)):
            digest = hashlib.sha256(files[name]).hexdigest()
            found.append(component | {"hashes": [{"alg": "SHA-256", "content": digest}]})
            left.remove(name)
    if left:
        raise Refused(f"{archive} has {min(left)}, which the list of libraries does not name; make both of the same sources")
    return found


def listed(sbom: dict, archive: Path) -> dict:
    """The list of an archive."""
    files = files_of(archive)
    found = [run_time(archive, files), *libraries(archive, files, sbom["components"])]
    names = {each["bom-ref"] for each in found}
    whole = sbom["metadata"]["component"]
    product = {
        "type": "application",
        "bom-ref": "allocsim",
        "name": "allocsim",
        "version": whole["version"],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(archive.read_bytes()).hexdigest()}],
        "licenses": whole["licenses"],
    }
    own = [each["bom-ref"] for each in found if each.get("group") == whole["group"]]
    uses = [{"ref": "allocsim", "dependsOn": ["java-runtime", *own]}]
    for each in sbom["dependencies"]:
        if each["ref"] in names:
            uses.append(each | {"dependsOn": [other for other in each.get("dependsOn", []) if other in names]})
    return sbom | {"metadata": sbom["metadata"] | {"component": product}, "components": found, "dependencies": uses}


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    sbom, archive = map(Path, arguments)
    try:
        content = listed(json.loads(sbom.read_text()), archive)
    except (OSError, Refused) as refused:
        print(f"sbom: {refused}", file=sys.stderr)
        return 1
    except (ValueError, KeyError):
        print(f"sbom: {sbom} is no list that './mvnw verify -Psbom' makes; make it anew", file=sys.stderr)
        return 1
    out = archive.with_name(f"{archive.name}.cdx.json")
    out.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
