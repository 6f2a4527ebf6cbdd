"""The points of a socket's rim that are nearest to lines, as the library computes them."""

import csv
from pathlib import Path

import numpy as np

from contactlib.simulation.manifolds import rim_nearest

RADIUS = 0.0175  # m
LINE = ("Qx", "Qy", "Qz", "dx", "dy", "dz")


def run(runner):
    with (Path(__file__).parent / "circle_line_reference.csv").open(encoding="utf-8", newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    distance, place, missing = 0.0, 0.0, 0
    for line in {tuple(row[key] for key in LINE) for row in rows}:
        wanted = sorted((row for row in rows if row["is_min"] and line == tuple(row[key] for key in LINE)),
                        key=lambda row: row["dist"])
        Q, d = np.array(line[:3]), np.array(line[3:]) / np.linalg.norm(line[3:])
        count, points = rim_nearest(RADIUS, Q, d)
        missing += abs(int(count[0]) - len(wanted))
        for row, point in zip(wanted, points[0], strict=False):
            off = point - Q
            distance = max(distance, abs(np.linalg.norm(off - (off @ d) * d) - row["dist"]))
            place = max(place, float(np.abs(point - [row["Px"], row["Py"], row["Pz"]]).max()))
    return {"largest difference of a distance": 1e9 * distance, "largest difference of a point": 1e9 * place,
            "minima that are missing or too many": missing}
