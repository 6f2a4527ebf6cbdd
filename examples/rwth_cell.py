"""The robot cell of `rwth_robot.py`: a simulated or a recorded robot arm, and the contact of its peg as an FMU.

Both robots have the same methods, so `experiment` runs with either. A real robot, as one CSV file of its joint
angles, takes the place of the simulated robot. Arrays of joints have the order of the joints of the arm, 1 to 7.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import contactlib
import mujoco_docking
from contactlib.adapters.coupled_scene import coupled_scene
from contactlib.adapters.mujoco_links import Links
from contactlib.fmu.contact_fmu import ContactFmu
from contactlib.fmu.export import export_fmu
from contactlib.shapes.mass import MassProperties
from contactlib.validation.compare import read_columns

Floats = NDArray[np.float64]
MODELS = Path(__file__).parent / "mujoco_models"
JOINTS = 7
START = np.radians([0.0, -30.0, 0.0, 90.0, 0.0, -60.0, 0.0])  # rad: the tip of the peg is on the table
UPRIGHT = np.array([0.0, 0.0, 1.0, 0.0])  # attitude of the peg, its z axis down
DAMPING_RATIO = 0.7  # of the joints


def load_arm(timestep: float = 2e-3) -> Any:
    """The MjModel of the arm with this step (s)."""
    model = mujoco.MjModel.from_xml_path(str(MODELS / "lwr.xml"))
    model.opt.timestep = timestep
    return model


def tip(model: Any, q: Floats) -> Floats:
    """Place of the tip at the joint angles q (7,), m."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    return np.array(data.body("peg").xpos)


def inverse_kinematics(model: Any, q: Floats, place: Floats) -> Floats:
    """Return joint angles (7,) that put the tip at a place (m) with the peg upright."""
    return mujoco_docking.inverse_kinematics(model, q, place, UPRIGHT, "peg")


def follow(model: Any, q: Floats, places: Floats) -> Floats:
    """Return joint angles (N, 7) for places (N, 3) of the tip, each from those before; the first from q."""
    path = [q]
    for place in places:
        path.append(inverse_kinematics(model, path[-1], place))
    return np.array(path[1:])


class Robot:
    """A robot arm with the peg, at one time: `data` is the MjData with the joint angles and velocities of this time."""

    def __init__(self, model: Any) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        self.jacobian = np.zeros((6, JOINTS))  #: of velocity (m/s) and angular velocity (rad/s) of the tip, world axes
        self._peg, self._place = model.body("peg").id, mujoco.MjData(model)

    @property
    def torque(self) -> Floats:
        """Torques that the sensors of the joints measure, N m, (7,); not a number where there are none."""
        return np.full(JOINTS, np.nan)

    def step(self, command: Floats, wrench: Floats) -> None:
        """Advance by a step under commanded joint angles (7,) in rad and the wrench (6,) on the tip in N and N m."""
        raise NotImplementedError

    def peg(self) -> Floats:
        """Return r (m), q, v (m/s), w (rad/s) of the peg, whose origin is the tip, (1, 13); set the Jacobian there."""
        at = self._place
        at.qpos[:] = self.data.qpos
        mujoco.mj_kinematics(self.model, at)
        mujoco.mj_comPos(self.model, at)
        mujoco.mj_jacBody(self.model, at, self.jacobian[:3], self.jacobian[3:], self._peg)
        return np.concatenate([at.xpos[self._peg], at.xquat[self._peg], self.jacobian @ self.data.qvel])[None]


