"""Laws with a life cycle: anchors that hold and break, frictional adhesion, claws."""

import math
from pathlib import Path

import numpy as np
import pytest

import climbing
import contactlib
from contactlib.fmu.export import export_fmu
from tests.support.fmu_cases import Slave, named
from tests.support.saved import HEADER as SAVED
from tests.support.saved import sealed
from tests.support.scenes import body, scene

K = 1e4
SPRING = {"kind": "spring", "stiffness": K, "damping": 200.0, "x_limit": 20.0, "y_limit": 30.0, "z_limit": 10.0}
GECKO = {"kind": "gecko", "stiffness": K, "shear_limit": 5.0, "detachment_angle": math.radians(25), "mu": 0.2}
CLAW = {"kind": "claw", "stiffness": K, "load_limit": 5.0, "pull_out_angle": math.radians(45)}
H = 1e-3
BEGINS, LASTS, ENDS, ENDED = range(4)


def foot_on_wall(model, motion="free", depth=1e-5, foot=None, swapped=False, **options):
    """A foot that touches the plane z = 0 from above. `swapped`: the foot's shape is a plane, and the wall's a tip."""
    kinds = [{"name": "tip", "kind": "point"}, {"name": "plane", "kind": "plane"}]
    order = "ba" if swapped else "ab"
    tip, plane = ({**kind, "material": material} for kind, material in zip(kinds, order, strict=True))
    state = {"r": [0.0, 0.0, depth if swapped else -depth]}
    if swapped:
        plane |= {"q": [0.0, 1.0, 0.0, 0.0]}
    mine = foot or [plane if swapped else tip]
    bodies = [body("foot", motion, mass=1.0, inertia=[0.01] * 3, shapes=mine, state=state),
              body("wall", "fixed", shapes=[tip if swapped else plane],
                   state={"r": [0.0, 0.0, 2 * depth if swapped else 0.0]})]
    law = {"name": "hold", "materials": ["a", "b"], "model": model}
    return contactlib.Simulation(scene(bodies, [law], [["foot", "wall"]], **{"step_size": H, **options}).compile())


def lead(simulation, path, start=(0.0, 0.0, -1e-5)):
    """Takes an external foot along steps (n, 3); the force of the wall on it and the phase, in each."""
    r, forces, phases = np.array(start), [], []
    for step in path:
        result = simulation.step(H, {"foot": {"r": r, "v": np.array(step) / H}})
        r = r + step
        forces.append(result.wrench("foot")[:3])
        phases.append(int(result.contacts["phase"][0]) if len(result.contacts) else -1)
    return np.array(forces), np.array(phases)


def straight(direction, n, size=1e-6):
    return np.tile(size * np.array(direction) / np.linalg.norm(direction), (n, 1))


LIMITS = {(1, 0, 0): "x_limit", (-1, 0, 0): "x_limit", (0, 1, 0): "y_limit", (0, -1, 0): "y_limit",
          (0, 0, 1): "z_limit"}


@pytest.mark.parametrize("along", LIMITS)
@pytest.mark.parametrize("swapped", [False, True])
def test_an_anchor_breaks_at_its_limit_within_one_step(along, swapped):
    """The step that would exceed the limit ends the contact; the one before holds all but the last step's growth."""
    model = {**SPRING, "damping": 0.0}
    simulation = foot_on_wall(model, "external", swapped=swapped)
    forces, phases = lead(simulation, straight(along, 4000), (0.0, 0.0, 1e-5 if swapped else -1e-5))
    end = int(np.argmax(phases == ENDS))
    limit = model[LIMITS[along]]
    carried = -forces[:, np.argmax(np.abs(along))] * np.sign(sum(along))
    assert limit - K * 1.001e-6 <= carried[end - 1] <= limit
    assert (phases[1:end] == LASTS).all()
    tangential = LIMITS[along] != "z_limit"
    assert (phases[end + 1:] == (ENDED if tangential else -1)).all()
    support = K * 1e-5 if tangential else 0.0
    np.testing.assert_allclose(forces[end:], np.tile([0, 0, support], (len(forces) - end, 1)), atol=1e-10)


def test_pressed_it_never_breaks():
    _, phases = lead(foot_on_wall(SPRING, "external"), straight((0, 0, -1), 5000))
    assert (phases[1:] == LASTS).all()


