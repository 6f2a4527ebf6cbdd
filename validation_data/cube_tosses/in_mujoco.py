"""The same tosses in MuJoCo (`pip install mujoco`), with as many numbers to fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from case import CORNERS, INERTIA, MASS, MOST_FRAMES, RATE, Toss, com, gravity, initial_state
from scipy.spatial.transform import Rotation

SCENE = """<mujoco>
<option timestep="{h!r}" gravity="{g}" cone="elliptic" impratio="{impratio!r}"/>
<default>
<geom friction="{mu!r} 0 0" condim="3" solref="{stiffness!r} {damping!r}" solimp="{d!r} {d!r} 0.001"/>
</default>
<worldbody>
<geom type="plane" size="9 9 1"/>
<body>
<freejoint/>
<inertial pos="{com}" mass="{mass!r}" diaginertia="{j!r} {j!r} {j!r}"/>
{corners}
</body>
</worldbody>
</mujoco>"""


def model(p: Mapping[str, float], substeps: int):
    """Return the MjModel: a rounded box touches a plane with the eight balls of its corners."""
    import mujoco

    inner = (p["half_width"] - p["rounding"]) * CORNERS
    corners = "".join(f'<geom type="sphere" size="{p["rounding"]!r}" pos="{x!r} {y!r} {z!r}"/>'
                      for x, y, z in inner.tolist())
    return mujoco.MjModel.from_xml_string(SCENE.format(
        h=1.0 / RATE / substeps, g=" ".join(map(repr, gravity(p).tolist())), impratio=p["impratio"], mu=p["mu"],
        stiffness=-p["stiffness"], damping=-p["damping"], d=1.0 - p["softness"], mass=MASS,
        com=" ".join(map(repr, com(p).tolist())), j=p["inertia"] * INERTIA, corners=corners))


def simulate(p: Mapping[str, float], tosses: Sequence[Toss], substeps: int) -> np.ndarray:
    """Return r and attitude of all frames, as `case.simulate` does."""
    import mujoco
    from mujoco import rollout

    starts = np.array([initial_state(toss, com(p), gravity(p)) for toss in tosses])
    turned = Rotation.from_quat(starts[:, [4, 5, 6, 3]]).inv()
    starts[:, 10:] = turned.apply(starts[:, 10:])  # MuJoCo has w in body axes
    mj_model = model(p, substeps)
    states, _ = rollout.rollout(mj_model, mujoco.MjData(mj_model), np.insert(starts, 0, 0.0, axis=1),
                                nstep=MOST_FRAMES * substeps)
    frames = np.concatenate([starts[:, None, :7], states[:, substeps - 1 :: substeps, 1:8]], axis=1)
    if not np.isfinite(frames).all():
        raise ValueError("a run failed")
    return frames
