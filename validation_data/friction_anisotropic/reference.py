"""Largest power over an ellipse of friction forces: f = -N M v/sqrt(v.Mv), M = diag(mu_along^2, mu_across^2)."""

from __future__ import annotations

import math

ALONG, ACROSS = 0.25, 0.5


def series():
    rows = []
    for degrees in range(0, 360, 15):
        x, y = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        size = math.sqrt((ALONG * x) ** 2 + (ACROSS * y) ** 2)
        rows.append((degrees, -(ALONG**2) * x / size, -(ACROSS**2) * y / size))
    return {"ellipse.csv": (("direction", "along", "across"), rows)}
