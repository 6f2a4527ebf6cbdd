"""Products and lengths of vectors with one order of summation: the same bits on every machine.

numpy gives `@`, `dot`, `linalg.norm` and `linalg.eigh` to a library that has variants for several processors. These
functions multiply and add element by element, in the order of the indices.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SWEEPS = 50  # a symmetric matrix of order three needs less than ten


def dot(a: Floats, b: Floats) -> Floats:
    """Return the products of vectors along the last axis.

    >>> float(dot(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])))
    32.0
    """
    return np.asarray((a * b).sum(axis=-1))


def norm(a: Floats) -> Floats:
    """Return the lengths of vectors along the last axis.

    >>> norm(np.array([[3.0, 4.0], [0.0, 2.0]])).tolist()
    [5.0, 2.0]
    """
    return np.asarray(np.sqrt(dot(a, a)))


def unit(a: Floats) -> Floats:
    """Return a vector divided by its length."""
    return np.asarray(a / norm(a))


def matmul(a: Floats, b: Floats) -> Floats:
    """Return the product of the matrices a (L, M) and b (M, N).

    >>> matmul(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [[2.0, 1.0], [4.0, 3.0]]
    """
    return np.asarray((a[:, :, None] * b[None, :, :]).sum(axis=1))


def principal(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, rising, and its unit eigenvectors as columns.

    Jacobi's method (G. H. Golub, C. F. Van Loan, "Matrix computations", section 8.5): rotations in the plane of two axes
    p and q, each of which makes the element (p, q) zero, with t = tan of the angle:
        theta = (a_qq - a_pp)/(2 a_pq),   t = sign(theta)/(|theta| + sqrt(theta^2 + 1))

    >>> values, vectors = principal(np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.5]]))
    >>> values.round(12).tolist()
    [0.5, 1.0, 3.0]
    """
    a = np.array(matrix, dtype=np.float64)
    n = len(a)
    vectors = np.eye(n)
    for _ in range(SWEEPS):
        turned = [_turn(a, vectors, p, q) for p in range(n) for q in range(p + 1, n)]
        if not any(turned):
            break
    order = np.argsort(np.diag(a), kind="stable")
    return np.diag(a)[order], vectors[:, order]


def _turn(a: Floats, vectors: Floats, p: int, q: int) -> bool:
    """Rotate, so that a[p, q] is zero; False if it adds nothing to the diagonal."""
    across, low, high = float(a[p, q]), float(a[p, p]), float(a[q, q])
    if abs(across) <= 1e-17 * (abs(low) + abs(high)):
        return False
    theta = (high - low) / (2.0 * across)
    t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for columns in (a, a.T, vectors):
        first, second = columns[:, p].copy(), columns[:, q].copy()
        columns[:, p], columns[:, q] = c * first - s * second, s * first + c * second
    a[p, q] = a[q, p] = 0.0
    return True
