"""What flights and rest tell of the cube: centre of mass, gravity in the scale of the data, width.

    python validation_data/cube_tosses/flights.py           prints them for all tosses and for each draw
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from case import RATE, Toss, draw, read

AT_REST = 2e-4  # m, the origin of a cube at rest moves by less in the last eight frames


def centre_and_gravity(tosses: Sequence[Toss]) -> tuple[np.ndarray, np.ndarray]:
    """Return the centre of mass c (body axes, m) and the gravity g (m/s2), six numbers, and their standard errors, if
    the noise of all frames is independent.

    In a flight the centre of mass moves on a parabola: r + R c = p + v t + g t^2/2, with p and v of each toss. The
    projection onto what no straight line in t explains removes p and v; c and g remain, by linear least squares.
    """
    rows, right = [], []
    for toss in tosses:
        t = np.arange(toss.flight) / RATE
        line, _ = np.linalg.qr(np.column_stack([np.ones_like(t), t]))
        curved = np.eye(toss.flight) - line @ line.T
        of_c = np.einsum("mn,nij->mij", curved, toss.attitude[: toss.flight].as_matrix())
        of_g = -0.5 * (curved @ t**2)[:, None, None] * np.eye(3)
        rows.append(np.concatenate([of_c, of_g], axis=2).reshape(-1, 6))
        right.append(-(curved @ toss.r[: toss.flight]).ravel())
    A, b = np.concatenate(rows), np.concatenate(right)
    x = np.linalg.lstsq(A, b, rcond=None)[0]
    variance = ((A @ x - b) ** 2).mean()
    return x, np.sqrt(variance * np.diag(np.linalg.inv(A.T @ A)))


def jackknife(tosses: Sequence[Toss], groups: int = 20) -> np.ndarray:
    """Return standard errors of the six numbers that also hold where the errors of one flight belong together."""
    without = np.array([centre_and_gravity([toss for j, toss in enumerate(tosses) if j % groups != i])[0]
                        for i in range(groups)])
    return np.sqrt((groups - 1) / groups * ((without - without.mean(axis=0)) ** 2).sum(axis=0))


def height_at_rest(tosses: Sequence[Toss]) -> float:
    """Return the median height of the origin of cubes at rest, m: half of their width."""
    return float(np.median([toss.r[-1, 2] for toss in tosses if np.ptp(toss.r[-8:], axis=0).max() < AT_REST]))


def known(tosses: Sequence[Toss]) -> dict[str, float]:
    """Return the numbers that flights and rest determine, by the names of fit.py."""
    x, _ = centre_and_gravity(tosses)
    return {"half_width": height_at_rest(tosses), "gravity": -float(x[5]),
            **{f"com_{axis}": float(value) for axis, value in zip("xyz", x[:3], strict=True)}}


def main() -> None:
    tosses = read()
    for label, rows in (("all", range(300)), *((f"draw {seed + 1}", draw(seed)[0]) for seed in range(3))):
        chosen = [tosses[i] for i in rows]
        x, error = centre_and_gravity(chosen)[0], jackknife(chosen)
        print(f"{label}: centre of mass {np.round(1e3 * x[:3], 2)} mm +- {np.round(1e3 * error[:3], 2)}, "
              f"gravity {np.round(x[3:], 4)} m/s2 +- {np.round(error[3:], 4)}, half width "
              f"{1e3 * height_at_rest(chosen):.2f} mm")


if __name__ == "__main__":
    main()
