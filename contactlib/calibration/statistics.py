"""Confidence intervals of fitted parameters, and combinations of parameters that the data do not determine.

With the Jacobian J (m, n), the residuals r, and psi = r rho'(r^2), where rho is the loss:

    rows:    cov = K^2 [sum psi^2/(m - n)]/mean(psi')^2 (J^T J)^-1,   K = 1 + n/m var(psi')/mean(psi')^2
             (P. J. Huber, "Robust regression", Ann. Statist. 1 (1973), for independent residuals; without a robust loss
             it is s^2 (J^T J)^-1)
    series:  cov = (G - 1)/G A^-1 [sum_g c_g c_g^T] A^-1,   A = J^T diag(psi') J,
             c_g = (1 - B_g A^-1)^-1 J_g^T psi_g,           B_g = J_g^T diag(psi'_g) J_g
             (the jackknife over the G series, called CR3; residuals within a series may be correlated)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: a whole range between bounds that moves the residuals by less, in standard deviations, has no effect
NO_EFFECT = 1e-6
#: parameters with a smaller part of a direction, whose columns have unit length, do not belong to it
PART = 0.1


@dataclass(frozen=True)
class Spread:
    """Uncertainty of the positions of n parameters.

    Attributes
    ----------
    covariance : (n, n); NaN for parameters at a bound and for those that the data do not determine.
    degrees : (n,) degrees of freedom of Student's t.
    flat : directions (k, n) in the positions along which the residuals do not change.
    """

    covariance: Floats
    degrees: Floats
    flat: Floats


def losses(loss: str, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return rho(z), rho'(z) and rho''(z) of scipy's losses, where z is a squared residual.

    >>> [float(each[0]) for each in losses("cauchy", np.array([1.0]))][1:]
    [0.5, -0.25]
    """
    if loss == "soft_l1":
        root = np.sqrt(1.0 + z)
        return 2.0 * (root - 1.0), 1.0 / root, -0.5 / root**3
    if loss == "huber":
        root = np.sqrt(np.maximum(z, 1.0))
        return np.where(z <= 1.0, z, 2.0 * root - 1.0), 1.0 / root, np.where(z <= 1.0, 0.0, -0.5 / root**3)
    if loss == "cauchy":
        return np.log1p(z), 1.0 / (1.0 + z), -1.0 / (1.0 + z) ** 2
    if loss == "arctan":
        return np.arctan(z), 1.0 / (1.0 + z * z), -2.0 * z / (1.0 + z * z) ** 2
    return z, np.ones_like(z), np.zeros_like(z)


def influence(loss: str, scale: float, residuals: Floats) -> tuple[Floats, Floats]:
    """Return psi = r rho'(z) and its derivative rho'(z) + 2 z rho''(z), with z = (r/scale)^2."""
    z = (residuals / scale) ** 2
    _, first, second = losses(loss, z)
    return residuals * first, first + 2.0 * z * second


def spread(jacobian: Floats, psi: Floats, slope: Floats, free: NDArray[np.bool_], groups: NDArray[np.int64] | None,
           local: NDArray[np.bool_], noise: float) -> Spread:
    """Return the uncertainty of the positions at an optimum.

    Parameters
    ----------
    jacobian : (m, n) derivatives of the residuals.
    psi, slope : (m,) from `influence`.
    free : (n,) false for parameters at a bound, which count as known.
    groups : (m,) number of the series of each residual for the kind "series"; None for the kind "rows".
    local : (n,) true for parameters that act on one series alone; their kind is always "rows".
    noise : relative error of the difference quotients; directions below it cannot be told from flat ones.
    """
    n = jacobian.shape[1]
    chosen = np.flatnonzero(free)
    J = jacobian[:, chosen]
    length = np.sqrt((J * J).sum(axis=0))
    dead = without_effect(J)
    flat = [np.eye(n)[chosen[k]] for k in np.flatnonzero(dead)]
    live = np.flatnonzero(~dead)
    kept = np.zeros(n, dtype=bool)
    covariance = np.full((n, n), np.nan)
    if live.size:
        unit = J[:, live] / length[live]
        _, sizes, rows = np.linalg.svd(unit, full_matrices=False)
        below = sizes < np.clip(3.0 * noise, 1e-6, 1e-3) * sizes[0]
        for row in rows[below]:
            direction = np.zeros(n)
            direction[chosen[live]] = np.where(np.abs(row) > PART, row / length[live], 0.0)
            flat.append(direction / np.abs(direction).max())
        lost = (np.abs(rows[below]) > PART).any(axis=0) if below.any() else np.zeros(len(live), dtype=bool)
        basis = (rows[~below] / length[live]).T  # columns span what the data determine
        found = _covariance(J[:, live], basis, psi, slope, groups, local[chosen[live]])
        kept[chosen[live[~lost]]] = True
        where = np.ix_(chosen[live[~lost]], chosen[live[~lost]])
        covariance[where] = found[np.ix_(~lost, ~lost)]
    degrees = np.full(n, float(max(1, len(J) - int(free.sum()))))
    if groups is not None:
        degrees = np.where(local, degrees, float(len(np.unique(groups)) - 1))
    return Spread(covariance, degrees, np.array(flat).reshape(-1, n))


