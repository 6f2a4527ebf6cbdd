"""Springs, dampers, friction, drives and stops of joints, and joints together with contact, against closed forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import contactlib
from contactlib.elements.joints import Hinge, Slider, SpringDamper
from contactlib.elements.tether import Tether
from contactlib.model.parts import Body
from contactlib.model.spec import Spec
from tests.elements.test_joint_motion import link, simulation
from tests.support.scenes import body, law, scene

MASS = 2.0


def slide(step_size: float = 1e-3, *, v: float = 0.0, gravity: float = 0.0, **keys: Any) -> contactlib.Simulation:
    """A body on a slider along z of the world."""
    mass = link("mass", MASS, (0, 0, 0), v=(0, 0, v))
    return simulation([mass], [Slider("joint", "mass", **keys)], step_size, gravity=(0, 0, -gravity))


@pytest.mark.parametrize("stiffness", [1e1, 1e4, 1e7, 1e10])
def test_a_spring_keeps_its_energy_whatever_its_stiffness(stiffness):
    """k e^2/2 half a step beside the positions, and m v^2/2: the mean of both ends keeps the sum."""
    run = slide(0.1, v=1.0, stiffness=stiffness)
    energies = []
    for _ in range(200):
        run.step(0.1)
        energies.append(0.5 * MASS * run.states[0, 9] ** 2 + run.elements["joint"].stored_energy)
    assert max(energies) - min(energies) < 1e-7 * max(energies)  # the least compliance of a row at w h of 7e3
    assert run.elements["joint"].dissipated_energy == 0.0


def test_a_spring_has_the_period_of_its_mass():
    """2 pi sqrt(m/k), longer by (w h)^2/12 than the exact one; velocities belong half a step before positions."""
    w = 10.0
    run = slide(1e-3, v=1.0, stiffness=MASS * w * w)
    run.step(2 * np.pi / w * 10)
    assert run.elements["joint"].position == pytest.approx(0.0, abs=0.6e-3)
    quarter = slide(1e-3, v=1.0, stiffness=MASS * w * w)
    quarter.step(np.pi / 2 / w)
    assert quarter.elements["joint"].position == pytest.approx(1.0 / w, rel=1e-2)


@pytest.mark.parametrize("damping", [1.0, 1e3, 1e9])
def test_a_damper_takes_the_energy_however_strong(damping):
    run = slide(1e-2, v=1.0, damping=damping)
    speeds = []
    for _ in range(100):
        run.step(1e-2)
        speeds.append(run.states[0, 9])
    exact = (1.0 + 1e-2 * damping / MASS) ** -np.arange(1.0, 101.0)  # implicit Euler
    np.testing.assert_allclose(speeds, exact, rtol=1e-6, atol=1e-14)
    lost = 0.5 * MASS * (1.0 - speeds[-1] ** 2)
    assert run.elements["joint"].dissipated_energy == pytest.approx(lost, rel=1e-6)
    assert abs(run.energy_error) < 1e-6 * lost


def test_friction_holds_without_creep_and_slides_beyond_its_limit():
    run = slide(friction=30.0, gravity=10.0)  # weighs 20 N
    run.step(10.0)
    assert abs(run.elements["joint"].position) < 1e-12  # 1e-8 of g h^2, once: it does not creep
    assert run.elements["joint"].force == pytest.approx(20.0, rel=1e-9)
    run = slide(friction=15.0, gravity=10.0)
    run.step(1.0)
    assert run.elements["joint"].rate == pytest.approx(-(20.0 - 15.0) / MASS, rel=1e-9)
    worked = 15.0 * -run.elements["joint"].position
    assert run.elements["joint"].dissipated_energy == pytest.approx(worked, rel=2e-3)  # half a step of the last speed


def test_stops_take_an_impact_and_bear_a_load():
    run = slide(gravity=10.0, lower=-0.05, upper=0.2, start=0.1)
    run.step(1.0)  # falls 0.15 m in 0.17 s
    joint = run.elements["joint"]
    assert joint.position == pytest.approx(-0.05, abs=1e-9)
    assert joint.force == pytest.approx(20.0, rel=1e-6)
    assert joint.rate == pytest.approx(0.0, abs=1e-9)
    assert joint.dissipated_energy == pytest.approx(20.0 * 0.15, rel=2e-2)  # all of the fall; first order in the step
    run = slide(v=1.0, upper=0.05)
    run.step(0.1)
    assert run.elements["joint"].position == pytest.approx(0.05, abs=1e-9)


def test_a_drive_gives_at_most_its_limit():
    run = slide(drive_stiffness=1e8, drive_damping=1e4, drive_limit=20.0, target=1.0)
    run.step(0.1)
    assert run.elements["joint"].rate == pytest.approx(20.0 / MASS * 0.1, rel=1e-9)
    assert run.elements["joint"].drive_force == pytest.approx(20.0, rel=1e-12)
    assert run.elements["joint"].supplied_energy == pytest.approx(0.5 * MASS * 1.0**2, rel=1e-9)


def test_a_drive_under_load_stands_off_its_target():
    run = slide(gravity=10.0, drive_stiffness=1e3, drive_damping=100.0, drive_limit=50.0, target=0.0)
    run.step(5.0)
    assert run.elements["joint"].position == pytest.approx(-20.0 / 1e3, rel=1e-6)
    run.elements["joint"].set(feedforward=20.0)
    run.step(5.0)
    assert run.elements["joint"].position == pytest.approx(0.0, abs=1e-8)
    run.elements["joint"].set(target=0.1, target_rate=0.0)
    run.step(5.0)
    assert run.elements["joint"].position == pytest.approx(0.1, abs=1e-8)


def test_a_motor_alone_turns_an_arm_by_its_torque():
    run = simulation([link("arm", 1.0, (0.5, 0, 0))], [Hinge("motor", "arm", drive_limit=5.0)], 1e-3)
    run.elements["motor"].set(feedforward=2.0)
    run.step(0.5)
    about_axis = 0.1 + 1.0 * 0.5**2
    assert run.elements["motor"].rate == pytest.approx(2.0 / about_axis * 0.5, rel=1e-6)
    run.elements["motor"].set(feedforward=50.0)
    run.step(0.1)
    assert run.elements["motor"].torque == pytest.approx(5.0, rel=1e-9)


def test_a_spring_damper_is_the_oscillator_of_two_masses():
    """With m = m1 m2/(m1 + m2): s'' = -(k/m) s - (c/m) s', and the centre of mass does not move."""
    m1, m2, k, c, length, start = 3.0, 1.5, 400.0, 4.0, 0.8, 0.9
    bodies = [link("one", m1, (0, 0, 0)), link("two", m2, (start, 0, 0))]
    run = simulation(bodies, [SpringDamper("strut", "one", "two", k, c, length)], 1e-4)
    m = m1 * m2 / (m1 + m2)
    decay, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    for _ in range(10):
        run.step(0.05)
        t = run.time
        s = (start - length) * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
        assert run.elements["strut"].distance - length == pytest.approx(s, abs=3e-4 * (start - length) * 5)
        assert m1 * run.states[0, 0] + m2 * run.states[1, 0] == pytest.approx(m2 * start, abs=1e-13)
    stretch = run.elements["strut"].distance - length
    assert run.elements["strut"].force == pytest.approx(k * stretch + c * run.elements["strut"].distance_rate, abs=0.05)
    assert abs(run.energy_error) < 1e-3 * 0.5 * k * (start - length) ** 2


