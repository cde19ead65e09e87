"""What the action does: checks, compares, comments. Its inputs are environment variables.

Exit codes are those of ``allocsim check``: 0 all is kept, 1 failed, 2 wrong usage, 3 a limit is not kept.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

MARK = "<!-- allocsim memory check -->"
WRONG_USAGE = 2
CHECK_DID_NOT_HOLD = 3


class Failed(Exception):
    """A command failed; the message is its sentence."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def allocsim(*arguments: str, allowed: tuple[int, ...] = (0,)) -> tuple[str, int]:
    """Runs the command; returns what it prints and its exit code."""
    process = subprocess.run([os.environ.get("ALLOCSIM") or "allocsim", *arguments], capture_output=True, text=True)
    if process.returncode not in allowed:
        raise Failed((process.stderr.strip().splitlines() or ["allocsim failed"])[0], process.returncode)
    return process.stdout.strip(), process.returncode


def file_argument(path: str) -> str:
    """A file as an argument that is not an option, whatever its name."""
    return path if not path or os.path.isabs(path) else os.path.join(os.curdir, path)


def reserved_bytes(recording: str) -> int:
    """The peak of reserved memory."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "peak.json"
        allocsim("peak", file_argument(recording), "--of", "reserved", "--json", str(file))
        return int(json.loads(file.read_text())["moment"]["reserved_bytes"])


def percentage(max_growth: str) -> float:
    """The number that is meant, before anything is run; below -100 nothing would be left."""
    try:
        value = float(max_growth)
    except ValueError:
        value = math.nan
    if not -100 <= value < math.inf:
        raise Failed(f"max-growth {max_growth!r} is not a percentage of at least -100; write one such as 5", WRONG_USAGE)
    return value


def text(recording: str, baseline: str, limits: list[str], max_growth: str) -> tuple[str, int, dict[str, object]]:
    """The comment, the exit code and the outputs."""
    growth = percentage(max_growth) if max_growth else math.inf
    checked, code = allocsim("check", file_argument(recording), *limits, "--markdown", allowed=(0, CHECK_DID_NOT_HOLD))
    parts = [MARK, "### GPU memory", checked]
    outputs: dict[str, object] = {"reserved-bytes": reserved_bytes(recording), "change-bytes": ""}
    if baseline and Path(baseline).is_file():
        compared, _ = allocsim("diff", file_argument(baseline), file_argument(recording), "--of", "reserved", "--markdown")
        before = reserved_bytes(baseline)
        change = int(str(outputs["reserved-bytes"])) - before
        outputs["change-bytes"] = change
        parts.append(compared)
        if max_growth and change > before * growth / 100:
            parts.append(f"**Reserved memory grows by {change} bytes, more than {max_growth} % of the baseline's {before}.**")
            code = CHECK_DID_NOT_HOLD
    elif baseline:
        parts.append(f"There is no baseline {baseline} yet.")
    return "\n\n".join(parts) + "\n", code, outputs


def comment(pull_request: str, body: str) -> None:
    """Comments, or replaces the comment of an earlier run."""
    repository = os.environ["GITHUB_REPOSITORY"]
    listed = subprocess.run(
        ["gh", "api", "--paginate", f"repos/{repository}/issues/{pull_request}/comments", "--jq", f'.[] | select(.body | startswith("{MARK}")) | .id'],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    if listed:
        target = ["-X", "PATCH", f"repos/{repository}/issues/comments/{listed[0]}"]
    else:
        target = ["-X", "POST", f"repos/{repository}/issues/{pull_request}/comments"]
    subprocess.run(["gh", "api", *target, "-F", "body=@-"], input=body, text=True, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    environment = os.environ
    try:
        body, code, outputs = text(
            environment["RECORDING"],
            environment.get("BASELINE", ""),
            shlex.split(environment.get("LIMITS", "")),
            environment.get("MAX_GROWTH", ""),
        )
    except Failed as problem:
        print(f"::error::{problem}")
        return problem.exit_code
    print(body)
    for name, content in (
        ("GITHUB_STEP_SUMMARY", body),
        ("GITHUB_OUTPUT", "".join(f"{key}={value}\n" for key, value in outputs.items())),
    ):
        if environment.get(name):
            with open(environment[name], "a", encoding="utf-8") as file:
                file.write(content)
    if environment.get("COMMENT") == "true" and environment.get("PULL_REQUEST"):
        try:
            comment(environment["PULL_REQUEST"], body)
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"::warning::the pull request was not commented: {problem}")
    return code


if __name__ == "__main__":
    sys.exit(main())
