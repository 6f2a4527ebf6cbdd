"""ModelStructure names every true dependency: each input and parameter is changed, and all outputs are compared."""

from __future__ import annotations

import numpy as np
import pytest

import contactlib
from contactlib.fmu.excitation import excitation
from contactlib.fmu.package.dependencies import initial_dependencies
from contactlib.model import spec
from contactlib.model.model import Model
from tests.support.every_element import SPECS

SCENES = sorted(path.parent.name for path in spec.SCENES.glob("*/scene.toml"))
#: relative and absolute change of a value: small enough to keep contacts, large enough to reach the last digits
CHANGE = 3e-4


def initial_outputs(model: Model, values: np.ndarray) -> np.ndarray:
    """All outputs in initialization mode, with these values of all variables; NaN if a value is refused."""
    data = contactlib.Simulation(model).data
    outputs = [i for i, v in enumerate(model.variables) if v.causality == "output"]
    try:
        for i, variable in enumerate(model.variables):
            if variable.causality != "output":
                data.set(i, values[i])
        data.accept_starts()
        data.accept_inputs()
        data.evaluate()
    except ValueError:
        return np.full(len(outputs), np.nan)
    return np.array([data.get(i) for i in outputs])


def situations(name: str, model: Model) -> list[np.ndarray]:
    """Values of all variables: at the start of the scene, and at instants of the run whose outputs are hashed."""
    start = np.array([variable.start for variable in model.variables])
    found = [start]
    if name not in SCENES:
        return [*found, *touching(model, start)]
    signals = excitation(model, name)
    for row in (150, 500, 900):
        values = start.copy()
        values[list(signals.reals)] = signals.rows[row]
        values[list(signals.integers)] = signals.constants
        found.append(values)
    if any(motion == "free" for motion in model.motions):
        found += moved_states(model, name)
    return found


def touching(model: Model, start: np.ndarray) -> list[np.ndarray]:
    """Up to three situations in which external bodies touch something, found by moving them at random."""
    random = np.random.default_rng(5)
    outputs = [v.name for v in model.variables if v.causality == "output"]
    places = [i for i, v in enumerate(model.variables) if v.causality == "input" and ".r[" in v.name]
    found: list[np.ndarray] = []
    for _ in range(400 if places else 0):
        values = start.copy()
        values[places] += random.uniform(-0.15, 0.15, len(places))
        if initial_outputs(model, values)[outputs.index("contact.count")] > 0:
            found.append(values)
    return found[:3]


def moved_states(model: Model, name: str) -> list[np.ndarray]:
    """The start parameters of free bodies hold their states during a run, in which they touch."""
    data = contactlib.Simulation(model).data
    signals = excitation(model, name)
    values = np.array([variable.start for variable in model.variables])
    index = {variable.name: i for i, variable in enumerate(model.variables)}
    found = []
    for k, row in enumerate(signals.rows):
        data.set_all(signals.reals, row)
        data.accept_inputs()
        data.advance(signals.step)
        if k in (120, 400, 990):
            for variable in model.variables:
                state, bracket, component = variable.name.partition("[")
                if state.endswith("_start"):
                    now = index[f"{state.removesuffix('_start')}{bracket}{component}"]
                    values[index[variable.name]] = data.get(now)
            found.append(values.copy())
    return found


def changed(model: Model, values: np.ndarray, known: int) -> np.ndarray:
    """Which outputs change with one known; none if no change of it is allowed."""
    before = initial_outputs(model, values)
    variable = model.variables[known]
    steps = (1.0, -1.0, 2.0) if variable.type != "real" else (CHANGE * max(1.0, abs(values[known])), -CHANGE)
    moved = np.zeros(len(before), dtype=bool)
    for step in steps:
        other = values.copy()
        other[known] += step
        after = initial_outputs(model, other)
        moved |= np.isfinite(after) & (after != before)
    return moved


@pytest.mark.parametrize("name", [*SCENES, *SPECS])
@pytest.mark.filterwarnings("ignore::contactlib.MeshWarning")
def test_no_dependency_is_left_out(name: str) -> None:
    model = (contactlib.load(name) if name in SCENES else SPECS[name]()).compile()
    named = initial_dependencies(model)
    outputs = list(named)
    true_ones = set()
    for values in situations(name, model):
        assert np.isfinite(initial_outputs(model, values)).all()
        for known, variable in enumerate(model.variables):
            if variable.causality == "output":
                continue
            for row in np.flatnonzero(changed(model, values, known)):
                output = outputs[row]
                true_ones.add((known, output))
                assert known in named[output], (variable.name, model.variables[output].name)
    print(len(true_ones), sum(map(len, named.values())))
    # the situations are rich: bodies touch in them; joints have no force before the first step
    least = 0.03 if name == "gripper" else 0.05 if name in SCENES else 0.005
    assert len(true_ones) > least * sum(map(len, named.values()))


def test_dependencies_are_those_of_the_scene() -> None:
    """An output of a latch depends neither on the other latches nor on the sensors that only the sequence reads."""
    model = contactlib.load("cbm").compile()
    named = initial_dependencies(model)
    index = {variable.name: i for i, variable in enumerate(model.variables)}

    def owners(output: str) -> set[str]:
        return {model.variables[i].name.rpartition(".")[0] for i in named[index[output]]} - {""}

    assert {"latch1", "active"} <= owners("latch1.torque")
    assert not {"latch2", "latch3", "latch4", "berthing"} & owners("latch1.torque")
    assert {"passive", "active", "latch1", "latch4"} <= owners("passive.f[1]")
    knowns = sum(variable.causality != "output" for variable in model.variables)
    assert sum(map(len, named.values())) < 0.5 * knowns * len(named)


def test_a_free_bodys_state_depends_on_its_own_start_alone() -> None:
    model = contactlib.load("tether_tow").compile()
    index = {variable.name: i for i, variable in enumerate(model.variables)}
    found = {model.variables[i].name for i in initial_dependencies(model)[index["tug.r[1]"]]}
    assert {name.rpartition(".")[0] for name in found} == {"tug", ""}
    assert "tug.f_ext[1]" not in found
