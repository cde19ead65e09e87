"""Finds the program in Java that answers: the one in this package, else one that is installed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


class EngineMissing(Exception):
    """There is no program to ask."""


def command() -> tuple[list[str], dict[str, str]]:
    """The command line and the environment that start the program.

    Raises:
        EngineMissing: this package came without it, and ``ALLOCSIM`` names none.
    """
    environment = dict(os.environ)
    named = environment.get("ALLOCSIM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise EngineMissing(f"ALLOCSIM names {named}, which is no program; name the file allocsim/allocsim")
        return [found], environment
    program = Path(__file__).parent / "program"
    java = program / "runtime" / "bin" / "java"
    if java.exists():
        if not os.access(java, os.X_OK):
            # Some installers drop the permission of files that are not scripts.
            for each in (java, program / "runtime" / "lib" / "jspawnhelper"):
                each.chmod(each.stat().st_mode | 0o111)
        return ["/bin/sh", str(program / "allocsim")], environment
    checkout = Path(__file__).resolve().parents[3] / "allocsim"
    if checkout.is_file() and (checkout.parent / "mvnw").is_file():
        return [str(checkout)], environment
    raise EngineMissing(
        "this package came without its program; install a wheel for your platform, or name one with ALLOCSIM"
    )
