"""Minima over the sphere of f(n) = n . c + |M1 n| + |M2 n|, the overlap of two curved solids.

Part of the slow reference. c is (S, 3), M1 and M2 are (S, 3, 3), for S directions n (S, 3).
"""

import numpy as np

from tests.oracle.reference_round import Z
from tests.oracle.reference_socket import LD, dot, norm, unit


def sphere_grid(count=640):
    """Directions spread evenly (a spiral of golden angles) and the eight nearest neighbours of each."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    rho = np.sqrt(1 - z * z)
    n = np.stack([rho * np.cos(turn), rho * np.sin(turn), z], axis=1)
    return n, np.argsort(-(n @ n.T), axis=1)[:, 1:9]


GRID, NEIGHBOURS = sphere_grid()


def curved(c, M1, M2, n):
    """f (S,), its gradient on the sphere (S, 2) and second derivative (S, 2, 2), and the two tangents (S, 2, 3)."""
    u = unit(np.cross(n, np.where(np.abs(n[:, 2:]) < 0.6, Z, Z[::-1]).astype(n.dtype)), Z.astype(n.dtype))
    tangents = np.stack([u, np.cross(n, u)], axis=1)
    f, slope = dot(n, c), np.einsum("skj,sj->sk", tangents, c)
    H = np.zeros((len(n), 2, 2), n.dtype)
    for M in (M1, M2):
        Mn, MT = np.einsum("sij,sj->si", M, n), np.einsum("sij,skj->ski", M, tangents)
        h = np.maximum(norm(Mn), 1e-30)
        g = np.einsum("si,ski->sk", Mn, MT) / h[:, None]
        f, slope = f + h, slope + g
        H += (np.einsum("ski,sli->skl", MT, MT) - g[:, :, None] * g[:, None]) / h[:, None, None]
    return f, slope, H - f[:, None, None] * np.eye(2, dtype=n.dtype), tangents


def step(slope, H, damping):
    """-(|H| + damping)^-1 slope for 2 x 2 matrices, damped until they are positive."""
    half = (H[:, 0, 0] + H[:, 1, 1]) / 2
    spread = np.hypot((H[:, 0, 0] - H[:, 1, 1]) / 2, H[:, 0, 1])
    extra = damping + np.maximum(0, spread - half) * 1.5
    a, b, d = H[:, 0, 0] + extra, H[:, 0, 1], H[:, 1, 1] + extra
    determinant = np.where(a * d - b * b == 0, 1, a * d - b * b)
    return -np.stack([d * slope[:, 0] - b * slope[:, 1], a * slope[:, 1] - b * slope[:, 0]], 1) / determinant[:, None]


def descend(c, M1, M2, n, steps=20):
    """Newton on the sphere, damped where it would climb."""
    damping = np.full(len(n), 1e-3)
    f, slope, H, tangents = curved(c, M1, M2, n)
    for _ in range(steps):
        move = np.einsum("sk,ski->si", step(slope, H, damping), tangents)
        m = unit(n + move / np.maximum(1, 2 * norm(move))[:, None], n)
        f_m, slope_m, H_m, tangents_m = curved(c, M1, M2, m)
        better = f_m <= f
        damping = np.where(better, damping / 8, damping * 4 + 1e-6)
        n, tangents = np.where(better[:, None], m, n), np.where(better[:, None, None], tangents_m, tangents)
        f, slope = np.where(better, f_m, f), np.where(better[:, None], slope_m, slope)
        H = np.where(better[:, None, None], H_m, H)
    return n


def polish(c, M1, M2, n):
    """Newton in extended precision, as long as the slope falls."""
    best = n = unit(n.astype(LD), Z)
    least = np.full(len(n), np.inf, LD)
    for _ in range(5):
        _, slope, H, tangents = curved(c, M1, M2, n)
        falls = np.hypot(*slope.T) < least
        best, least = np.where(falls[:, None], n, best), np.where(falls, np.hypot(*slope.T), least)
        n = unit(n + np.einsum("sk,ski->si", step(slope, H, 0), tangents), Z)
    return best