def without_effect(jacobian: Floats) -> NDArray[np.bool_]:
    """Return (n,) whether a whole range of a parameter moves the residuals by less than NO_EFFECT, root mean square."""
    return np.asarray(np.sqrt((jacobian * jacobian).mean(axis=0)) <= NO_EFFECT)


def _covariance(J: Floats, basis: Floats, psi: Floats, slope: Floats, groups: NDArray[np.int64] | None,
                local: NDArray[np.bool_]) -> Floats:
    """Return the covariance (n, n) within the directions of `basis` (n, k)."""
    m, k = len(J), basis.shape[1]
    Q = J @ basis
    mean = float(slope.mean())
    correction = 1.0 + k / m * float(slope.var()) / mean**2
    rows = correction**2 * float(psi @ psi) / max(1, m - k) / mean**2 * (basis @ np.linalg.inv(Q.T @ Q) @ basis.T)
    common = np.flatnonzero(~local)
    if groups is None or not common.size:
        return np.asarray(rows)
    own = J[:, common].copy()
    for group in np.unique(groups):  # parameters of one series alone: out of its rows
        part = groups == group
        columns = J[part][:, local]
        columns = columns[:, np.abs(columns).max(axis=0, initial=0.0) > 0] if columns.size else columns[:, :0]
        if columns.shape[1]:
            own[part] -= columns @ np.linalg.lstsq(columns, own[part], rcond=None)[0]
    result: Floats = np.array(rows)
    base = _range(basis[common])
    result[np.ix_(common, common)] = base @ _jackknife(own @ base, psi, slope, groups) @ base.T
    mixed = np.ix_(common, np.flatnonzero(local))
    result[mixed] = np.nan
    result[mixed[1].T, mixed[0].T] = np.nan
    return result


def _range(matrix: Floats) -> Floats:
    """Return columns that span those of a matrix, each row in its own scale."""
    scale = np.sqrt((matrix * matrix).sum(axis=1))
    scale = np.where(scale > 0, scale, 1.0)
    u, sizes, _ = np.linalg.svd(matrix / scale[:, None], full_matrices=False)
    return np.asarray(scale[:, None] * u[:, sizes > 1e-10 * sizes[0]])


def _jackknife(Q: Floats, psi: Floats, slope: Floats, groups: NDArray[np.int64]) -> Floats:
    names = np.unique(groups)
    curvature = Q.T @ (slope[:, None] * Q)
    inverse = np.linalg.inv(curvature)
    one = np.eye(len(curvature))
    total = np.zeros_like(curvature)
    for group in names:
        part = groups == group
        own = Q[part].T @ (slope[part, None] * Q[part])
        score = np.linalg.lstsq(one - own @ inverse, Q[part].T @ psi[part], rcond=None)[0]
        total += np.outer(score, score)
    return np.asarray((len(names) - 1) / len(names) * inverse @ total @ inverse)


def quantile(confidence: float, degrees: float) -> float:
    """Return the two-sided quantile of Student's t.

    >>> round(quantile(0.95, 1e9), 3)
    1.96
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + 0.5 * confidence))


def correlations(covariance: Floats) -> Floats:
    """Return the correlation matrix; NaN where the covariance is NaN."""
    deviation = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(covariance / np.outer(deviation, deviation))


def neighbours(residuals: Floats, blocks: list[tuple[int, int]]) -> float:
    """Return the correlation of neighbouring residuals within the blocks [begin, end).

    >>> round(neighbours(np.array([1.0, 1.0, -1.0, -1.0, 1.0]), [(0, 5)]), 2)
    0.0
    """
    parts = [residuals[begin:end] for begin, end in blocks if end - begin > 2]
    top = sum(float(part[1:] @ part[:-1]) for part in parts)
    below = sum(float((part[1:] ** 2).sum() + (part[:-1] ** 2).sum()) / 2 for part in parts)
    return top / below if below > 0 else 0.0
