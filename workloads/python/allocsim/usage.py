"""How the help of the commands looks, and what they say of a system that fails them."""

from __future__ import annotations

import argparse
import errno
import os


class HelpFormatter(argparse.HelpFormatter):
    """Looks the same under every release of Python, since man pages are made from it: names what an option takes once, which Python before 3.13 repeats."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        taken = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {taken}"


def unusable(problem: OSError) -> str:
    """One sentence on an error of the system that a command cannot go on after."""
    reason = problem.strerror or str(problem)
    if problem.filename is None and reason == os.strerror(errno.ENOENT):
        return "the working folder does not exist any more; change to another"
    if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS) and "allocsim-" in str(problem.filename):
        return f"{problem.filename} cannot be written: {reason}; set TMPDIR to a folder with room for temporary files"
    return f"{reason}{'' if problem.filename is None else f': {problem.filename!s}'}"
