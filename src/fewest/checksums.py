"""Checksums of what is stored as JSON, by which damage is known."""

from __future__ import annotations

import hashlib
import json

#: What to say where a checksum does not agree.
WRONG_CHECKSUM = 'its checksum does not agree. If you changed it on purpose, remove its line "checksum".'


def checksum_of(content: object) -> str:
    """A hash of a JSON value, whatever its white space. The order of keys counts: that of methods decides ties.

    content : as json.loads returns it: dictionaries with texts as keys, lists, numbers, texts
    """
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