def test_an_anchor_holds_below_its_limit_without_drift():
    """10^5 steps at 90 % of two limits, on three toes so that nothing turns: once at rest nothing moves.

    1e-16 m is a unit or two in the last place of a position of 2e-3 m relative to toes 0.1 m away.
    """
    toes = [{"name": f"toe{i}", "kind": "point", "material": "a", "r": [0.1 * math.cos(a), 0.1 * math.sin(a), 0.0]}
            for i, a in enumerate((0.0, 2.1, 4.2))]
    simulation = foot_on_wall(SPRING, foot=toes)
    for part in np.linspace(0.0, 0.9, 500):
        simulation.apply("foot", [part * 60.0, 0.0, part * 30.0])
        simulation.step(H)
    simulation.step(50.0)
    half = simulation.states[0].copy()
    simulation.step(50.0)
    assert simulation.contacts["phase"].tolist() == [LASTS] * 3 and simulation.contacts["apart"].tolist() == [1] * 3
    np.testing.assert_allclose(simulation.states[0, :3], [18 / K, 0.0, 9 / K], atol=2e-5)
    np.testing.assert_allclose(simulation.states[0], half, rtol=0, atol=1e-16)


def energies(h, breaks):
    """A foot that turns and swings on its anchor: kinetic, stored and lost energy, the loss as the sum of heat."""
    model = {**SPRING, "damping": 5.0, "x_limit": 12.0 if breaks else 1e9, "y_limit": 1e9, "z_limit": 1e9}
    pad = {"name": "tip", "kind": "point", "material": "a", "r": [0.02, 0.01, -0.05]}
    simulation = foot_on_wall(model, foot=[pad], step_size=h)
    state = simulation.states.copy()
    state[0, 2] = 0.05 - 1e-7
    state[0, 7:10], state[0, 10:13] = [0.15, 0.05, -0.05], [1.0, -0.5, 2.0]
    simulation.compute(state)
    start = 0.5 * (0.15**2 + 0.05**2 + 0.05**2) + 0.5 * 0.01 * (1 + 0.25 + 4)
    heat, stored = 0.0, 0.0
    for _ in range(round(0.04 / h)):
        simulation.step(h)
        heat += h * float(simulation.contacts["heat"].sum())
    stored = simulation.energy_stored
    s = simulation.states[0]
    kinetic = 0.5 * s[7:10] @ s[7:10] + 0.005 * s[10:13] @ s[10:13]
    lost = simulation.energy_dissipated - simulation.energy_error
    return start, kinetic + stored + heat, kinetic + stored + lost, len(simulation.contacts)


@pytest.mark.parametrize("breaks", [False, True])
def test_the_energy_balance_closes_with_the_first_order_of_the_integrator(breaks):
    """Kinetic + stored + heat over time: semi-implicit Euler's error, halved with the step; the work's to rounding."""
    errors = []
    for h in (4e-5, 2e-5, 1e-5):
        start, by_heat, by_work, contacts = energies(h, breaks)
        assert contacts == (0 if breaks else 1)
        errors.append(abs(by_heat - start) / start)
        assert by_work == pytest.approx(start, rel=1e-4 * h / 1e-5)
    assert errors[2] < 1e-3
    assert 3.5 < errors[0] / errors[2] < 4.5, errors


def test_a_gecko_holds_up_to_the_angle_and_no_further():
    """Frictional adhesion, F_N >= -tan(alpha) F_T, in Autumn et al. 2006: the angle at detachment is alpha."""
    text = (Path(__file__).parents[2] / "validation_data/gecko/angles.csv").read_text()
    for line in text.splitlines()[1:]:
        alpha, shear = (float(x) for x in line.split(",")[1:3])
        model = {**GECKO, "detachment_angle": math.radians(alpha), "shear_limit": 1e9}
        simulation = foot_on_wall(model, "external")
        drag = np.concatenate([straight((1, 0, 0), round(shear / K / 1e-6)), straight((0, 0, 1), 3000)])
        forces, phases = lead(simulation, drag)
        last = int(np.argmax(phases == ENDS)) - 1
        assert math.degrees(math.atan2(-forces[last, 2], -forces[last, 0])) == pytest.approx(alpha, abs=0.5)
        assert (forces[last + 1:] == 0).all()


