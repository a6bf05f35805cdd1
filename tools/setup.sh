#!/usr/bin/env bash
# Installs what a make target needs, and prints the Python to run it with.
#
#     tools/setup.sh book     compiler, environment, torch, Jupyter Book
#     tools/setup.sh test     the same, and a browser, an aarch64 compiler with qemu, pytest, linters
#
# Where an activated virtual or conda environment has a torch that is new enough, that environment is used, else
# .venv is. A torch that is there is kept. TORCH=cpu takes a CPU build when one must be installed.
# Says nothing and takes less than a second when nothing changed. `make help` explains it to readers.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$1
log=.setup.log
torch=$(sed -n 's/^torch = \["\(.*\)"\]$/\1/p' pyproject.toml)

say() { echo "setup: $*" >&2; }
stop() { say "$*"; exit 1; }

# step "Doing this" COMMAND...: runs it with its output in the log, says what runs and how long it took.
step() {
    local what=$1 start=$SECONDS beat failed=0
    shift
    say "$what ..."
    (while sleep 1; do (((SECONDS - start) % 20)) || say "$what: $((SECONDS - start)) s so far"; done) >/dev/null &
    beat=$!
    trap 'kill $beat 2>/dev/null' EXIT
    "$@" >>"$log" 2>&1 </dev/null || failed=$?
    kill "$beat" 2>/dev/null || true
    trap - EXIT
    if ((failed)); then
        say "$what failed after $((SECONDS - start)) s. The end of $log:"
        tail -n 20 "$log" >&2
        return "$failed"
    fi
    say "$what: done in $((SECONDS - start)) s"
}

# Prints "PYTHON-VERSION TORCH-VERSION" of an interpreter, "PYTHON-VERSION -" where it has no torch that will do.
probe() {
    "$1" - "$torch" 2>/dev/null <<'PYTHON'
import re, sys
from importlib.metadata import PackageNotFoundError, version
try:
    torch = version("torch")
except PackageNotFoundError:
    torch = "-"
least = re.search(r">=([\d.]+)", sys.argv[1])[1]
number = lambda text: [int(part) for part in re.findall(r"\d+", text)[:2]]
if sys.version_info < (3, 11):
    sys.exit(1)
print(".".join(map(str, sys.version_info[:3])), "-" if torch == "-" or number(torch) < number(least) else torch)
PYTHON
}

# Prints the environment to use: the activated one where its torch will do, else .venv.
find_environment() {
    local prefix found
    for prefix in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}"; do
        [[ -n $prefix && $prefix != "$PWD/.venv" ]] || continue
        found=$(probe "$prefix/bin/python") && [[ $found != *" -" ]] && echo "$prefix" && return
        say "The activated environment $prefix has no ${torch%%,*} on Python >= 3.11: using .venv."
    done
    echo "$PWD/.venv"
}

find_python() {
    local name
    for name in python3 python3.{14,13,12,11} python; do
        probe "$name" >/dev/null && echo "$name" && return
    done
    stop "Found no Python 3.11 or newer under the names python3, python3.11 ... python3.14, python." \
        "Install one and run the same command again."
}

# Collects in the array `missing` the Debian packages that the target needs and that are not here.
find_missing() {
    local python=$1 headers version
    need() { command -v "$1" >/dev/null || missing+=("$2"); }
    need g++ g++
    need addr2line binutils
    headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    [[ -f $headers/Python.h ]] || missing+=("python$version-dev")
    [[ -x $environment/bin/python ]] || "$python" -c 'import ensurepip' 2>/dev/null || missing+=("python$version-venv")
    [[ $target == test ]] || return 0
    if ! has_browser && ! is_ubuntu; then missing+=(chromium); fi
    if [[ $(uname -m) == x86_64 ]]; then
        need qemu-aarch64 qemu-user
        need aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
    fi
}

has_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null

# Ubuntu has Chromium as a snap only, which does not run in a container: there, playwright brings its own.
is_ubuntu() { grep -qs '^ID=ubuntu' /etc/os-release; }

install_missing() {
    command -v apt-get >/dev/null ||
        stop "Missing here, by their Debian names: $*. This machine has no apt-get:" \
            "install them with its own package manager and run the same command again."
    ((EUID == 0)) || stop "Missing here: $*. Run this line, then the same command again:
    sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
    step "Reading the package lists of apt" apt-get update
    step "Installing $* with apt-get" \
        env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

install_torch() {
    if [[ ${TORCH:-} != cpu ]]; then
        step "Installing $torch (a CUDA build is about 3 GB to fetch)" "${pip[@]}" install "$torch"
    elif ! step "Installing a CPU build of $torch" "${pip[@]}" install "$torch" -c tools/cpu-torch.txt; then
        stop "pip found no CPU build of $torch where it looks: the default index has CUDA builds only for most" \
            "Linux machines. Take the address of PyTorch's CPU index from its 'Get Started' page and run" \
            "'make book TORCH=cpu PIP_EXTRA_INDEX_URL=ADDRESS', or install torch into .venv yourself, or run" \
            "plain 'make book': a CUDA build works without a GPU."
    fi
}

[[ ${TORCH:-cpu} == cpu ]] || stop "TORCH=$TORCH: found '$TORCH', expected 'cpu' or nothing."
environment=$(find_environment)
python=$environment/bin/python
stamp() { cat pyproject.toml tools/setup.sh <(echo "$environment" "$(probe "$python")") | sha256sum; }

if [[ -x $python ]]; then
    if [[ ${TORCH:-} == cpu && $(probe "$python") != *" -" ]]; then
        say "Keeping the torch that is in $environment: $(probe "$python" | cut -d' ' -f2)."
    fi
    if [[ $(stamp) == "$(cat "$environment/.cudabook-$target" 2>/dev/null)" ]]; then
        echo "$python"
        exit
    fi
fi

: >"$log"
missing=()
base=$python
[[ -x $python ]] || base=$(find_python)
find_missing "$base"
((${#missing[@]} == 0)) || install_missing "${missing[@]}"
gxx=$(g++ -dumpversion)
((${gxx%%.*} >= 12)) || say "g++ is $gxx. The tests ran with 12 and newer: install that if a kernel does not compile."

[[ -x $python ]] || step "Creating .venv with $base" "$base" -m venv .venv
pip=("$python" -m pip -q --disable-pip-version-check)
if [[ $(probe "$python") == *" -" ]]; then
    # An older pip fetches whole wheels to learn what they need.
    "${pip[@]}" install "pip>=23.3" >>"$log" 2>&1
    install_torch
fi
extras=book
[[ $target == book ]] || extras=book,test
step "Installing the book's packages" "${pip[@]}" install -e ".[$extras]"
if [[ $target == test ]] && ! has_browser; then
    step "Fetching playwright's Chromium" "$python" -m playwright install chromium
    ((EUID != 0)) || step "Installing what Chromium needs" "$python" -m playwright install-deps chromium
fi
stamp >"$environment/.cudabook-book"
[[ $target == book ]] || stamp >"$environment/.cudabook-test"
echo "$python"
