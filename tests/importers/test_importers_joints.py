"""Joints of model files as elements: the scene moves as MuJoCo moves the file."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.importers import import_model
from contactlib.shapes.quaternion import rotate
from tests.importers.robots import write_robots

ARM = """<mujoco model="arm"><compiler angle="radian"/>
  <option gravity="0 0 -9.81"><flag contact="disable"/></option>
  <default><geom contype="0" conaffinity="1"/></default>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 1" pos="0 0 -3" contype="1"/>
    <body name="upper" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3">
      <joint name="shoulder" axis="0.2 1 0.1" pos="0.02 0.01 0" damping="0.3"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04" mass="2"/>
      <body name="slide" pos="0.4 0 0" euler="0 0.3 0">
        <joint name="rail" type="slide" axis="1 0 0.2" stiffness="300" springref="0.05" damping="1" ref="0.02"/>
        <geom type="box" size="0.05 0.04 0.03" mass="0.8"/>
        <body name="bracket" pos="0.1 0 0.02" euler="0.3 0 0"><geom type="sphere" size="0.03" mass="0.2"/>
          <body name="hand" pos="0.1 0 0"><joint name="wrist" axis="0 0 1" range="-2 2"/>
            <geom type="box" size="0.06 0.02 0.03" pos="0.05 0 0" mass="0.5"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""

URDF = """<robot name="arm">
  <mujoco><compiler fusestatic="false" strippath="false"/></mujoco>
  <link name="world_link"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0" rpy="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.004" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.1 0 0.02"/><mass value="1"/>
    <inertia ixx="0.002" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="world_link"/><child link="upper"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="5" velocity="1"/><dynamics damping="0.2" friction="0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
    <origin xyz="0.4 0 0" rpy="0.3 0 0"/><axis xyz="0 0 1"/></joint>
</robot>"""


def beside_mujoco(folder: Path, name: str, text: str, duration: float = 0.5) -> tuple[list[float], list[str]]:
    """Errors of the bodies' positions (m) at steps of 1 and 0.5 ms; and what was not taken over."""
    (folder / name).write_text(text)
    imported = import_model(folder / name, folder / "scene", joints=True)
    model = mujoco.MjModel.from_xml_path(str(folder / name))
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=round(duration / 1e-4))
    errors = []
    for step in (1e-3, 5e-4):
        simulation = contactlib.Simulation(contactlib.load(folder / "scene").compile())
        simulation.set("step_size", step)
        simulation.step(duration)
        moved = [(simulation.states[i, :3], data.body(name).xpos)
                 for i, name in enumerate(simulation.model.body_names) if name not in ("world", "world_link")]
        errors.append(float(max(np.abs(a - b).max() for a, b in moved)))
        assert max(np.abs(b).max() for _, b in moved) > 0.1
    return errors, list(imported.left_out)


def test_an_arm_of_mjcf_swings_as_in_mujoco(tmp_path):
    """A hinge beside the body's origin, a slider with spring and reference, a fixed joint, a hinge with a range."""
    errors, left_out = beside_mujoco(tmp_path, "arm.xml", ARM)
    assert errors[1] < 1e-3
    assert 1.8 < errors[0] / errors[1] < 2.2, "first order"
    assert left_out == []