@pytest.mark.parametrize("angle, holds", [(15, True), (24, True), (30, False), (90, False), (155, False)])
def test_a_gecko_pulled_at_an_angle(angle, holds):
    """Less than alpha: it holds until it slides at its shear limit. More: it lets go as soon as it is in tension."""
    a = math.radians(angle)
    forces, phases = lead(foot_on_wall(GECKO, "external"), straight((math.cos(a), 0, math.sin(a)), 460))
    last = int(np.argmax(phases == ENDS)) - 1 if ENDS in phases else len(phases) - 1
    shear, tension = -forces[last, 0], -forces[last, 2]
    assert (shear > 4.0) == holds
    assert tension <= math.tan(math.radians(25)) * max(0.0, shear) + 1e-9


def test_a_gecko_slides_at_its_limit_and_rubs_against_its_grain():
    forces, _ = lead(foot_on_wall(GECKO, "external"), straight((1, 0, 0), 2000))
    pressed = K * 1e-5
    assert -forces[-1, 0] == pytest.approx(5.0 + 0.2 * pressed)
    forces, _ = lead(foot_on_wall(GECKO, "external"), straight((-1, 0, 0), 2000))
    assert forces[-1, 0] == pytest.approx(0.2 * pressed)
    # the way back takes the tension: without shear there is no adhesion
    path = np.concatenate([straight((1, 0, 0), 300), straight((0, 0, 1), 60), straight((-1, 0, 0), 300)])
    forces, phases = lead(foot_on_wall(GECKO, "external"), path)
    assert (phases[1:360] == LASTS).all() and -forces[359, 2] == pytest.approx(K * 5e-5) and phases[-1] == -1


def test_a_claw_engages_one_way_and_slides_free_the_other():
    forces, phases = lead(foot_on_wall(CLAW, "external"), straight((-1, 0, 0), 1000))
    np.testing.assert_allclose(forces[:, :2], 0, atol=1e-12)
    assert (phases[1:] == LASTS).all()
    # turned back it hooks where it is now
    simulation = foot_on_wall(CLAW, "external")
    forces, _ = lead(simulation, np.concatenate([straight((-1, 0, 0), 300), straight((1, 0, 0), 100)]))
    assert -forces[-1, 0] == pytest.approx(K * 1e-4, rel=1e-9)


def test_a_claw_yields_at_its_load_and_unhooks_at_its_angle():
    forces, phases = lead(foot_on_wall(CLAW, "external"), straight((1, 0, 0), 800))
    last = int(np.argmax(phases == ENDS)) - 1
    assert 5.0 - 1.01e-2 <= -forces[last, 0] <= 5.0
    np.testing.assert_allclose(forces[last + 1:, :2], 0, atol=1e-12)
    path = np.concatenate([straight((1, 0, 0), 200), straight((0, 0, 1), 800)])
    forces, phases = lead(foot_on_wall(CLAW, "external"), path)
    last = int(np.argmax(phases == ENDS)) - 1
    assert -forces[last, 2] == pytest.approx(-forces[last, 0], rel=0.01)  # 45 degrees
    assert (phases[last + 2:] == -1).all()


def test_direction_is_the_foots():
    model = {**CLAW, "direction": [0.0, -1.0, 0.0]}
    forces, _ = lead(foot_on_wall(model, "external"), straight((0, -1, 0), 100))
    assert -forces[-1, 1] == pytest.approx(-K * 0.99e-4)  # established after the first step
    forces, _ = lead(foot_on_wall(model, "external"), straight((0, 1, 0), 100))
    np.testing.assert_allclose(forces[:, :2], 0, atol=1e-12)


