"""The scenes in MuJoCo (pip install mujoco): boxes and spheres on a plane, elliptic friction cones, Newton's solver."""

from __future__ import annotations

import math

import mujoco
import numpy as np

STEP = 5e-4  # s
#: stiff and nearly rigid contacts: time constant of 2 ms, critically damped; the other numbers are MuJoCo's own
CONTACT = 'solref="0.002 1" condim="3"'
OPTION = '<option timestep="{h!r}" gravity="{g[0]!r} 0 {g[1]!r}" cone="elliptic" integrator="{way}"/>'


def load(bodies, gravity=(0.0, 0.0), mu=1.0, h=STEP, way="Euler", contact=CONTACT, plane=True):
    floor = '<geom type="plane" size="9 9 1"/>' if plane else ""
    text = (f"<mujoco>{OPTION.format(h=h, g=gravity, way=way)}<default><geom friction='{mu!r} 0 0' {contact}/>"
            f"</default><worldbody>{floor}{bodies}</worldbody></mujoco>")
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def body(geom, mass, inertia, at):
    return (f'<body pos="{at[0]!r} {at[1]!r} {at[2]!r}"><freejoint/><inertial pos="0 0 0" mass="{mass!r}" '
            f'diaginertia="{inertia[0]!r} {inertia[1]!r} {inertia[2]!r}"/>{geom}</body>')


def box(p, z):
    sides = " ".join(repr(0.5 * side) for side in p["box"]["size"])
    return body(f'<geom type="box" size="{sides}"/>', p["box"]["mass"], p["box"]["inertia"], (0.0, 0.0, z))


def go(model, data, duration):
    for _ in range(round(duration / model.opt.timestep)):
        mujoco.mj_step(model, data)


def normal_forces(model, data):
    """Normal forces (N,) and heights (N,) of the contacts, for the last positions."""
    mujoco.mj_forward(model, data)
    force = np.zeros((data.ncon, 6))
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force[k])
    return force[:, 0], data.contact.pos[:, 2]


def at_rest(p):
    half = 0.5 * p["box"]["size"][2]
    model, data = load(box(p, half), (0.0, -p["gravity"]))
    go(model, data, p["box"]["duration"])
    return {"rest: sag": 1e6 * (half - data.qpos[2]), "rest: force": normal_forces(model, data)[0].sum()}


def on_slope(p):
    half, a = 0.5 * p["box"]["size"][2], p["slope"]
    gravity, found = (p["gravity"] * math.sin(a), -p["gravity"] * math.cos(a)), {}
    model, data = load(box(p, half), gravity, p["box"]["mu_sticks"])
    go(model, data, 0.5 * p["box"]["duration"])
    before = data.qpos[0]
    go(model, data, 0.5 * p["box"]["duration"])
    found["slope: creep"] = 1e6 * (data.qpos[0] - before) / (0.5 * p["box"]["duration"])
    model, data = load(box(p, half), gravity, p["box"]["mu_slides"])
    go(model, data, p["box"]["duration"])
    found["slope: speed"] = data.qvel[0]
    model, data = load(box(p, half), (0.0, -p["gravity"]), p["box"]["mu_slides"])
    data.qvel[0] = p["box"]["thrown"]
    go(model, data, p["box"]["duration"])
    return {**found, "thrown: distance": data.qpos[0]}


def ball(p):
    b = p["ball"]
    geom = f'<geom type="sphere" size="{b["radius"]!r}"/>'
    inertia = [0.4 * b["mass"] * b["radius"] ** 2] * 3
    model, data = load(body(geom, b["mass"], inertia, (0.0, 0.0, b["radius"])), (0.0, -p["gravity"]), b["mu"])
    data.qvel[0] = b["speed"]
    go(model, data, b["duration"])
    return {"ball: speed": data.qvel[0], "ball: speed of the rim": b["radius"] * data.qvel[4],
            "ball: distance": data.qpos[0]}


def tumble(p):
    t = p["tumble"]
    model, data = load(body("", t["mass"], t["inertia"], (0.0, 0.0, 0.0)), h=1e-3, way="RK4", plane=False)
    data.qvel[3:] = t["spin"]
    go(model, data, t["duration"])
    w, R = data.qvel[3:].copy(), np.zeros(9)
    mujoco.mju_quat2Mat(R, data.qpos[3:])
    return tumbled(t, w, R.reshape(3, 3))


def tumbled(t, w_B, R):
    """What is compared of a body that tumbles: axis y of the body along Y, and relative changes of energy, momentum."""
    inertia, start = np.array(t["inertia"]), np.array(t["spin"])
    momentum, first = R @ (inertia * w_B), inertia * start
    return {"tumble: attitude": R[1, 1],
            "tumble: energy": 1e9 * ((inertia * w_B**2).sum() / (inertia * start**2).sum() - 1),
            "tumble: momentum": 1e9 * np.linalg.norm(momentum - first) / np.linalg.norm(first)}


def stack(p):
    high = p["box"]["size"][2]
    model, data = load("".join(box(p, (k + 0.5) * high) for k in range(p["stack"]["boxes"])), (0.0, -p["gravity"]))
    go(model, data, p["stack"]["duration"])
    force, height = normal_forces(model, data)
    layer = np.round(height / high)
    top = data.qpos.reshape(-1, 7)[-1]
    return {"stack: sag of the top": 1e6 * ((p["stack"]["boxes"] - 0.5) * high - top[2]),
            "stack: drift of the top": 1e6 * math.hypot(top[0], top[1]),
            **{f"stack: force on layer {k}": force[layer == k].sum() for k in range(p["stack"]["boxes"])}}


def cradle(p, gap):
    """Two bodies alone part with the acceleration K x, where -K is what solref gives, whatever the impedance d is.

    With several contacts, each is a spring of the stiffness K/A, A = 2/m, only if d is small.
    """
    c, d = p["cradle"], 1e-3
    given = c["stiffness"] * 2 / c["mass"]
    contact = f'condim="1" solref="{-given!r} 0" solimp="{d!r} {d!r} 0.001"'
    geom = f'<geom type="sphere" size="{c["radius"]!r}"/>'
    inertia = [0.4 * c["mass"] * c["radius"] ** 2] * 3
    balls = "".join(body(geom, c["mass"], inertia, (k * (2 * c["radius"] + gap), 0.0, 0.0)) for k in range(c["balls"]))
    model, data = load(balls, h=2e-6, contact=contact, plane=False)
    data.qvel[0] = c["speed"]
    go(model, data, 0.02 if gap else 0.01)
    return data.qvel.reshape(-1, 6)[:, 0]


def values(p):
    return {**at_rest(p), **on_slope(p), **ball(p), **tumble(p), **stack(p),
            "apart": cradle(p, p["cradle"]["gap"]), "touching": cradle(p, 0.0)}
