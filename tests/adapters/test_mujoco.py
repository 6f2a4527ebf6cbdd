"""Contact in MuJoCo: against a monolithic run, energy, momentum, stick, an arm that docks, a gripper, batches."""

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

import contactlib
import mujoco_docking
import mujoco_gripper
from contactlib.adapters.mujoco import MujocoContact
from contactlib.adapters.mujoco_links import Links
from tests.support import free_flight

ROOT = Path(__file__).parents[2]
FLIGHT = """<mujoco><option gravity="0 0 0"/><worldbody>
<body name="ball"><freejoint/><inertial pos="0.01 -0.02 0.03" mass="2" diaginertia="0.02 0.03 0.015"/>
<geom size="0.1"/></body>
<body name="block"><freejoint/><inertial pos="0 0.02 -0.01" mass="5" diaginertia="0.1 0.2 0.15"/>
<geom type="box" size="0.3 0.25 0.2"/></body></worldbody></mujoco>"""
SLOPE = """<mujoco><option gravity="1.7029027798 0 -9.6576625383"/>
<default><geom friction="0.5 0.005 0.0001"/></default><worldbody><geom name="slope" type="plane" size="5 5 1"/>
<body name="block" pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="10"/></body>
</worldbody></mujoco>"""
STICK = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3},
         "friction": {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 1e5,
                      "tangential_damping": 1e3}}
BALLS = """<mujoco><option gravity="0 0 0"/><worldbody>
<body name="one"><freejoint/><geom size="0.1" mass="10"/></body>
<body name="two" pos="{gap} 0.03 0"><freejoint/><geom size="0.1" mass="10"/></body></worldbody></mujoco>"""
SPRING = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0.0}}  # contact lasts 70 ms
SEMI_IMPLICIT = ("mjINT_EULER", "mjINT_IMPLICIT", "mjINT_IMPLICITFAST")
integrators = pytest.mark.parametrize("integrator", [*SEMI_IMPLICIT, "mjINT_RK4"])


def model_of(xml, timestep, integrator="mjINT_EULER"):
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.timestep, model.opt.integrator = timestep, getattr(mujoco.mjtIntegrator, integrator)
    return model


def run(contact, data, duration):
    for _ in range(round(duration / contact.model.opt.timestep)):
        contact.step(data)


# ---- truth from outside --------------------------------------------------------------------------


def flight(timestep, spec):
    """The impact of `free_flight` in MuJoCo: states (2, 13) at the end."""
    model = model_of(FLIGHT, timestep, "mjINT_RK4")
    data = mujoco.MjData(model)
    for k, body in enumerate(spec.bodies):
        state = np.array(body.state)
        data.qpos[7 * k:7 * k + 7], data.qvel[6 * k:6 * k + 3] = state[:7], state[7:10]
        inverse = state[3:7] * (1.0, -1.0, -1.0, -1.0)
        mujoco.mju_rotVecQuat(data.qvel[6 * k + 3:6 * k + 6], state[10:], inverse)  # MuJoCo's w is in body axes
    run(MujocoContact(model, spec), data, free_flight.DURATION)
    return Links(model, [1, 2]).states(data)


def test_an_impact_is_that_of_one_common_solver():
    """The monolithic run itself changes by 1.4e-4 m and 1.9e-3 if its steps of 1e-4 s are halved."""
    position, velocity = free_flight.errors(flight(1e-3, free_flight.scene()), free_flight.monolithic(1e-4))
    assert position < 1.4e-4 and velocity < 1.9e-3


def test_momentum_is_conserved():
    """Linear momentum as well as RK4 conserves it; angular momentum with the second order of the step."""
    errors = np.array([free_flight.momentum_errors(flight(h, free_flight.scene())) for h in (5e-4, 1e-3, 2e-3)])
    assert errors[0, 0] < 1e-11  # RK4: 4e-3 of that at 2 ms, of order four
    assert (errors[1:, 1] > 3.0 * errors[:-1, 1]).all() and errors[0, 1] < 1e-6  # of 0.26 N m s


