"""Text for the user: text from outside, such as a script's name, cannot control the terminal."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import unicodedata

#: Control characters, marks of direction and of no width, separators of lines, half pairs.
HIDDEN = ("Cc", "Cf", "Zl", "Zp", "Cs")

#: Letters and marks that are shown as nothing.
FILLERS = "\u115f\u1160\u3164"


def visible(text: str) -> str:
    """The text in one line: what moves the cursor, turns the line or cannot be seen is an escape such as ``\\n`` or ``\\u202e``."""
    return "".join(_escape(each) if unicodedata.category(each) in HIDDEN or each in FILLERS else each for each in text)


def tell(sentence: str) -> None:
    """Prints one line for the user to standard error; if nobody reads it any more, the command continues."""
    stream = sys.stderr
    if stream is None:
        return
    with contextlib.suppress(OSError, ValueError):
        try:
            number = stream.fileno()
        except (AttributeError, OSError, ValueError):
            print(visible(sentence), file=stream, flush=True)
            return
        stream.flush()
        # Past the stream's buffer: what stays in it for want of a reader would change the exit code when Python ends.
        data = f"{visible(sentence)}\n".encode(stream.encoding or "utf-8", "backslashreplace")
        while data:
            data = data[os.write(number, data) :]


def from_here(path: str) -> str:
    """A path as seen from the working folder, which may not exist any more."""
    try:
        return os.path.relpath(path)
    except OSError:
        return path


def shell_word(path: str) -> str:
    """A path as it is typed in a command that stands between quotation marks ('): the shell takes it as one word."""
    word = f".{os.sep}{path}" if path.startswith("-") else path
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./-]+", word):
        return word
    return '"' + re.sub(r'(["\\$`])', r"\\\1", word) + '"'


def _escape(character: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if known is not None:
        return known
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
