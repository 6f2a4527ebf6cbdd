"""Ball joints and thrusters: pendulums, panels on a pushed bus, momentum, energy, and what is refused."""

from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk, fresnel

import contactlib
from contactlib.elements.ball_joints import BallJoints
from contactlib.elements.thruster import Thruster
from contactlib.model.parts import Body
from contactlib.model.spec import Spec
from contactlib.shapes import quaternion

STICK = 3.0, ((4.0, 0, 0), (0, 4.0, 0), (0, 0, 0.02))  # kg; kg m2, about the centre of mass, which is the origin
ONE = (1, 0, 0), (0, 1, 0), (0, 0, 1)
BOX = (5, 0, 0), (0, 6, 0), (0, 0, 7)
LENGTH = 2.0  # m, from the joint to the centre of mass


def stick(name: str, r: Any, **keys: Any) -> Body:
    return Body(name, motion="free", mass=STICK[0], inertia=STICK[1], state=(*r, 1, 0, 0, 0, *[0] * 6), **keys)


def run(spec: Spec, time: float) -> contactlib.Simulation:
    simulation = contactlib.Simulation(spec.compile())
    simulation.step(time)
    return simulation


def pendulum(angle: float, step_size: float, **keys: Any) -> Spec:
    """A stick on the world, below the joint in the origin, tilted about x, under gravity."""
    tilt = np.cos(angle / 2), np.sin(angle / 2)
    state = (0, LENGTH * np.sin(angle), -LENGTH * np.cos(angle), tilt[0], tilt[1], 0, 0, *[0] * 6)
    arm = Body("stick", motion="free", mass=STICK[0], inertia=STICK[1], state=state)
    joint = BallJoints("joint", ("stick",), ((0, 0, 0),), ((0, 0, LENGTH),), **keys)
    return Spec("pendulum", bodies=(arm,), elements=(joint,), gravity=(0, 0, -9.81), step_size=step_size,
                integrator="rk4")


def test_pendulum_swings_by_the_period_of_its_amplitude():
    """T = 2 pi sqrt(I/(m g l)) / agm(1, cos(angle/2)), I about the joint: exact for any amplitude."""
    angle = 1.0
    inertia = STICK[1][0][0] + STICK[0] * LENGTH**2
    period = 4 * np.sqrt(inertia / (STICK[0] * 9.81 * LENGTH)) * ellipk(np.sin(angle / 2) ** 2)
    errors = []
    for step in (0.02, 0.01):
        end = run(pendulum(angle, step), period).states[0]
        errors.append(np.linalg.norm(end[:3] - (0, LENGTH * np.sin(angle), -LENGTH * np.cos(angle))))
    assert errors[1] < 1e-6
    assert errors[0] / errors[1] > 2 ** 3.5, "the integrator's order, four, is kept"


def test_gaps_stay_closed():
    simulation = contactlib.Simulation(pendulum(2.5, 0.01).compile())
    gaps = []
    for _ in range(100):
        simulation.step(0.1)
        gaps.append(simulation.elements["joint"].gap[0])
    assert max(gaps) < 1e-6  # 10 s of large swings; m


def test_a_spring_and_a_damper_in_a_joint_keep_the_balance_of_energy():
    spec = pendulum(1.0, 0.005, stiffness=30.0, damping=2.0)
    simulation = contactlib.Simulation(spec.compile())
    start = STICK[0] * 9.81 * simulation.states[0, 2]
    simulation.step(3.0)
    state, joint = simulation.states[0], simulation.elements["joint"]
    w = state[10:]
    kinetic = 0.5 * STICK[0] * state[7:10] @ state[7:10] + 0.5 * STICK[1][0][0] * w @ w  # it turns about x alone
    now = kinetic + STICK[0] * 9.81 * state[2] + joint.stored_energy
    assert joint.dissipated_energy > 1.0
    assert now + joint.dissipated_energy == pytest.approx(start, rel=2e-10)  # 9e-11, of order four in the step


