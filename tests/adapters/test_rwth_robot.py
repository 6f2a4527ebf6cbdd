"""The robot of examples/rwth_robot.py: its kinematics, statics, torques, recordings and their refusals."""

import csv
import re

import mujoco
import numpy as np
import pytest

import rwth_cell
import rwth_robot
from contactlib.validation import data_folder
from contactlib.validation.reference import reference_files
from contactlib.validation.run import load_program
from rwth_cell import START, Record, RecordedRobot, SimulatedRobot, experiment, load_arm, read_angles, write_record
from validation import expected

CASE = data_folder() / "rwth_robot"
#: axes and offsets of the joints, from the public URDF of the arm, and the tool
AXES = ((0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1))
OFFSETS = (0.11, 0.2005, 0.2, 0.2, 0.2, 0.19, 0.078, 0.15)


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def test_the_tip_is_where_the_offsets_of_the_arm_put_it():
    model = load_arm()
    for seed in range(5):
        q = np.random.default_rng(seed).uniform(-1.5, 1.5, 7)
        place, R = np.array([0, 0, OFFSETS[0]]), np.eye(3)
        for axis, angle, offset in zip(AXES, q, OFFSETS[1:], strict=True):
            R = R @ rotation(axis, angle)
            place = place + R @ [0, 0, offset]
        np.testing.assert_allclose(rwth_cell.tip(model, q), place, atol=1e-14)


def test_masses_limits_and_torques_are_those_of_the_arm():
    model = load_arm()
    np.testing.assert_allclose(model.body_mass[1:8], [2.0, *[2.35] * 5, 1.1])
    assert model.body_mass[8] == pytest.approx(0.25 + 0.3)  # with the holder of the peg
    np.testing.assert_allclose(np.degrees(model.jnt_range[:, 1]), [170, 120, 170, 120, 170, 120, 170])
    np.testing.assert_allclose(model.actuator_forcerange[:, 1], [176, 176, 100, 100, 100, 38, 38])


def test_the_statics_are_those_of_the_given_reference_and_of_the_case():
    """Newton's method of reference.py and the given table agree to its digits; expected.csv has both."""
    (text,) = reference_files(CASE).values()
    rows = list(csv.DictReader(text.splitlines()))
    given = list(csv.DictReader((CASE / "press_reference.csv").read_text().splitlines()))
    wanted = {row.quantity: row.value for row in expected("rwth_robot")}
    for ours, theirs in zip(rows[:3], given, strict=True):
        for name, other in (("K", "K"), ("Fz", "Fz"), ("x", "x"), ("d2", "d2"), ("d4", "d4"), ("d6", "d6")):
            assert float(ours[name]) == pytest.approx(float(theirs[other]), rel=1e-10)
        assert wanted[f"force of the point, {ours['K']} N m/rad"] == float(theirs["Fz"])
    for ours in rows[3:6]:
        assert wanted[f"force of the peg, {ours['K']} N m/rad"] == float(ours["Fz"])
    assert wanted["force of the peg with friction"] == float(rows[6]["Fz"])
    assert wanted["deviation of joint 4 with friction"] == pytest.approx(1e3 * float(rows[6]["d4"]), abs=1e-9)
    start = load_program(CASE / "reference.py").place(START[[1, 3, 5]], 0.0)[0]
    assert wanted["slide of the point"] == pytest.approx(1e3 * (float(given[0]["x"]) - start), abs=1e-6)
    for joint in (2, 4, 6):
        assert wanted[f"deviation of joint {joint}"] == pytest.approx(1e3 * float(given[0][f"d{joint}"]), abs=1e-9)


def test_a_robot_that_is_commanded_to_rest_rests_and_its_torques_carry_it():
    """Gravity is compensated: the measured torques are those of the weight, by hand the sum of m g times its lever."""
    model = load_arm()
    robot = SimulatedRobot(model, START, 1000.0)
    for _ in range(50):
        robot.step(START, np.zeros(6))
    np.testing.assert_allclose(robot.data.qpos, START, atol=1e-12)
    lever = sum(model.body_mass[k] * (robot.data.xipos[k][0] - robot.data.xanchor[1][0]) for k in range(3, 10))
    assert robot.torque[1] == pytest.approx(9.81 * lever, rel=1e-9)


def test_a_recording_of_positions_has_the_path_and_velocity_of_the_motion(tmp_path):
    """A motion with known slopes, written at 10 ms and replayed at 2 ms: cubic between the rows."""
    time = np.arange(0.0, 0.5, 0.01)
    angles = START + np.outer(0.05 * np.sin(4.0 * time), np.ones(7))
    path = tmp_path / "robot.csv"
    nothing = np.zeros((len(time), 7))
    write_record(path, Record(time, nothing, angles, nothing, nothing, nothing[:, :3], nothing[:, :6]))
    robot = RecordedRobot(load_arm(), *read_angles(path))
    assert robot.rows == 245
    for k in range(robot.rows):
        t = 0.002 * k
        if 0.02 < t < 0.47:
            np.testing.assert_allclose(robot.data.qpos - START, 0.05 * np.sin(4.0 * t), atol=1e-6)  # h^4/384 q''''
            np.testing.assert_allclose(robot.data.qvel, 0.2 * np.cos(4.0 * t), atol=1e-4)  # h^2/6 q'''
        robot.step(START, np.zeros(6))


def test_a_recording_that_rests_on_the_table_gives_the_force_of_its_depth(tmp_path):
    """A closed form: the tip is 1 mm below a table of 5e4 N/m: 50 N upwards, no torque on joint 1."""
    setup = rwth_robot.Setup(friction=0.0)
    model = setup.arm()
    q = rwth_cell.inverse_kinematics(model, START, rwth_cell.tip(model, START) - [0.0, 0.0, 1e-3])
    robot = RecordedRobot(model, np.array([0.0, 0.2]), np.array([q, q]))
    record = experiment(robot, setup.scene(), np.full((robot.rows, 7), np.nan))
    np.testing.assert_allclose(record.wrench[-1], [0, 0, 50.0, 0, 0, 0], atol=1e-6)
    assert record.external[-1, 0] == pytest.approx(0.0, abs=1e-9)
    assert np.isnan(record.torque).all()


@pytest.mark.parametrize(("old", "new", "message"), [
    ("q7", "q8", "has no column q7; a recorded robot has the columns time"),
    ("0.01,", "0,", "the column time must increase"),
    ("1e-3", "none", "row 1 has no number in the column q2: remove or fill the row")])
def test_a_file_that_is_no_recording_is_refused(tmp_path, old, new, message):
    path = tmp_path / "robot.csv"
    titles = ",".join(["time", *(f"q{k}" for k in range(1, 8))])
    text = f"{titles}\n0,0,1e-3,0,0,0,0,0\n0.01,0,0,0,0,0,0,0\n"
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(str(path)) + ".*" + message):
        read_angles(path)


def test_a_place_that_the_arm_does_not_reach_is_refused():
    with pytest.raises(ValueError, match="the arm does not reach this place"):
        rwth_cell.inverse_kinematics(load_arm(), START, np.array([2.0, 0.0, 0.0]))


def test_the_base_is_tilted_under_the_whole_arm():
    model = rwth_robot.Setup().arm(90.0)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.body("peg").xpos, [0.0, -sum(OFFSETS), 0.0], atol=1e-14)
