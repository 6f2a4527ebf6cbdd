"""A gripper in MuJoCo holds a box for a minute, with contactlib's friction and with MuJoCo's.

    python examples/mujoco_gripper.py
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco

from contactlib.adapters.mujoco import MujocoContact

GRIPPER = Path(__file__).parent / "mujoco_models" / "gripper.xml"
FORCE = 20.0  # N, of each finger
PAIRS = [("left", "box"), ("right", "box")]
LAW: dict[str, Any] = {
    "normal": {"kind": "kelvin_voigt", "stiffness": 2e4, "damping": 100.0},
    "friction": {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 2e4,
                 "tangential_damping": 100.0},
}


@dataclass(frozen=True)
class Hold:
    """How far the box slips after the first second (m, negative: down), and the friction on it at the end (N)."""

    slip: float
    friction: float


def hold(duration: float = 60.0, timestep: float = 5e-3) -> Hold:
    """Close the fingers, and hold with contactlib's contact."""
    model = mujoco.MjModel.from_xml_path(str(GRIPPER))
    model.opt.timestep = timestep
    data = mujoco.MjData(model)
    data.ctrl[:] = FORCE
    contact = MujocoContact.from_geoms(model, PAIRS, **LAW)
    while data.time < 1.0:
        contact.step(data)
    before = data.body("box").xpos[2]
    while data.time < duration:
        contact.step(data)
    return Hold(float(data.body("box").xpos[2] - before), float(data.xfrc_applied[model.body("box").id, 2]))


def hold_by_mujoco(duration: float = 60.0, timestep: float = 2e-3, **options: Any) -> float:
    """How far the box slips (m) after the first second with MuJoCo's own contact; `options` are fields of model.opt."""
    model = mujoco.MjModel.from_xml_path(str(GRIPPER))
    model.opt.timestep = timestep
    for name, value in options.items():
        setattr(model.opt, name, value)
    data = mujoco.MjData(model)
    data.ctrl[:] = FORCE
    mujoco.mj_step(model, data, nstep=round(1.0 / timestep))
    before = float(data.body("box").xpos[2])
    mujoco.mj_step(model, data, nstep=round((duration - 1.0) / timestep))
    return float(data.body("box").xpos[2]) - before


def main() -> None:
    held = hold()
    tuned = hold_by_mujoco(cone=mujoco.mjtCone.mjCONE_ELLIPTIC, impratio=100.0, noslip_iterations=20)
    print(f"contactlib: the box slips {1e9 * held.slip:.3g} nm in 59 s; friction holds {held.friction:.3f} N")
    print(f"MuJoCo, its defaults: the box slips {1e3 * hold_by_mujoco():.3g} mm")
    print(f"MuJoCo, elliptic cone, impratio 100, 20 noslip iterations: the box slips {1e3 * tuned:.3g} mm")


if __name__ == "__main__":
    main()