class SimulatedRobot(Robot):
    """The arm in MuJoCo with the joint-stiffness control of the LWR: torque = K (command - q) - D qdot + gravity.

    stiffness : K of the joints, N m/rad, a number or (7,).
    damping : damping ratio of each joint for itself: D_i = 2 damping sqrt(K_i M_ii), with the joint-space inertia M at
        the start.
    """

    def __init__(self, model: Any, start: Floats, stiffness: float | Floats, damping: float = DAMPING_RATIO) -> None:
        super().__init__(model)
        self.data.qpos[:] = self.data.ctrl[:] = start
        mujoco.mj_forward(model, self.data)
        inertia = np.zeros((JOINTS, JOINTS))
        for row, unit in zip(inertia, np.eye(JOINTS), strict=True):
            mujoco.mj_mulM(model, self.data, row, unit)
        stiffness = np.broadcast_to(np.asarray(stiffness, dtype=np.float64), JOINTS)
        model.actuator_gainprm[:, 0] = stiffness
        model.actuator_biasprm[:, 1] = -stiffness
        model.actuator_biasprm[:, 2] = -2.0 * damping * np.sqrt(stiffness * np.diag(inertia))

    @property
    def torque(self) -> Floats:
        return np.asarray(self.data.qfrc_actuator + self.data.qfrc_gravcomp)

    def step(self, command: Floats, wrench: Floats) -> None:
        self.data.ctrl[:] = command
        self.data.qfrc_applied[:] = self.jacobian.T @ wrench
        mujoco.mj_step(self.model, self.data)


class RecordedRobot(Robot):
    """A robot whose joint angles were measured: `times` (T,) in s and `angles` (T, 7) in rad, at any times.

    Between the rows the angles are cubic, with the slopes of `numpy.gradient`. Commands and wrenches change nothing.
    """

    def __init__(self, model: Any, times: Floats, angles: Floats) -> None:
        super().__init__(model)
        self.times, self.angles = times, angles
        self.slopes = np.gradient(angles, times, axis=0)
        self.steps = -1
        self.step(angles[0], np.zeros(6))

    @property
    def rows(self) -> int:
        """Number of steps from the first row to the last."""
        return int((self.times[-1] - self.times[0]) / self.model.opt.timestep + 1e-6)

    def step(self, command: Floats, wrench: Floats) -> None:
        """Set the angles and velocities of the next step: cubic Hermite polynomials, s from 0 to 1 between two rows."""
        self.steps += 1
        t = min(self.times[0] + self.steps * self.model.opt.timestep, self.times[-1])
        row = min(max(int(np.searchsorted(self.times, t, side="right")) - 1, 0), len(self.times) - 2)
        h = self.times[row + 1] - self.times[row]
        s = (t - self.times[row]) / h
        (a, b), (da, db) = self.angles[row:row + 2], h * self.slopes[row:row + 2]
        square, cube = 3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db
        self.data.qpos[:] = a + s * (da + s * (square + s * cube))
        self.data.qvel[:] = (da + s * (2.0 * square + 3.0 * s * cube)) / h


class Contact:
    """The contact of the peg as an FMU in FMPy, to be used in a `with` block.

    scene : scene with the external body `peg`.
    mass : of the peg with the robot behind it, so that the contact predicts the peg over a step of any length
        (docs/coupling.md); None: the peg follows its velocity over a step, which then must resolve the contact.
    """

    def __init__(self, scene: contactlib.Spec, mass: MassProperties | None) -> None:
        with tempfile.TemporaryDirectory() as folder:
            model = coupled_scene(scene, {"peg": mass}).compile()
            self.fmu = ContactFmu(export_fmu(model, Path(folder) / "cell.fmu"))

    def start(self, states: Floats, h: float) -> Floats:
        """Begin at the state (1, 13) of the peg with steps of h (s); return the wrench (6,) on its tip."""
        self.fmu.start(states, h)
        return np.asarray(self.fmu.read()[0][0])

    def step(self, t: float, h: float, states: Floats) -> Floats:
        """Step from t to t + h (s) with the state (1, 13) of the peg at t; return the mean wrench (6,) on its tip."""
        self.fmu.step(t, h, states)
        return np.asarray(self.fmu.read()[0][0])

    def __enter__(self) -> Contact:
        return self

    def __exit__(self, *_: object) -> None:
        self.fmu.close()


