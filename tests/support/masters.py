"""Masters from elsewhere, each in a process of its own: they run the system that `contactlib fmu export --ssp` wrote.

`python -m tests.support.masters NAME SYSTEM STEP STEPS` prints the final states of all plants as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STATE = [f"body.{part}[{i + 1}]" for part, count in (("r", 3), ("q", 4), ("v", 3), ("w", 3)) for i in range(count)]
SSD = "{http://ssp-standard.org/SSP1/SystemStructureDescription}"
#: by master, the module that it needs
MASTERS = {"FMPy": "fmpy", "libcosim": "libcosimpy", "Ecos": "ecospy", "fmucontainer": "fmu_manipulation_toolbox"}
Values = dict[str, int]


def plants(system: Path) -> list[str]:
    """The names of the components that are bodies."""
    with zipfile.ZipFile(system) as archive:
        root = ElementTree.fromstring(archive.read("SystemStructure.ssd"))
    return [part.attrib["name"] for part in root.iter(f"{SSD}Component") if part.attrib["name"] != "contact"]


def run_master(name: str, system: Path, step: float, steps: int, integers: Values | None = None) -> Floats:
    """The states of the plants (bodies, 13) after some steps; skips the test, with the reason, if a master is missing.

    `integers` are values of the contact's Integers, which libcosim and Ecos set before initialization.
    """
    if find_spec(MASTERS[name]) is None:
        pytest.skip(f"{name} is not installed: there is no module {MASTERS[name]}")
    command = [sys.executable, "-m", "tests.support.masters", name, str(system), repr(step), str(steps)]
    done = subprocess.run([*command, json.dumps(integers or {})], cwd=Path(__file__).parents[2], capture_output=True,
                          text=True, check=False, timeout=300)
    if "libtbb.so.12" in done.stderr:
        pytest.skip(f"{name} needs the library libtbb.so.12 (Debian: apt-get install libtbb12)")
    assert done.returncode == 0, f"{name}: {done.stderr[-2000:]}"
    return np.array(json.loads(done.stdout.splitlines()[-1]))


def in_fmpy(system: Path, step: float, steps: int, _: Values) -> list[list[float]]:
    """FMPy begins with 0 in all connected inputs, and no quaternion is 0: they begin with their start values here."""
    from fmpy.ssp import simulation

    instantiate = simulation.instantiate_fmu

    def instantiate_with_starts(component: Any, *arguments: Any, **options: Any) -> None:
        instantiate(component, *arguments, **options)
        for connector in component.connectors:
            connector.value = simulation.get_value(component, connector.name)

    simulation.instantiate_fmu = instantiate_with_starts
    rows = simulation.simulate_ssp(str(system), stop_time=(steps - 0.5) * step, step_size=step)
    assert len(rows) == steps
    return [[float(rows[f"{plant}.{part}"][-1]) for part in STATE] for plant in plants(system)]


def in_libcosim(system: Path, step: float, steps: int, integers: Values) -> list[list[float]]:
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver

    log_output_level(CosimLogLevel.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(system) as archive:
            archive.extractall(folder)
        execution = CosimExecution.from_ssp_file(folder, round(step * 1e9))
        observer = CosimObserver.create_last_value()
        execution.add_observer(observer)
        slaves = {info.name.decode(): info.index for info in execution.slave_infos()}

        def references(slave: str) -> dict[str, int]:
            return {v.name.decode(): v.reference for v in execution.slave_variables(slaves[slave])}

        for name, value in integers.items():
            assert execution.integer_initial_value(slaves["contact"], references("contact")[name], value)
        assert execution.step(steps)
        return [observer.last_real_values(slave_index=slaves[plant],
                                          variable_references=[references(plant)[part] for part in STATE])
                for plant in plants(system)]


def in_ecos(system: Path, step: float, steps: int, integers: Values) -> list[list[float]]:
    from ecospy.EcosSimulation import EcosSimulation
    from ecospy.lib import EcosLib

    EcosLib.set_log_level("err")
    simulation = EcosSimulation(step_size=step, ssp_path=str(system))
    for name, value in integers.items():
        simulation.set_integer(f"contact::{name}", value)
    simulation.init()
    simulation.step(steps)
    found = [[simulation.get_real(f"{plant}::{part}") for part in STATE] for plant in plants(system)]
    simulation.terminate()
    return found


def in_fmucontainer(system: Path, step: float, steps: int, _: Values) -> list[list[float]]:
    """fmucontainer makes one FMU of the system, which FMPy runs."""
    import fmpy

    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.ssp"
        whole.write_bytes(system.read_bytes())
        tool = [sys.executable, "-c", "from fmu_manipulation_toolbox.cli.fmucontainer import fmucontainer as f; f()"]
        subprocess.run([*tool, "-fmu-directory", folder, "-container", f"whole.ssp:{step!r}"], check=True,
                       capture_output=True)
        names = [f"{plant}.{part}" for plant in plants(system) for part in STATE]
        rows = fmpy.simulate_fmu(str(whole.with_suffix(".fmu")), stop_time=steps * step, output_interval=step,
                                 step_size=step, output=names, validate=False)
    assert len(rows) == steps + 1
    return np.array([float(rows[name][-1]) for name in names]).reshape(-1, 13).tolist()


RUNS: dict[str, Callable[[Path, float, int, Values], Sequence[Sequence[float]]]] = {
    "FMPy": in_fmpy, "libcosim": in_libcosim, "Ecos": in_ecos, "fmucontainer": in_fmucontainer}

if __name__ == "__main__":
    _, master, file, length, count, values = sys.argv
    print(json.dumps(list(map(list, RUNS[master](Path(file), float(length), int(count), json.loads(values))))))
