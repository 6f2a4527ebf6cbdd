"""The square peg by this library: boxes against boxes, Kelvin-Voigt and a bristle."""

import math
import tomllib
from pathlib import Path

import numpy as np

from contactlib.validation import building

HERE = Path(__file__).parent
STIFFNESS, DAMPING, STEP, REPORT = 1e8, 1000.0, 1e-5, 1e-3  # N/m, N s/m, s
SHARPNESS = 16  # statics has points: a leaning edge presses at 1/17 of its patch's length from it, not at 1/5
DRIFT = 1e-8  # m: a peg that is stuck does not creep
SOURCES = ("truth", "MuJoCo")


def scene(p, place, mu, gravity=0.0, floor=0.0):
    """The peg with its foot's middle at x, z and a tilt (rad) about y, between four walls; floor 0 is none."""
    a, b, w, d = p["hole"], p["aside"], p["wall"], p["deep"]
    walls = [building.shape("box", "b", f"wall_{k}", size=size, r=at) for k, (at, size) in enumerate([
        ([a + w / 2, 0, -d / 2], [w, 0.2, d]), ([-a - w / 2, 0, -d / 2], [w, 0.2, d]),
        ([0, b + w / 2, -d / 2], [2 * a, w, d]), ([0, -b - w / 2, -d / 2], [2 * a, w, d])])]
    if floor:
        walls.append(building.shape("box", "b", "floor", size=[2 * a, 2 * b, w], r=[0, 0, -floor - w / 2]))
    x, z, t = place
    solid = building.shape("box", size=[2 * p["half_width"]] * 2 + [p["length"]], r=[0, 0, p["length"] / 2])
    peg = building.body("peg", "free", [solid], mass=p["mass"], inertia=p["inertia"], com=[0, 0, p["com"]],
                        state={"r": [x, 0, z], "q": [math.cos(t / 2), 0, math.sin(t / 2), 0]})
    law = {"sharpness": SHARPNESS,
           "normal": {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": DAMPING},
           "friction": {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": STIFFNESS,
                        "tangential_damping": DAMPING}}
    return building.scene([peg, building.body("hole", "fixed", walls)], law, [("peg", "hole")], step_size=STEP,
                          gravity=[0, 0, -gravity])


def pose(p, depth):
    """x and z of the foot's middle, and tilt (rad): 2 r cos t + d sin t = 2 R."""
    r, R = p["half_width"], p["hole"]
    t = math.atan2(depth, 2 * r) - math.acos(2 * R / math.hypot(2 * r, depth))
    return r * math.cos(t) - R, r * math.sin(t) - depth * math.cos(t), t


def jam_moment(runner, p, run):
    """M/(r Fz) between sliding and sticking, by bisection."""
    q, model = p["jams"], scene(p, pose(p, run["depth"]), run["mu"]).compile()
    ramp = np.array([0.0, q["ramp"], q["end"]])

    def stuck(moment):
        loads = {"peg.f_ext[1]": run["across"] / run["mu"], "peg.f_ext[3]": -1.0,
                 "peg.t_ext[2]": moment * p["half_width"]}
        inputs = {name: (ramp, q["load"] * value * np.array([0.0, 1.0, 1.0])) for name, value in loads.items()}
        z = runner.run(model, q["end"], REPORT, ["peg.r[3]"], inputs)["peg.r[3]"]
        return abs(z[-1] - z[round(q["rest"] / REPORT)]) < DRIFT

    lam = run["depth"] / (2 * p["half_width"] * run["mu"])
    middle = lam + (1 + lam) * run["across"]  # Whitney's, between 0.8 and 1.2 of which the limit must be
    low, high = 0.8 * middle, 1.2 * middle
    if stuck(low) or not stuck(high):
        raise ValueError(f"no limit between {low:g} and {high:g}")
    for _ in range(q["steps"]):
        tried = 0.5 * (low + high)
        low, high = (low, tried) if stuck(tried) else (tried, high)
    return 0.5 * (low + high)


def run(runner):
    p = tomllib.loads((HERE / "peg.toml").read_text(encoding="utf-8"))
    rest, falls = p["rest"], p["falls"]
    stands = runner.run(scene(p, (0.0, -rest["depth"], 0.0), 0.3, p["gravity"], rest["depth"]), rest["duration"], 0.01,
                        ["peg.f[3]"], {"peg.f_ext[3]": -rest["load"]})
    along = runner.run(scene(p, (p["hole"] - p["half_width"], -falls["depth"], 0.0), falls["mu"], p["gravity"]),
                       falls["duration"], REPORT, ["peg.v[3]"],
                       {"peg.f_ext[1]": falls["across"], "peg.t_ext[2]": falls["across"] * falls["above_foot"]})
    ours = {"rest: force": stands["peg.f[3]"][-1], "falls: speed": -along["peg.v[3]"][-1]}
    for one in p["jams"]["run"]:
        name = f"jams, mu {one['mu']:g}, depth {1e3 * one['depth']:.0f} mm, mu Fx/Fz {one['across']:g}"
        ours[name] = jam_moment(runner, p, one)
    return {f"{name} ({source})": value for name, value in ours.items() for source in SOURCES}
