"""How much of the idle time that a cause put in on purpose makes is given that cause by ``allocsim idle``.

    ALLOCSIM=./allocsim python3 agreement.py FOLDER

FOLDER has the profiles that programs.py wrote. The idle time that a cause makes is that of a step with it, less that of a step of the same
program without it, or with as little of it as there is. Prints the table of IDLE-CAUSES.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

#: What it is, the cause's name in files, the profile with it, the one without it.
PAIRS = (
    ("a dataset that sleeps", "data", "loader_sleep.base", "loader_sleep.workers-8"),
    ("a dataset that computes, in the program's process", "data", "loader_decode.workers-0", "loader_decode.workers-8"),
    ("pageable tensors", "pageable-copy", "copy_pageable.base", "copy_pageable.pinned-non-blocking"),
    ("pinned tensors that the host waits for", "blocking-copy", "copy_pageable.pinned", "copy_pageable.pinned-non-blocking"),
    ("`.item()` each step", "host-read", "copy_pageable.item", "copy_pageable.base"),
    ("`empty_cache()` each step", "empty-cache", "empty_cache.base", "empty_cache.no-empty-cache"),
    ("`gc.collect()` each step, with stacks", "gc", "collected.base.stacks", "collected.no-collect"),
)


def idle(profile: Path) -> tuple[float, dict[str, float]]:
    """Idle milliseconds of a step, and those of each cause."""
    command = [os.environ.get("ALLOCSIM", "allocsim"), "idle", str(profile), "--what-if", "gpu=2x", "--json", "-"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    steps = len(answer["steps"]) * 1e6
    causes: dict[str, float] = {}
    for each in answer["causes"]:
        causes[each["cause"]] = causes.get(each["cause"], 0) + each["idle_nanos"] / steps
    return answer["total"]["idle_nanos"] / steps, causes


def main() -> None:
    folder = Path(sys.argv[1])
    print("| put in on purpose | profile | without it | idle, ms | without it, ms | given the cause, ms | share |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: |")
    for what, cause, profile, other in PAIRS:
        whole, causes = idle(folder / f"{profile}.trace.json.gz")
        without, others = idle(folder / f"{other}.trace.json.gz")
        given = causes.get(cause, 0.0) - others.get(cause, 0.0)
        share = given / (whole - without)
        print(
            f"| {what} | {profile} | {other} | {whole:.2f} | {without:.2f} | {given:.2f} | {100 * share:.0f} % |"
        )


if __name__ == "__main__":
    main()
