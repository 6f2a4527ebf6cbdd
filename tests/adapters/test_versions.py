"""Simulators that are missing, too old, or have lost what an adapter needs, are named in the error."""

import importlib
import importlib.metadata
import sys
import tomllib
from pathlib import Path

import pytest

from contactlib.adapters.versions import require

ROOT = Path(__file__).parents[2]
ADAPTERS = {"mujoco": "mujoco", "basilisk": "bsk", "drake": "drake"}  # and the package on PyPI


def fresh(name):
    """The adapter as its first import makes it."""
    sys.modules.pop(f"contactlib.adapters.{name}", None)
    return importlib.import_module(f"contactlib.adapters.{name}")


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_old_version_is_named(name, monkeypatch):
    lowest = fresh(name).LOWEST
    monkeypatch.setattr(importlib.metadata, "version", lambda package: "0.0.7")
    with pytest.raises(ImportError, match=rf"contactlib.adapters.{name} needs {ADAPTERS[name]} >= {lowest}; found "
                                          rf"0.0.7: pip install 'contactlib\[{name}\]'"):
        fresh(name)


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_missing_simulator_is_named(name, monkeypatch):
    def missing(package):
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(ImportError, match=f"needs {ADAPTERS[name]} >= .*; it is not installed: pip install"):
        fresh(name)


def test_a_later_version_that_has_lost_a_function_is_named():
    with pytest.raises(ImportError, match=r"contactlib.adapters.mujoco needs numpy >= 1.0 with numpy.no_such; found .*"
                                          r", which has no numpy.no_such: install an earlier version of numpy"):
        require("mujoco", "numpy", "1.0", ["numpy:array", "numpy:no_such"])


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_extra_has_the_lowest_version(name):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert f"{ADAPTERS[name]}>={fresh(name).LOWEST}" in extras[name]
    assert f"{ADAPTERS[name]}>={fresh(name).LOWEST}" in extras["test"]
