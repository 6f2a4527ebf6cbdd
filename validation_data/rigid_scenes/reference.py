"""Seven scenes of rigid bodies in MuJoCo, Drake and Exudyn, and their truth: closed forms, and fine integration.

Needs the packages mujoco, drake and exudyn. Each code is in a file of its own, such as in_drake.py.
"""

from __future__ import annotations

import math
import runpy
import tomllib
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

HERE = Path(__file__).parent
SCENES = tomllib.loads((HERE / "scenes.toml").read_text(encoding="utf-8"))
#: the balls of the cradle that are compared
SHOWN = {"apart": (1, 5), "touching": (1, 4, 5)}
CODES = {"MuJoCo": "in_mujoco.py", "Drake": "in_drake.py", "Exudyn": "in_exudyn.py"}


def norms(width, d):
    """M/S, the mean of e^4 over a square face that is d deep, and its slope: on a plane, and on an equal box.

    On a plane the face has e = d, and the four sides add the integral of e^4 over their lowest d. On an equal box e is
    d or the distance from the rim, whichever is smaller, and the sides add nothing.
    """
    a, square = width, width**2
    on_plane = d**4 + 4 * d**5 / (5 * a), 4 * d**3 + 4 * d**4 / a
    on_box = ((a - 2 * d) ** 2 * d**4 + 4 * a * d**5 / 5 - 4 * d**6 / 3) / square, 4 * d**3 * (a - 2 * d) ** 2 / square
    return {"plane": on_plane, "box": on_box}


def sag(p, load, on):
    """The depth d at which k Phi dPhi/dd is the load, Phi^4 = M/S, k that of four springs side by side."""
    spring, width = 4 * p["contact"]["stiffness"], p["box"]["size"][0]

    def excess(d):
        mean, slope = norms(width, d)[on]
        return spring * 0.25 * slope / math.sqrt(mean) - load

    return brentq(excess, 0.9 * load / spring, 1.1 * load / spring, xtol=1e-18, rtol=1e-15)


def boxes(p):
    """Weights on faces that give way, and Coulomb's law."""
    g, box, a = p["gravity"], p["box"], p["slope"]
    weight = box["mass"] * g
    layers = range(p["stack"]["boxes"])
    return {
        "rest: sag": 1e6 * sag(p, weight, "plane"), "rest: force": weight, "slope: creep": 0.0,
        "slope: speed": g * (math.sin(a) - box["mu_slides"] * math.cos(a)) * box["duration"],
        "thrown: distance": box["thrown"] ** 2 / (2 * box["mu_slides"] * g),
        "stack: sag of the top": 1e6 * sum(sag(p, (len(layers) - k) * weight, "box" if k else "plane")
                                           for k in layers),
        "stack: drift of the top": 0.0,
        **{f"stack: force on layer {k}": (len(layers) - k) * weight for k in layers},
    }


def ball(p):
    """A ball slides with mu g until it rolls at 5/7 of its speed."""
    b, g = p["ball"], p["gravity"]
    until = 2 * b["speed"] / (7 * b["mu"] * g)
    slid = b["speed"] * until - 0.5 * b["mu"] * g * until**2
    rolling = 5 / 7 * b["speed"]
    return {"ball: speed": rolling, "ball: speed of the rim": rolling,
            "ball: distance": slid + rolling * (b["duration"] - until)}


def soft_ball(p):
    """The ball rolls on the middle of its overlap with the plane: on a radius that is shorter by half of the sag."""
    b = p["ball"]
    r = b["radius"] - 0.5 * b["mass"] * p["gravity"] / p["contact"]["stiffness"]
    speed = b["speed"] / (1 + 0.4 * (b["radius"] / r) ** 2)
    return {"ball: speed": speed, "ball: speed of the rim": speed * b["radius"] / r}


def tumble(p):
    """Euler's equations and the attitude, integrated with 1e-13; energy and momentum do not change."""
    inertia = np.array(p["tumble"]["inertia"])

    def rate(_, y):
        w, R = y[:3], y[3:].reshape(3, 3)
        cross = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
        return np.r_[np.cross(inertia * w, w) / inertia, (R @ cross).ravel()]

    start = np.r_[p["tumble"]["spin"], np.eye(3).ravel()]
    end = solve_ivp(rate, (0.0, p["tumble"]["duration"]), start, "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return {"tumble: attitude": end[3:].reshape(3, 3)[1, 1], "tumble: energy": 0.0, "tumble: momentum": 0.0}


def cradles(p):
    """Apart: five impacts of two equal balls. Touching: a chain of springs that only push."""
    c = p["cradle"]
    n, w2 = c["balls"], c["stiffness"] / c["mass"]

    def rate(_, y):
        push = w2 * np.maximum(0.0, y[: n - 1] - y[1:n])
        return np.r_[y[n:], np.r_[0.0, push] - np.r_[push, 0.0]]

    start = np.r_[np.zeros(n), c["speed"], np.zeros(n - 1)]
    touching = solve_ivp(rate, (0.0, 0.01), start, "DOP853", rtol=1e-11, atol=1e-14, max_step=1e-5).y[n:, -1]
    return {"apart": np.r_[np.zeros(n - 1), c["speed"]], "touching": touching}


def flat(found):
    """Speeds of some of the cradle's balls, by number."""
    rows = {name: float(value) for name, value in found.items() if name not in SHOWN}
    speeds = {f"cradle {name}: ball {k}": float(found[name][k - 1]) for name, balls in SHOWN.items() for k in balls}
    return rows | speeds


def truth():
    return flat({**boxes(SCENES), **ball(SCENES), **tumble(SCENES), **cradles(SCENES)})


def values():
    found = {"truth": truth()}
    for code, file in CODES.items():
        found[code] = flat(runpy.run_path(str(HERE / file))["values"](SCENES))
    found["truth with the sag"] = soft_ball(SCENES)
    return {f"{name} ({source})": rows[name] for name in found["truth"]
            for source, rows in found.items() if name in rows}
