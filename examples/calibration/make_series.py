"""Makes the measured series of this example: runs of the scene with known values, and noise.

    python examples/calibration/make_series.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import contactlib
from contactlib.common.files import write_text

FOLDER = Path(__file__).parent
#: the values that the calibration should find
TRUE = {"stiffness": 2e4, "damping": 40.0, "friction": 0.3}
SPEEDS = (0.8, 1.4, 2.0)  # m/s
DURATIONS = (0.15, 0.2, 0.25)  # s
POSITION, TURN = 5e-5, 2e-3  # m, rad: standard deviations of the noise


def noisy(q: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Turn the quaternions q (n, 4) by the small rotation vectors (n, 3)."""
    half = 0.5 * turns
    w, v = q[:, :1], q[:, 1:]
    real = w - (half * v).sum(axis=1, keepdims=True)
    turned = np.hstack([real, v + w * half + np.cross(half, v)])
    return turned / np.linalg.norm(turned, axis=1, keepdims=True)


def main() -> None:
    rng = np.random.default_rng(20)
    spec = contactlib.load(FOLDER / "scene.toml")
    starts = np.array([[body.state for body in spec.bodies]] * len(SPEEDS))
    starts[:, 0, 7] = SPEEDS
    law = {"rubber_steel.stiffness": TRUE["stiffness"], "rubber_steel.damping": TRUE["damping"],
           "rubber_steel.mu_static": TRUE["friction"], "rubber_steel.mu_kinetic": TRUE["friction"]}
    names = [f"ball.r[{i}]" for i in (1, 2, 3)] + [f"ball.q[{i}]" for i in (1, 2, 3, 4)]
    runs = contactlib.run_ensemble(spec.compile(), names, starts=starts, duration=DURATIONS, every=5,
                                   parameters={name: [value] * len(SPEEDS) for name, value in law.items()})
    rows = ["series,body.ball.state.v[1]"]
    for i, speed in enumerate(SPEEDS):
        kept = np.isfinite(runs.time[i])
        time, values = runs.time[i][kept], runs.values[i][:, kept].T
        r = values[:, :3] + POSITION * rng.standard_normal((len(time), 3))
        q = noisy(values[:, 3:], TURN * rng.standard_normal((len(time), 3)))
        lines = ["time,x,y,z,qw,qx,qy,qz"]
        lines += [f"{t:.3f}," + ",".join(f"{x:.6f}" for x in (*a, *b)) for t, a, b in zip(time, r, q, strict=True)]
        write_text(FOLDER / "measured" / f"slide_{i + 1}.csv", "\n".join(lines) + "\n")
        rows.append(f"slide_{i + 1},{speed}")
    write_text(FOLDER / "measured" / "starts.csv", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