@pytest.mark.parametrize("model", [SPRING, GECKO, CLAW], ids=lambda model: model["kind"])
def test_the_saved_state_holds_the_grip(model):
    """Half-way, in tension across a gap: restored it goes on to the last bit, in another instance too."""
    path = np.concatenate([straight((1, 0, 0), 200), straight((0, 0, 1), 50), straight((1, 0.3, 0), 600)])
    one, other = foot_on_wall(model, "external"), foot_on_wall(model, "external")
    lead(one, path[:240])
    assert one.contacts["apart"].tolist() == [1]
    saved, at = one.save(), one.states[0, :3]
    rest = lead(one, path[240:], at)
    other.restore(saved)
    again = lead(other, path[240:], at)
    for a, b in zip(rest, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.save() == other.save()


def test_a_damaged_state_is_refused_or_harmless():
    """Any numbers in the place of memory: an error that changes nothing, or a step that ends."""
    toes = [{"name": f"toe{i}", "kind": "point", "material": "a", "r": [0.1 * i, 0.0, 0.0]} for i in range(3)]
    simulation = foot_on_wall(SPRING, foot=toes)
    simulation.apply("foot", [5.0, 0.0, 5.0])
    simulation.run(0.1, H)
    assert simulation.contacts["apart"].any()
    good, random = simulation.save(), np.random.default_rng(5)
    refused = 0
    for _ in range(300):
        bad = np.frombuffer(good[SAVED.size:], dtype=np.float64).copy()
        at = random.integers(len(bad) - 75, len(bad), size=random.integers(1, 4))
        bad[at] = random.choice([0, 1, -1, 5, 37, 1e9, -1e300, 0.5, 1e16], size=len(at))
        try:
            simulation.restore(sealed(good[:SAVED.size] + bad.tobytes()))
        except ValueError:
            refused += 1
            continue
        try:
            simulation.step(H)
        except ValueError:
            simulation.restore(good)
    assert 0 < refused < 300
    simulation.restore(good)
    assert simulation.save() == good


def test_the_native_fmu_gives_the_same_bits_and_its_state_holds_the_grip(tmp_path):
    path = np.concatenate([straight((1, 0, 0), 50), straight((0, 0, 1), 40), straight((1, 0.3, 0.2), 60)])
    at = np.array([0, 0, -1e-5]) + np.cumsum(path, axis=0)
    simulation = foot_on_wall(SPRING, "external")
    wanted = [simulation.step(H, {"foot": {"r": r, "v": [0.0, 0.0, 0.0]}}).wrench("foot").tolist() for r in at]
    model = simulation.model
    with Slave(export_fmu(model, tmp_path / "foot.fmu"), tmp_path / "foot", model) as slave:
        slave.start()
        slave.setReal(named(model, "foot.r"), at[0])
        slave.exitInitializationMode()
        rows, found, saved = named(model, "foot.f", "foot.t"), [], None
        for k in [*range(150), "back", *range(100, 150)]:
            if k == "back":
                slave.setFMUstate(saved)
                continue
            saved = slave.getFMUstate() if k == 100 and saved is None else saved
            slave.setReal(named(model, "foot.r"), at[k])
            slave.doStep(k * H, H)
            found.append(slave.getReal(rows))
    assert found == wanted + wanted[100:]
    assert min(f[2] for f in wanted) < -0.3  # in tension, across a gap


@pytest.mark.parametrize("name", ["spring", "gecko", "claw"])
def test_a_foot_attaches_bears_and_detaches(name):
    """A stride of examples/climbing.py: leg and pad in a row, 2 kN/m and 20 kN/m, take 10 N and 3 N times 10/11."""
    (shear, tension, held), = climbing.figures(climbing.climb(climbing.MODELS[name], strides=1))
    assert (shear, tension) == pytest.approx((10 / 1.1, 3 / 1.1), rel=1e-3)
    assert 0.5 < held < 0.65  # of a second, in which it is led to the wall at 0.1 s and away from 0.6 s on


def test_phase_and_age_of_any_contact():
    law = {"name": "l", "materials": ["a", "b"], "normal": {"kind": "kelvin_voigt", "stiffness": K, "damping": 0.0}}
    bodies = [body("foot", "external", shapes=[{"name": "tip", "kind": "point", "material": "a"}],
                   state={"r": [0, 0, -1e-5]}),
              body("wall", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}])]
    simulation = contactlib.Simulation(scene(bodies, [law], [["foot", "wall"]], step_size=H).compile())
    seen = [simulation.step(H).contacts[["phase", "age"]].tolist()[0] for _ in range(3)]
    assert [phase for phase, _ in seen] == [BEGINS, LASTS, LASTS]
    np.testing.assert_allclose([age for _, age in seen], [0, H, 2 * H])


def test_a_model_stands_alone():
    rest = {"normal": {"kind": "kelvin_voigt", "stiffness": 1.0, "damping": 0.0}}
    with pytest.raises(ValueError, match=r"law\[0\].normal = .*must be left out, for 'model' stands in its place"):
        scene([], [{"name": "l", "materials": ["a", "b"], "model": SPRING, **rest}], [])
