"""A tip that slides over a grained plane in 24 directions under 1 N, 0.1 m/s; law anisotropic."""

import numpy as np

from contactlib.validation import building


def run(runner):
    friction = {"kind": "anisotropic", "mu_along": 0.25, "mu_across": 0.5, "tangential_stiffness": 1e5,
                "tangential_damping": 0.0, "direction": [1.0, 0.0, 0.0]}
    body = building.body("tip", "external", [building.shape("point")], state={"r": [0, 0, -1e-3]})
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}, "friction": friction}
    scene = building.scene([body, building.floor()], law, [("tip", "floor")], step_size=1e-3)
    angles = np.arange(0, 360, 15)

    def direction(t):
        return np.radians(float(angles[min(int(t / 0.1 + 1e-6), len(angles) - 1)]))

    found = runner.run(scene, 0.1 * len(angles), 0.1, ["tip.f[1]", "tip.f[2]"], {
        "tip.v[1]": lambda t: 0.1 * np.cos(direction(t)), "tip.v[2]": lambda t: 0.1 * np.sin(direction(t))})
    return {"force along the grain": (angles.astype(float), found["tip.f[1]"][1:]),
            "force across the grain": (angles.astype(float), found["tip.f[2]"][1:])}
