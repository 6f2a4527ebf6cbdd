"""Fits the contact of the cube to 60 tosses, for three draws.

    python validation_data/cube_tosses/fit.py               writes fitted.json
    python validation_data/cube_tosses/fit.py mujoco        the same with MuJoCo; writes fitted_mujoco.json
    python validation_data/cube_tosses/fit.py intervals     five fits to draw 1, each without a fifth of its tosses

Centre of mass, gravity in the scale of the data and width come from the flights and from rest (`flights.py`). The other
seven numbers minimise the cost below by CMA-ES (`pip install cma`), since tosses with several impacts are not smooth in
their parameters:

    cost = mean over tosses of the mean over frames of log(1 + dp/2 %) + log(1 + da/2 deg)

dp and da are the deviations of a frame. The logarithm keeps tosses that come to lie on another face, where the last
digits decide, from ruling the others. One search takes two to four minutes of one core.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping

import case
import in_mujoco
import numpy as np
from case import FITTED, Toss, deviations, deviations_of_frames, draw, read
from flights import known

SCALE = 2.0  # % and degrees
#: sub-steps per frame at which a fit evaluates its tosses: what depends on the length of the step is not fitted
SUBSTEPS = (6, 7, 8)
SEED = 7
#: of each engine: its runs, the file that it writes, and start and first step of the logarithm of each number
ENGINES = {
    "contactlib": (case.simulate, FITTED, {
        "rounding": (0.003, 0.3),  # m
        "inertia": (1.15, 0.1),  # of the published one
        "mu": (0.18, 0.2),
        "mu_rate": (0.01, 0.6),  # s/m, friction coefficient per sliding speed
        "stiffness": (1.5e4, 0.4),  # N/m
        "damping": (60.0, 0.4),  # N s/m
        "tangential": (2.0, 0.4),  # tangential over normal stiffness
    }),
    "mujoco": (in_mujoco.simulate, FITTED.with_name("fitted_mujoco.json"), {
        "rounding": (0.003, 0.3),
        "inertia": (1.15, 0.1),
        "mu": (0.18, 0.2),
        "stiffness": (5e4, 0.5),  # 1/s2, of solref
        "damping": (300.0, 0.4),  # 1/s, of solref
        "softness": (0.1, 0.5),  # 1 - d of solimp
        "impratio": (5.0, 0.5),
    }),
}


def named(parameters: Mapping[str, tuple[float, float]], x: np.ndarray) -> dict[str, float]:
    """Return the parameters at scaled positions."""
    return {name: start * math.exp(step * u)
            for (name, (start, step)), u in zip(parameters.items(), map(float, x), strict=True)}


def fit(engine: str, chosen: list[Toss], evaluations: int, seed: int = SEED) -> dict[str, float]:
    """Return the parameters that fit these tosses best."""
    import cma

    simulate, _, parameters = ENGINES[engine]
    given = known(chosen)

    def cost(x: np.ndarray) -> float:
        p = {**given, **named(parameters, x)}
        try:
            runs = [simulate(p, chosen, substeps) for substeps in SUBSTEPS]
        except ValueError:
            return 100.0
        return float(np.mean([np.log1p(deviations_of_frames(toss, frames) / SCALE).mean(axis=0).sum()
                              for run in runs for toss, frames in zip(chosen, run, strict=True)]))

    search = cma.CMAEvolutionStrategy(np.zeros(len(parameters)), 0.5,
                                      {"popsize": 12, "seed": seed, "maxfevals": evaluations, "verbose": -9})
    while not search.stop():
        points = search.ask()
        search.tell(points, [cost(x) for x in points])
        if search.countiter % 10 == 0:
            print(f"  {search.countiter} iterations: {search.best.f:.3f}", file=sys.stderr, flush=True)
    return {**given, **named(parameters, search.mean)}


def intervals(evaluations: int = 480) -> None:
    """Print the standard errors of all numbers of draw 1: a jackknife over groups of twelve tosses."""
    tosses, seen = read(), draw(0)[0]
    left_out = [seen[i::5] for i in range(5)]
    fits = [fit("contactlib", [tosses[i] for i in seen if i not in group], evaluations) for group in left_out]
    for name in fits[0]:
        values = np.array([p[name] for p in fits])
        error = math.sqrt(4 / 5 * ((values - values.mean()) ** 2).sum())
        print(f"{name}: {values.mean():.4g}, standard error {error:.2g}")


def main(engine: str = "contactlib", evaluations: int = 480, draws: Iterable[int] = range(3)) -> None:
    tosses = read()
    simulate, file, _ = ENGINES[engine]
    for index in draws:
        seen, unseen = draw(index)
        p = fit(engine, [tosses[i] for i in seen], evaluations)
        for label, rows in (("fitted", seen), ("unseen", unseen)):
            found = deviations(p, [tosses[i] for i in rows], engine=simulate)
            print(f"draw {index + 1}, {len(rows)} {label} tosses: {found[:, 0].mean():.2f} %, {found[:, 1].mean():.2f} "
                  "degrees", flush=True)
        results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        results[f"draw {index + 1}"] = {name: float(f"{value:.6g}") for name, value in p.items()}
        file.write_text(json.dumps(dict(sorted(results.items())), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["intervals"]:
        intervals(*map(int, sys.argv[2:3]))
    else:
        main(*sys.argv[1:2], *map(int, sys.argv[2:3]), *([map(int, sys.argv[3:])] if sys.argv[3:] else []))