def on_ground(spring: SpringDamper | None, joints: tuple[Any, ...] = (), **keys: Any) -> Spec:
    """A light ball on a plane with 1e5 N/m, a heavy weight above it, under gravity."""
    ball = [{"name": "skin", "kind": "sphere", "radius": 0.05, "material": "m"}]
    bodies = [body("tip", "free", ball, mass=1e-2, inertia=[1e-5] * 3, state={"r": [0, 0, 0.05]}),
              body("weight", "free", mass=10.0, inertia=[0.1] * 3, state={"r": [0, 0, 0.3]}),
              body("ground", "fixed", [{"name": "top", "kind": "plane", "material": "m"}])]
    touch = law("touch", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 100.0})
    spec = scene(bodies, [touch], [["tip", "ground"]], gravity=[0, 0, -10.0], step_size=2e-4, **keys)
    return replace(spec, elements=(*((spring,) if spring else ()), *joints))


def test_a_stiff_spring_between_contact_and_a_weight_needs_no_short_step():
    """k = 1e9 N/m on 10 g has w h = 63. The contact bears 100.1 N, the spring 100 N."""
    spring = SpringDamper("strut", "tip", "weight", 1e9, 1e4)
    guides = tuple(Slider(f"guide_{name}", name) for name in ("tip", "weight"))
    run = contactlib.Simulation(on_ground(spring, guides).compile())
    run.step(3.0)
    assert run.contacts["depth"][0] == pytest.approx(100.1 / 1e5, rel=1e-6)
    assert run.elements["strut"].force == pytest.approx(-100.0, rel=1e-6)


