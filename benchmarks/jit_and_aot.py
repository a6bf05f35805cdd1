"""What it costs to build an operator while the program runs (JIT), and ahead of time (AOT).

    python benchmarks/jit_and_aot.py

Prints a table, for the GPU where there is one, else for the emulator. Each line is timed in a process of its own, once
torch is imported; nothing that an earlier build left behind is used.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cudabook

ROOT = Path(__file__).resolve().parents[1]
JIT = "import time, torch, cudabook; start = time.time(); cudabook.load('vector_add'); print(time.time() - start)"
AOT = "import time, torch; start = time.time(); import custom_ops; print(time.time() - start)"


def compare(package: Path = ROOT / "csrc", folder: Path | None = None) -> list[tuple[str, float]]:
    """Build and load vector_add in both ways.

    Args:
        package: the folder that pip installs, with ``setup.py``; all of its operators are built.
        folder: an empty folder to build in, which stays: the package is installed in it, and ``aot_cache`` holds what
            it was made from. By default a temporary folder.

    Returns:
        What was done, and how many seconds it took.
    """
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            return compare(package, Path(temporary))
    env = {**os.environ, "CUDABOOK_TARGET": cudabook.default_target(), "CUDABOOK_CACHE": f"{folder}/jit_cache",
           "CCACHE_DISABLE": "1", "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}

    def seconds(code: str) -> float:
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        return float(done.stdout.split()[-1])

    rows = [("JIT: load, nothing built yet", seconds(JIT)), ("JIT: load in another process", seconds(JIT))]
    env["CUDABOOK_CACHE"] = f"{folder}/aot_cache"
    start = time.time()
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps",
                    "--target", str(folder), str(package)], env=env, check=True)
    return [*rows, ("AOT: pip install", time.time() - start), ("AOT: import", seconds(AOT))]


if __name__ == "__main__":
    for what, taken in compare():
        print(f"{what:30} {taken:9.3f} s")
