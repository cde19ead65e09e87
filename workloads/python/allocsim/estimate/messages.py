"""Objects that ranks of one job leave for each other in files, sealed with a key of the run."""

from __future__ import annotations

import hashlib
import hmac
import pickle
from typing import Any

_DIGEST_BYTES = hashlib.sha256().digest_size


def sealed(objects: list[Any], key: str) -> bytes:
    """Objects as bytes that only a holder of the key can have made."""
    data = pickle.dumps(objects)
    return _digest(data, key) + data


def unsealed(message: bytes, key: str) -> list[Any]:
    """The objects of a message.

    Raises:
        ValueError: no rank of this run made it; it is not loaded.
    """
    digest, data = message[:_DIGEST_BYTES], message[_DIGEST_BYTES:]
    if not hmac.compare_digest(digest, _digest(data, key)):
        raise ValueError("a message between ranks did not come from a rank of this run; it was ignored")
    objects: list[Any] = pickle.loads(data)
    return objects


def _digest(data: bytes, key: str) -> bytes:
    return hmac.new(key.encode(), data, hashlib.sha256).digest()
