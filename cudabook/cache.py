"""Where builds are kept, and how two processes share them."""

import contextlib
import fcntl
import hashlib
import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def folder() -> Path:
    """The folder of built kernels: ``$CUDABOOK_CACHE``, or ``cudabook`` in the user's cache folder.

    A folder that cannot be written (a home shared with another user, a read-only container) is replaced by one
    under the system's temporary folder, and a line on stderr says so.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    wanted = Path(os.environ.get("CUDABOOK_CACHE") or os.path.join(home, "cudabook")).absolute()
    problem = _unwritable(wanted)
    if problem is None:
        return wanted
    spare = Path(tempfile.gettempdir()) / f"cudabook-{os.getuid()}"
    second = _unwritable(spare)
    if second is not None:
        raise PermissionError(
            f"Built kernels can be kept neither in {wanted} ({problem}) nor in {spare} ({second}). "
            "Set CUDABOOK_CACHE to a folder that you can write."
        )
    print(f"cudabook: cannot write {wanted} ({problem}); building in {spare} instead.", file=sys.stderr)
    return spare


def _unwritable(path: Path) -> str | None:
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return None
    except OSError as error:
        return error.strerror or str(error)


def digest(*parts: object) -> str:
    """A short name for everything that a build depends on: 16 hexadecimal digits."""
    h = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        h.update(len(data).to_bytes(8, "little") + data)
    return h.hexdigest()[:16]


def digest_of_files(paths) -> str:
    """A digest of the names and contents of files, in a fixed order."""
    return digest(*(part for p in sorted(map(Path, paths)) for part in (p.name, p.read_bytes())))


@contextlib.contextmanager
def lock(path: Path):
    """Hold a folder for this process. The system drops the lock when its holder dies, so it can never go stale."""
    path.mkdir(parents=True, exist_ok=True)
    with open(path / ".cudabook-lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
