"""Statics of an arm with joint springs whose tip is pressed onto a frictionless table, by Newton's method.

Three joints turn in the vertical plane (2, 4 and 6), their links have the angles a from the vertical:

    a1 = -q2,  a2 = a1 + q4,  a3 = a2 - q6,    x = sum L_i sin a_i,  z = z0 + sum L_i cos a_i

The tip is a point, or the lowest point of a ball of radius r whose centre is r before the end of the tool. Springs K
pull the joints to the commanded angles c. On a table of stiffness k at the height t the arm rests where

    K (q - c) = F dz/dq,    F = k (t - z + r)      (rigid: z = t + r)
"""

from __future__ import annotations

import numpy as np

BASE, UPPER, FORE, HAND, TOOL = 0.3105, 0.4, 0.39, 0.078, 0.15  # m, from joint 2 on
TURNS = np.array([[-1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 1.0, -1.0]])  # da/dq
START = np.radians([-30.0, 90.0, -60.0])
BELOW, RADIUS, STIFFNESS = 0.05, 0.0173, 2e5  # m, m, N/m: the table of the soft rows


def place(q, before):
    """x, z (m) of the point that is `before` the end of the tool, the gradient of z, and its second derivative."""
    lengths = np.array([UPPER, FORE, HAND + TOOL - before])
    a = TURNS @ q
    across, along = lengths * np.sin(a), lengths * np.cos(a)
    return across.sum(), BASE + along.sum(), -across @ TURNS, -(TURNS.T * along) @ TURNS


def command():
    """Joint angles that put the tip 5 cm below its place at the start, with the tool upright (a3 = pi)."""
    x, z, *_ = place(START, 0.0)
    q = START.copy()
    for _ in range(30):
        here_x, here_z, slope, _ = place(q, 0.0)
        lengths = np.array([UPPER, FORE, HAND + TOOL])
        error = np.array([x - here_x, z - BELOW - here_z, np.pi - TURNS[2] @ q])
        q = q + np.linalg.solve(np.array([(lengths * np.cos(TURNS @ q)) @ TURNS, slope, TURNS[2]]), error)
    return q


def rest(stiffness, radius, table_stiffness):
    """Force (N), x of the point or ball (m) and deviations (3,) rad of the joints at rest."""
    target, height = command(), place(START, 0.0)[1]
    q, force = START.copy(), 0.0
    for _ in range(60):
        x, z, slope, bend = place(q, radius)
        residual = np.append(stiffness * (q - target) - force * slope, height + radius - z - force / table_stiffness)
        matrix = np.zeros((4, 4))
        matrix[:3, :3] = stiffness * np.eye(3) - force * bend
        matrix[:3, 3], matrix[3, :3], matrix[3, 3] = -slope, -slope, -1.0 / table_stiffness
        change = np.linalg.solve(matrix, -residual)
        q, force = q + change[:3], force + change[3]
    return force, x, q - target


def series():
    rows = []
    for radius, table_stiffness in ((0.0, np.inf), (RADIUS, STIFFNESS)):
        for stiffness in (200.0, 1000.0, 2000.0):
            force, x, deviations = rest(stiffness, radius, table_stiffness)
            rows.append((radius, table_stiffness, stiffness, force, x, *deviations))
    return {"statics.csv": (("radius", "table_stiffness", "K", "Fz", "x", "d2", "d4", "d6"), rows)}
