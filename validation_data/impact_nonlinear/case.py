"""A ball of 1 kg meets a plane at 1 m/s; each law with seven dampings of each formula; RK4 at 10 us."""

import numpy as np

from contactlib.validation import building

LAWS = {
    "hunt_crossley, exponent 1": {"kind": "hunt_crossley", "stiffness": 1e4, "exponent": 1.0},
    "hunt_crossley, exponent 1.5": {"kind": "hunt_crossley", "stiffness": 1e5, "exponent": 1.5},
    "hunt_crossley, exponent 2.2": {"kind": "hunt_crossley", "stiffness": 3e6, "exponent": 2.2},
    "hertz": {"kind": "hertz", "modulus": 1e6, "radius": 0.1},
    "curve": {"kind": "curve", "depth": [1e-3, 2e-3, 1e-2], "force": [10.0, 25.0, 300.0]},
}
#: of each law the formula whose dampings it gets
FORMULAS = {
    "hunt_crossley, exponent 1": ("HerbertMcWhannell", lambda e: 6 * (1 - e) / ((2 * e - 1) ** 2 + 3)),
    "hunt_crossley, exponent 1.5": ("HuntCrossley", lambda e: 3 * (1 - e) / 2),
    "hunt_crossley, exponent 2.2": ("FloresEtAl", lambda e: 8 * (1 - e) / (5 * e)),
    "hertz": ("LankaraniNikravesh", lambda e: 3 * (1 - e**2) / 4),
    "curve": ("HuGuo", lambda e: 3 * (1 - e) / (2 * e)),
}
NOMINAL = np.array([0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95])


def thrown(normal):
    skin = building.shape("sphere", radius=0.1)
    bodies = [building.body("ball", "free", [skin], mass=1.0, inertia=[0.004] * 3,
                            state={"r": [0, 0, 0.1], "v": [0, 0, -1]}), building.floor()]
    return building.scene(bodies, {"normal": normal}, [("ball", "floor")], step_size=1e-5, integrator="rk4")


def rebound(runner, normal):
    found = runner.run(thrown(normal), 0.3, 0.3, ["ball.v[3]", "contact.count"])
    assert found["contact.count"][-1] == 0, "the ball has not left the plane"
    return found["ball.v[3]"][-1]


def largest_depth(runner, normal):
    """mm; the top of the parabola through the three largest rows."""
    depth = 0.1 - runner.run(thrown(normal), 0.05, 1e-4, ["ball.r[3]"])["ball.r[3]"]
    k = int(np.argmax(depth))
    a, b, c = depth[k - 1:k + 2]
    return 1e3 * float(b - (a - c) ** 2 / (8 * (a - 2 * b + c)))


def run(runner):
    depths = {f"largest depth of {name}": largest_depth(runner, {**law, "damping": 0.0})
              for name, law in LAWS.items() if law["kind"] == "hunt_crossley"}
    return depths | {name: (NOMINAL, np.array([rebound(runner, {**law, "damping": float(FORMULAS[name][1](e))})
                                      for e in NOMINAL])) for name, law in LAWS.items()}
