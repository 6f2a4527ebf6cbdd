"""Coupling at large communication steps: docs/coupling.md has the tables that the bounds here come from."""


import numpy as np
import pytest

import contactlib
import coupling_bounces
from contactlib.coupling import couple
from contactlib.fmu.export import export_fmu
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.model.spec import replace
from contactlib.shapes.mass import MassProperties
from contactlib.simulation import rigid_body
from tests.support.coupled import Master, balls, tied
from tests.support.fmu_cases import Slave, named, of, run_fmu, run_python
from tests.support.scenes import BRISTLE, body, scene

MODES = ("jacobi", "gauss_seidel")
both = pytest.mark.parametrize("mode", MODES)
SPIN = {"offset": 0.3, "com": (0.05, -0.1, 0.02), "w": (2.0, -3.0, 5.0)}  # off centre, unbalanced, spinning


def gain(mode, h, order=None, factor=1.0, **keys):
    master = Master(balls(mode, factor=factor, **keys), h, plant=balls("none", **keys), order=order)
    energy, *_ = master.momenta(master.run(round(0.3 / h)))
    assert len(master.simulation.contacts) == 0
    return energy[-1] / energy[0] - 1.0


# ---- energy of an impact ----------------------------------------------------------------------------


# measured: 0.016, 0.0004, 1.3e-5 and 1e-6 at worst over the phase, where a step of h costs (w h)^5 pi/144 in theory
@both
@pytest.mark.parametrize(("h", "bound"), [(20e-3, 0.02), (10e-3, 1e-3), (5e-3, 5e-5), (2e-3, 5e-6), (1e-3, 5e-6)])
def test_an_elastic_impact_keeps_its_energy(mode, h, bound):
    assert abs(gain(mode, h)) < bound
    assert abs(gain(mode, h, offset=0.3, com=(0.05, -0.1, 0.02))) < bound


@pytest.mark.parametrize(("h", "least"), [(20e-3, 4.0), (10e-3, 1.0), (5e-3, 0.3), (2e-3, 0.1)])
def test_without_coupling_it_gains_a_lot(h, least):
    assert gain("none", h) > least


@both
@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_wrong_masses_cost_little(mode, factor):
    assert abs(gain(mode, 10e-3, factor=factor)) < 0.08
    assert abs(gain(mode, 2e-3, factor=factor)) < 0.002


# c H/m is 8 and 32 with the reduced mass m: the second trial predicts a rebound, and must not be accepted
@both
@pytest.mark.parametrize("h", [10e-3, 40e-3])
def test_strong_damping_is_stable(mode, h):
    master = Master(balls(mode, damping=4000.0), h)
    energy, *_ = master.momenta(master.run(round(0.4 / h)))
    assert energy.max() < energy[0] * (1.0 + 1e-12)
    assert energy[-1] < 1e-3 * energy[0]


def test_the_order_of_the_master_matters():
    assert abs(gain("jacobi", 10e-3, order="gauss_seidel")) > 0.1
    assert abs(gain("gauss_seidel", 10e-3, order="jacobi")) > 0.1


@both
def test_rk4_does_as_well(mode):
    assert abs(gain(mode, 10e-3, integrator="rk4", step_size=1e-3)) < 1e-3


# ---- contact that is stiff for the step -----------------------------------------------------------------


FORCE = 50.0  # N, that presses the balls together


def pressed(mode, phase, ratio, h=10e-3):
    """Balls of 10 kg under a force; contact oscillates with w = phase/h, damped by a ratio of critical damping."""
    w, reduced = phase / h, 5.0
    outside = np.zeros((2, 6))
    outside[:, 0] = FORCE, -FORCE
    return Master(balls(mode, stiffness=reduced * w**2, damping=2.0 * ratio * w * reduced), h, outside=outside)


