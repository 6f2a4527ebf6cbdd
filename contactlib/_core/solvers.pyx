# the complementarity solvers outside any element, for tests and benchmarks: many problems of one size, one after the
# other. included by engine.pyx.

#: how one problem was solved; layout of SolveReport in core/solve/mcp.hpp
SOLVE_DTYPE = np.dtype([
    ("code", "i4"), ("row", "i4"), ("pivots", "i4"), ("single", "i4"), ("iterations", "i4"), ("sweeps", "i4"),
    ("residual", "f8"),
])
if SOLVE_DTYPE.itemsize != sizeof(solver.SolveReport):
    raise ImportError("the solvers' report of the compiled core has another layout than SOLVE_DTYPE")

#: what `code` says
SOLVE_CODES = ("solved", "iteration_limit_reached", "inexact", "not_finite", "bad_bounds", "not_positive",
               "bad_contact", "too_large")


cdef int check_problems(A, tuple columns) except -1:
    if A.shape[1] != A.shape[2]:
        raise ValueError(f"A must have shape (N, n, n), not {A.shape}")
    for column in columns:
        if column.shape != A.shape[:2]:
            raise ValueError(f"b, lo, hi, states and z must have shape {A.shape[:2]}, not {column.shape}")
    return 0


cdef solver.McpProblem problem_of(const double[:, :, ::1] A, const double[:, ::1] b, const double[:, ::1] lo,
                                  const double[:, ::1] hi, Py_ssize_t i) noexcept:
    cdef solver.McpProblem problem
    problem.n, problem.A = <int>A.shape[1], &A[i, 0, 0]
    problem.b, problem.lo, problem.hi = &b[i, 0], &lo[i, 0], &hi[i, 0]
    return problem


def solve_mcp(const double[:, :, ::1] A, const double[:, ::1] b, const double[:, ::1] lo, const double[:, ::1] hi,
              int8_t[:, ::1] states, double[:, ::1] z, int cap=100):
    """Solves N problems of n rows into `z` (N, n), from and into `states`; reports (N,) of SOLVE_DTYPE."""
    cdef solver.McpSolver mcp
    cdef solver.SolveReport report
    cdef Py_ssize_t i
    check_problems(A, (b, lo, hi, states, z))
    out = np.zeros(A.shape[0], dtype=SOLVE_DTYPE)
    cdef unsigned char[::1] bytes_v = out.view(np.uint8)
    mcp.make(<int>A.shape[1])
    mcp.cap = cap
    for i in range(A.shape[0] if A.shape[1] > 0 else 0):
        report = mcp.solve(problem_of(A, b, lo, hi, i), <solver.RowState*>&states[i, 0], &z[i, 0])
        memcpy(&bytes_v[i * sizeof(report)], &report, sizeof(report))
    return out


def solve_friction(const double[:, :, ::1] A, const double[:, ::1] b, const double[:, ::1] lo,
                   const double[:, ::1] hi, const int32_t[::1] normals, const double[:, ::1] mu,
                   int8_t[:, ::1] states, double[:, ::1] z, int cap=400, int sweep_cap=10230):
    """As `solve_mcp`, with contacts whose normals are the rows `normals` (m,), of friction `mu` (N, m)."""
    cdef solver.CoulombSolver coulomb
    cdef solver.FrictionalProblem problem
    cdef solver.SolveReport report
    cdef vector[solver.FrictionContact] contacts
    cdef Py_ssize_t i, k, m = normals.shape[0]
    check_problems(A, (b, lo, hi, states, z))
    if mu.shape[0] != A.shape[0] or mu.shape[1] != m:
        raise ValueError(f"mu must have shape {(A.shape[0], m)}, not {tuple(mu.shape)[:2]}")
    out = np.zeros(A.shape[0], dtype=SOLVE_DTYPE)
    cdef unsigned char[::1] bytes_v = out.view(np.uint8)
    coulomb.make(<int>A.shape[1], <int>m)
    coulomb.cap, coulomb.sweep_cap = cap, sweep_cap
    contacts.resize(m)
    problem.contacts, problem.contact = <int>m, contacts.data()
    for i in range(A.shape[0] if A.shape[1] > 0 else 0):
        for k in range(m):
            contacts[k].row, contacts[k].mu = normals[k], mu[i, k]
        problem.rows = problem_of(A, b, lo, hi, i)
        report = coulomb.solve(problem, <solver.RowState*>&states[i, 0], &z[i, 0])
        memcpy(&bytes_v[i * sizeof(report)], &report, sizeof(report))
    return out
