"""A square peg in a hole of four boxes in MuJoCo: at rest, along a wall, and jammed; and the statics of each.

Needs the package mujoco (pip install "contactlib[mujoco]"). MuJoCo has boxes, elliptic friction cones, its own
impedances, contacts with a time constant of 2 ms, and steps of 0.1 ms.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import mujoco
import numpy as np

PEG = tomllib.loads((Path(__file__).parent / "peg.toml").read_text(encoding="utf-8"))
STEP = 1e-4  # s
STUCK = 1e-3  # m/s: soft friction creeps more slowly, and a peg that slides is faster at the end
SCENE = """<mujoco><option timestep="{h!r}" gravity="0 0 {g!r}" cone="elliptic"/>
<default><geom type="box" friction="{mu!r} 0 0" condim="3" solref="0.002 1"/></default>
<worldbody>{walls}<body pos="{x!r} 0 {z!r}" quat="{c!r} 0 {s!r} 0"><freejoint/>
<inertial pos="0 0 {com!r}" mass="{mass!r}" diaginertia="{inertia}"/>
<geom pos="0 0 {middle!r}" size="{half_width!r} {half_width!r} {middle!r}"/></body></worldbody></mujoco>"""


def boxes(p, floor):
    """Middle and half sides of the walls, and of the floor at the depth `floor`, which 0 leaves out."""
    a, b, w, d = p["hole"], p["aside"], 0.5 * p["wall"], 0.5 * p["deep"]
    found = [([x * (a + w), 0, -d], [w, 0.1, d]) for x in (1, -1)]
    found += [([0, y * (b + w), -d], [a, w, d]) for y in (1, -1)]
    return found + ([([0, 0, -floor - w], [a, b, w])] if floor else [])


def pose(p, depth):
    """x and z of the foot's middle, and tilt (rad): 2 r cos t + d sin t = 2 R."""
    r, R = p["half_width"], p["hole"]
    t = math.atan2(depth, 2 * r) - math.acos(2 * R / math.hypot(2 * r, depth))
    return r * math.cos(t) - R, r * math.sin(t) - depth * math.cos(t), t


def build(p, place, mu, gravity=0.0, floor=0.0):
    x, z, t = place
    walls = "".join(f'<geom pos="{" ".join(map(repr, at))}" size="{" ".join(map(repr, size))}"/>'
                    for at, size in boxes(p, floor))
    model = mujoco.MjModel.from_xml_string(SCENE.format(
        h=STEP, g=-gravity, mu=mu, walls=walls, x=x, z=z, c=math.cos(t / 2), s=math.sin(t / 2), com=p["com"],
        mass=p["mass"], inertia=" ".join(map(repr, p["inertia"])), middle=0.5 * p["length"],
        half_width=p["half_width"]))
    return model, mujoco.MjData(model)


def load(data, force, moment):
    """A force on the foot's middle, and a moment about y; MuJoCo's loads act on the centre of mass."""
    arm = data.xpos[1] - data.xipos[1]
    data.xfrc_applied[1, :3] = force
    data.xfrc_applied[1, 3:] = np.array([0.0, moment, 0.0]) + np.cross(arm, force)


def go(model, data, duration):
    for _ in range(round(duration / STEP)):
        mujoco.mj_step(model, data)


def at_rest(p):
    q = p["rest"]
    model, data = build(p, (0.0, -q["depth"], 0.0), 0.3, p["gravity"], q["depth"])
    mujoco.mj_forward(model, data)
    load(data, [0.0, 0.0, -q["load"]], 0.0)
    go(model, data, q["duration"])
    mujoco.mj_forward(model, data)
    total = 0.0
    for k in range(data.ncon):
        force = np.zeros(6)
        mujoco.mj_contactForce(model, data, k, force)
        total += abs(data.contact[k].frame[2]) * force[0]
    return total


def falls(p):
    q = p["falls"]
    model, data = build(p, (p["hole"] - p["half_width"], -q["depth"], 0.0), q["mu"], p["gravity"])
    mujoco.mj_forward(model, data)
    for _ in range(round(q["duration"] / STEP)):
        load(data, [q["across"], 0.0, 0.0], q["across"] * q["above_foot"])
        mujoco.mj_step(model, data)
    return -data.qvel[2]


def jams(p, run, moment):
    """Whether the peg is stuck under the moment M/(r Fz)."""
    q = p["jams"]
    model, data = build(p, pose(p, run["depth"]), run["mu"])
    mujoco.mj_forward(model, data)
    for k in range(round(q["end"] / STEP)):
        part = q["load"] * min(1.0, k * STEP / q["ramp"])
        load(data, [part * run["across"] / run["mu"], 0.0, -part], part * moment * p["half_width"])
        mujoco.mj_step(model, data)
    return abs(data.qvel[2]) < STUCK


def bisect(p, stuck, middle):
    low, high = 0.8 * middle, 1.2 * middle
    if stuck(low) or not stuck(high):
        raise ValueError(f"no limit between {low:g} and {high:g}")
    for _ in range(p["jams"]["steps"]):
        tried = 0.5 * (low + high)
        low, high = (low, tried) if stuck(tried) else (tried, high)
    return 0.5 * (low + high)


def statics(p, run):
    """M/(r Fz) at which both contacts slide and forces and moments are balanced (Whitney 1982, here with the tilt)."""
    r, mu, d = p["half_width"], run["mu"], run["depth"]
    t = pose(p, d)[2]
    across, axis = np.array([math.cos(t), -math.sin(t)]), np.array([math.sin(t), math.cos(t)])
    on_side, on_foot = -across + mu * axis, np.array([1.0, mu])
    normals = np.linalg.solve(np.column_stack([on_side, on_foot]), [-run["across"] / mu, 1.0])
    arms = r * across + d * axis, -r * across
    moments = [at[1] * f[0] - at[0] * f[1] for at, f in zip(arms, (on_side, on_foot), strict=True)]
    return -float(normals @ moments) / r


def name(run):
    return f"jams, mu {run['mu']:g}, depth {1e3 * run['depth']:.0f} mm, mu Fx/Fz {run['across']:g}"


def values(p=PEG):
    q = p["falls"]
    found = {"rest: force (truth)": p["mass"] * p["gravity"] + p["rest"]["load"], "rest: force (MuJoCo)": at_rest(p),
             "falls: speed (truth)": (p["gravity"] - q["mu"] * q["across"] / p["mass"]) * q["duration"],
             "falls: speed (MuJoCo)": falls(p)}
    for run in p["jams"]["run"]:
        truth = statics(p, run)
        found[f"{name(run)} (truth)"] = truth
        found[f"{name(run)} (MuJoCo)"] = bisect(p, lambda moment, run=run: jams(p, run, moment), truth)
    return found
