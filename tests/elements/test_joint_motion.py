"""Hinges, sliders and fixed joints: motion against closed forms, against MuJoCo, and what must be kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ellipk

import contactlib
from contactlib.elements.base import Element
from contactlib.elements.joints import FixedJoint, Hinge, Slider
from contactlib.model.parts import Body
from contactlib.model.spec import Spec

LENGTH, MASS, INERTIA = 2.0, 3.0, 4.0  # m, from the axis to the centre of mass; kg; kg m2 about it
G = 9.81


def link(name: str, mass: float, r: Sequence[float], *, inertia: Sequence[float] | None = None, motion: str = "free",
         q: Sequence[float] = (1, 0, 0, 0), v: Sequence[float] = (0, 0, 0), w: Sequence[float] = (0, 0, 0)) -> Body:
    of = np.diag(inertia or [0.1 * mass] * 3)
    return Body(name, motion=motion, mass=mass, inertia=tuple(map(tuple, of.tolist())), state=(*r, *q, *v, *w))


def simulation(bodies: Sequence[Body], joints: Sequence[Element], step_size: float,
               **keys: Any) -> contactlib.Simulation:
    spec = Spec("mechanism", bodies=tuple(bodies), elements=tuple(joints), step_size=step_size, **keys)
    return contactlib.Simulation(spec.compile())


def pendulum(angle: float, step_size: float, **keys: Any) -> contactlib.Simulation:
    """A stick below a hinge along x in the origin, under gravity."""
    q = np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0
    stick = link("stick", MASS, (0, LENGTH * np.sin(angle), -LENGTH * np.cos(angle)), inertia=(INERTIA, INERTIA, 0.02),
                 q=q)
    return simulation([stick], [Hinge("joint", "stick", axis=(1, 0, 0), start=angle, **keys)], step_size,
                      gravity=(0, 0, -G))


def energy(state: NDArray[np.float64]) -> float:
    v, w = state[7:10], state[10:]
    return float(0.5 * MASS * v @ v + 0.5 * INERTIA * w[0] ** 2 + MASS * G * state[2])


def test_a_pendulum_swings_by_the_period_of_its_amplitude():
    """T = 4 sqrt(I/(m g l)) K(sin(angle/2)), I about the axis: exact for any amplitude."""
    angle, about_axis = 1.0, INERTIA + MASS * LENGTH**2
    period = 4 * np.sqrt(about_axis / (MASS * G * LENGTH)) * ellipk(np.sin(angle / 2) ** 2)
    errors = []
    for step in (0.02, 0.01):
        run = pendulum(angle, step)
        run.step(period)
        errors.append(abs(run.elements["joint"].angle - angle))
    assert errors[1] < 5e-6
    assert errors[0] / errors[1] > 4.0, "at least second order where the velocity is zero"


def test_over_two_minutes_no_gap_opens_and_no_energy_is_lost():
    run = pendulum(2.5, 0.01)
    rows, gaps = [], []
    for _ in range(1200):
        run.step(0.1)
        rows.append(energy(run.states[0]))
        gaps.append(run.elements["joint"].gap)
    assert max(gaps) < 1e-9  # a joint gives way by 1e-8 of g h^2, which is 1 mm
    early, late = np.array(rows[:600]), np.array(rows[600:])
    ripple = early.max() - early.min()  # half a step times the power of gravity
    assert ripple < 2.0
    assert abs(early.mean() - late.mean()) < 0.02 * ripple
    assert abs(early.max() - late.max()) < 0.02 * ripple


def test_angles_count_full_turns():
    wheel = link("wheel", 1.0, (0, 0, 0), w=(0, 0, 10.0))
    run = simulation([wheel], [Hinge("axle", "wheel", start=0.5)], 1e-2)
    for _ in range(5):
        run.step(1.0)
    assert run.elements["axle"].angle == pytest.approx(50.5, abs=1e-9)
    assert run.elements["axle"].rate == pytest.approx(10.0, abs=1e-12)


CHAIN = """<mujoco><option gravity="0 0 0" timestep="1e-4" integrator="RK4"/><worldbody>
<body name="base"><freejoint/><inertial pos="0 0 0" mass="20" diaginertia="5 6 7"/>
<body name="upper" pos=".5 0 0"><joint name="a" axis="0 1 .3" pos="-.2 0 0" stiffness="3" damping=".2"/>
 <inertial pos="0 0 0" mass="3" diaginertia=".1 .2 .25"/>
<body name="fore" pos=".6 .1 0"><joint name="b" type="slide" axis="1 0 .5" stiffness="50"/>
 <inertial pos="0 0 0" mass="2" diaginertia=".1 .05 .12"/>
<body name="tip" pos=".3 0 .1"><joint name="c" axis="1 0 0" pos="-.1 0 0"/>
 <inertial pos="0 0 0" mass="1" diaginertia=".02 .05 .04"/>