@both
@pytest.mark.parametrize("ratio", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("phase", [2.0, 3.0, 5.0, 8.0])
def test_contact_that_lasts_comes_to_rest(mode, phase, ratio):
    """From w h = pi on a held mean makes every oscillation grow; one with weights that fall does not, at any w h."""
    master = pressed(mode, phase, ratio)
    depth = FORCE / (5.0 * (phase / master.h) ** 2)
    master.states[:, 0] = -0.5 + depth / 2, 0.5 - depth / 2
    master.states[:, 7] = 0.0
    rows = master.run(400)
    gap = rows[-50:, 1, 0] - rows[-50:, 0, 0] - 1.0
    assert np.abs(gap + depth).max() < 1e-6 * depth  # 1e-10 is measured: the rounding of places
    assert np.abs(rows[-50:, :, 7]).max() < 1e-9


@both
@pytest.mark.parametrize("ratio", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("phase", [5.0, 8.0, 20.0])
def test_impacts_within_a_step_gain_no_energy(mode, phase, ratio):
    """They bounce at 2 m/s and are pressed together again, until they rest on each other."""
    _, energy = coupling_bounces.bounce(mode, phase, ratio)
    assert energy.max() < energy[0] * 1.001  # 1.00000 is measured; that of springs is left out
    assert energy[-1] < 0.5 * energy[0]  # 0.35 with the least damping, after 3 s


# ---- spin, friction, loads from outside --------------------------------------------------------------


def last(mode, h, duration=0.3, outside=None, **keys):
    master = Master(balls(mode, **keys), h, outside=outside)
    rows = master.run(round(duration / h))
    return rows[-1], master, rows


@both
def test_spin_and_friction_converge(mode):
    """Towards the same at small steps, of order two or better; momentum as exactly as the plant turns bodies."""
    finest, *_ = last("gauss_seidel", 5e-4, friction=BRISTLE | {"tangential_stiffness": 1e4}, **SPIN)
    errors = []
    for h in (10e-3, 5e-3, 2e-3):
        states, master, rows = last(mode, h, friction=BRISTLE | {"tangential_stiffness": 1e4}, **SPIN)
        energy, linear, angular = master.momenta(rows)
        assert master.simulation.energy_dissipated > 1.0
        assert abs(energy[-1] + master.simulation.energy_dissipated - energy[0]) < 1e-3 * energy[0]
        assert np.abs(linear - linear[0]).max() < 1e-6
        assert np.abs(angular - angular[0]).max() < 60.0 * h**2  # 37 h^2 is measured, of 7.4
        errors.append(np.abs(states[:, 7:] - finest[:, 7:]).max())
    assert errors[0] < 0.03 and errors[1] < errors[0] / 3 and errors[2] < errors[1] / 4


@both
def test_a_load_from_outside_is_found(mode):
    """A thrust of 6 N on one body, with a torque: known from the second step on, and so the impact is the right one."""
    outside = np.zeros((2, 6))
    outside[0] = [6.0, 2.0, 0.0, 0.1, 0.0, 0.3]
    finest, *_ = last("gauss_seidel", 5e-4, outside=outside)
    for h, bound in ((10e-3, 1e-3), (5e-3, 1e-4), (2e-3, 1e-5)):
        states, *_ = last(mode, h, outside=outside)
        assert np.abs(states[:, 7:] - finest[:, 7:]).max() < bound


@both
def test_a_jump_is_no_load(mode):
    """A body that is put elsewhere, with another velocity, gives what it gives at the start."""
    spec = balls(mode)
    moved = contactlib.Simulation(spec.compile()).states.copy()
    moved[0, :3], moved[0, 7:10] = [-0.43, 0.0, 0.0], [0.0, 0.5, 0.0]
    master = Master(spec, 10e-3)
    master.run(3)
    master.simulation.step(10e-3, moved)
    fresh = contactlib.Simulation(spec.compile())
    fresh.step(10e-3, moved)
    assert np.abs(fresh.wrenches).max() > 10.0
    np.testing.assert_allclose(master.simulation.wrenches, fresh.wrenches, rtol=1e-12)


# ---- stiff elements ----------------------------------------------------------------------------------


# of the pair on its ropes 2/w is 58 ms and 18 ms
@both
@pytest.mark.parametrize("h", [1e-3, 2e-3, 5e-3, 10e-3])
@pytest.mark.parametrize(("ropes", "length"), [(1, 0.7), (3, 0.2)])
def test_steel_ropes_between_two_plants_are_stable(mode, h, ropes, length):
    master = Master(tied(mode, (500.0, 2e4), ropes, length, step_size=min(h, 1e-3)), h)
    rows = master.run(round(1.0 / h))
    energy, linear, _ = master.momenta(rows)
    stretch = rows[:, 1, 0] - rows[:, 0, 0] - 1.0 - 1.02 * length
    assert stretch.max() > 2e-4  # they were taut
    assert energy.max() < 1.05 * energy[0]  # slack ropes are bent, and give 0.04 at any step
    assert energy[-1] < energy[0]
    assert np.abs(linear - linear[0]).max() < 0.05 * 500.0 * 0.05  # the ropes' own


# ---- state, axes, interfaces ---------------------------------------------------------------------------


@both
def test_going_back_repeats_to_the_bit(mode):
    master = Master(balls(mode, friction=BRISTLE, **SPIN), 5e-3)
    master.run(17)
    simulation = master.simulation
    assert len(simulation.contacts) > 0
    saved, states, wrenches = simulation.save(), master.states, master.wrenches
    first = master.run(10)[-10:]
    end = simulation.save()
    simulation.restore(saved)
    assert simulation.save() == saved
    master.states, master.wrenches = states, wrenches
    assert master.run(10)[-10:].tobytes() == first.tobytes()
    assert simulation.save() == end


@both
def test_axes_of_the_body_give_the_same_wrench(mode):
    """Axes are those half way through the interval, in which the body turns by 0.06 rad."""
    runs = []
    for frame in ("world", "body"):
        simulation = contactlib.Simulation(balls(mode, resolve_in=frame, **SPIN).compile())
        states = simulation.states.copy()
        states[:, 0] = [-0.46, 0.46]
        runs.append(simulation.step(10e-3, states).wrenches)
    world, turned = runs
    middle = 5e-3 if mode == "gauss_seidel" else 15e-3
    q = rigid_body.turned(np.array([1.0, 0.0, 0.0, 0.0]), middle * np.array(SPIN["w"]))
    expected = rigid_body.rotations(q).T @ world[0, :3]
    assert np.abs(expected - world[0, :3]).max() > 8.0
    assert np.abs(turned[0, :3] - expected).max() < 2.0  # of 400 N and more: its spin changes, too


def test_coupling_can_be_changed_between_steps():
    model = balls("none").compile()
    simulation = contactlib.Simulation(model)
    reference = named(model, "coupling")[0]
    states = simulation.states.copy()
    states[:, 0] = [-0.512, 0.512]
    assert np.abs(simulation.step(10e-3, states).wrenches).max() == 0.0
    simulation.data.set(reference, 2.0)
    assert np.abs(simulation.step(10e-3, states).wrenches).max() > 10.0
    for value in (0.0, 1.5, 4.0):
        with pytest.raises(ValueError, match=f"^coupling = {value:g}: must be an integer from 1 to 3$"):
            simulation.data.set(reference, value)


def test_bodies_without_mass_cannot_be_coupled():
    with pytest.raises(ValueError, match=r"scene.coupling = 'jacobi': needs an external body with a mass"):
        scene([body("one", "external")], [], [], coupling="jacobi").compile()
    with pytest.raises(ValueError, match=r"scene.coupling = 'seidel': must be one of"):
        balls("seidel")
    model = scene([body("one", "external")], [], []).compile()
    with pytest.raises(ValueError, match=r"^coupling = 2: must be an integer from 1 to 1$"):
        contactlib.Simulation(model).data.set(named(model, "coupling")[0], 2.0)


@both
@pytest.mark.parametrize("export", [export_fmu, export_pythonfmu])
def test_fmu_gives_the_bits_of_the_python_module(tmp_path, mode, export):
    spec = balls(mode, friction=BRISTLE, **SPIN)
    rows = Master(spec, 5e-3).run(40).reshape(-1, 26)
    model = spec.compile()
    expected = run_python(model, rows, 5e-3)
    assert np.abs(expected[:, of(model, "output").index(named(model, "one.f")[0])]).max() > 10.0
    with Slave(export(model, tmp_path / "balls.fmu"), tmp_path / "balls", model) as slave:
        assert run_fmu(slave.start(), rows, 5e-3).tobytes() == expected.tobytes()


@both
def test_the_small_master_takes_both_orders(tmp_path, mode):
    path = export_fmu(balls(mode, factor=1.3).compile(), tmp_path / "balls.fmu")
    true = MassProperties(10.0, np.zeros(3), np.eye(3))
    run = couple(path, duration=0.3, dt=10e-3, masses={"one": true, "two": true})
    kinetic = run.balance.kinetic
    assert abs(kinetic[-1] / kinetic[0] - 1.0 - gain(mode, 10e-3, factor=1.3)) < 1e-9
    with pytest.raises(ValueError, match="masses = 'thre'"):
        couple(path, masses={"thre": true})


def test_nothing_changes_without_coupling():
    """A mass alone does nothing to an external body."""
    spec = balls("none", friction=BRISTLE, **SPIN)
    bare = replace(spec, bodies=tuple(replace(part, mass=None, inertia=None, com=None) for part in spec.bodies))
    rows = Master(spec, 5e-3).run(30)
    one, other = (contactlib.Simulation(s.compile()) for s in (spec, bare))
    for row in rows:
        assert one.step(5e-3, row).wrenches.tobytes() == other.step(5e-3, row).wrenches.tobytes()
