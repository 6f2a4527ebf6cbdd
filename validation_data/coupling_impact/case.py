"""Two balls meet at 2 m/s in a master that moves them, in steps of 10 and 5 ms: the FMU in couple(), both orders."""

import tempfile
from pathlib import Path

from contactlib.coupling import couple
from contactlib.fmu.export import export_fmu
from contactlib.validation import building


def balls(coupling):
    def ball(name, x, v):
        return building.body(name, "external", [building.shape("sphere", "a" if name == "one" else "b", radius=0.5)],
                             mass=10.0, inertia=[1.0] * 3, state={"r": [x, 0, 0], "v": [v, 0, 0]})

    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0.0}}
    return building.scene([ball("one", -0.55, 1.0), ball("two", 0.55, -1.0)], law, [("one", "two")],
                          coupling=coupling, step_size=1e-4)


def run(runner):
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode in ("jacobi", "gauss_seidel"):
            fmu = export_fmu(balls(mode).compile(), Path(folder) / f"{mode}.fmu")
            for step in (0.01, 0.005):
                run = couple(fmu, duration=0.3, dt=step)
                name = f"{mode}, {1e3 * step:g} ms"
                results[f"speed after the impact, {name}"] = -run.trajectory.body("one")[-1, 7]
                results[f"energy gained, {name}"] = run.balance.kinetic[-1] / run.balance.kinetic[0] - 1.0
                results[f"momentum, {name}"] = run.balance.linear_error
    return results
