"""python -m tests.step.accuracy_table prints the table of docs/simulation.md, "Automatic steps"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from contactlib.model.spec import Spec
from tests.core.test_energy_error import restitution
from tests.step.auto_scenes import drop, hertz, hooke, line, run

HEIGHTS = np.linspace(0.01, 0.02, 11)  # m: the contact begins anywhere in a step


def impact(normal: dict[str, Any], truth: float, **keys: Any) -> tuple[float, int, int]:
    """Largest error of the speed, sub-steps and refused trials, of a ball that falls at 1 m/s over 0.1 s."""
    runs = [run(drop(normal, height=float(height), **keys), 0.1, 0.1) for height in HEIGHTS]
    return (max(abs(float(r.state[9]) - truth) for r in runs), max(r.count for r in runs),
            max(r.refused for r in runs))


def collision(spec: Spec, truth: float) -> tuple[float, int, int]:
    result = run(spec, 0.1, 0.1)
    return abs(float(result.state[7]) - truth), result.count, result.refused


def rows() -> Iterator[str]:
    cases = {
        "linear spring, 1e4 N/m": impact(hooke(1e4), 1.0),
        "linear spring, 1e6 N/m": impact(hooke(1e6), 1.0),
        "linear spring, 1e9 N/m": impact(hooke(1e9), 1.0),
        "linear spring, 1e9 N/m, `rk4`": impact(hooke(1e9), 1.0, integrator="rk4"),
        "Hertz, 1e9 N/m^1.5": impact(hertz(1e9), 1.0),
        "spring 1e6 N/m and damper 50 N s/m, e = 0.93": impact(hooke(1e6, 50.0), restitution(1e6, 50.0)),
        "spring 1e6 N/m and damper 1000 N s/m, e = 0.30": impact(hooke(1e6, 1e3), restitution(1e6, 1e3)),
        "1 kg on 2 kg, 1e6 N/m": collision(line([1.0, 2.0], [1.0, -0.5], 1e6), -1.0),
    }
    for name, (error, count, refused) in cases.items():
        yield f"| {name} | {error:.1e} | {count} | {refused} |"


if __name__ == "__main__":
    print("\n".join(rows()))