</body></body></body></body></worldbody></mujoco>"""
NAMES = ("base", "upper", "fore", "tip")


def moving_chain() -> tuple[Any, Any]:
    model = mujoco.MjModel.from_xml_string(CHAIN)
    data = mujoco.MjData(model)
    data.qvel[:] = (0.1, -0.2, 0.05, 0.3, -0.4, 0.2, 1.5, -0.6, 4.0)
    mujoco.mj_forward(model, data)
    return model, data


def chain(model: Any, data: Any, step_size: float) -> contactlib.Simulation:
    bodies = []
    for name in NAMES:
        at, velocity = model.body(name).id, np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, at, velocity, 0)
        bodies.append(link(name, model.body_mass[at], data.xpos[at], inertia=model.body_inertia[at].tolist(),
                           q=data.xquat[at], v=velocity[3:], w=velocity[:3]))
    return simulation(bodies, [
        Hinge("a", "upper", base="base", point=(0.3, 0, 0), axis=(0, 1, 0.3), stiffness=3.0, damping=0.2),
        Slider("b", "fore", base="upper", axis=(1, 0, 0.5), stiffness=50.0),
        Hinge("c", "tip", base="fore", point=(0.2, 0, 0.1), axis=(1, 0, 0))], step_size)


def test_a_floating_chain_moves_as_in_mujoco():
    """MuJoCo has joint coordinates and no gaps at all; with RK4 at 0.1 ms its error is below 1e-9."""
    model, data = moving_chain()
    runs = [chain(model, data, step) for step in (2e-3, 1e-3, 5e-4)]
    mujoco.mj_step(model, data, nstep=20000)
    errors = []
    for run in runs:
        run.step(2.0)
        expected = np.array([data.xpos[model.body(name).id] for name in NAMES])
        errors.append(np.abs(run.states[:, :3] - expected).max())
        coordinates = [run.elements["a"].angle, run.elements["b"].position, run.elements["c"].angle]
        assert np.abs(np.array(coordinates) - data.qpos[7:]).max() < 7.0 * run.get("step_size")
    assert errors[2] < 2e-5
    assert 1.9 < errors[0] / errors[1] < 2.1 and 1.9 < errors[1] / errors[2] < 2.1, "first order"


def momenta(run: contactlib.Simulation, bodies: Sequence[Body]) -> NDArray[np.float64]:
    """Momentum, and angular momentum about the world's origin."""
    total = np.zeros(6)
    for body, state in zip(bodies, run.states, strict=True):
        R = contactlib.shapes.quaternion.rotation_matrix(state[3:7])
        p = np.asarray(body.mass) * state[7:10]
        total += (*p, *(np.cross(state[:3], p) + R @ np.diag(np.diag(body.inertia)) @ R.T @ state[10:]))
    return total


def test_joints_keep_momentum_and_angular_momentum():
    run = chain(*moving_chain(), 2e-3)
    spec_bodies = [link(name, m, (0, 0, 0), inertia=inertia) for name, m, inertia in (
        ("base", 20.0, (5, 6, 7)), ("upper", 3.0, (0.1, 0.2, 0.25)), ("fore", 2.0, (0.1, 0.05, 0.12)),
        ("tip", 1.0, (0.02, 0.05, 0.04)))]
    before = momenta(run, spec_bodies)
    run.step(20.0)
    assert np.abs(momenta(run, spec_bodies) - before).max() < 1e-12 * 1e4  # rounding of 10,000 steps


# crank, coupler, rocker and ground (m): the crank turns fully
CRANK, COUPLER, ROCKER, GROUND = 0.5, 1.5, 1.2, 1.5


