"""Four pins docked by an arm with seven joints: the arm is MuJoCo's, pins and holes are those of `peg_in_hole`.

    python examples/mujoco_docking.py

The servos of the joints lead the interface down, 1.8 mm and 0.7 degrees beside the holes, and press it in.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from contactlib.adapters.mujoco import MujocoContact

Floats = NDArray[np.float64]
ARM = Path(__file__).parent / "mujoco_models" / "arm.xml"
START = np.array([0.0, 0.3, 0.0, 1.2, 0.0, 1.6, 0.0])  # rad, near the solution
APART, SEATED = 0.085, 0.0095  # m, height of the interface before and after; the pins reach the ground of the holes at
OFFSET, TILT = np.array([1.5e-3, -1e-3, 0.0]), np.array([0.99998096, 0.005, -0.003, 0.002])  # as in the scene
PRESS = 6e-3  # m
MOVE, DURATION = 3.0, 4.0  # s


@dataclass(frozen=True)
class Docking:
    """What one run gives: the interface in its target over time, and the contact.

    time (T,) s; height (T,), beside (T,) m, the distance of the interface's axis from that of the target; force (T,) N.
    """

    time: Floats
    pose: Floats
    force: Floats
    energy_error: float

    @property
    def beside(self) -> Floats:
        return np.asarray(np.hypot(self.pose[:, 0], self.pose[:, 1]))


def inverse_kinematics(model: Any, start: Floats, p: Floats, q: Floats) -> Floats:
    """Return joint angles (7,) that put the interface at p (m) with the attitude q, by Newton's method from `start`."""
    data, body = mujoco.MjData(model), model.body("interface").id
    data.qpos[:] = start
    jacobian, turn = np.zeros((6, model.nv)), np.zeros(3)
    for _ in range(50):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacBody(model, data, jacobian[:3], jacobian[3:], body)
        inverse, rotation = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(inverse, data.xquat[body])
        mujoco.mju_mulQuat(rotation, q, inverse)
        mujoco.mju_quat2Vel(turn, rotation, 1.0)
        error = np.concatenate([p - data.xpos[body], turn])
        data.qpos[:] += np.linalg.lstsq(jacobian, error, rcond=None)[0]
    assert np.linalg.norm(error) < 1e-9, "the arm does not reach this pose"
    return data.qpos.copy()


def dock(timestep: float = 2e-3, coupled: bool = True, **scene: Any) -> Docking:
    """Dock, at MuJoCo's `timestep` (s)."""
    model = mujoco.MjModel.from_xml_path(str(ARM))
    model.opt.timestep = timestep
    data = mujoco.MjData(model)
    above = inverse_kinematics(model, START, OFFSET + [0.0, 0.0, APART], TILT)
    below = inverse_kinematics(model, above, OFFSET / 3 + [0.0, 0.0, SEATED - PRESS], np.array([1.0, 0.0, 0.0, 0.0]))
    contact = MujocoContact(model, "peg_in_hole")
    data.qpos[:] = data.ctrl[:] = above
    body, rows = model.body("interface").id, []
    while data.time < DURATION - timestep / 2:
        s = min(1.0, data.time / MOVE)
        data.ctrl[:] = above + s * s * (3 - 2 * s) * (below - above)
        contact.step(data)
        rows.append([data.time, *data.xpos[body], *data.xquat[body], np.linalg.norm(contact.simulation.wrenches[0, :3])])
    table = np.array(rows)
    return Docking(table[:, 0], table[:, 1:8], table[:, 8], contact.simulation.energy_error)


def main() -> None:
    for timestep in (5e-4, 1e-3, 2e-3, 5e-3):
        run = dock(timestep)
        print(timestep, run.pose[-1], run.beside[-1], run.force.max(), run.force[-1], run.energy_error)


if __name__ == "__main__":
    main()
