"""Bodies and contact as separate FMUs under masters from elsewhere, against one common solver.

FMPy, libcosim, Ecos and fmucontainer run the system that `contactlib fmu export --ssp` writes; a master in C runs the
same FMUs. docs/masters.md has the bounds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.coupling import couple, mass_properties
from contactlib.fmu.build import fmi_include
from contactlib.fmu.export import export_fmu
from contactlib.fmu.ssp import CONTACT, export_ssp, system_parts
from tests.support.masters import MASTERS, STATE, Floats, plants, run_master


@dataclass(frozen=True)
class Case:
    """A scene, its communication step (s) and number of steps, and how far it may be from one common solver.

    `bound` is for positions in m and for parts of quaternions; `reason` says where it comes from.
    """

    scene: str
    step: float
    steps: int
    bound: float
    reason: str


CASES = {case.scene: case for case in (
    Case("peg_in_hole", 1e-3, 3000, 1e-4, "half of the 0.2 mm that a pin can move in its hole"),
    Case("lee_snare", 5e-3, 1600, 1.7e-4, "twice what the common solver itself changes with half its step: 8.4e-5"),
    Case("cbm", 1e-2, 1000, 2.5e-6, "twice what the common solver itself changes with half its step: 1.25e-6"),
    Case("trampoline", 0.1, 300, 1e-5, "seven millionths of the 1.4 m that the spacecraft moves"),
)}
#: FMPy, Ecos, fmucontainer and the C master exchange the same doubles. libcosim counts nanoseconds
SAME = ("FMPy", "Ecos", "fmucontainer")
#: of libcosim, whose times are rounded: the stick and slip of the pegs makes 1e-13 of it
ROUNDED = 1e-11
#: of `couple`, which integrates each body in one step of order four where the plants take one for each millisecond
INTEGRATED = 1e-8


@dataclass
class System:
    case: Case
    file: Path
    #: final states of the bodies that move, of `couple` and of one common solver
    coupled: Floats
    common: Floats

    @cached_property
    def in_fmpy(self) -> Floats:
        """The final states in FMPy."""
        return run_master("FMPy", self.file, self.case.step, self.case.steps)


@pytest.fixture(scope="module", params=CASES)
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> System:
    case, folder = CASES[request.param], tmp_path_factory.mktemp(request.param)
    spec = contactlib.load(case.scene)
    model = replace(spec, coupling="jacobi").compile()
    moving = list(mass_properties(model))
    run = couple(export_fmu(model, folder / "contact.fmu"), duration=case.steps * case.step, dt=case.step,
                 integrator="rk4").trajectory
    common = contactlib.Simulation(spec.with_motion("free", *moving).compile()).run(
        case.steps * case.step, spec.step_size)
    file = export_ssp(spec, folder / "system.ssp", step=case.step)
    assert plants(file) == moving
    return System(case, file, *(whole.states[-1][[whole.body_names.index(name) for name in moving]]
                                for whole in (run, common)))


@pytest.mark.filterwarnings("ignore::contactlib.simulation.results.StepWarning")
@pytest.mark.parametrize("master", MASTERS)
def test_masters_agree_with_couple_and_with_one_common_solver(system: System, master: str) -> None:
    case = system.case
    found = system.in_fmpy if master == "FMPy" else run_master(master, system.file, case.step, case.steps)
    assert np.abs(found - system.coupled).max() < INTEGRATED
    assert np.abs(found[:, :7] - system.common[:, :7]).max() < case.bound, case.reason
    if master in SAME:
        assert found.tobytes() == system.in_fmpy.tobytes()
    assert np.abs(found - system.in_fmpy).max() < ROUNDED


@pytest.mark.filterwarnings("ignore::contactlib.simulation.results.StepWarning")
def test_a_master_in_c_gives_the_same_bits(system: System, tmp_path: Path) -> None:
    compiler = next((c for name in (os.environ.get("CC", "cc"), "gcc") if (c := shutil.which(name))), None)
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler on Linux")
    case = system.case
    program = tmp_path / "master"
    subprocess.run([compiler, "-std=gnu11", "-O1", "-Wall", "-Werror", f"-I{fmi_include()}",
                    str(Path(__file__).with_name("ssp_master.c")), "-ldl", "-o", str(program)], check=True)
    components, connections = system_parts(contactlib.load(case.scene), (), "jacobi")
    number = {part.name: i for i, part in enumerate(components)}
    at = {part.name: {v.name: i for i, v in enumerate(part.model.variables)} for part in components}
    bodies = [part.name for part in components if part.name != CONTACT]
    lines = [f"{len(components)} {len(connections)} {13 * len(bodies)} {case.steps} {case.step.hex()}"]
    with zipfile.ZipFile(system.file) as archive:
        archive.extractall(tmp_path)
    for part in components:
        folder = tmp_path / "unpacked" / part.name
        with zipfile.ZipFile(tmp_path / part.source) as archive:
            archive.extractall(folder)
        (library,) = (folder / "binaries" / "linux64").iterdir()
        lines.append(f"{library} {part.model.guid} {(folder / 'resources').as_uri()}")
    lines += [f"{number[c.source]} {at[c.source][c.output]} {number[c.sink]} {at[c.sink][c.input]}"
              for c in connections]
    lines += [f"{number[body]} {at[body][name]}" for body in bodies for name in STATE]
    (tmp_path / "input").write_text("\n".join(lines))
    done = subprocess.run([str(program), str(tmp_path / "input")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = np.array([float.fromhex(line) for line in done.stdout.split()]).reshape(-1, 13)
    assert found.tobytes() == system.in_fmpy.tobytes()


@pytest.mark.parametrize("master", ["libcosim", "Ecos"])
def test_coupling_can_be_set_in_masters_that_know_integers_only(master: str, tmp_path: Path) -> None:
    case, spec = CASES["peg_in_hole"], contactlib.load("peg_in_hole")
    none, jacobi = (export_ssp(spec, tmp_path / f"{name}.ssp", coupling=name) for name in ("none", "jacobi"))
    step, steps = 5e-3, 400
    found = [run_master(master, file, step, steps, values)
             for file, values in ((none, {}), (none, {"coupling": 2}), (jacobi, {}))]
    assert found[1].tobytes() == found[2].tobytes() != found[0].tobytes(), case
