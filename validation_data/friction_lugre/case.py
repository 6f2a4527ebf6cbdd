"""A tip that is led over a plane under 1 N; law lugre."""

import numpy as np

from contactlib.validation import building

LUGRE = {"kind": "lugre", "mu_static": 0.6, "mu_kinetic": 0.4, "stribeck_velocity": 1e-2, "sigma_0": 1e5,
         "sigma_1": 300.0, "sigma_2": 0.1}


def tip(friction, h):
    body = building.body("tip", "external", [building.shape("point")], state={"r": [0, 0, -1e-3]})
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}, "friction": friction}
    return building.scene([body, building.floor()], law, [("tip", "floor")], step_size=h)


def run(runner):
    speeds = np.array([1e-3 * 1.06**k for k in range(98)])
    # each speed for 0.4 s, at least 50 lengths of the bristle
    found = runner.run(tip(LUGRE, 1e-3), 0.4 * len(speeds), 0.4, ["tip.f[1]"],
                       {"tip.v[1]": lambda t: float(speeds[min(int(t / 0.4 + 1e-6), len(speeds) - 1)])})
    h, v = 2.5e-6, 2e-3
    rising = runner.run(tip({**LUGRE, "sigma_1": 0.0, "sigma_2": 0.0}, h), 30e-6 / v, 20 * h, ["tip.f[1]"],
                        {"tip.v[1]": v})
    return {"steady friction at 1 N": (speeds, -found["tip.f[1]"][1:]),
            "rise of the friction at 2 mm/s": (v * rising["time"], -rising["tip.f[1]"])}
