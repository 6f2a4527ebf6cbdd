"""Steel balls of 10 mm, 1 m/s; law hertz without damping; RK4 at 0.05 us."""

import numpy as np

from contactlib.validation import building

RADIUS, MODULUS, MASS = 0.01, 200e9 / 0.91, 7800.0 * 4 / 3 * np.pi * 0.01**3
H = 1e-7  # s, between rows


def steel(name, material, z, v):
    skin = building.shape("sphere", material, radius=RADIUS)
    return building.body(name, "free", [skin], mass=MASS, inertia=[0.4 * MASS * RADIUS**2] * 3,
                         state={"r": [0, 0, z], "v": [0, 0, v]})


def measured(runner, bodies, modulus, radius, upper, lower):
    law = {"normal": {"kind": "hertz", "modulus": modulus, "radius": radius, "damping": 0.0}}
    scene = building.scene(bodies, law, [tuple(body["name"] for body in bodies)], step_size=H / 2, integrator="rk4")
    names = [f"{upper}.f[3]", "contact.max_depth", f"{upper}.r[3]", f"{upper}.v[3]"]
    names += [f"{lower}.r[3]", f"{lower}.v[3]"] if lower else []
    found = runner.run(scene, 8e-5, H, names)
    below, speed = (found[f"{lower}.r[3]"] + RADIUS, found[f"{lower}.v[3]"]) if lower else (0.0, 0.0)
    gap, rate = (found[f"{upper}.r[3]"] - RADIUS - below)[-1], (found[f"{upper}.v[3]"] - speed)[-1]
    force, depth = found[f"{upper}.f[3]"], found["contact.max_depth"]
    return peak(force), 1e6 * peak(depth), 1e6 * (found["time"][-1] - gap / rate), rate


def peak(values):
    """Largest value of the parabola through the three largest neighbours."""
    k = int(np.argmax(values))
    a, b, c = values[k - 1:k + 2]
    return float(b - (a - c) ** 2 / (8 * (a - 2 * b + c)))


def run(runner):
    alone = [steel("ball", "a", RADIUS, -1.0), building.floor()]
    two = [steel("low", "a", 0.0, 0.5), steel("high", "b", 2 * RADIUS, -0.5)]
    results = {}
    for name, found in (("ball on a rigid plane", measured(runner, alone, MODULUS, RADIUS, "ball", "")),
                        ("two equal balls", measured(runner, two, MODULUS / 2, RADIUS / 2, "high", "low"))):
        keys = ("largest force", "largest depth", "duration", "restitution")
        results |= {f"{name}: {key}": value for key, value in zip(keys, found, strict=True)}
    return results
