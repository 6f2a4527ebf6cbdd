"""Room for contacts: a scene that names no max_contacts has as much as its shapes need, whatever runs it."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.fmu.export import export_fmu
from tests.model.test_groups import two_grids
from tests.support.fmu_cases import Slave, named
from tests.support.scenes import body, law, scene

N = 150  # feet of a table, more than a simulation has memory for at first
RIM = [[0.1 * cos(2 * pi * k / N), 0.1 * sin(2 * pi * k / N), 0.01] for k in range(N)]
LINE = {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}


def table(motion: str = "external", of_law: dict | None = None, **options: object) -> contactlib.Spec:
    """A table above a plane: sunk by d it has N feet d below it, each with its own force."""
    feet = [{"name": f"foot_{k}", "kind": "sphere", "radius": 0.01, "r": r, "material": "a"} for k, r in enumerate(RIM)]
    solid = body("table", motion, feet, mass=1.0, inertia=[1.0] * 3, state={"r": [0.0, 0.0, 0.1]})
    ground = body("ground", "fixed", [{"name": "g", "kind": "plane", "material": "b"}])
    laws = [{"name": "touch", "materials": ["a", "b"], **(of_law or {"normal": LINE})}]
    values = {"scene": {"name": "table", **options}, "body": [solid, ground], "law": laws,
              "pair": [{"bodies": ["table", "ground"]}]}
    return contactlib.Spec.from_dict(values, folder=Path(__file__).parents[1] / "support" / "feet", trust=True)


def test_a_table_stands_on_all_its_feet() -> None:
    """N feet at a depth of 1 mm, 1 N each."""
    simulation = contactlib.Simulation(table().compile())
    before = simulation.data.capacity
    result = simulation.compute({"table": {"r": (0.0, 0.0, -1e-3)}})
    assert before < N == len(result.contacts) <= simulation.data.capacity
    np.testing.assert_allclose(result.wrench("table")[:3], [0.0, 0.0, N], rtol=1e-9, atol=1e-9)


def test_a_simulation_begins_with_memory_for_few_contacts() -> None:
    """Four pins and four holes may have 128 contacts; a process with 10^5 of them has no use for all that memory."""
    spec = contactlib.load("peg_in_hole")
    assert contactlib.Simulation(spec.compile()).data.capacity == 32 < spec.compile().core.contact_capacity == 128
    assert contactlib.Simulation(replace(spec, max_contacts=100).compile()).data.capacity == 100
    assert contactlib.VectorSimulation(spec.compile(), 2)._worlds.instances[1].capacity == 32


def test_a_scene_that_names_its_room_keeps_it() -> None:
    simulation = contactlib.Simulation(table(max_contacts=N - 1).compile())
    with pytest.raises(ValueError, match=f"{N} contacts at once, the scene has capacity for {N - 1}: set max_contacts"):
        simulation.compute({"table": {"r": (0.0, 0.0, -1e-3)}})


def test_grown_room_changes_no_bit() -> None:
    """A table that falls onto the plane, against the same with room from the start; then a restore into a small one."""
    falling = replace(table("free"), gravity=(0.0, 0.0, -9.81), step_size=1e-3)
    grown, roomy = (contactlib.Simulation(spec.compile()) for spec in (falling, replace(falling, max_contacts=1000)))
    one, other = (simulation.run(0.3, 1e-2) for simulation in (grown, roomy))
    assert one.contact_count.max() == N
    assert one.states.tobytes() == other.states.tobytes()
    saved = contactlib.Simulation(falling.compile())
    saved.compute({"table": {"r": (0.0, 0.0, -1e-3)}})
    saved.step(1e-3)
    fresh = contactlib.Simulation(falling.compile())
    fresh.restore(saved.save())
    assert fresh.step(1e-3).wrenches.tobytes() == saved.step(1e-3).wrenches.tobytes()


def test_more_pairs_than_a_scene_has_room_for_at_first() -> None:
    """2500 balls on 2500 others: each touches one."""
    simulation = contactlib.Simulation(two_grids(n=50).compile())
    assert len(simulation.contacts) == 2500


def test_batches_and_ensembles_get_room() -> None:
    spec = table("free")
    model = spec.compile()
    states = np.array([[each.state for each in spec.bodies]] * 3)
    states[:, 0, 2] = [-1e-3, 0.1, -2e-3]
    batch = contactlib.Simulation(model).compute_batch(states, num_threads=2)
    assert batch.contact_count.tolist() == [N, 0, N]
    runs = contactlib.run_ensemble(model, ["contact.count"], duration=2e-3, dt=1e-3, starts=states)
    assert runs.errors == (None,) * 3 and runs.signal("contact.count")[:, 0].tolist() == [N, 0, N]


def test_contact_models_in_python_get_room() -> None:
    pad = {"kind": "feet:Pad", "stiffness": 1e3, "damping": 0.0, "mu_static": 0.5, "mu_kinetic": 0.3,
           "tangential_stiffness": 1e3, "tangential_damping": 0.0}
    simulation = contactlib.Simulation(table(of_law={"model": pad}).compile())
    wrench = simulation.compute({"table": {"r": (0.0, 0.0, -1e-3)}}).wrench("table")
    np.testing.assert_allclose(wrench[:3], [0.0, 0.0, N], rtol=1e-9, atol=1e-9)


def test_an_fmu_gets_room(tmp_path: Path) -> None:
    model = table().compile()
    path = export_fmu(model, tmp_path / "table.fmu")
    with Slave(path, tmp_path / "table", model) as slave, Slave(path, tmp_path / "table", model, "other") as other:
        for each in (slave.start(), other.start()):
            each.exitInitializationMode()
        slave.setReal(named(model, "table.r[3]"), [-1e-3])
        slave.doStep(0.0, 1e-3)
        assert slave.getInteger(named(model, "contact.count")) == [N]
        assert slave.getReal(named(model, "table.f[3]"))[0] == pytest.approx(N, rel=1e-9)
        other.take(slave.everything())
        assert other.everything() == slave.everything()


def test_a_ball_half_sunk_in_a_fine_mesh() -> None:
    """Any number of places: more than the 64 that are foreseen for a mesh, and no error."""
    steps = np.linspace(-1.0, 1.0, 41)
    vertices = [(x, y, 0.02 * float(np.sin(9 * x) * np.cos(7 * y))) for x in steps for y in steps]
    triangles = [t for i in range(40) for j in range(40) for a in [41 * i + j]
                 for t in ((a, a + 41, a + 42), (a, a + 42, a + 1))]
    ground = body("ground", "fixed", [{"name": "m", "kind": "mesh", "vertices": vertices, "triangles": triangles,
                                       "material": "b"}])
    ball = body("ball", "external", [{"name": "s", "kind": "sphere", "radius": 0.5, "material": "a"}])
    spec = scene([ball, ground], [law("l", ["a", "b"], LINE)], [["ball", "ground"]])
    simulation = contactlib.Simulation(spec.compile())
    assert len(simulation.compute({"ball": {"r": (0.01, 0.02, 0.05)}}).contacts) > 0