def test_fixed_joints_may_be_merged(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    states = []
    for merge in (False, True):
        import_model(tmp_path / "arm.xml", tmp_path / "scene", joints=True, merge=merge)
        simulation = contactlib.Simulation(contactlib.load(tmp_path / "scene").compile())
        simulation.set("step_size", 2e-4)
        simulation.step(0.3)
        states.append(dict(zip(simulation.model.body_names, simulation.states, strict=True)))
        assert ("bracket" in states[-1]) is not merge
    np.testing.assert_allclose(states[1]["hand"][:3], states[0]["hand"][:3], atol=2e-5)


def test_an_arm_of_urdf_swings_as_in_mujoco(tmp_path):
    """MuJoCo reads URDF with a parser of its own. A root without a mass does not move."""
    errors, _ = beside_mujoco(tmp_path, "arm.urdf", URDF)
    assert errors[1] < 5e-4
    assert 1.8 < errors[0] / errors[1] < 2.2
    spec = contactlib.load(tmp_path / "scene")
    shoulder, elbow = spec.elements
    assert (shoulder.lower, shoulder.upper, shoulder.damping, shoulder.drive_limit) == (-3.0, 3.0, 0.2, 5.0)
    assert (elbow.lower, elbow.upper, elbow.base, elbow.arm) == (None, None, "upper", "fore")
    assert spec.body("world_link").motion == "fixed"


def test_the_command_makes_a_scene_that_runs(tmp_path):
    write_robots(tmp_path)
    run = CliRunner().invoke(app, ["import", str(tmp_path / "robot.urdf"), "-o", str(tmp_path / "out"), "--joints"])
    assert run.exit_code == 0, run.output
    assert "your simulator moves" not in run.output
    simulation = contactlib.Simulation(contactlib.load(tmp_path / "out").compile())
    simulation.step(0.1)
    assert {"shoulder", "weld"} == set(simulation.elements)
    assert simulation.elements["weld"].gap < 1e-9
    masses = np.array([3.0, 1.0, 0.5])
    com = [0.01, 0.02, 0.03], [0.0, 0.1, 0.0], [0.0, 0.0, 0.0]
    heights = [state[2] + rotate(state[3:7], np.array(c))[2] for state, c in zip(simulation.states, com, strict=True)]
    before = [body.state[2] + rotate(np.array(body.state[3:7]), np.array(c))[2]
              for body, c in zip(contactlib.load(tmp_path / "out").bodies, com, strict=True)]
    fallen = masses @ (np.array(before) - heights) / masses.sum()
    assert fallen == pytest.approx(0.5 * 9.81 * 0.1**2, rel=0.02)  # the common centre of mass falls freely


@pytest.mark.parametrize(("old", "new", "sentence"), [
    ('<joint name="elbow" type="continuous">', '<joint name="elbow" type="planar">',
     "link 'fore': its joint is 'planar': --joints takes hinges, sliders and fixed joints"),
    ('<mass value="1"/>', '<mass value="0"/>', "link 'fore' has no mass, and moves on a joint"),
])
def test_what_joints_cannot_be_is_refused(tmp_path, old, new, sentence):
    text = URDF.replace(old, new)
    if 'value="0"' in new:
        text = text.replace('ixx="0.002" iyy="0.01" izz="0.01"', 'ixx="0" iyy="0" izz="0"')
    (tmp_path / "arm.urdf").write_text(text)
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        import_model(tmp_path / "arm.urdf", tmp_path / "scene", joints=True)
    assert not (tmp_path / "scene").exists()


WORLD = """<mujoco><worldbody>{ground}<body name="a" pos="0 0 1">{joint}
  <geom type="box" size="0.1 0.05 0.02" mass="1"/><body name="b" pos="0.2 0 0"><joint name="k" axis="0 1 0"/>
  <geom type="sphere" size="0.05" mass="0.5"/></body></body></worldbody></mujoco>"""
GROUND = '<geom name="ground" type="plane" size="1 1 1"/>'


@pytest.mark.parametrize("ground", ["", GROUND])
@pytest.mark.parametrize(("joint", "refused"), [
    ('<joint name="j" axis="0 0 1"/>', False), ("<freejoint/>", False), ("", False),
    ('<joint type="ball"/>', True), ('<joint type="slide" axis="1 0 0"/><joint axis="0 0 1"/>', True)])
def test_a_joint_to_the_world_is_one_with_and_without_ground(tmp_path, ground, joint, refused):
    (tmp_path / "a.xml").write_text(WORLD.format(ground=ground, joint=joint))
    if refused:
        with pytest.raises(ValueError, match="link 'a': its joint is"):
            import_model(tmp_path / "a.xml", tmp_path / "scene", joints=True)
        return
    import_model(tmp_path / "a.xml", tmp_path / "scene", joints=True)
    simulation = contactlib.Simulation(contactlib.load(tmp_path / "scene").compile())
    simulation.step(0.1)
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
    data = mujoco.MjData(peer)
    peer.opt.timestep = 1e-4
    mujoco.mj_step(peer, data, nstep=1000)
    names = list(simulation.model.body_names)
    for name in ("a", "b"):
        np.testing.assert_allclose(simulation.states[names.index(name), :3], data.body(name).xpos, atol=2e-3)
    assert not simulation.warnings


def test_joints_of_sdf_and_ranges_without_the_home_position_are_told(tmp_path):
    write_robots(tmp_path)
    with pytest.raises(ValueError, match="joints are not read from SDF: import it without --joints"):
        import_model(tmp_path / "robot.sdf", tmp_path / "scene", joints=True)
    (tmp_path / "arm.urdf").write_text(URDF.replace('lower="-3" upper="3"', 'lower="-3" upper="-0.1"'))
    model = import_model(tmp_path / "arm.urdf", tmp_path / "scene", joints=True)
    assert any("range of joint 'shoulder', -3 to -0.1: it does not hold 0" in line for line in model.left_out)
