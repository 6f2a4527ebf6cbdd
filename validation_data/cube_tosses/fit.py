"""Fits the cube and its contact to 60 tosses, for three draws.

    python validation_data/cube_tosses/fit.py               writes fitted.json
    python validation_data/cube_tosses/fit.py mujoco        the same with MuJoCo; writes fitted_mujoco.json

The sum of both mean deviations is minimised by CMA-ES (`pip install cma`), since tosses with several impacts are not
smooth in their parameters. A search that ends above ENOUGH is repeated from other random numbers, and the best one is
kept. One search takes about eight minutes of one core.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping

import case
import in_mujoco
import numpy as np
from case import FITTED, Toss, draw, read

MOST = 60.0  # % and degrees: what one toss counts at most
GOAL = np.array([7.5, 8.0])
ENOUGH = 2.0  # of both deviations over their goals, of the fitted tosses
SEEDS = (7, 8, 9, 10)
#: start, length of the first steps, and whether the logarithm is searched
BODY = {
    "half_width": (0.0515, 0.0004, False),  # m
    "rounding": (0.003, 0.3, True),  # m
    "board": (0.0, 0.0004, False),  # m, height of the board
    "gravity": (9.7, 0.05, False),  # m/s2, in the scale of the measured lengths
    "gravity_x": (0.0, 0.02, False),  # m/s2, the board is not level
    "gravity_y": (0.0, 0.02, False),
    "com_x": (0.0, 0.001, False),  # m
    "com_y": (0.0, 0.001, False),
    "com_z": (0.003, 0.002, False),
    "inertia": (1.15, 0.1, True),  # of the published one
    "mu": (0.18, 0.2, True),
}
#: of each engine: the deviations of its runs, the file that it writes, and its numbers
ENGINES = {
    "contactlib": (case.deviations, FITTED, {
        **BODY,
        "mu_rate": (0.01, 0.6, True),  # s/m, friction coefficient per sliding speed
        "stiffness": (1.5e4, 0.4, True),  # N/m
        "damping": (3.0, 0.3, True),  # s/m
        "tangential": (2.0, 0.4, True),  # tangential over normal stiffness
    }),
    "mujoco": (in_mujoco.deviations, FITTED.with_name("fitted_mujoco.json"), {
        **BODY,
        "stiffness": (5e4, 0.5, True),  # 1/s2, of solref
        "damping": (300.0, 0.4, True),  # 1/s, of solref
        "softness": (0.1, 0.5, True),  # 1 - d of solimp
        "impratio": (5.0, 0.5, True),
    }),
}
#: sub-steps per frame at which a fit evaluates its tosses: what depends on the length of the step is not fitted
SUBSTEPS = (6, 7, 8)


def named(parameters: Mapping[str, tuple[float, float, bool]], x: np.ndarray) -> dict[str, float]:
    """Return the parameters at scaled positions."""
    return {name: start * math.exp(step * u) if logarithm else start + step * u
            for (name, (start, step, logarithm)), u in zip(parameters.items(), map(float, x), strict=True)}


def fit(engine: str, chosen: list[Toss], evaluations: int) -> dict[str, float]:
    """Return the parameters that fit these tosses best."""
    import cma

    deviations, _, parameters = ENGINES[engine]

    def cost(x: np.ndarray) -> float:
        try:
            found = np.concatenate([deviations(named(parameters, x), chosen, substeps) for substeps in SUBSTEPS])
        except ValueError:
            return 100.0
        return float((np.minimum(found, MOST).mean(axis=0) / GOAL).sum())

    found: list[tuple[float, np.ndarray]] = []
    for seed in SEEDS:
        search = cma.CMAEvolutionStrategy(
            np.zeros(len(parameters)), 0.5,
            {"popsize": 16, "seed": seed, "maxfevals": evaluations, "verbose": -9})
        while not search.stop():
            points = search.ask()
            search.tell(points, [cost(x) for x in points])
            if search.countiter % 10 == 0:
                print(f"  {search.countiter} iterations: {search.best.f:.3f}", file=sys.stderr, flush=True)
        found.append((search.best.f, search.best.x))
        if search.best.f < ENOUGH:
            break
    return named(parameters, min(found, key=lambda one: one[0])[1])


def main(engine: str = "contactlib", evaluations: int = 1600, draws: Iterable[int] = range(3)) -> None:
    tosses = read()
    deviations, file, _ = ENGINES[engine]
    for seed in draws:
        seen, unseen = draw(seed)
        p = fit(engine, [tosses[i] for i in seen], evaluations)
        for label, rows in (("fitted", seen), ("unseen", unseen)):
            found = deviations(p, [tosses[i] for i in rows])
            print(f"draw {seed + 1}, {len(rows)} {label} tosses: {found[:, 0].mean():.2f} %, {found[:, 1].mean():.2f} "
                  "degrees", flush=True)
        results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        results[f"draw {seed + 1}"] = {name: float(f"{value:.6g}") for name, value in p.items()}
        file.write_text(json.dumps(dict(sorted(results.items())), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]), *([map(int, sys.argv[3:])] if sys.argv[3:] else []))
