"""What `import contactlib` and `contactlib --help` load: no package that only some calls need."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: packages that take long to import, and packages of extras
HEAVY = {"scipy", "lark", "trimesh", "pyarrow", "matplotlib", "fmpy", "pandas", "dask", "mujoco", "pythonfmu"}
#: for `contactlib --help` also what single commands need
OF_COMMANDS = HEAVY | {f"contactlib.{name}" for name in ("calibration", "campaign", "credibility", "validation", "view",
                                                         "importers", "berthing", "fmu.export")}
HELP = "from contactlib.cli.main import app; app(['--help'], standalone_mode=False)"


@pytest.mark.parametrize(("program", "heavy"), (("import contactlib", HEAVY | {"typer"}), (HELP, OF_COMMANDS)),
                         ids=("import", "help"))
def test_start_loads_only_what_it_needs(program: str, heavy: set[str]) -> None:
    command = [sys.executable, "-c", f"{program}; import sys; print('modules', *sys.modules)"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    loaded = set(printed.splitlines()[-1].split())
    assert "numpy" in loaded and "contactlib.simulation.simulation" in loaded
    assert not loaded & heavy


def test_names_of_heavy_packages_are_right() -> None:
    """The test above would see them: calls that need them load them."""
    program = "import contactlib.calibration, sys; contactlib.pcm.loads(''); print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                                timeout=120).stdout.split())
    assert {"lark", "scipy", "contactlib.calibration"} <= loaded
