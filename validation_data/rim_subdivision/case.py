"""The eight-point search of the rim as the library does it, with 4000 random pegs, over the levels of the search."""

import numpy as np

from contactlib.simulation.manifolds import rim_nearest, rim_nearest_subdivision

RADIUS, PEGS = 0.0175, 4000


def run(runner):
    rng = np.random.default_rng(5)
    Q = np.column_stack([rng.uniform(-0.02, 0.02, (PEGS, 2)), rng.uniform(-0.01, 0.01, PEGS)])
    exact = np.hypot(np.hypot(Q[:, 0], Q[:, 1]) - RADIUS, Q[:, 2])
    results, levels = {}, np.arange(1, 9)
    for mode in ("incl", "excl"):
        angles, errors = [], []
        for level in levels:
            found = rim_nearest_subdivision(RADIUS, Q, levels=int(level), include_ends=mode == "incl")
            turn = np.arctan2(found[:, 1], found[:, 0]) - np.arctan2(Q[:, 1], Q[:, 0])
            angles.append(np.degrees(np.abs((turn + np.pi) % (2 * np.pi) - np.pi)).max())
            errors.append((np.linalg.norm(found - Q, axis=1) - exact).max())
        for level, angle in zip(levels, angles, strict=True):
            bound = 22.5 * (2 / (7 if mode == "incl" else 9)) ** (level - 1)
            results[f"largest angle over half the spacing, {mode}, level {level}"] = angle / bound
        results[f"search beats the exact minimum, {mode}"] = float(min(errors) < -1e-15)
    # the exact search finds the nearest point of the rim to lines through the axis
    d = rng.normal(size=(PEGS, 3))
    count, _ = rim_nearest(RADIUS, Q, d)
    return {**results, "lines without a nearest point": float((count < 1).sum())}
