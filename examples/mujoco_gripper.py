"""A gripper in MuJoCo holds a box for a minute, with contactlib's friction and with MuJoCo's.

    python examples/mujoco_gripper.py
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from contactlib.adapters.mujoco import MujocoContact
from panels import Panel, draw

GRIPPER = Path(__file__).parent / "mujoco_models" / "gripper.xml"
FORCE = 20.0  # N, of each finger
LEAST = 1e-9  # mm, of the picture's logarithmic axis
PAIRS = [("left", "box"), ("right", "box")]
LAW: dict[str, Any] = {
    "normal": {"kind": "kelvin_voigt", "stiffness": 2e4, "damping": 100.0},
    "friction": {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 2e4,
                 "tangential_damping": 100.0},
}


@dataclass(frozen=True)
class Hold:
    """How far the box slips after the first second (m, negative: down), and the friction on it at the end (N).

    heights : m, of the box after each second.
    """

    slip: float
    friction: float
    heights: np.ndarray


def hold(duration: float = 60.0, timestep: float = 5e-3) -> Hold:
    """Close the fingers, and hold with contactlib's contact."""
    model = mujoco.MjModel.from_xml_path(str(GRIPPER))
    model.opt.timestep = timestep
    data = mujoco.MjData(model)
    data.ctrl[:] = FORCE
    contact = MujocoContact.from_geoms(model, PAIRS, **LAW)
    heights = []
    for second in range(1, round(duration) + 1):
        while data.time < second:
            contact.step(data)
        heights.append(float(data.body("box").xpos[2]))
    return Hold(heights[-1] - heights[0], float(data.xfrc_applied[model.body("box").id, 2]), np.array(heights))


def hold_by_mujoco(duration: float = 60.0, timestep: float = 2e-3, **options: Any) -> float:
    """How far the box slips (m) after the first second with MuJoCo's own contact; `options` are fields of model.opt."""
    heights = heights_by_mujoco(duration, timestep, **options)
    return float(heights[-1] - heights[0])


def heights_by_mujoco(duration: float = 60.0, timestep: float = 2e-3, **options: Any) -> np.ndarray:
    """Height of the box (m) after each second with MuJoCo's own contact."""
    model = mujoco.MjModel.from_xml_path(str(GRIPPER))
    model.opt.timestep = timestep
    for name, value in options.items():
        setattr(model.opt, name, value)
    data = mujoco.MjData(model)
    data.ctrl[:] = FORCE
    heights = []
    for _ in range(round(duration)):
        mujoco.mj_step(model, data, nstep=round(1.0 / timestep))
        heights.append(float(data.body("box").xpos[2]))
    return np.array(heights)


def main() -> None:
    held = hold()
    plain = heights_by_mujoco()
    tuned = heights_by_mujoco(cone=mujoco.mjtCone.mjCONE_ELLIPTIC, impratio=100.0, noslip_iterations=20)
    print(f"contactlib: the box slips {1e9 * held.slip:.3g} nm in 59 s; friction holds {held.friction:.3f} N")
    print(f"MuJoCo, its defaults: the box slips {1e3 * (plain[-1] - plain[0]):.3g} mm")
    print("MuJoCo, elliptic cone, impratio 100, 20 noslip iterations: "
          f"the box slips {1e3 * (tuned[-1] - tuned[0]):.3g} mm")
    paths = {"contactlib": held.heights, "MuJoCo, its defaults": plain, "MuJoCo, tuned": tuned}
    draw("mujoco_gripper", Panel("A box held by two fingers", "time  [s]", "slip since the first second  [mm]", {
        name: (np.arange(2, len(path) + 1), np.maximum(1e3 * np.abs(path[0] - path[1:]), LEAST))
        for name, path in paths.items()}, scales=("linear", "log")))


if __name__ == "__main__":
    main()
