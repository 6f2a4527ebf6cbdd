"""A tip that is led over a plane at growing speed under 1 N, and a block on a slope of 10 degrees."""

import numpy as np

from contactlib.validation import building

G, SLOPE = 9.80665, np.radians(10.0)  # m/s2, rad
TILTED = [float(np.cos(SLOPE / 2)), 0.0, float(np.sin(SLOPE / 2)), 0.0]


def drag(runner):
    friction = {"kind": "coulomb", "mu_static": 0.5, "mu_kinetic": 0.3, "slip_velocity": 0.01}
    tip = building.body("tip", "external", [building.shape("point")], state={"r": [0, 0, -1e-3]})
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}, "friction": friction}
    scene = building.scene([tip, building.floor()], law, [("tip", "floor")], step_size=1e-3)
    # the speed at the beginning of a step holds for that step, so the row at its end belongs to it
    found = runner.run(scene, 0.1, 1e-3, ["tip.f[1]"], {"tip.v[1]": lambda t: t + 1e-3, "tip.r[3]": -1e-3})
    return found["time"][1:], -found["tip.f[1]"][1:]


def creep(runner):
    friction = {"kind": "coulomb", "mu_static": 0.5, "mu_kinetic": 0.5, "slip_velocity": 0.01}
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3}, "friction": friction}
    feet = [building.shape("point", name=f"foot{k}", r=[x, y, 0.0]) for k, (x, y) in
            enumerate(((0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)))]
    block = building.body("block", "free", feet, mass=10.0, inertia=[0.1] * 3, state={"q": TILTED})
    scene = building.scene([block, building.floor(q=TILTED)], law, [("block", "floor")], gravity=[0, 0, -G],
                           step_size=1e-3)
    found = runner.run(scene, 3.0, 0.5, ["block.v[1]", "block.v[3]"])
    return 1e3 * float(np.hypot(found["block.v[1]"], found["block.v[3]"])[-1])


def run(runner):
    return {"drag at 1 N": drag(runner), "creep on a slope of 10 deg": creep(runner)}
