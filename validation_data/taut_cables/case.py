"""Eight contact problems of taut cables, solved from nothing and from the impulses of the step before."""

from pathlib import Path

import numpy as np

from contactlib._core import engine


def coulomb_errors(A, b, mu, normals, z):
    """Largest violation of: no pull, no overlap, cone, direction against sliding, no drift within the cone.

    Forces are over the largest of b/A_ii, velocities over the largest of b.
    """
    w = A @ z + b
    velocity, force, worst = np.abs(b).max(), np.abs(b / np.diag(A)).max(), 0.0
    for row, friction in zip(normals, mu, strict=True):
        f_n, u_n, f, u = z[row] / force, w[row] / velocity, z[row + 1:row + 3] / force, w[row + 1:row + 3] / velocity
        length = np.hypot(*f)
        direction = max(abs(f[0] * u[1] - f[1] * u[0]), f @ u)
        drift = np.hypot(*u) * max(0.0, friction * f_n - length)
        worst = max(worst, -f_n, -u_n, min(f_n, u_n), length - friction * f_n, direction, drift)
    return worst


def run(runner):
    worst, solved = 0.0, 0
    with np.load(Path(__file__).parent / "problems.npz") as problems:
        for k in range(8):
            given = {name: problems[f"{name}{k}"] for name in ("A", "b", "lo", "hi", "z", "normals", "mu")}
            n = len(given["b"])
            A = np.zeros((n, n))
            A[np.tril_indices(n)] = given["A"]
            A += np.tril(A, -1).T
            for warm in (0.0, 1.0):
                z, states = warm * given["z"], np.full(n, -1, np.int8)
                rows = (np.array(part, float)[None] for part in (A, given["b"], given["lo"], given["hi"]))
                report = engine.solve_friction(*rows, np.array(given["normals"], np.int32), given["mu"][None],
                                               states[None], z[None], max_iterations=150, max_sweeps=150)[0]
                solved += engine.SOLVE_CODES[report["code"]] == "solved"
                worst = max(worst, coulomb_errors(A, given["b"], given["mu"], given["normals"], z))
    return {"problems solved": float(solved), "largest violation of Coulomb's law": worst}