def crank_rocker(angle: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where crank and rocker meet the coupler (x, z): two circles that cross."""
    a = np.array([CRANK * np.sin(angle), CRANK * np.cos(angle)])
    across = np.array([GROUND, 0.0]) - a
    far = np.linalg.norm(across)
    along = (COUPLER**2 - ROCKER**2 + far**2) / (2 * far)
    u = across / far
    return a, a + along * u + np.sqrt(COUPLER**2 - along**2) * np.array([-u[1], u[0]])


def test_a_four_bar_linkage_moves_on_its_circles():
    """Four hinges lock 20 of 18 coordinates, and yet the linkage moves: three rows are redundant."""
    a, c = crank_rocker(0.0)
    tilt = -np.arctan2(c[1] - a[1], c[0] - a[0])
    middle = (a + c) / 2
    bodies = [link("crank", 1.0, (0, 0, CRANK / 2)),
              link("coupler", 1.0, (middle[0], 0, middle[1]), q=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0)),
              link("rocker", 1.0, ((c[0] + GROUND) / 2, 0, c[1] / 2))]
    y = (0, 1, 0)
    run = simulation(bodies, [
        Hinge("motor", "crank", axis=y, drive_damping=1e9, drive_limit=1e4),
        Hinge("second", "coupler", base="crank", point=(0, 0, CRANK / 2), axis=y),
        Hinge("third", "rocker", base="coupler", point=(COUPLER / 2, 0, 0), axis=y),
        Hinge("fourth", "rocker", point=(GROUND, 0, 0), axis=y)], 2e-3)
    run.elements["motor"].set(target_rate=2.0)
    for _ in range(100):  # 8 rad
        run.step(0.04)
        a, c = crank_rocker(run.elements["motor"].angle)
        expected = [(a + c) / 2, (c + np.array([GROUND, 0.0])) / 2]
        assert np.abs(run.states[1:, [0, 2]] - expected).max() < 1e-11
        assert np.abs(run.states[:, 1]).max() < 1e-14
    assert run.elements["motor"].rate == pytest.approx(2.0, abs=1e-8)


def test_a_parallelogram_passes_the_positions_where_it_may_fold():
    y = (0, 1, 0)
    bodies = [link("left", 1.0, (0, 0, 0.5), w=(0, 2, 0), v=(1, 0, 0)), link("top", 1.0, (1, 0, 1), v=(2, 0, 0)),
              link("right", 1.0, (2, 0, 0.5), w=(0, 2, 0), v=(1, 0, 0))]
    run = simulation(bodies, [
        Hinge("a", "left", axis=y), Hinge("b", "top", base="left", point=(0, 0, 0.5), axis=y),
        Hinge("c", "right", base="top", point=(1, 0, 0), axis=y), Hinge("d", "right", point=(2, 0, 0), axis=y)], 1e-3)
    for _ in range(40):  # the links lie in one line every pi/2 s
        run.step(0.1)
        assert run.elements["a"].angle == pytest.approx(2.0 * run.time, abs=1e-4)  # angle of a chord: (w h)^2/12 of it
        assert max(run.elements[name].gap for name in "abcd") < 1e-6


def test_two_bodies_on_a_fixed_joint_are_one():
    """They spin about their common centre: the joint carries m1 m2/(m1 + m2) w^2 d."""
    m1, m2, d, w = 3.0, 1.0, 0.8, 2.5
    r1, r2 = -m2 * d / (m1 + m2), m1 * d / (m1 + m2)
    bodies = [link("one", m1, (r1, 0, 0), v=(0, r1 * w, 0), w=(0, 0, w)),
              link("two", m2, (r2, 0, 0), v=(0, r2 * w, 0), w=(0, 0, w))]
    run = simulation(bodies, [FixedJoint("weld", "two", base="one")], 1e-3)
    run.step(2.0)
    turn = w * 2.0
    np.testing.assert_allclose(run.states[1, :2], [r2 * np.cos(turn), r2 * np.sin(turn)], atol=1e-5)
    apart = run.states[1, :3] - run.states[0, :3]
    assert np.linalg.norm(apart) == pytest.approx(d, abs=1e-10)
    assert run.elements["weld"].force == pytest.approx(m1 * m2 / (m1 + m2) * w * w * d, rel=1e-5)


def test_an_unsymmetric_pair_tumbles_as_one_body():
    """The pair beside one body with the sum of their mass properties, by parallel axes; first order in the step."""
    one = link("one", 3.0, (0, 0, 0), inertia=(0.2, 0.5, 0.4))
    two = link("two", 1.0, (0.4, 0.3, 0.1), inertia=(0.05, 0.1, 0.12))
    com = np.array([0.1, 0.075, 0.025])
    total = np.zeros((3, 3))
    for body in (one, two):
        r = np.array(body.state[:3]) - com
        total += np.array(body.inertia) + body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    w = np.array([1.0, -2.0, 0.5])
    apart = []
    for step in (2e-3, 1e-3):
        pair = [link(b.name, b.mass, b.state[:3], inertia=np.diag(b.inertia).tolist(), w=w,
                     v=np.cross(w, np.array(b.state[:3]) - com)) for b in (one, two)]
        run = simulation(pair, [FixedJoint("weld", "two", base="one")], step)
        whole = Body("whole", motion="free", mass=4.0, inertia=tuple(map(tuple, total.tolist())),
                     state=(*com, 1, 0, 0, 0, 0, 0, 0, *w))
        single = simulation([whole], [], 1e-4)
        run.step(3.0)
        single.step(3.0)
        q, p = run.states[0, 3:7], single.states[0, 3:7]
        apart.append(2 * np.arccos(min(1.0, abs(q @ p))))
    assert apart[1] < 5e-3
    assert 1.8 < apart[0] / apart[1] < 2.3


def test_far_from_the_world_origin_a_joint_holds_as_well():
    """At 7000 km a double resolves 1 nm."""
    gaps = []
    for origin in (0.0, 7e6):
        pair = [link("one", 3.0, (origin, 0, 0), w=(0, 0, 1.0), v=(7e3, 0, 0)),
                link("two", 1.0, (origin + 0.8, 0, 0), w=(0, 0, 1.0), v=(7e3, 0.8, 0))]
        run = simulation(pair, [Hinge("joint", "two", base="one", point=(0.4, 0, 0), axis=(0, 0, 1))], 1e-3)
        run.step(0.5)
        gaps.append(run.elements["joint"].gap)
    assert gaps[0] < 1e-9 and gaps[1] < 5e-9