def bus_with_wings(**keys: Any) -> Spec:
    """Two sticks along z on both sides of a box, free in space, spinning apart."""
    w, v = np.array([0.2, 0.1, -0.3]), np.array([0.1, 0, 0])
    bus = Body("bus", motion="free", mass=20.0, inertia=BOX, state=(0, 0, 0, 1, 0, 0, 0, *v, *w))
    wings = []
    for side, name in ((1, "up"), (-1, "down")):
        r = np.array([0, 0.1, side * (1 + LENGTH)])
        spin = w + np.array([0.1 * side, 0.05, 0.02])
        joint, arm = np.array([0, 0.1, side * 1.0]), np.array([0, 0, side * LENGTH])
        state = (*r, 1, 0, 0, 0, *(v + np.cross(w, joint) + np.cross(spin, arm)), *spin)
        wings.append(Body(name, motion="free", mass=STICK[0], inertia=STICK[1], state=state))
    joints = BallJoints("joints", ("up", "down"), ((0, 0.1, 1), (0, 0.1, -1)), ((0, 0, -LENGTH), (0, 0, LENGTH)),
                        base="bus", stiffness=5.0, **keys)
    return Spec("wings", bodies=(bus, *wings), elements=(joints,), step_size=0.01, integrator="rk4")


def momenta(simulation: contactlib.Simulation, masses: Any, inertias: Any) -> np.ndarray:
    p, L = np.zeros(3), np.zeros(3)
    for state, m, inertia in zip(simulation.states, masses, inertias, strict=True):
        q = state[3:7]
        R = np.column_stack([quaternion.rotate(q, e) for e in np.eye(3)])
        p += m * state[7:10]
        L += m * np.cross(state[:3], state[7:10]) + R @ np.array(inertia) @ R.T @ state[10:]
    return np.concatenate([p, L])


def test_joints_keep_both_momenta():
    simulation = contactlib.Simulation(bus_with_wings(damping=1.0).compile())
    parts = [20.0, STICK[0], STICK[0]], [BOX, STICK[1], STICK[1]]
    before = momenta(simulation, *parts)
    simulation.step(5.0)
    after = momenta(simulation, *parts)
    assert after[:3] == pytest.approx(before[:3], abs=1e-13)
    assert after[3:] == pytest.approx(before[3:], abs=1e-7)  # rk4's own error in turning bodies
    assert simulation.elements["joints"].gap.max() < 1e-8


def test_thrust_bends_the_boom_as_the_panel_is_heavy():
    """Long after the thrust begins the damper has settled: bending = m a l cos(angle)."""
    heavy = (1e6, 0, 0), (0, 1e6, 0), (0, 0, 1e6)
    bus = Body("bus", motion="free", mass=1e6, inertia=heavy, state=(0, 0, 0, 1, 0, 0, 0, *[0] * 6))
    arm = stick("wing", (0, 0, 1 + LENGTH))
    joints = BallJoints("joints", ("wing",), ((0, 0, 1),), ((0, 0, -LENGTH),), "bus", stiffness=400.0, damping=80.0)
    elements = joints, Thruster("push", "bus", (2, 0, 0), 1e6)
    simulation = run(Spec("pushed", bodies=(bus, arm), elements=elements, step_size=0.01, integrator="rk4"), 20.0)
    found = simulation.elements["joints"]
    acceleration = 1e6 / (1e6 + STICK[0])
    of_bus, angle = 2 * np.arcsin(simulation.states[:, 5])  # all turn about y
    assert found.bending[0] == pytest.approx(400.0 * abs(angle - of_bus), rel=1e-4)  # the damper has settled
    assert found.bending[0] == pytest.approx(STICK[0] * acceleration * LENGTH * np.cos(angle), rel=1e-4)
    assert found.torsion[0] < 1e-9
    assert found.force[0] == pytest.approx(STICK[0] * acceleration, rel=1e-4)


# ---- thrusters -----------------------------------------------------------------------------------


def pushed(**keys: Any) -> Spec:
    ball = Body("ball", motion="free", mass=2.0, inertia=ONE, state=(0, 0, 0, 1, 0, 0, 0, *[0] * 6))
    return Spec("pushed", bodies=(ball,), elements=(Thruster("engine", "ball", **keys),), step_size=0.01,
                integrator="rk4")


