"""What compute-sanitizer says of the planted faults in tests/planted, on the GPU at hand.

    python benchmarks/planted.py        # writes records/<gpu>/planted.json

Each fault is built by nvcc with line numbers and run in a process of its own under the tool that it is planted for.
Rows: ``tool``, ``name``, ``expect`` (our kind), ``found`` (the tool reported something), ``line`` (at the planted
line), ``says`` (its first words).
"""

import json
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cudabook import build, cuda, records

PLANTED = build.ROOT / "tests" / "planted"
TOOLS = ("memcheck", "initcheck", "racecheck", "synccheck")
MAIN = """#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream);
int main() {
    float *x, *out;
    int* ints;
    std::vector<float> random(1024);
    for (int i = 0; i < 1024; ++i) random[i] = (i * 7919 % 1000) / 500.0f - 1;
    cudaMalloc(&x, 4096), cudaMalloc(&out, 4096), cudaMalloc(&ints, 4096);
    cudaMemcpy(x, random.data(), 4096, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 4096), cudaMemset(ints, 0, 4096);
    run(x, out, ints, 1000, 0);
    printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(x), cudaFree(out), cudaFree(ints);
}
"""


def judge(path: Path, folder: Path) -> dict:
    tool, text = path.parent.name, path.read_text()
    program = folder / f"{tool}-{path.stem}"
    nvcc = [str(cuda.toolkit() / "bin" / "nvcc"), "-std=c++17", "-lineinfo", *cuda._gencode(), str(path)]
    subprocess.run([*nvcc, str(folder / "main.cu"), "-o", str(program)], check=True, capture_output=True)
    command = ["compute-sanitizer", "--tool", tool, "--print-limit", "20"]
    if tool == "memcheck":
        command += ["--padding", "4096"]  # else what lies behind one array is another
    if "expect: leak" in text:
        command += ["--leak-check", "full"]
    try:
        done = subprocess.run([*command, str(program)], capture_output=True, text=True, timeout=20)
        output = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        output = "========= no end within 20 s"
    marked = {n for n, line in enumerate(text.splitlines(), 1) if re.search(r"// (here|other)$", line)}
    reported = {int(n) for n in re.findall(rf"{re.escape(path.name)}:(\d+)", output)}
    says = [line.removeprefix("=========").strip() for line in output.splitlines() if line.startswith("=========")]
    says = [s for s in says if s and not re.match(r"COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|LEAK SUMMARY", s)]
    summary = re.search(r"(?:ERROR|RACECHECK|LEAK) SUMMARY: (\d+)", output)
    expected = re.search(r"// expect: (.*)", text)[1]
    return {"tool": tool, "name": path.stem, "expect": expected, "found": bool(summary and int(summary[1])),
            "line": bool(marked & reported), "says": says[0] if says else ""}


def main() -> None:
    files = [p for tool in TOOLS for p in sorted((PLANTED / tool).glob("*.cu"))]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max_workers=8) as pool:
        (Path(folder) / "main.cu").write_text(MAIN)
        rows = list(pool.map(lambda p: judge(p, Path(folder)), files))
    path = records.write(records.Record("planted", rows, records.stamp(), records.sources_digest("planted"), True))
    for tool in TOOLS:
        own = [r for r in rows if r["tool"] == tool]
        print(f"{tool}: {sum(r['found'] for r in own)} of {len(own)} found, {sum(r['line'] for r in own)} at the line")
    print(json.dumps([r["name"] for r in rows if not r["found"]]))
    print(f"Written: {path}")


if __name__ == "__main__":
    main()
