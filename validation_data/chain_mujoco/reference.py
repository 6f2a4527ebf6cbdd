"""A floating chain of four bodies in MuJoCo: hinge with spring and damper, slider with spring, free hinge; RK4.

Needs the package mujoco (pip install "contactlib[mujoco]"). Writes the places of the bodies, each 50 ms, and start.csv.
"""

from __future__ import annotations

import mujoco
import numpy as np

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
VELOCITIES = (0.1, -0.2, 0.05, 0.3, -0.4, 0.2, 1.5, -0.6, 4.0)
EVERY, ROWS = 500, 41


def series():
    model = mujoco.MjModel.from_xml_string(CHAIN)
    data = mujoco.MjData(model)
    data.qvel[:] = VELOCITIES
    mujoco.mj_forward(model, data)
    start = []
    for name in NAMES:
        at, velocity = model.body(name).id, np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, at, velocity, 0)
        start.append([*data.xpos[at], *data.xquat[at], *velocity[3:], *velocity[:3]])
    rows = []
    for k in range(ROWS):
        rows.append([0.05 * k, *(x for name in NAMES for x in data.body(name).xpos)])
        for _ in range(EVERY):
            mujoco.mj_step(model, data)
    titles = ("t", *(f"{name} {axis}" for name in NAMES for axis in "xyz"))
    states = ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
    return {"places.csv": (titles, rows), "start.csv": (states, start)}
