"""One line for what takes longer than two seconds."""

import contextlib
import os
import sys
import threading
import time


@contextlib.contextmanager
def progress(what: str, after: float = 2.0):
    """Say on stderr what is being waited for, once it has taken ``after`` seconds, and how long it took in the end.

    Nothing is printed where ``CUDABOOK_PROGRESS=0`` (the book is built so: its pages shall not depend on the cache).
    """
    if os.environ.get("CUDABOOK_PROGRESS") == "0":
        yield
        return
    start, done = time.monotonic(), threading.Event()

    def announce():
        if not done.wait(after):
            print(f"{what} ...", file=sys.stderr, flush=True)

    thread = threading.Thread(target=announce, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        seconds = time.monotonic() - start
        if seconds > after:
            print(f"{what}: {seconds:.0f} s", file=sys.stderr, flush=True)
