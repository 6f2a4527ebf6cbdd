"""The seven scenes by this library; each number is compared with the truth and with three codes."""

import math
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np

from contactlib.validation import building

HERE = Path(__file__).parent
STEP = 5e-4  # s
#: the balls of the cradle that are compared, by number
SHOWN = {"apart": (1, 5), "touching": (1, 4, 5)}
FEET = 4  # springs side by side under a box in the other codes; here its face is one contact with their sum
SOURCES = ("truth", "truth with the sag", "MuJoCo", "Drake", "Exudyn")
#: what is a parameter of the other code, not a result: its softness, and its creep
LEFT_OUT = {"MuJoCo": ("rest: sag", "stack: sag of the top", "slope: creep"), "Drake": ("slope: creep",),
            "Exudyn": ("slope: creep",)}
ONLY = {"truth with the sag": ("ball: speed", "ball: speed of the rim")}


def law(p, mu, feet=FEET):
    stiffness, damping = feet * p["contact"]["stiffness"], feet * p["contact"]["damping"]
    return {"normal": {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": damping},
            "friction": {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": stiffness,
                         "tangential_damping": damping}}


def box(p, name, z, speed=0.0, material="a"):
    shape = building.shape("box", material, size=p["box"]["size"])
    return building.body(name, "free", [shape], mass=p["box"]["mass"], inertia=p["box"]["inertia"],
                         state={"r": [0, 0, z], "v": [speed, 0, 0]})


def one_box(runner, p, gravity, mu, speed=0.0):
    scene = building.scene([box(p, "box", 0.5 * p["box"]["size"][2], speed), building.floor()], law(p, mu),
                           [("box", "floor")], gravity=[gravity[0], 0, gravity[1]], step_size=STEP)
    return runner.run(scene, p["box"]["duration"], 0.01, ["box.r[1]", "box.r[3]", "box.v[1]", "floor.f[3]"])


def boxes(runner, p):
    half, g, a = 0.5 * p["box"]["size"][2], p["gravity"], p["slope"]
    rest = one_box(runner, p, (0.0, -g), p["box"]["mu_slides"])
    slope = g * math.sin(a), -g * math.cos(a)
    sticks = one_box(runner, p, slope, p["box"]["mu_sticks"])["box.r[1]"]
    slides = one_box(runner, p, slope, p["box"]["mu_slides"])
    thrown = one_box(runner, p, (0.0, -g), p["box"]["mu_slides"], p["box"]["thrown"])
    return {"rest: sag": 1e6 * (half - rest["box.r[3]"][-1]), "rest: force": -rest["floor.f[3]"][-1],
            "slope: creep": 1e6 * (sticks[-1] - sticks[50]) / (0.5 * p["box"]["duration"]),
            "slope: speed": slides["box.v[1]"][-1], "thrown: distance": thrown["box.r[1]"][-1]}


def ball(runner, p):
    b = p["ball"]
    made = building.body("ball", "free", [building.shape("sphere", radius=b["radius"])], mass=b["mass"],
                         inertia=[0.4 * b["mass"] * b["radius"] ** 2] * 3,
                         state={"r": [0, 0, b["radius"]], "v": [b["speed"], 0, 0]})
    scene = building.scene([made, building.floor()], law(p, b["mu"], feet=1), [("ball", "floor")],
                           gravity=[0, 0, -p["gravity"]], step_size=STEP)
    found = runner.run(scene, b["duration"], 0.01, ["ball.v[1]", "ball.w[2]", "ball.r[1]"])
    return {"ball: speed": found["ball.v[1]"][-1], "ball: speed of the rim": b["radius"] * found["ball.w[2]"][-1],
            "ball: distance": found["ball.r[1]"][-1]}


def tumble(runner, p):
    t = p["tumble"]
    inertia, start = np.array(t["inertia"]), np.array(t["spin"])
    made = building.body("top", "free", mass=t["mass"], inertia=t["inertia"], state={"w": t["spin"]})
    scene = building.scene([made], step_size=1e-3, integrator="rk4")
    names = [f"top.q[{k}]" for k in (1, 2, 3, 4)] + [f"top.w[{k}]" for k in (1, 2, 3)]
    found = runner.run(scene, t["duration"], 0.01, names)
    w, x, y, z, *spin = (found[name][-1] for name in names)
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                  [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    turns = R.T @ np.array(spin)
    first = inertia * start
    return {"tumble: attitude": R[1, 1],
            "tumble: energy": 1e9 * ((inertia * turns**2).sum() / (inertia * start**2).sum() - 1),
            "tumble: momentum": 1e9 * np.linalg.norm(R @ (inertia * turns) - first) / np.linalg.norm(first)}


def stack(runner, p):
    """The materials alternate, so that one law serves; wrenches of boxes are sums, from the top down."""
    high, count = p["box"]["size"][2], p["stack"]["boxes"]
    names = [f"box_{k}" for k in range(count)]
    bodies = [box(p, name, (k + 0.5) * high, material="ab"[k % 2]) for k, name in enumerate(names)]
    scene = building.scene([*bodies, building.floor()], law(p, p["box"]["mu_slides"]),
                           [("box_0", "floor"), *zip(names[1:], names, strict=False)],
                           gravity=[0, 0, -p["gravity"]], step_size=STEP)
    top = [f"{names[-1]}.r[{k}]" for k in (1, 2, 3)]
    found = runner.run(scene, p["stack"]["duration"], 0.01, [*top, *(f"{name}.f[3]" for name in names)])
    x, y, z = (found[name][-1] for name in top)
    loads = [found[f"{name}.f[3]"][-1] for name in names]
    return {"stack: sag of the top": 1e6 * ((count - 0.5) * high - z),
            "stack: drift of the top": 1e6 * math.hypot(x, y),
            **{f"stack: force on layer {k}": sum(loads[k:]) for k in range(count)}}


def cradle(runner, p, name, gap):
    c = p["cradle"]
    names = [f"ball_{k}" for k in range(c["balls"])]
    bodies = [building.body(ball, "free", [building.shape("sphere", "ab"[k % 2], radius=c["radius"])], mass=c["mass"],
                            inertia=[0.4 * c["mass"] * c["radius"] ** 2] * 3,
                            state={"r": [k * (2 * c["radius"] + gap), 0, 0], "v": [0.0 if k else c["speed"], 0, 0]})
              for k, ball in enumerate(names)]
    scene = building.scene(bodies, {"normal": {"kind": "kelvin_voigt", "stiffness": c["stiffness"], "damping": 0.0}},
                           list(pairwise(names)), step_size=2e-6, integrator="rk4")
    found = runner.run(scene, 0.02 if gap else 0.01, 0.01, [f"{ball}.v[1]" for ball in names])
    return {f"cradle {name}: ball {k}": found[f"ball_{k - 1}.v[1]"][-1] for k in SHOWN[name]}


def run(runner):
    p = tomllib.loads((HERE / "scenes.toml").read_text(encoding="utf-8"))
    ours = {**boxes(runner, p), **ball(runner, p), **tumble(runner, p), **stack(runner, p),
            **cradle(runner, p, "apart", p["cradle"]["gap"]), **cradle(runner, p, "touching", 0.0)}
    return {f"{name} ({source})": value for name, value in ours.items() for source in SOURCES
            if name not in LEFT_OUT.get(source, ()) and name in ONLY.get(source, ours)}