@integrators
@pytest.mark.parametrize("timestep", [5e-3, 1e-2, 2e-2])
def test_an_elastic_impact_keeps_its_energy(timestep, integrator):
    """The bars of docs/coupling.md for coupled runs; held wrenches gain 0.45, 1.3 and 6.9."""
    worst = 0.0
    for phase in np.arange(5) / 5:
        model = model_of(BALLS.format(gap=0.22 + phase * timestep), timestep, integrator)
        data = mujoco.MjData(model)
        data.qvel[0] = 1.0
        run(MujocoContact.from_geoms(model, [("one", "two")], **SPRING), data, 0.4)
        assert data.qvel[7] > 0.1, "the balls have met"
        worst = max(worst, abs(data.qvel @ data.qvel - 1.0))
        np.testing.assert_allclose(data.qvel[:3] + data.qvel[6:9], [1.0, 0.0, 0.0], atol=1e-13)  # linear momentum
    assert worst < {5e-3: 1e-3, 1e-2: 1e-2, 2e-2: 5e-2}[timestep]


@pytest.mark.parametrize(("timestep", "integrator"), [
    (2e-3, "mjINT_EULER"), (2e-3, "mjINT_RK4"), (2e-2, "mjINT_EULER"), (2e-2, "mjINT_IMPLICITFAST")])
def test_a_block_sticks_on_a_slope(timestep, integrator):
    """10 degrees, mu 0.5: at most 1e-6 um/s. MuJoCo's own contact creeps with 562 um/s (benchmarks/peg_in_hole.py)."""
    model = model_of(SLOPE, timestep, integrator)
    data = mujoco.MjData(model)
    contact = MujocoContact.from_geoms(model, [("block", "slope")], **STICK)
    run(contact, data, 5.0)
    before = data.qpos[:3].copy()
    run(contact, data, 5.0)
    assert np.linalg.norm(data.qpos[:3] - before) / 5.0 < 1e-12  # m/s
    np.testing.assert_allclose(contact.simulation.wrenches[0, :3], -10.0 * model.opt.gravity, atol=1e-9)
    assert data.ncon == 0


# ---- joints --------------------------------------------------------------------------------------


def test_states_of_links_are_those_of_mujoco():
    model = mujoco.MjModel.from_xml_path(str(mujoco_docking.ARM))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data, rng = mujoco.MjData(model), np.random.default_rng(1)
    data.qpos[:], data.qvel[:] = rng.normal(size=(2, model.nv))
    mujoco.mj_forward(model, data)
    body, twist = model.body("link5").id, np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, twist, 0)
    (state,) = Links(model, [body]).states(data)
    np.testing.assert_allclose(state, [*data.xpos[body], *data.xquat[body], *twist[3:], *twist[:3]], atol=1e-14)


def test_the_apparent_mass_of_a_link_is_what_a_force_accelerates():
    model = mujoco.MjModel.from_xml_path(str(mujoco_docking.ARM))
    data = mujoco.MjData(model)
    data.qpos[:] = mujoco_docking.START
    body = model.body("interface").id
    (mass,) = Links(model, [body]).apparent_masses(data)
    rng, jacobian = np.random.default_rng(2), np.zeros((3, model.nv))
    mujoco.mj_forward(model, data)
    model.actuator_gainprm[:], model.actuator_biasprm[:] = 0.0, 0.0  # no torque of the servos
    mujoco.mj_jacBodyCom(model, data, jacobian, None, body)
    ratios = []
    for force in rng.normal(size=(200, 3)):
        data.xfrc_applied[body, :3] = force
        mujoco.mj_forward(model, data)
        ratios.append(np.linalg.norm(jacobian @ data.qacc) / np.linalg.norm(force))
    assert 0.8 / mass.mass < max(ratios) <= 1.0 / mass.mass * (1 + 1e-9)