def test_thrust_begins_at_its_time():
    simulation = run(pushed(direction=(0, 0, 3), force=4.0, start=0.5), 0.4)
    assert simulation.elements["engine"].thrust == 0.0 and not simulation.states[0, 7:].any()
    simulation.step(0.6)
    assert simulation.elements["engine"].thrust == 4.0
    assert simulation.states[0, 9] == pytest.approx(1.0, rel=1e-12)
    kinetic = 0.5 * 2 * simulation.states[0, 9] ** 2
    assert simulation.elements["engine"].supplied_energy == pytest.approx(kinetic, rel=1e-12)


def test_a_thruster_off_the_middle_turns_the_body_with_it():
    """The torque stays 0.5 N m about x: angle t^2/4, and velocities are Fresnel's integrals of the turning push."""
    simulation = run(pushed(direction=(0, 0, 1), force=0.5, position=(0, 1, 0)), 2.0)
    sine, cosine = fresnel(2.0 / np.sqrt(2 * np.pi))  # of pi s^2/2 = t^2/4
    velocity = 0.25 * np.sqrt(2 * np.pi) * np.array([0, -sine, cosine])
    assert simulation.states[0, 10:] == pytest.approx([1.0, 0, 0], abs=1e-12)
    assert simulation.states[0, 7:10] == pytest.approx(velocity, abs=1e-9)  # rk4 with steps of 10 ms


def test_the_throttle_is_a_command():
    simulation = contactlib.Simulation(pushed(direction=(1, 0, 0), force=2.0).compile())
    simulation.elements["engine"].set(throttle=0.0)
    simulation.step(1.0)
    assert not simulation.states[0, 7:].any()
    simulation.elements["engine"].set(throttle=0.5)
    simulation.step(1.0)
    assert simulation.states[0, 7] == pytest.approx(0.5, rel=1e-12)


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(("element", "sentence"), [
    (Thruster("e", "ball", (0, 0, 0), 1.0), r"thruster 'e': direction = .*: must not be zero"),
    (Thruster("e", "bal", (0, 0, 1), 1.0), r"thruster 'e': body = 'bal': there is no such body; .*'ball'"),
    (Thruster("e", "ball", (0, 0, 1), float("nan")), r"thruster 'e': force = nan: must be a finite number"),
    (BallJoints("j", (), (), ()), r"arms = \(\): must be one to 8 bodies"),
    (BallJoints("j", ("ball", "ball"), ((0, 0, 0),) * 2, ((0, 0, 0),) * 2), "must be different bodies"),
    (BallJoints("j", ("ball",), ((0, 0, 1),), ((0, 0, 0),)), r"the joint of 'ball' is 1 m apart"),
    (BallJoints("j", ("ball",), ((0, 0, 0),) * 2, ((0, 0, 0),)), "must have a point for each of the 1 arms"),
    (BallJoints("j", ("post",), ((0, 0, 0),), ((0, 0, 0),)), "the motion of body 'post' is 'fixed', must be 'free'"),
    (BallJoints("j", ("ball",), ((0, 0, 0),), ((0, 0, 0),), stiffness=-1.0), "stiffness = -1.0: must be"),
])
def test_bad_elements(element, sentence):
    ball = Body("ball", motion="free", mass=2.0, inertia=ONE, state=(0, 0, 0, 1, 0, 0, 0, *[0] * 6))
    spec = Spec("bad", bodies=(ball, Body("post", motion="fixed")), elements=(element,))
    with pytest.raises(ValueError, match=sentence):
        spec.compile()


def test_a_body_has_its_joints_in_one_element():
    a, b = (BallJoints(name, ("ball",), ((0, 0, 0),), ((0, 0, 0),)) for name in "ab")
    ball = Body("ball", motion="free", mass=2.0, inertia=ONE, state=(0, 0, 0, 1, 0, 0, 0, *[0] * 6))
    with pytest.raises(ValueError, match="'a' and 'b' both join 'ball'"):
        Spec("bad", bodies=(ball,), elements=(a, b)).compile()