@dataclass(frozen=True)
class Record:
    """An experiment over time (T,) s.

    command, angles : (T, 7) rad. torque, external : (T, 7) N m, measured torques, and J^T times the wrench.
    tip : (T, 3) m. wrench : (T, 6) N and N m, on the tip of the peg, world axes; the mean of the step that begins.
    """

    time: Floats
    command: Floats
    angles: Floats
    torque: Floats
    external: Floats
    tip: Floats
    wrench: Floats
    warnings: list[str] = field(default_factory=list)

    @property
    def deviation(self) -> Floats:
        """Joint angles less commanded ones, rad, (T, 7)."""
        return np.asarray(self.angles - self.command)


def experiment(robot: Robot, scene: contactlib.Spec, command: Floats, begin: float = 0.0,
               predict: bool = False) -> Record:
    """Run a robot with the contact of a scene.

    command : (T, 7) rad, a row for each step. begin : the first time, s.
    predict : the contact predicts the peg, for a contact that is stiff for the step of the robot.
    """
    h, rows = robot.model.opt.timestep, []
    mass = Links(robot.model, [robot.model.body("peg").id]).apparent_masses(robot.data)[0] if predict else None
    with Contact(scene, mass) as contact:
        contact.start(robot.peg(), h)
        for k, target in enumerate(command):
            state, torque = robot.peg(), robot.torque
            wrench = contact.step(k * h, h, state)
            rows.append([begin + k * h, *target, *robot.data.qpos, *torque, *(robot.jacobian.T @ wrench), *state[0, :3],
                         *wrench])
            robot.step(target, wrench)
        warnings = list(contact.fmu.warnings)
    columns = np.split(np.array(rows), np.cumsum([1, *[JOINTS] * 4, 3]), axis=1)
    return Record(columns[0][:, 0], *columns[1:], warnings=warnings)


def read_angles(path: Path) -> tuple[Floats, Floats]:
    """Read a recorded robot: a CSV file with the columns time (s) and q1 to q7 (rad); other columns are not read.

    Raises ValueError for a missing column, a cell that is no number, times that do not increase, or less than two rows.
    """
    table = read_columns(path.read_text(encoding="utf-8"))
    names = ["time", *(f"q{k}" for k in range(1, JOINTS + 1))]
    missing = [name for name in names if name not in table]
    if missing:
        raise ValueError(f"{path}: has no column {', '.join(missing)}; a recorded robot has the columns time (s) "
                         "and q1 to q7 (rad)")
    time, *angles = (table[name] for name in names)
    rows = np.column_stack([time, *angles])
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise ValueError(f"{path}: row {row + 1} has no number in the column {names[column]}: remove or fill the row")
    if len(time) < 2 or not (np.diff(time) > 0.0).all():
        raise ValueError(f"{path}: the column time must increase from row to row, over two rows at least")
    return time, rows[:, 1:]


def write_record(path: Path, record: Record, every: int = 1) -> None:
    """Write time (s), angles q1 to q7 (rad) and torques torque1 to torque7 (N m) of a robot, each `every`-th row."""
    titles = ["time", *(f"q{k}" for k in range(1, JOINTS + 1)), *(f"torque{k}" for k in range(1, JOINTS + 1))]
    _write(path, titles, np.column_stack([record.time, record.angles, record.torque])[::every])


def write_wrench(path: Path, record: Record) -> None:
    """Write time (s), the wrench on the tip of the peg (N, N m), and the joint torques that it causes (N m)."""
    titles = ["time", "fx", "fy", "fz", "tx", "ty", "tz", *(f"external{k}" for k in range(1, JOINTS + 1))]
    _write(path, titles, np.column_stack([record.time, record.wrench, record.external]))


def _write(path: Path, titles: list[str], rows: Floats) -> None:
    lines = [",".join(titles), *(",".join(f"{x:.10g}" for x in row) for row in rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
