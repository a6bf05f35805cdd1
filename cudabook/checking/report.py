"""The lines of a report, from the child process of a check to its parent: a signature, a blank, a JSON object."""

import hashlib
import hmac
import json


def sign(key: str, number: int, text: str) -> str:
    """The signature of line ``number`` of a report."""
    return hmac.new(key.encode(), f"{number} {text}".encode(), hashlib.sha256).hexdigest()


def read(key: str, text: str) -> list[dict]:
    """The events of a report. Lines that are not signed, or not in their place, are left out."""
    events = []
    for line in text.splitlines():
        signature, _, body = line.partition(" ")
        if hmac.compare_digest(signature.encode(), sign(key, len(events), body).encode()):
            events.append(json.loads(body))
    return events
