"""A small calibration for the tests: a ball that slides on a plate until it rolls, and swings in its soft contact."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.calibration import Calibration, Series, read_calibration
from contactlib.calibration.definition import Source
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec

Floats = NDArray[np.float64]
SCENE = tomllib.loads("""
[scene]
name = "slide"
gravity = [0.0, 0.0, -9.81]
step_size = 1e-3
duration = 0.1

[[body]]
name = "ball"
mass = 2.0
inertia = [8e-3, 8e-3, 8e-3]
state = { r = [0.0, 0.0, 0.0995], v = [1.0, 0.0, 0.0] }

[[body.shape]]
name = "skin"
kind = "sphere"
material = "rubber"
radius = 0.1

[[body]]
name = "plate"

[[body.shape]]
name = "top"
kind = "plane"
material = "steel"

[[law]]
name = "sole"
materials = ["rubber", "steel"]
normal = { kind = "kelvin_voigt", stiffness = 2e4, damping = 40.0 }
friction.kind = "bristle"
friction.mu_static = 0.3
friction.mu_kinetic = 0.3
friction.tangential_stiffness = 1e5
friction.tangential_damping = 100.0

[[pair]]
bodies = ["ball", "plate"]
""")
CALIBRATION = tomllib.loads("""
[calibration]
name = "slide"

[parameter.stiffness]
path = "law.sole.normal.stiffness"
unit = "N/m"
scale = "log"
low = 1e3
start = 1e4
high = 1e5

[parameter.damping]
path = "law.sole.normal.damping"
low = 0.0
start = 20.0
high = 200.0

[parameter.friction]
path = ["law.sole.friction.mu_static", "law.sole.friction.mu_kinetic"]
low = 0.05
start = 0.5
high = 1.0

[measured]
"ball.r" = 5e-5
""")
TRUE = {"stiffness": 2e4, "damping": 40.0, "friction": 0.3}
NAMES = tuple(f"ball.r[{i}]" for i in (1, 2, 3)) + tuple(f"ball.q[{i}]" for i in (1, 2, 3, 4))


def tables(extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The tables of the calibration; `extra` has keys with dots, and None removes a key."""
    made: dict[str, Any] = copy.deepcopy(CALIBRATION)
    for path, value in (extra or {}).items():
        *steps, last = path.split("/")
        table = made
        for step in steps:
            table = table.setdefault(step, {})
        if value is None:
            table.pop(last, None)
        else:
            table[last] = value
    return made


def true_runs(speeds: Floats, every: int = 4, duration: float = 0.1,
              scene: Mapping[str, Any] = SCENE) -> tuple[Floats, Floats]:
    """Times (n,), and r and q (runs, 7, n) of balls with several initial speeds, without the first row."""
    spec = closed_loop(Spec.from_dict(scene), [], None, None, None)
    starts = np.array([[body.state for body in spec.bodies]] * len(speeds))
    starts[:, 0, 7] = speeds
    runs = contactlib.run_ensemble(spec.compile(), NAMES, starts=starts, every=every, duration=duration)
    return runs.time[0, 1:], runs.values[:, :, 1:]


def calibration(rows: Floats, time: Floats, speeds: Floats, extra: Mapping[str, Any] | None = None,
                scene: Mapping[str, Any] = SCENE) -> Calibration:
    """A calibration with series from arrays (runs, 7, n): positions, and attitudes if `extra` measures them."""
    made = []
    for i, speed in enumerate(speeds):
        values = {"ball.r": rows[i, :3]}
        if "measured/ball.q" in (extra or {}):
            values["ball.q"] = rows[i, 3:]
        made.append(Series.of(f"slide_{i + 1}", time, values, {"body.ball.state.v[1]": float(speed)}))
    return read_calibration(Source(tables(extra), dict(scene), ".", "."), made)