def test_a_free_body_has_its_own_mass():
    model = mujoco.MjModel.from_xml_string(FLIGHT)
    ball, block = Links(model, [1, 2]).apparent_masses(mujoco.MjData(model))
    for found, expected in zip((ball, block), free_flight.scene().bodies, strict=True):
        properties = expected.mass_properties()
        np.testing.assert_allclose(found.mass, properties.mass, rtol=1e-12)
        np.testing.assert_allclose(found.com, properties.com, rtol=1e-12)
        np.testing.assert_allclose(found.inertia, properties.inertia, rtol=1e-9, atol=1e-12)


def dock_with_held_wrenches(timestep):
    """The docking at steps that resolve the contact: no prediction, and each wrench is held over the next step."""
    model = mujoco.MjModel.from_xml_path(str(mujoco_docking.ARM))
    model.opt.timestep = timestep
    simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    links = Links(model, [model.body(name).id for name in simulation.model.body_names])

    def step(data):
        simulation.step(timestep, links.states(data))
        links.apply(data, simulation.wrenches)
        mujoco.mj_step(model, data)
        return float(np.linalg.norm(simulation.wrenches[0, :3]))

    return mujoco_docking.follow(model, step)


def test_an_arm_docks_four_pins():
    """At steps of 5 ms as at steps of 0.2 ms that resolve the contact. Pins have 0.2 mm of play in their holes."""
    coarse, fine = mujoco_docking.dock(5e-3), dock_with_held_wrenches(2e-4)
    for docked in (coarse, fine):
        assert docked.beside[0] > 1.7e-3 and docked.beside[-1] < 0.2e-3
        # pins on the ground at 9.8 mm, pressed in by F/(4 k) = 0.08 mm, and tilted by the play over 0.24 m
        assert abs(docked.pose[-1, 2] - 9.8e-3) < 0.3e-3
        assert docked.force[-1] > 10.0
    np.testing.assert_allclose(coarse.pose[-1], fine.pose[-1], atol=5e-5)  # a quarter of the play
    np.testing.assert_allclose(coarse.force[-1], fine.force[-1], rtol=0.01)


def test_a_gripper_holds_a_box_for_a_minute():
    held = mujoco_gripper.hold(60.0, 5e-3)
    assert abs(held.slip) < 1e-9  # m, from 1 s to 60 s
    np.testing.assert_allclose(held.friction, 0.5 * 9.81, rtol=1e-6)  # N, the weight of the box


