"""A tip that is led over a plane under 1 N; law rate_bristle."""

import numpy as np

from contactlib.validation import building

RISING = {"kind": "rate_bristle", "mu_slow": 0.2, "mu_fast": 0.6, "transition_speed": 0.5, "tangential_stiffness": 1e5,
          "tangential_damping": 0.0}


def run(runner):
    body = building.body("tip", "external", [building.shape("point")], state={"r": [0, 0, -1e-3]})
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}, "friction": RISING}
    spec = building.scene([body, building.floor()], law, [("tip", "floor")], step_size=1e-3)
    speeds = np.geomspace(0.01, 10.0, 60)
    found = runner.run(spec, 0.01 * len(speeds), 0.01, ["tip.f[1]"],
                       {"tip.v[1]": lambda t: float(speeds[min(int(t / 0.01 + 1e-6), len(speeds) - 1)])})
    return {"friction at 1 N": (speeds, -found["tip.f[1]"][1:])}
