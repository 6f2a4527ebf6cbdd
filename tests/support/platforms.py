"""The FMU binaries of all platforms, built once for all tests, and a host that runs them here: natively or emulated.

`CONTACTLIB_PLATFORMS` names the platforms to build and test, separated by commas, or is "all"; by default linux64 and
win64, because each takes minutes. `CONTACTLIB_BINARIES` names a folder with binaries that are built already.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.fmu.build import default_core, fmi_include
from contactlib.fmu.platforms.table import PLATFORMS, Platform
from contactlib.fmu.platforms.zig import build_platform, find_zig
from contactlib.model.model import Model
from tests.support.golden import LOAD, STEP, motion
from tests.support.golden import commands as fixed_inputs

HOST = Path(__file__).parents[1] / "fmu" / "platform_host.c"
CHOSEN = os.environ.get("CONTACTLIB_PLATFORMS", "linux64,win64")
NAMES = list(PLATFORMS) if CHOSEN == "all" else CHOSEN.split(",")
SYSROOT = Path("/usr/aarch64-linux-gnu")


def require_zig() -> Path:
    """The program zig; without it the test is skipped."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("the package ziglang is not installed: pip install 'contactlib[platforms]'")
    return find_zig()


@dataclass(frozen=True)
class Binaries:
    """A folder in which each process finds what another has built."""

    folder: Path

    def path(self, name: str) -> Path:
        """The binary of a platform, built on demand."""
        row = PLATFORMS[name]
        made = Path(os.environ.get("CONTACTLIB_BINARIES", self.folder)) / row.library
        if made.exists():
            return made
        if name not in NAMES:
            pytest.skip(f"{name} is not in CONTACTLIB_PLATFORMS = {CHOSEN}")
        require_zig()
        return self._built(row)

    def _built(self, row: Platform) -> Path:
        import fcntl  # not on Windows

        self.folder.mkdir(exist_ok=True)
        with (self.folder / f"lock_{row.name}").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (self.folder / row.library).exists():
                build_platform(row, default_core(), self.folder)
        return self.folder / row.library


def runner(name: str, scratch: Path) -> tuple[list[str], dict[str, str]]:
    """The command that runs a program of a platform here, and its environment; skipped where there is none."""
    environment = dict(os.environ)
    if name == "linux64":
        return [], environment
    if name == "win64":
        if (wine := shutil.which("wine") or shutil.which("wine64")) is None:
            pytest.skip("wine is not installed (Debian: apt-get install wine)")
        return [wine], {**environment, "WINEPREFIX": str(scratch / "wine"), "WINEDEBUG": "-all",
                        "WINEDLLOVERRIDES": "mscoree,mshtml="}
    if name == "aarch64-linux":
        if (qemu := shutil.which("qemu-aarch64")) is None:
            pytest.skip("qemu-aarch64 is not installed (Debian: apt-get install qemu-user)")
        if not SYSROOT.is_dir():
            pytest.skip(f"there is no C library in {SYSROOT} (Debian: apt-get install libc6-arm64-cross)")
        return [qemu, "-L", str(SYSROOT)], environment
    pytest.skip(f"there is no way to run programs of {name} here")


def build_host(name: str, scratch: Path) -> Path:
    """Compile platform_host.c for a platform."""
    program = scratch / f"host_{name}{'.exe' if name == 'win64' else ''}"
    if not program.exists():
        (target,) = PLATFORMS[name].targets
        link = [] if name == "win64" else ["-ldl"]
        subprocess.run([require_zig(), "cc", "-target", target, "-O1", "-Wall", "-Werror", f"-I{fmi_include()}",
                        str(HOST), *link, "-o", str(program)], check=True)
    return program


@dataclass(frozen=True)
class Scene:
    """The FMU's resources of a scene that ships, and a file with inputs that move its bodies."""

    model: Model
    resources: Path
    inputs: Path


def prepare_scene(name: str, folder: Path, rows: int) -> Scene:
    """Write the resources and the inputs of a scene into a folder."""
    model = contactlib.load(name).compile()
    resources = folder / name
    resources.mkdir(exist_ok=True)
    (resources / "model.bin").write_bytes(model.to_bytes())
    simulation = contactlib.Simulation(model)
    external = [i for i, kind in enumerate(model.motions) if kind == "external"]
    h = STEP.get(name, 1e-3)
    states = motion(name, simulation.states[external].copy(), rows, h).reshape(rows, -1)
    reals = [row for row, v in enumerate(model.variables) if v.causality == "input" and v.type == "real"]
    moved = {model.body_names[i] for i in external}
    columns = [k for k, row in enumerate(reals) if model.variables[row].name.partition(".")[0] in moved]
    given = fixed_inputs(simulation)
    values = LOAD.get(name, 0.0) * np.random.default_rng(5).uniform(-0.2, 1.0, (rows, len(reals)))
    values[:, columns] = states
    for k, row in enumerate(reals):
        if row in given:
            values[:, k] = given[row]
    outputs = [row for row, v in enumerate(model.variables) if v.causality == "output" and v.type == "real"]
    numbers = [len(reals), len(outputs), rows, h, *reals, *outputs, *values.ravel().tolist()]
    (resources / "inputs").write_text("\n".join(float(number).hex() for number in numbers))
    return Scene(model, resources, resources / "inputs")


def run_scene(
    platform: str, binary: Path, scene: Scene, scratch: Path, steps: int, repeated: int = 0
) -> dict[str, str]:
    """What the host prints, by its first words; it must end well."""
    command, environment = runner(platform, scratch)
    whole = [*command, str(build_host(platform, scratch)), str(binary), scene.model.guid, str(scene.resources),
             str(scene.inputs), str(steps), str(repeated)]
    done = subprocess.run(whole, capture_output=True, text=True, env=environment, check=False, timeout=900)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    found = {first: last for first, last in lines}
    assert found["done"] == "1"
    return found


