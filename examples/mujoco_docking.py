"""Four pins docked by an arm with seven joints: the arm is MuJoCo's, pins and holes are those of `peg_in_hole`.

    python examples/mujoco_docking.py

The servos of the joints lead the interface down, at first 1.8 mm and 0.7 degrees beside the holes, at the end still
0.6 mm, and press it in. The holes guide the pins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from contactlib.adapters.mujoco import MujocoContact
from panels import Panel, draw

Floats = NDArray[np.float64]
ARM = Path(__file__).parent / "mujoco_models" / "arm.xml"
START = np.array([0.0, 0.3, 0.0, 1.2, 0.0, 1.6, 0.0])  # rad, near the solution
APART, SEATED, PRESS = 0.085, 0.0098, 3.3e-3  # m: heights, and how far below its seat the servos lead the interface
OFFSET, TILT = np.array([1.5e-3, -1e-3, 0.0]), np.array([0.99998096, 0.005, -0.003, 0.002])  # as in the scene
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
MOVE, DURATION = 3.0, 4.0  # s


@dataclass(frozen=True)
class Docking:
    """The interface over its target: time (T,) s, pose (T, 7) m and quaternion, force (T,) N between both."""

    time: Floats
    pose: Floats
    force: Floats

    @property
    def beside(self) -> Floats:
        """Distance of the middle of the docking face from the target's axis, m, (T,)."""
        return np.asarray(np.hypot(self.pose[:, 0], self.pose[:, 1]))


def inverse_kinematics(model: Any, start: Floats, p: Floats, q: Floats, body: str = "interface") -> Floats:
    """Return joint angles (7,) that put a body at p (m) with the attitude q, by Newton's method from `start`.

    Raises ValueError if the arm does not reach the place.
    """
    data, tip = mujoco.MjData(model), model.body(body).id
    data.qpos[:] = start
    jacobian, error, rotation = np.zeros((6, model.nv)), np.zeros(6), np.zeros(4)
    for _ in range(50):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacBody(model, data, jacobian[:3], jacobian[3:], tip)
        mujoco.mju_mulQuat(rotation, q, data.xquat[tip] * [1.0, -1.0, -1.0, -1.0])
        mujoco.mju_quat2Vel(error[3:], rotation, 1.0)
        error[:3] = p - data.xpos[tip]
        if np.linalg.norm(error) < 1e-12:
            break
        data.qpos[:] += np.linalg.lstsq(jacobian, error, rcond=None)[0]
    if np.linalg.norm(error) > 1e-9:
        raise ValueError(f"p = {p}: the arm does not reach this place")
    return data.qpos.copy()


def follow(model: Any, step: Callable[[Any], float]) -> Docking:
    """Move the arm of a model into its target; `step(data)` steps, and returns the force on the interface (N)."""
    data, body, rows = mujoco.MjData(model), model.body("interface").id, []
    above = inverse_kinematics(model, START, OFFSET + np.array([0.0, 0.0, APART]), TILT)
    below = inverse_kinematics(model, above, OFFSET / 3 + np.array([0.0, 0.0, SEATED - PRESS]), UPRIGHT)
    data.qpos[:] = data.ctrl[:] = above
    for _ in range(round(DURATION / model.opt.timestep)):
        s = min(1.0, data.time / MOVE)
        data.ctrl[:] = above + s * s * (3 - 2 * s) * (below - above)
        force = step(data)
        rows.append([data.time, *data.xpos[body], *data.xquat[body], force])
    table = np.array(rows)
    return Docking(table[:, 0], table[:, 1:8], table[:, 8])


def dock(timestep: float = 5e-3) -> Docking:
    """Dock with contactlib's contact, at MuJoCo's `timestep` (s)."""
    model = mujoco.MjModel.from_xml_path(str(ARM))
    model.opt.timestep = timestep
    contact = MujocoContact(model, "peg_in_hole")

    def step(data: Any) -> float:
        contact.step(data)
        return float(np.linalg.norm(contact.simulation.result.wrench("interface")[:3]))

    return follow(model, step)


def main() -> None:
    print("step        height   beside   force")
    runs = {}
    for timestep in (1e-3, 2e-3, 5e-3, 1e-2):
        docked = runs[f"steps of {1e3 * timestep:g} ms"] = dock(timestep)
        print(f"{1e3 * timestep:4.0f} ms  {1e3 * docked.pose[-1, 2]:7.3f} mm {1e3 * docked.beside[-1]:5.3f} mm "
              f"{docked.force[-1]:5.1f} N")
    draw("mujoco_docking", Panel("Height of the interface", "time  [s]", "height  [mm]", {
        name: (run.time, 1e3 * run.pose[:, 2]) for name, run in runs.items()}),
        Panel("Contact force on the interface", "time  [s]", "force  [N]",
              {name: (run.time, run.force) for name, run in runs.items()}))


if __name__ == "__main__":
    main()
