"""The four FMUs in other processes, beside one another, and for long: `make soak` runs a million steps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import fmpy
import numpy as np
import pytest

from contactlib.fmu.excitation import Excitation, excitation
from contactlib.fmu.export import export_fmu
from contactlib.model.model import Model
from contactlib.model.spec import load
from tests.support.fmu_cases import Slave, of

SCENES = ("peg_in_hole", "lee_snare", "cbm", "trampoline")
STEPS = 60
LONG = 5_000 * int(os.environ.get("CONTACTLIB_SOAK", "1"))
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
#: continues a run from a serialized state: FOLDER STATE INPUTS, and prints the outputs
CONTINUE = """
import json, sys
from fmpy import read_model_description
from fmpy.fmi2 import FMU2Slave
folder, state, inputs = sys.argv[1:]
given = json.load(open(inputs))
described = read_model_description(folder)
slave = FMU2Slave(guid=described.guid, unzipDirectory=folder, instanceName="other",
                  modelIdentifier=described.coSimulation.modelIdentifier)
slave.instantiate()
slave.setFMUstate(slave.deSerializeFMUstate(open(state, "rb").read()))
rows = []
for t, row in zip(given["times"], given["rows"]):
    slave.setReal(given["inputs"], row)
    slave.doStep(t, given["h"])
    rows.append([float(x).hex() for x in slave.getReal(given["outputs"])])
print(json.dumps(rows))
"""


class Run:
    """One FMU under the signals of its scene's hash, a step at a time."""

    def __init__(self, fmu: Path, folder: Path, model: Model) -> None:
        self.model, self.signals = model, excitation(model, model.name, STEPS)
        self.slave, self.k = Slave(fmu, folder, model), 0
        self.slave.start()
        if self.signals.integers:
            self.slave.setInteger(list(self.signals.integers), list(self.signals.constants))

    def step(self) -> bytes:
        self.slave.setReal(list(self.signals.reals), self.signals.rows[self.k].tolist())
        if self.k == 0:
            self.slave.exitInitializationMode()
        self.slave.doStep(self.k * self.signals.step, self.signals.step)
        self.k += 1
        return np.array(self.slave.getReal(of(self.model, "output"))).tobytes()


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Model, Path]]:
    folder = tmp_path_factory.mktemp("fmus")
    models = {scene: load(scene).compile() for scene in SCENES}
    return {scene: (model, export_fmu(model, folder / f"{scene}.fmu")) for scene, model in models.items()}


def alone(fmus: dict[str, tuple[Model, Path]], scene: str, folder: Path) -> list[bytes]:
    run = Run(fmus[scene][1], folder / f"alone_{scene}", fmus[scene][0])
    with run.slave:
        return [run.step() for _ in range(STEPS)]


def test_two_instances_of_each_of_four_fmus_in_one_process(fmus: dict[str, tuple[Model, Path]], tmp_path: Path) -> None:
    """Step by step in turn: none disturbs another."""
    with ExitStack() as stack:
        runs = {(scene, i): Run(fmu, tmp_path / scene, model) for scene, (model, fmu) in fmus.items() for i in range(2)}
        for run in runs.values():
            stack.enter_context(run.slave)
        found: dict[tuple[str, int], list[bytes]] = {key: [] for key in runs}
        for _ in range(STEPS):
            for key, run in runs.items():
                found[key].append(run.step())
    for scene in SCENES:
        assert found[scene, 0] == found[scene, 1] == alone(fmus, scene, tmp_path)


@pytest.mark.parametrize("scene", SCENES)
def test_a_serialized_state_continues_in_another_process(fmus: dict[str, tuple[Model, Path]], tmp_path: Path,
                                                         scene: str) -> None:
    model, fmu = fmus[scene]
    run, half = Run(fmu, tmp_path / scene, model), STEPS // 2
    signals: Excitation = run.signals
    with run.slave:
        for _ in range(half):
            run.step()
        (tmp_path / "state").write_bytes(run.slave.everything())
        expected = b"".join(run.step() for _ in range(half, STEPS))
    given = {"h": signals.step, "times": [k * signals.step for k in range(half, STEPS)], "inputs": signals.reals,
             "outputs": of(model, "output"), "rows": signals.rows[half:].tolist()}
    (tmp_path / "inputs").write_text(json.dumps(given))
    command = [sys.executable, "-c", CONTINUE, *(str(tmp_path / name) for name in (scene, "state", "inputs"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [[float.fromhex(text) for text in row] for row in json.loads(done.stdout)]
    assert np.array(rows).tobytes() == expected


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def swinging(run: Run) -> Iterator[None]:
    """Steps to and fro over the signals, with a state saved, serialized, restored and freed every 100 steps."""
    signals, slave, rows = run.signals, run.slave, run.signals.rows.tolist()
    order = [*range(STEPS), *range(STEPS - 1, -1, -1)]
    inputs, outputs, t = list(signals.reals), of(run.model, "output"), 0.0
    for k in range(LONG):
        slave.setReal(inputs, rows[order[k % len(order)]])
        if k == 0:
            slave.exitInitializationMode()
        slave.doStep(t, run.model.step_size)
        t += run.model.step_size
        if k % 100 == 0:
            state = slave.getFMUstate()
            slave.serializeFMUstate(state)
            slave.setFMUstate(state)
            slave.freeFMUstate(state)
            assert np.isfinite(slave.getReal(outputs)).all()
        yield


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc, which only Linux has")
def test_memory_stays_flat(fmus: dict[str, tuple[Model, Path]], tmp_path: Path) -> None:
    """Peg in hole, the scene with the most contacts that come and go."""
    model, fmu = fmus["peg_in_hole"]
    run, sizes = Run(fmu, tmp_path / "long", model), []
    with run.slave:
        for k, _ in enumerate(swinging(run)):
            if k % (LONG // 20) == 0:
                sizes.append(resident())
    # python's own allocator takes arenas of 1 MiB; in a million steps this finds a leak of 4 bytes a step
    assert max(sizes[10:]) - max(sizes[2:10]) <= 2 << 20


def test_fmi2_and_fmi3_in_one_process(fmus: dict[str, tuple[Model, Path]], tmp_path: Path) -> None:
    """Both versions of one scene, from two copies of the same binary."""
    from fmpy.fmi3 import FMU3Slave

    model, fmu = fmus["peg_in_hole"]
    three = export_fmu(model, tmp_path / "three.fmu", fmi_version="3.0")
    folder = fmpy.extract(str(three), unzipdir=str(tmp_path / "three"))
    described = fmpy.read_model_description(folder)
    inputs = [v.valueReference for v in described.modelVariables if v.causality == "input"]
    force = {v.name: v.valueReference for v in described.modelVariables}["interface.f"]
    run = Run(fmu, tmp_path / "two", model)
    other = FMU3Slave(guid=described.instantiationToken, unzipDirectory=folder, instanceName="three",
                      modelIdentifier=described.coSimulation.modelIdentifier)
    other.instantiate()
    other.enterInitializationMode()
    first = next(i for i, v in enumerate(model.variables) if v.name == "interface.f[1]")
    forces = []
    with run.slave:
        for k in range(STEPS):
            run.step()
            other.setFloat64(inputs, run.signals.rows[k].tolist())
            if k == 0:
                other.exitInitializationMode()
            other.doStep(k * run.signals.step, run.signals.step)
            forces.append(list(other.getFloat64([force], 3)))
            assert forces[-1] == list(run.slave.getReal([first, first + 1, first + 2]))
        other.freeInstance()
    assert np.abs(forces).max() > 1.0
