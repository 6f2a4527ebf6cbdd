# The complementarity solvers without an element, for tests and benchmarks: many problems of one size in one call.
# Included by engine.pyx.

#: report of one problem
SOLVE_DTYPE = record_types()["solve_report"]

#: names of the field `code`, in the order of SolveCode
SOLVE_CODES = names_by_number({"solved": <int>solver.SolveCode.solved,
                               "iteration_limit_reached": <int>solver.SolveCode.iteration_limit_reached,
                               "inexact": <int>solver.SolveCode.inexact,
                               "not_finite": <int>solver.SolveCode.not_finite,
                               "bad_bounds": <int>solver.SolveCode.bad_bounds,
                               "not_positive": <int>solver.SolveCode.not_positive,
                               "bad_contact": <int>solver.SolveCode.bad_contact,
                               "too_large": <int>solver.SolveCode.too_large}, solver.solve_code_count)


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
              int8_t[:, ::1] states, double[:, ::1] z, int max_iterations=100):
    """Solve N problems of n rows into `z` (N, n), from and into `states`. Returns reports (N,) of SOLVE_DTYPE."""
    cdef solver.McpSolver mcp
    cdef solver.SolveReport report
    cdef Py_ssize_t i
    check_problems(A, (b, lo, hi, states, z))
    out = np.zeros(A.shape[0], dtype=SOLVE_DTYPE)
    cdef unsigned char[::1] bytes_v = out.view(np.uint8)
    mcp.make(<int>A.shape[1])
    mcp.max_iterations = max_iterations
    for i in range(A.shape[0] if A.shape[1] > 0 else 0):
        report = mcp.solve(problem_of(A, b, lo, hi, i), <solver.RowState*>&states[i, 0], &z[i, 0])
        memcpy(&bytes_v[i * sizeof(report)], &report, sizeof(report))
    return out


def solve_friction(const double[:, :, ::1] A, const double[:, ::1] b, const double[:, ::1] lo,
                   const double[:, ::1] hi, const int32_t[::1] normals, const double[:, ::1] mu,
                   int8_t[:, ::1] states, double[:, ::1] z, int max_iterations=400, int max_sweeps=10230,
                   int max_work=0):
    """As `solve_mcp`, with contacts whose normals are the rows `normals` (m,), of friction `mu` (N, m).

    `max_work` limits iterations, pivots and sweeps together; 0: no limit.
    """
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
    coulomb.max_iterations, coulomb.max_sweeps = max_iterations, max_sweeps
    coulomb.max_work = max_work if max_work > 0 else solver.no_limit
    contacts.resize(m)
    problem.contacts, problem.contact = <int>m, contacts.data()
    for i in range(A.shape[0] if A.shape[1] > 0 else 0):
        for k in range(m):
            contacts[k].row, contacts[k].mu = normals[k], mu[i, k]
        problem.rows = problem_of(A, b, lo, hi, i)
        report = coulomb.solve(problem, <solver.RowState*>&states[i, 0], &z[i, 0])
        memcpy(&bytes_v[i * sizeof(report)], &report, sizeof(report))
    return out
