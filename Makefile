# Every target sets up what it needs; tools/setup.sh says how. `make help` lists the targets.
.PHONY: help book test labs notebooks record clean
SHELL := /bin/bash

build_book = "$${py%/*}/jupyter-book" build . -W -n --keep-going

help:
	@echo "make book        set up, execute every chapter, write _build/html/index.html"
	@echo "make test        set up, build the book where it is out of date, run every test"
	@echo "make labs        write labs/ from solutions/"
	@echo "make notebooks   write chapters and labs as .ipynb files into notebooks/"
	@echo "make record      measure all that records/ holds on the GPU of this machine"
	@echo "make clean       remove what was built; .venv and lab work stay"
	@echo
	@echo "Set-up uses the activated virtual or conda environment where it has a torch that will do, else .venv."
	@echo "A torch that is there is kept. TORCH=cpu (with book or test) installs a CPU build of torch, from where"
	@echo "pip is set up to look; PIP_EXTRA_INDEX_URL=ADDRESS adds a place, such as PyTorch's CPU index."

book:
	@py=$$(tools/setup.sh book) && $(build_book)
	@echo "The book is ready: $(CURDIR)/_build/html/index.html"

test:
	@py=$$(tools/setup.sh test) && $(build_book) && "$$py" -m pytest

labs:
	@py=$$(tools/setup.sh book) && "$$py" -m cudabook labs

# Flat, so that a relative path such as ../csrc means what it means in chapters/ and labs/.
notebooks:
	@py=$$(tools/setup.sh book) && mkdir -p notebooks && for page in chapters/*.md labs/*.md; do \
		"$$py" -m jupytext --quiet --to ipynb --output "notebooks/$$(basename "$$page" .md).ipynb" "$$page" || exit; \
	done
	@echo "Written to $(CURDIR)/notebooks"

record:
	@py=$$(tools/setup.sh test) && "$$py" -m cudabook record && "$$py" -m cudabook record --features
	@py=$$(tools/setup.sh test) && if command -v ncu; then "$$py" -m cudabook record --counters; \
		else echo "Not recorded: hardware counters. There is no ncu (Nsight Compute) here."; fi
	@py=$$(tools/setup.sh test) && if command -v compute-sanitizer; then "$$py" benchmarks/planted.py; \
		else echo "Not recorded: the planted faults. There is no compute-sanitizer here."; fi

clean:
	rm -rf _build notebooks build cudabook.egg-info .pytest_cache .ruff_cache .setup.log
	find cudabook tests _ext -name __pycache__ -prune -exec rm -rf {} +
