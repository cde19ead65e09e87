"""What the baseline run of a program showed."""

from __future__ import annotations

from typing import Any

#: :mod:`.observer` describes its keys.
Facts = dict[str, Any]
