"""A block on a spring whose end moves at 0.1 m/s, over a surface; law bristle; the block is integrated here."""


import numpy as np

import contactlib
from contactlib.validation import building


def pulled(p0, h):
    """t, x, v and spring force of the block: m = 1 kg, k = 2 N/m, 1.5 N at rest and 1 N sliding."""
    K = 1.0 / p0
    friction = {"kind": "bristle", "mu_static": 1.5, "mu_kinetic": 1.0, "tangential_stiffness": K,
                "tangential_damping": float(np.sqrt(K))}
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}, "friction": friction}
    block = building.body("block", "external", [building.shape("point")])
    scene = building.scene([block, building.floor()], law, [("block", "floor")], step_size=h)
    simulation = contactlib.Simulation(scene.compile())
    data = simulation.data
    names = [variable.name for variable in simulation.model.variables]
    place, height, speed, force = (names.index(f"block.{name}") for name in ("r[1]", "r[3]", "v[1]", "f[1]"))
    data.set(height, -1e-3)  # presses with 1 N
    x = v = f = 0.0
    rows = []
    for k in range(round(20.0 / h)):
        v += h * (2.0 * (0.1 * k * h - x) + f)
        data.set(place, x)
        data.set(speed, v)
        data.accept_inputs()
        data.advance(h)
        x += h * v
        f = data.get(force)
        rows.append((k * h, x, v, 2.0 * (0.1 * k * h - x)))
    return np.array(rows).T


def measured(t, v, spring):
    slipping = v > 0.05
    starts = t[1:][slipping[1:] & ~slipping[:-1]]
    late = t > 9.0
    return np.diff(starts)[0], v.max(), spring.max(), spring[late].min()


def run(runner):
    t, x, _, spring = pulled(1e-4, 1e-3)
    fine = pulled(1e-5, 1e-4)
    period, speed, high, low = measured(fine[0], fine[2], fine[3])
    return {"place, bristle of 0.1 mm": (t, x), "spring force, bristle of 0.1 mm": (t, spring),
            "spring force, bristle of 0.01 mm": (fine[0], fine[3]), "period, bristle of 0.01 mm": period,
            "greatest speed, bristle of 0.01 mm": speed, "greatest spring force, bristle of 0.01 mm": high,
            "least spring force, bristle of 0.01 mm": low}