def test_a_light_finger_bears_the_weight_of_what_it_carries():
    """A finger of 10 g with a weight of 10 kg on a hinge: the joint passes the contact on within the step."""
    hinge = Hinge("wrist", "weight", base="tip", point=(0, 0, 0.25), axis=(0, 1, 0), stiffness=1e4, damping=50.0)
    run = contactlib.Simulation(on_ground(None, (hinge, Slider("guide", "tip"))).compile())
    run.step(4.0)
    assert run.contacts["depth"][0] == pytest.approx(100.1 / 1e5, rel=1e-6)
    assert run.elements["wrist"].force == pytest.approx(100.0, rel=1e-6)


def test_a_changed_parameter_and_a_moved_body_change_the_stored_energy_by_what_they_should():
    run = slide(v=0.0, stiffness=100.0, rest=0.1)
    assert run.compute() is not None
    run.set("joint.stiffness", 200.0)
    run.step(1e-3)
    before = run.energy_error
    run.step(1.0)
    assert abs(run.energy_error - before) < 2e-2 * 0.5 * 200.0 * 0.1**2  # half a step of the spring's power


def test_a_joint_between_bodies_that_others_move_gives_only_its_spring():
    """Nothing rigid acts between two bodies whose motion is given; the spring's force is an output."""
    bodies = [body("one", "external"), body("two", "external", state={"r": [0.5, 0, 0]})]
    spec = replace(scene(bodies, [], []), elements=(SpringDamper("strut", "one", "two", 100.0, length=0.4),))
    run = contactlib.Simulation(spec.compile())
    run.step(1e-3)
    np.testing.assert_allclose(run.wrenches[:, 0], [10.0, -10.0], rtol=1e-12)
    assert run.elements["strut"].force == pytest.approx(10.0, rel=1e-12)


# ---- large steps, extreme ratios, changes during a run --------------------------------------------------


def test_a_pendulum_that_starts_level_is_no_unstable_run():
    """An ideal joint exchanges no energy, so that the error of half a step is more than all that was exchanged."""
    stick = link("stick", 2.0, (0, 0, 0), inertia=(0.1, 0.2, 0.25))
    for step in (1e-4, 1e-2):
        run = simulation([stick], [Hinge("joint", "stick", point=(-0.5, 0, 0), axis=(0, 1, 0))], step,
                         gravity=(0, 0, -9.81))
        run.step(3.0)
        assert not run.warnings
    slope = simulation([stick], [Slider("joint", "stick", axis=(1, 0, -1))], 1e-3, gravity=(0, 0, -9.81))
    slope.step(2.0)
    assert slope.elements["joint"].rate == pytest.approx(9.81 / np.sqrt(2) * 2.0, rel=1e-9)
    assert not slope.warnings


@pytest.mark.parametrize("step", [1e-4, 2e-4, 1e-3, 5e-3])
def test_arms_whose_hinges_are_their_origins_swing_without_a_warning(step):
    """As those of URDF files: the origins do not move, and only the rotation has energy."""
    inertia = ((0.01, 0, 0), (0, 0.012, 0), (0, 0, 0.009))
    arms = [Body(name, motion="free", mass=1.0, inertia=inertia, com=(0.1, 0.0, 0.05),
                 state=(x, 0, 0, 1, 0, 0, 0, *[0] * 6)) for name, x in (("one", 0.0), ("two", 0.2))]
    hinges = [Hinge("first", "one", axis=(0, 1, 0)), Hinge("second", "two", base="one", point=(0.2, 0, 0),
                                                           axis=(0, 1, 0.3))]
    for count in (1, 2):
        run = simulation(arms[:count], hinges[:count], step, gravity=(0, 0, -9.81))
        run.step(2.0)
        assert not run.warnings
        assert abs(run.elements["first"].angle) > 0.1


def test_a_run_of_joints_that_gains_energy_still_ends():
    """A tether on an arm, too stiff for the step."""
    arm = link("arm", 1.0, (0.5, 0, 0))
    line = Tether("line", None, "arm", 1e7, 0.0, 0.1, first_point=(0.5, 0, 1.0))
    run = simulation([arm], [Hinge("joint", "arm", axis=(0, 1, 0)), line], 1e-2)
    with pytest.raises(ValueError, match=r"the run is unstable|the step .* is too long for them"):
        run.step(10.0)


