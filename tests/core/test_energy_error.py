"""Energy told as it is: heat is counted on its own, and what steps make out of nothing is told, and ends a run."""

import re
import warnings

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import contactlib
from contactlib import StepWarning
from contactlib.fmu.export import export_fmu
from tests.support.fmu_cases import DISCARD, WARNING, Slave
from tests.support.scenes import BRISTLE, body, law, scene

CORNERS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def hooke(stiffness, damping=0.0):
    return {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": damping}


def ball(normal, h, z=0.06, v=-0.1, mass=1.0, **options):
    """A ball of 50 mm above a plane; without gravity unless told."""
    bodies = [body("ball", mass=mass, inertia=[0.1] * 3, state={"r": [0, 0, z], "v": [0, 0, v]},
                   shapes=[{"name": "s", "kind": "sphere", "radius": 0.05, "material": "x"}]),
              body("floor", "fixed", [{"name": "p", "kind": "plane", "material": "x"}])]
    return scene(bodies, [law("rubber", ["x", "x"], normal)], [["ball", "floor"]], step_size=h, **options)


def run(spec, duration, h, every=1):
    """A run of one body of 1 kg: its record, its kinetic energy, and what it warned of."""
    simulation = contactlib.Simulation(spec.compile())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        record = simulation.run(duration, h, every=every)
    return record, 0.5 * (record.states[:, 0, 7:10] ** 2).sum(1), [str(w.message) for w in caught]


def restitution(k, c, m=1.0):
    """Of max(0, k x + c x'): Schwager & Poeschel, Granular Matter 9 (2007) 465, eq. 21, for weak damping."""
    beta = c / (2 * m)
    w = np.sqrt(k / m - beta**2)
    return np.exp(-beta / w * (np.pi - np.arctan2(2 * beta * w, w**2 - beta**2)))


# ---- heat -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [5.0, 40.0])
def test_heat_of_a_damped_impact(c):
    """m v^2/2 (1 - e^2), of order one in the step at least; the energy error is gone as fast."""
    truth = 0.5 * 0.1**2 * (1 - restitution(1e4, c) ** 2)
    heat, error = [], []
    for h in (2e-4, 5e-5):
        record, *_ = run(ball(hooke(1e4, c), h), 0.3, h)
        assert record.contact_count.max() == 1 and record.contact_count[-1] == 0
        assert np.diff(record.energy_dissipated).min() >= 0.0
        heat.append(abs(record.energy_dissipated[-1] / truth - 1.0))
        error.append(abs(record.energy_error[-1]) / truth)
    assert heat[0] < 2e-2 and heat[1] < 0.5 * heat[0]
    assert error[0] < 2e-2 and error[1] < 0.5 * error[0]


def test_an_elastic_contact_makes_no_heat():
    """None at all; while it lasts the energy of the symplectic step is off by h/2 times the power, and then by none."""
    h, k, v = 1e-4, 1e4, 0.1
    record, kinetic, said = run(ball(hooke(k), h), 0.3, h)
    assert not record.energy_dissipated.any() and not said
    balance = kinetic + record.energy_stored - record.energy_error
    assert np.abs(balance - kinetic[0]).max() < 1e-15
    assert np.abs(record.energy_error).max() == pytest.approx(0.25 * h * np.sqrt(k) * v**2, rel=0.02)
    assert abs(record.energy_error[-1]) < 1e-3 * kinetic[0]


def test_heat_of_a_block_that_slides_to_rest():
    """All of m v^2/2 by friction, over v^2/(2 mu g)."""
    h, v = 1e-4, 0.5
    foot = {"kind": "sphere", "radius": 0.02, "material": "a"}
    feet = [{**foot, "name": f"foot{i}", "r": [0.2 * x, 0.2 * y, 0.0]} for i, (x, y) in enumerate(CORNERS)]
    depth = 9.81 / 4 / 1e5
    block = body("block", mass=1.0, inertia=[10.0] * 3, shapes=feet, state={"r": [0, 0, 0.02 - depth], "v": [v, 0, 0]})
    floor = body("floor", "fixed", [{"name": "p", "kind": "plane", "material": "b"}])
    spec = scene([block, floor], [law("l", ["a", "b"], hooke(1e5, 100.0), {**BRISTLE, "mu_static": 0.3})],
                 [["block", "floor"]], step_size=h, gravity=[0, 0, -9.81])
    record, kinetic, said = run(spec, 0.4, h)
    assert kinetic[-1] < 1e-9
    assert record.states[-1, 0, 0] == pytest.approx(v**2 / (2 * 0.3 * 9.81), rel=5e-3)
    assert record.energy_dissipated[-1] == pytest.approx(0.5 * v**2, rel=2e-3)
    assert abs(record.energy_error[-1]) < 2e-3 * kinetic[0] and not said


def test_what_is_stored_at_the_start_is_the_starts():
    """A ball that begins 1 mm deep is driven out with k x^2/2, and nothing is dissipated, or made."""
    simulation = contactlib.Simulation(ball(hooke(1e4), 1e-5, z=0.049, v=0.0).compile())
    assert (simulation.energy_dissipated, simulation.energy_error) == (0.0, 0.0)
    simulation.run(0.1, 1e-5)
    assert 0.5 * simulation.states[0, 9] ** 2 == pytest.approx(5e-3, rel=1e-3)
    assert simulation.energy_dissipated == 0.0
    assert abs(simulation.energy_error) < 5e-6
    # where states are put there is no work either
    state = simulation.states.copy()
    simulation.compute({"ball": {"r": (0, 0, 0.045), "v": (0, 0, 0)}})
    assert simulation.energy_stored == pytest.approx(0.125) and abs(simulation.energy_error) < 5e-6
    other = contactlib.Simulation(simulation.model)
    state[0, 2], state[0, 7:10] = 0.045, 0.0
    other.step(1e-5, state)  # from states that nobody evaluated
    assert abs(other.energy_error) < 1e-3 * 0.125


# ---- the error, and what is said of it --------------------------------------------------------------------------


@pytest.mark.parametrize("c", [0.0, 50.0])
def test_energy_out_of_nothing_is_an_error_and_no_heat(c):
    """At five periods a step kinetic energy grows; what contact has not dissipated is all error."""
    record, kinetic, said = run(ball(hooke(1e4, c), 5e-2), 2.0, 5e-2)
    assert kinetic[-1] > (2.0 if c else 10.0) * kinetic[0]
    assert np.diff(record.energy_dissipated).min() >= 0.0
    made = kinetic[-1] + record.energy_stored[-1] + record.energy_dissipated[-1] - kinetic[0]
    assert record.energy_error[-1] == pytest.approx(made, rel=1e-12)
    assert record.energy_error[-1] > 0.9 * (kinetic[-1] - kinetic[0])
    assert len(said) == 2 and list(record.warnings) == said
    assert "1 %" in said[1] and "shorter" in said[1]


def test_a_run_warns_once_and_a_good_one_not_at_all():
    spec = ball(hooke(1e4), 5e-2)
    simulation = contactlib.Simulation(spec.compile())
    with pytest.warns(StepWarning) as caught:
        simulation.run(2.0, 5e-2)
        simulation.run(2.0, 5e-2)
    assert len(caught) == 2  # of the step, of the energy
    simulation.reset()
    assert simulation.warnings == () and simulation.energy_error == 0.0
    with pytest.warns(StepWarning):
        simulation.run(2.0, 5e-2)
    *_, said = run(ball(hooke(1e4, 10.0), 1e-3), 2.0, 1e-3)
    assert not said


def test_the_error_is_part_of_the_state():
    simulation = contactlib.Simulation(ball(hooke(1e4), 2e-2, gravity=[0, 0, -9.81]).compile())
    for _ in range(20):
        simulation.step(2e-2)
    saved = simulation.save()
    seen = []
    for _ in range(2):
        simulation.restore(saved)
        for _ in range(30):
            simulation.step(2e-2)
        seen.append((simulation.energy_error, simulation.energy_dissipated, simulation.warnings))
    assert seen[0] == seen[1] and seen[0][0] != 0.0 and seen[0][2]


LIMITS = {
    "spring, 2/w": (hooke(1e4), 2 / np.sqrt(1e4)),
    "damper, m/c": (hooke(1.0, 200.0), 1 / 200.0),
}


@pytest.mark.parametrize(("normal", "limit"), LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("part", [0.9, 1.1])
def test_the_longest_step_of_a_ball(normal, limit, part):
    h = part * limit
    *_, said = run(ball(normal, h, z=0.0499), 40 * h, h)
    of_step = [s for s in said if "can bear" in s]
    assert len(of_step) == (part > 1.0)
    for sentence in of_step:
        assert all(word in sentence for word in ("'ball'", "'floor'", "'rubber'", "step_size"))
        assert float(re.search(r"about (\S+) s", sentence)[1]) == pytest.approx(limit, rel=2e-2)


def test_the_longest_step_of_a_plate_on_its_corners():
    """Four springs of k under a plate: bounce at 4 k/m, pitch at 4 k a^2/I. The faster of the two limits the step."""
    m, inertia, a, k = 2.0, 0.01, 0.15, 1e4
    limit = 2 / np.sqrt(max(4 * k / m, 4 * k * a * a / inertia))
    said = {}
    for part in (0.9, 1.2):
        h = part * limit
        feet = [{"name": f"foot{i}", "kind": "sphere", "radius": 0.02, "material": "a", "r": [a * x, a * y, 0.0]}
                for i, (x, y) in enumerate(CORNERS)]
        plate = body("plate", mass=m, inertia=[inertia] * 3, shapes=feet, state={"r": [0, 0, 0.019], "w": [0.1, 0, 0]})
        spec = scene([plate, body("floor", "fixed", [{"name": "p", "kind": "plane", "material": "b"}])],
                     [law("l", ["a", "b"], hooke(k))], [["plate", "floor"]], step_size=h, gravity=[0, 0, -9.81])
        simulation = contactlib.Simulation(spec.compile())
        for _ in range(3):
            simulation.step(h)
        said[part] = simulation.warnings
    assert not any("can bear" in s for s in said[0.9])
    assert any("can bear" in s for s in said[1.2])


# ---- runs that end ------------------------------------------------------------------------------------------------


def between_walls(h, resolve_in="world"):
    """A ball in a gap of 1 mm, 100 N/mm, at steps of half a period: each wall sends it back faster."""
    bodies = [body("ball", mass=1.0, inertia=[0.1] * 3, state={"r": [0, 0, 0.0502], "v": [0, 0, -0.01]},
                   shapes=[{"name": "s", "kind": "sphere", "radius": 0.05, "material": "x"}]),
              body("floor", "fixed", [{"name": "p", "kind": "plane", "material": "x"}]),
              body("roof", "fixed", [{"name": "q", "kind": "plane", "material": "x"}],
                   state={"r": [0, 0, 0.101], "q": [0, 1, 0, 0]})]
    return scene(bodies, [law("rubber", ["x", "x"], hooke(1e5))], [["ball", "floor"], ["ball", "roof"]], step_size=h,
                 resolve_in=resolve_in)


@pytest.mark.parametrize("resolve_in", ["world", "body"])
def test_an_unstable_run_ends_early_and_says_where(resolve_in):
    h = 1e-2
    simulation = contactlib.Simulation(between_walls(h, resolve_in).compile())
    with pytest.raises(ValueError, match=r"unstable at t = .* s: body 'ball' .* law 'rubber'") as caught:
        for _ in range(100_000):
            simulation.step(h)
    assert np.abs(simulation.states[0, :3]).max() < 1e6  # where it was before, and not 1e60 m
    time = float(re.search(r"t = (\S+) s", str(caught.value))[1])
    assert time == pytest.approx(simulation.time + h, rel=1e-4)


def test_an_energy_that_is_not_finite_is_refused():
    """10 m deep at 1e307 N/m: the force is a number, k x^2/2 is none."""
    spec = ball(hooke(1e307), 1e-3, z=-9.95, v=0.0)
    with pytest.raises(ValueError, match=r"the energy of body '.*' is not finite"):
        contactlib.Simulation(spec.compile())


def test_a_wrench_that_is_not_finite_in_body_axes_is_refused():
    """1.4e308 N along x and y each; along a body's x that stands between them it is no number any more."""
    wall = {"kind": "plane", "material": "x"}
    half = np.sqrt(0.5)
    turned = {"r": [1.0, 1.0, 0.0], "q": [np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8)]}
    sphere = {"name": "s", "kind": "sphere", "radius": 2.0, "material": "x"}
    bodies = [body("ball", "external", [sphere], state=turned),
              body("corner", "fixed", [{"name": "x", "q": [half, 0, half, 0], **wall},
                                       {"name": "y", "q": [half, -half, 0, 0], **wall}])]
    for resolve_in in ("world", "body"):
        spec = scene(bodies, [law("l", ["x", "x"], hooke(1.4e308))], [["ball", "corner"]], resolve_in=resolve_in)
        if resolve_in == "world":
            force = contactlib.Simulation(spec.compile()).result.wrench("ball")[:3]
            np.testing.assert_allclose(force, [1.4e308, 1.4e308, 0.0], rtol=1e-9, atol=1e297)
            continue
        with pytest.raises(ValueError, match="body 'ball' is not finite"):
            contactlib.Simulation(spec.compile())


# ---- the same in the FMU --------------------------------------------------------------------------------------------


def test_the_fmu_tells_the_same(tmp_path):
    """The same bits of the error, the sentence in its log once, and the error's end of the run."""
    h = 5e-2
    model = ball(hooke(1e4), h, gravity=[0, 0, -9.81]).compile()
    names = [v.name for v in model.variables]
    at = [names.index(f"contact.energy_{name}") for name in ("stored", "dissipated", "error")]
    assert [model.variables[i].unit for i in at] == ["J"] * 3
    simulation = contactlib.Simulation(model)
    with Slave(export_fmu(model, tmp_path / "ball.fmu"), tmp_path / "ball", model) as slave:
        slave.start(logging=True)
        slave.exitInitializationMode()
        for k in range(40):
            slave.doStep(k * h, h)
            simulation.step(h)
            seen = [simulation.energy_stored, simulation.energy_dissipated, simulation.energy_error]
            assert slave.getReal(at) == seen
        told = [message.text for message in slave.messages if message.status == WARNING]
        assert simulation.energy_error > 0.0 and len(simulation.warnings) == 2
        assert len(told) == 2 and all(text.startswith("fmi2DoStep: ") for text in told)
        assert [text.split(" ")[2] for text in told] == [s.split(" ")[1] for s in simulation.warnings]


def test_an_unstable_fmu_discards_the_step(tmp_path):
    h = 1e-2
    model = between_walls(h).compile()
    with Slave(export_fmu(model, tmp_path / "gap.fmu"), tmp_path / "gap", model) as slave:
        slave.start()
        slave.exitInitializationMode()
        with pytest.raises(FMICallException) as caught:
            for k in range(100_000):
                slave.doStep(k * h, h)
        assert caught.value.status == DISCARD
        assert re.search(r"unstable at t = .* s: body 'ball' .* law 'rubber'", slave.last())


@pytest.mark.parametrize("stiffness", [1e-6, 1e-20, 1e-300])
def test_a_very_soft_contact_with_a_damper_bears_any_step(stiffness):
    """The limit by the spring tends to 2/d, not to 0; and the state that holds its ratio can be restored."""
    simulation = contactlib.Simulation(contactlib.load("rover_wheel").compile())
    simulation.set("wheel_soil.stiffness", stiffness)
    for _ in range(3):
        simulation.step(1e-3)
    assert simulation.warnings == ()
    simulation.restore(simulation.save())
