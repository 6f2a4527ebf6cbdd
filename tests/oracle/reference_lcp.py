"""Mixed complementarity and Coulomb's law, slow and obvious: by trying all sets, by relaxation, by their definition.

w = A z + b with lo <= z <= hi, w >= 0 where z = lo, w <= 0 where z = hi, w = 0 between.
"""

import itertools

import numpy as np


def natural_residual(A, b, lo, hi, z):
    """max |z - clip(z - w/A_ii, lo, hi)| sqrt(A_ii) by the size of b, of N problems: zero at solutions only."""
    diagonal = np.einsum("kii->ki", A)
    root = np.sqrt(np.where(diagonal > 0.0, diagonal, np.maximum(diagonal.max(axis=1, keepdims=True), 1e-300)))
    w = np.einsum("kij,kj->ki", A, z) + b
    apart = np.abs(z - np.clip(z - w / root**2, lo, hi)) * root
    bounds = np.clip(0.0, lo, hi) * root
    return apart.max(axis=1) / np.maximum(np.maximum(np.abs(b / root), np.abs(bounds)).max(axis=1), 1e-300)


def enumerate_sets(A, b, lo, hi, tolerance=1e-8):
    """All solutions of one problem of few rows, one for each set of free rows that has one: (sets, n).

    The least z is taken where the free rows leave some of it open.
    """
    n = len(b)
    sets = np.array(list(itertools.product((-1, 0, 1), repeat=n)))
    value = np.where(sets < 0, lo, np.where(sets > 0, hi, 0.0))
    sets = sets[np.isfinite(value).all(axis=1)]
    free = sets == 0
    z = np.where(sets < 0, np.where(np.isfinite(lo), lo, 0.0), np.where(np.isfinite(hi), hi, 0.0)) * ~free
    both = free[:, :, None] & free[:, None, :]
    right = np.where(free, -(z @ A + b), 0.0)
    z += np.einsum("kij,kj->ki", np.linalg.pinv(np.where(both, A, 0.0), rcond=1e-10, hermitian=True), right)
    w = z @ A + b
    slack = tolerance * (1.0 + np.abs(z).max(axis=1, keepdims=True))
    right_place = np.where(
        free, (np.abs(w) <= slack) & (z >= lo - slack) & (z <= hi + slack), (sets * w <= slack) | (lo == hi)
    )
    return z[right_place.all(axis=1)]


def relax(A, b, lo, hi, tolerance=1e-12, most=20000):
    """Projected Gauss-Seidel of N problems at once; z (N, n), and which have converged."""
    z = np.clip(0.0, lo, hi)
    active = np.arange(len(b))
    diagonal = np.einsum("kii->ki", A)
    for sweep in range(most):
        a, x, d = A[active], z[active], diagonal[active]
        for i in range(b.shape[1]):
            w = np.einsum("kj,kj->k", a[:, i], x) + b[active, i]
            x[:, i] = np.clip(x[:, i] - w / d[:, i], lo[active, i], hi[active, i])
        z[active] = x
        if sweep % 20 == 19:
            active = active[natural_residual(a, b[active], lo[active], hi[active], x) > tolerance]
            if len(active) == 0:
                break
    done = np.ones(len(b), dtype=bool)
    done[active] = False
    return z, done


def coulomb_errors(A, b, mu, normals, z):
    """How far one z is from Coulomb's law: pull, overlap, cone, direction, drift.

    pull and overlap: the normal force or velocity below zero, or both above it. cone: |f_t| beyond mu f_n. direction:
    the angle's sine between sliding and the force against it, and where they agree. drift: sliding inside of the cone.
    Forces and velocities by the largest of b / A_ii and b.
    """
    w = A @ z + b
    velocity, force = np.abs(b).max(), np.abs(b / np.diag(A)).max()
    errors = np.zeros(5)
    for row, friction in zip(normals, mu, strict=True):
        f_n, u_n, f, u = (
            z[row] / force,
            w[row] / velocity,
            z[row + 1 : row + 3] / force,
            w[row + 1 : row + 3] / velocity,
        )
        length = np.hypot(*f)
        direction = max(abs(f[0] * u[1] - f[1] * u[0]), f @ u)
        drift = np.hypot(*u) * max(0.0, friction * f_n - length)
        errors = np.maximum(errors, [-f_n, max(-u_n, min(f_n, u_n)), length - friction * f_n, direction, drift])
    return errors


def one_contact(A, b, mu, angles=20001):
    """All solutions of a single contact (A 3 x 3): open, stuck, and sliding at angles found by scanning the circle."""
    found = []
    if b[0] >= 0.0:
        found.append(np.zeros(3))
    stuck = np.linalg.solve(A, -b)
    if stuck[0] >= 0.0 and np.hypot(stuck[1], stuck[2]) <= mu * stuck[0]:
        found.append(stuck)

    def sliding(angle):
        d = np.array([np.cos(angle), np.sin(angle)])
        slope = A[0, 0] + mu * A[0, 1:] @ d
        f_n = -b[0] / np.where(slope == 0.0, 1e-300, slope)
        u = (A[1:, :1] + mu * A[1:, 1:] @ d) * f_n + b[1:].reshape((2,) + (1,) * np.ndim(angle))
        return f_n, d, u[0] * d[1] - u[1] * d[0], u[0] * d[0] + u[1] * d[1]

    angle = np.linspace(0.0, 2.0 * np.pi, angles)
    across = sliding(angle)[2]
    for k in np.flatnonzero(np.sign(across[1:]) != np.sign(across[:-1])):
        low, high = angle[k], angle[k + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            same = np.sign(sliding(np.array([middle]))[2][0]) == np.sign(across[k])
            low, high = (middle, high) if same else (low, middle)
        f_n, d, rest, along = (np.squeeze(value) for value in sliding(np.array([0.5 * (low + high)])))
        if f_n > 0.0 and along <= 0.0 and abs(rest) < 1e-6 * np.abs(b).max():  # not where f_n jumps
            found.append(np.array([f_n, mu * f_n * d[0], mu * f_n * d[1]]))
    return found
