"""A clamped cable under a load across its tip, relaxed to rest by the cable kernel."""

import csv
from pathlib import Path

import numpy as np

from contactlib.validation.cable_run import CableRun

HERE = Path(__file__).parent


def rows(name):
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tip(n, load, **options):
    """Tip (6,) of n elements with EI = 1, L = 1 and EA = 1e6 at rest."""
    forces = np.zeros((n + 1, 6))
    forces[-1, 1] = load
    cable = CableRun(n, 1.0, 1e6, 1.0, 1.0, holds=("direction", "free"), forces=forces, **options)
    cable.relax(0.1, 600)
    return cable.q[0, -1]


def run(runner):
    exact = rows("elastica_cantilever_tip_load.csv")
    loads = np.array([float(row["PL2_over_EI"]) for row in exact])
    tips = np.array([tip(24, load) for load in loads])
    elements = rows("finite_elements.csv")
    numbers = {name: i for i, name in enumerate(elements[0])}
    load, quadrature, n, deflection = (list(numbers)[k] for k in range(4))
    errors = [abs(tip(int(row[n]), float(row[load]), quadrature=row[quadrature])[1] - float(row[deflection]))
              for row in elements]
    return {"deflection of the tip": (loads, tips[:, 1]), "shortening of the tip": (loads, 1.0 - tips[:, 0]),
            "angle of the tip": (loads, np.arctan2(tips[:, 4], tips[:, 3])),
            "deflections of 2 to 16 elements, largest difference": max(errors)}