def test_parameters_set_before_the_first_step_hold_in_runs_and_rollouts():
    model = model_of(SLOPE, 5e-3)
    data, contact = mujoco.MjData(model), MujocoContact.from_geoms(model, [("block", "slope")], **STICK)
    contact.simulation.set("contact_law.stiffness", 2e5)
    for _ in range(2):
        mujoco.mj_resetData(model, data)
        contact.reset(data)
        run(contact, data, 2.0)
        # the face bears the weight, and its four sides, 0.2 m wide, a part of 3 d/m; the slope's shear tilts the block
        sag = 96.576625 / 2e5
        np.testing.assert_allclose(0.05 - data.qpos[2], sag * (1.0 - 3.0 * sag), rtol=1e-4)
    start = np.zeros((1, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    mujoco.mj_getState(model, mujoco.MjData(model), start[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    end = contact.rollout(start, nstep=400)[0, -1]
    np.testing.assert_allclose(end[1:8], data.qpos, atol=0.0)  # after the time


def test_a_scene_without_bodies_that_move_is_stepped_too():
    """A ball of the scene comes to rest on a floor of MuJoCo."""
    model = model_of("<mujoco><worldbody><body name='floor'><geom type='plane' size='1 1 1'/></body></worldbody>"
                     "</mujoco>", 5e-3)
    spec = contactlib.Spec.from_dict({
        "scene": {"name": "rest", "gravity": [0.0, 0.0, -9.81], "step_size": 1e-4},
        "body": [{"name": "floor", "shape": [{"name": "top", "kind": "plane", "material": "m"}]},
                 {"name": "ball", "motion": "free", "mass": 1.0, "inertia": [0.01] * 3, "state": {"r": [0.0, 0.0, 0.1]},
                  "shape": [{"name": "skin", "kind": "sphere", "radius": 0.1, "material": "m"}]}],
        "law": [{"name": "m", "materials": ["m", "m"],
                 "normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 100.0}}],
        "pair": [{"bodies": ["floor", "ball"]}]})
    contact, data = MujocoContact(model, spec), mujoco.MjData(model)
    run(contact, data, 2.0)
    np.testing.assert_allclose(data.xfrc_applied[1], [0.0, 0.0, -9.81, 0.0, 0.0, 0.0], atol=1e-6)


def test_the_program_of_the_page_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "mujoco.md").read_text(encoding="utf-8")
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], {})
    assert "4.905" in capsys.readouterr().out


# ---- batches -------------------------------------------------------------------------------------


def test_a_rollout_has_the_bits_of_single_runs_at_any_number_of_threads():
    model = mujoco.MjModel.from_xml_path(str(mujoco_gripper.GRIPPER))
    contact = MujocoContact.from_geoms(model, mujoco_gripper.PAIRS, **mujoco_gripper.LAW)
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    data = mujoco.MjData(model)
    starts, rows = np.zeros((5, mujoco.mj_stateSize(model, full))), []
    controls = np.random.default_rng(3).uniform(10.0, 30.0, (5, 40, model.nu))
    for start, control in zip(starts, controls, strict=True):
        mujoco.mj_resetData(model, data)
        data.qpos[4] += 1e-3 * len(rows)
        mujoco.mj_getState(model, data, start, full)
        contact.reset(data)
        states = np.zeros((40, len(start)))
        for state, values in zip(states, control, strict=True):
            data.ctrl[:] = values
            contact.step(data)
            mujoco.mj_getState(model, data, state, full)
        rows.append(states)
    for threads in (1, 2, 3):
        assert contact.rollout(starts, controls, num_threads=threads).tobytes() == np.array(rows).tobytes()
    assert np.ptp(np.array(rows)[:, -1, 1]) > 1e-6, "the runs differ"


# ---- bodies of the scene alone -------------------------------------------------------------------


def test_a_body_that_contactlib_moves_meets_one_that_mujoco_moves():
    """A ball of the scene hits a ball of MuJoCo: the momentum that one loses the other gets."""
    model = model_of("<mujoco><option gravity='0 0 0'/><worldbody><body name='theirs'><freejoint/>"
                     "<geom size='0.1' mass='2'/></body></worldbody></mujoco>", 1e-3)
    data = mujoco.MjData(model)
    skin = {"name": "skin", "kind": "sphere", "radius": 0.1, "material": "m"}
    spec = contactlib.Spec.from_dict({
        "scene": {"name": "two", "step_size": 1e-4},
        "body": [{"name": "theirs", "shape": [skin]},
                 {"name": "ours", "motion": "free", "mass": 3.0, "inertia": [0.01] * 3, "shape": [skin],
                  "state": {"r": [-0.25, 0.0, 0.0], "v": [1.0, 0.0, 0.0]}}],
        "law": [{"name": "m", "materials": ["m", "m"], **SPRING}],
        "pair": [{"bodies": ["theirs", "ours"]}]})
    contact = MujocoContact(model, spec)
    run(contact, data, 0.3)
    speed = contact.simulation.states[1, 7]
    # elastic: 2 m v/(m + M) and (m - M) v/(m + M); contact lasts 35 ms, 35 steps
    np.testing.assert_allclose([data.qvel[0], speed], [1.2, 0.2], atol=1e-3)
    np.testing.assert_allclose(2.0 * data.qvel[0] + 3.0 * speed, 3.0, atol=1e-9)
