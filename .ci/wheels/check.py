"""Checks a wheel: its names and tags, what its binaries need, and whether it works where there is no compiler."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from module import PROCESSORS, ROOT
from runtime import RUNTIME, installed

from contactlib.fmu.object_files import check as binaries
from contactlib.fmu.platforms.table import PLATFORMS
from contactlib.fmu.platforms.wasm import LIBRARY

#: another OpenMP runtime of LLVM's family in the process, loaded before our threads or after them
OTHER_RUNTIME = """
import ctypes, sys
import numpy as np, contactlib
simulation = contactlib.Simulation(contactlib.load("tripod").compile())
states = np.repeat(simulation.states[None], 100, axis=0)
use = [ctypes.CDLL(sys.argv[1]).omp_get_max_threads, lambda: simulation.compute_batch(states, num_threads=2)]
for call in use if sys.argv[2] == "first" else use[::-1]:
    call()
"""
#: what every wheel has, besides its FMU binaries
FILES = ("contactlib/_core/engine.abi3.so", f"contactlib/_core/{RUNTIME}", "contactlib/_core/LICENSE-LLVM.txt",
         "contactlib/core/build.toml", "contactlib/fmu/fmi2.cpp", "contactlib/py.typed",
         "contactlib/scenes/peg_in_hole/scene.toml", "contactlib/fmu/web/contactlib.mjs")


def tags(processor: str) -> tuple[str, ...]:
    """The tags of a wheel for glibc 2.17, by their new and their old name, for Python 3.11 and later."""
    return tuple(f"cp311-abi3-{system}_{processor}" for system in ("manylinux_2_17", "manylinux2014"))


def find_problems(wheel: Path, platforms: Iterable[str]) -> list[str]:
    """Return what is wrong with a wheel that is to have the FMU binaries of these platforms, as sentences."""
    processor = next((name for name in PROCESSORS if wheel.stem.endswith(name)), "")
    if not processor:
        return [f"its name ends with none of {', '.join(PROCESSORS)}"]
    with zipfile.ZipFile(wheel) as archive:
        found = [*_wrong_files(archive, platforms), *_wrong_tags(archive, processor), *_wrong_binaries(archive)]
    return [*found, *_auditwheel(wheel, processor)]


def _wrong_files(archive: zipfile.ZipFile, platforms: Iterable[str]) -> Iterator[str]:
    names = archive.namelist()
    libraries = {name: row.library for name, row in PLATFORMS.items()}
    wanted = {*FILES, *(f"contactlib/fmu/binaries/{libraries.get(name, LIBRARY)}" for name in platforms)}
    yield from (f"it has no {name}" for name in sorted(wanted.difference(names)))
    shared = {name for name in names if name.endswith((".so", ".dll", ".dylib", ".wasm", ".pyc", ".o"))}
    yield from (f"it also has {name}" for name in sorted(shared - wanted))


def _wrong_tags(archive: zipfile.ZipFile, processor: str) -> Iterator[str]:
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
    lines = archive.read(name).decode().splitlines()
    found = tuple(line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: "))
    if sorted(found) != sorted(tags(processor)):
        yield f"its tags are {', '.join(found)}; they must be {', '.join(tags(processor))}"
    if "Root-Is-Purelib: false" not in lines:
        yield "it must not say that it is pure Python"


def _wrong_binaries(archive: zipfile.ZipFile) -> Iterator[str]:
    for row in PLATFORMS.values():
        name = f"contactlib/fmu/binaries/{row.library}"
        if name in archive.namelist():
            yield from (f"{name}: {problem}" for problem in binaries.find_problems(archive.read(name), row))


def _auditwheel(wheel: Path, processor: str) -> Iterator[str]:
    """What auditwheel finds: the policy that holds for all symbols, and libraries from outside."""
    done = subprocess.run([sys.executable, "-m", "auditwheel", "show", "--json", str(wheel)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield f"auditwheel refuses it: {done.stderr.strip()}"
        return
    policy = json.loads(done.stdout)["overall_tag"]
    glibc = re.fullmatch(rf"manylinux_2_(\d+)_{processor}", policy)
    if glibc is None or int(glibc[1]) > 17:
        yield f"auditwheel finds that it is for {policy}; it must be for manylinux_2_17_{processor} or older"


def try_wheel(wheel: Path, processor: str) -> str:
    """Install the wheel in a venv of its own, and use it without any program in PATH; returns a few words."""
    if processor != platform.machine():
        return f"not tried: this machine is {platform.machine()}"
    with tempfile.TemporaryDirectory(prefix="contactlib_try_") as folder:
        python = Path(folder) / "venv/bin/python"
        subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True)
        for numpy in ("numpy", _oldest_numpy()):
            _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[plot]", numpy)
            _run(python, "-I", str(ROOT / ".ci/smoke.py"), "wheel", str(ROOT / "README.md"), cwd=Path(folder))
        for order in ("first", "last"):
            _run(python, "-I", "-c", OTHER_RUNTIME, str(installed("libiomp5.so")), order)
    return f"tried without compiler, with the newest numpy and {numpy}"


def _oldest_numpy() -> str:
    script = [sys.executable, str(ROOT / ".ci/lowest.py")]
    lines = subprocess.run(script, check=True, capture_output=True, text=True).stdout.splitlines()
    return next(line for line in lines if line.startswith("numpy=="))


def _run(python: Path, *arguments: str, cwd: Path | None = None) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CC", "CXX")}
    subprocess.run([str(python), *arguments], check=True, cwd=cwd, env={**environment, "PATH": ""})
