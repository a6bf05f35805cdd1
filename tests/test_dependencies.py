"""environment.yml and pyproject.toml name the same packages, with the same ranges."""

import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def test_environment_yml_repeats_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + extras["book"] + extras["test"] + extras["torch"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    listed = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert listed == [*wanted, "-e ."], "environment.yml lists other packages than pyproject.toml: copy them over"
    assert f"python{project['requires-python']}" in environment["dependencies"]
