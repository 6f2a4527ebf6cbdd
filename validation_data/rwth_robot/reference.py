"""Statics of an arm with joint springs whose tip is pressed onto a table, by Newton's method.

The joints 2, 4 and 6 turn in the vertical plane. Their links have the angles a from the vertical:

    a1 = -q2,  a2 = a1 + q4,  a3 = a2 - q6,    x = sum L_i sin a_i,  z = z0 + sum L_i cos a_i

The tip is a point, or the lowest point of a ball of radius r whose centre is r before the end of the tool. Springs K
pull the joints to the commanded angles c. On a table of stiffness k at the height t the arm rests where

    K (q - c) = F (dz/dq - mu ds/dq),    F = k (t - z + r),    ds = dx - r da3      (rigid: z = t + r)

With friction the tip has slid outwards until it rests. The table pulls with mu F at the lowest point of the ball,
which moves by ds. mu is the kinetic coefficient.
"""

from __future__ import annotations

import numpy as np

BASE, UPPER, FORE, HAND, TOOL = 0.3105, 0.4, 0.39, 0.078, 0.15  # m, from joint 2 on
TURNS = np.array([[-1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 1.0, -1.0]])  # da/dq
START = np.radians([-30.0, 90.0, -60.0])
BELOW, RADIUS = 0.05, 0.0173  # m
#: radius (m), stiffness of the table (N/m), friction, K (N m/rad)
ROWS = [(radius, table, mu, stiffness)
        for radius, table, mu, all_of in ((0.0, np.inf, 0.0, (200.0, 1000.0, 2000.0)),
                                          (RADIUS, 2e5, 0.0, (200.0, 1000.0, 2000.0)), (RADIUS, 5e4, 0.15, (1000.0,)))
        for stiffness in all_of]


def place(q, before):
    """x, z (m) of the point that is `before` the end of the tool, and gradients and second derivatives of both."""
    lengths = np.array([UPPER, FORE, HAND + TOOL - before])
    a = TURNS @ q
    across, along = lengths * np.sin(a), lengths * np.cos(a)
    return (across.sum(), BASE + along.sum(), along @ TURNS, -across @ TURNS, -(TURNS.T * across) @ TURNS,
            -(TURNS.T * along) @ TURNS)


def command():
    """Joint angles that put the tip 5 cm below its place at the start, with the tool upright (a3 = pi)."""
    x, z, *_ = place(START, 0.0)
    q = START.copy()
    for _ in range(30):
        here_x, here_z, slope_x, slope_z, *_ = place(q, 0.0)
        error = np.array([x - here_x, z - BELOW - here_z, np.pi - TURNS[2] @ q])
        q = q + np.linalg.solve(np.array([slope_x, slope_z, TURNS[2]]), error)
    return q


def rest(radius, table_stiffness, mu, stiffness):
    """Normal force (N), x of the point or ball (m) and deviations (3,) rad of the joints at rest."""
    target, height = command(), place(START, 0.0)[1]
    q, force = START.copy(), 0.0
    for _ in range(60):
        x, z, slope_x, slope_z, bend_x, bend_z = place(q, radius)
        lever = slope_z - mu * (slope_x - radius * TURNS[2])
        residual = np.append(stiffness * (q - target) - force * lever, height + radius - z - force / table_stiffness)
        matrix = np.zeros((4, 4))
        matrix[:3, :3] = stiffness * np.eye(3) - force * (bend_z - mu * bend_x)
        matrix[:3, 3], matrix[3, :3], matrix[3, 3] = -lever, -slope_z, -1.0 / table_stiffness
        change = np.linalg.solve(matrix, -residual)
        q, force = q + change[:3], force + change[3]
    return force, x, q - target


def series():
    rows = []
    for row in ROWS:
        force, x, deviations = rest(*row)
        rows.append((*row, force, x, *deviations))
    return {"statics.csv": (("radius", "table_stiffness", "mu", "K", "Fz", "x", "d2", "d4", "d6"), rows)}