def test_a_free_wheel_counts_its_turns_however_fast():
    run = simulation([link("wheel", 1.0, (0, 0, 0), w=(0, 0, 4000.0))], [Hinge("axle", "wheel")], 1e-3)
    run.step(1.0)
    assert run.elements["axle"].angle == pytest.approx(4000.0, rel=1e-9)


@pytest.mark.parametrize("keys", [{"friction": 2.0}, {"upper": 0.0}, {"drive_damping": 1e6, "drive_limit": 2.0}])
def test_a_light_rotor_is_held_against_a_load_that_would_turn_it_more_than_once_in_a_step(keys):
    rotor = link("rotor", 0.05, (0, 0, 0), inertia=(1e-5,) * 3)
    run = simulation([rotor], [Hinge("joint", "rotor", **keys)], 1e-2)
    run.apply("rotor", (0, 0, 0), (0, 0, 1.0))  # alone it would turn by 10 rad in a step
    run.step(2.0)
    joint = run.elements["joint"]
    assert abs(joint.angle) < 1e-4  # a row gives way: 1e-3 rad/s by N m here, for 2 s under the damper
    assert joint.torque == pytest.approx(-1.0, rel=1e-6)


def test_a_wheel_that_turns_more_than_half_a_turn_in_a_step_loses_what_its_bearing_takes():
    wheel = link("wheel", 8.0, (0, 0, 0), inertia=(0.05,) * 3, w=(0, 0, 628.0))
    run = simulation([wheel], [Hinge("bearing", "wheel", friction=0.05)], 8e-3)
    run.step(4.0)
    assert run.elements["bearing"].rate == pytest.approx(628.0 - 0.05 / 0.05 * 4.0, rel=1e-9)
    assert run.elements["bearing"].angle == pytest.approx(628.0 * 4.0 - 0.5 * 4.0**2, rel=1e-5)


def test_friction_of_a_light_carriage_under_a_heavy_load_does_not_creep():
    carriage, load = link("carriage", 1e-3, (0, 0, 0)), link("load", 1000.0, (0, 0, -0.5))
    run = simulation([carriage, load], [Slider("clamp", "carriage", friction=2e4),
                                        Slider("hook", "load", base="carriage", lower=-1e-3, upper=0.0)], 1e-2,
                     gravity=(0, 0, -9.81))
    run.step(10.0)
    before = run.elements["clamp"].position
    run.step(20.0)
    assert abs(run.elements["clamp"].position - before) < 1e-9


@pytest.mark.parametrize(("start", "v"), [(0.004, 10.0), (0.004, -10.0), (0.001, 100.0)])
def test_a_fast_body_does_not_pass_a_stop(start, v):
    """It would move through the whole range within a step."""
    run = slide(v=v, start=start, lower=0.0, upper=0.01)
    for _ in range(5):
        run.step(1e-3)
        assert -1e-9 < run.elements["joint"].position < 0.01 + 1e-9
    assert run.elements["joint"].dissipated_energy == pytest.approx(0.5 * MASS * v * v, rel=1e-6)


def test_a_parameter_that_is_set_is_no_error_of_the_steps():
    run = slide(stiffness=10.0, rest=0.3, damping=1.0)
    run.step(0.5)
    before = run.energy_error
    run.set("joint.stiffness", 100.0)
    run.step(1e-3)
    run.set("joint.rest", -0.3)
    run.step(1e-3)
    assert abs(run.energy_error - before) < 0.02  # of 7 J that were set; half a step of the spring's power
    assert not run.warnings


def test_a_body_that_is_placed_elsewhere_sticks_there():
    run = slide(friction=30.0, gravity=10.0)
    run.step(0.1)
    run.compute({"mass": {"r": (0, 0, 0.25), "v": (0, 0, 0)}})
    run.step(1.0)
    assert run.elements["joint"].position == pytest.approx(0.25, abs=1e-9)


def test_a_damper_whose_ends_pass_each_other_closely_does_not_throw_them():
    for damping in (1e2, 1e5, 1e9):
        body = link("body", 1.0, (-1.0, 1e-5, 0), v=(300.0, 0, 0))
        run = simulation([body], [SpringDamper("strut", None, "body", 0.0, damping)], 1e-2)
        for _ in range(100):
            run.step(1e-2)
            assert np.linalg.norm(run.states[0, 7:10]) < 300.1
        assert run.elements["strut"].dissipated_energy == pytest.approx(45000.0, rel=1e-4)
