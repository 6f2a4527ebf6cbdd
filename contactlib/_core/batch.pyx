# many pairs or many states at once: the only place with threads. each iteration writes its own slot,
# so the number of threads changes nothing but the time. included by engine.pyx.

cimport cython
from cython.parallel cimport prange, threadid


cdef extern from *:
    """
    #ifdef _OPENMP
    static const bool contactlib_openmp = true;
    #else
    static const bool contactlib_openmp = false;
    #endif
    """
    const bint contactlib_openmp

OPENMP = bool(contactlib_openmp)


cdef bint rotation(const double* q, double* R) noexcept nogil:
    # of a quaternion that is normalised here, column-major as eigen keeps it; false if |q| is off 1 by more than 1e-3
    cdef double n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if not (0.998001 <= n2 <= 1.002001):
        return False
    cdef double scale = 1 if -1e-15 < n2 - 1 < 1e-15 else 1 / sqrt(n2)
    cdef double w = q[0] * scale, x = q[1] * scale, y = q[2] * scale, z = q[3] * scale
    R[0] = 1 - 2 * (y * y + z * z)
    R[1] = 2 * (x * y + w * z)
    R[2] = 2 * (x * z - w * y)
    R[3] = 2 * (x * y - w * z)
    R[4] = 1 - 2 * (x * x + z * z)
    R[5] = 2 * (y * z + w * x)
    R[6] = 2 * (x * z + w * y)
    R[7] = 2 * (y * z - w * x)
    R[8] = 1 - 2 * (x * x + y * y)
    return True


cdef core.Shape make_shape(int kind, int rim, size):
    cdef core.Shape shape
    shape.kind = <core.ShapeKind>kind
    shape.rim = <core.RimMethod>rim
    for i in range(6):
        shape.size[i] = size[i]
    return shape


def empty_manifolds(Py_ssize_t n):
    """Room for the manifolds of n placements: slot-major, so that slots which no placement fills are never touched."""
    return (np.zeros(n, dtype=np.int32), np.zeros((8, n, 3)), np.zeros((8, n, 3)), np.zeros((8, n)),
            np.full((8, n), -1, dtype=np.int32))


@cython.boundscheck(False)
def manifolds(int kind_a, int rim_a, size_a, int kind_b, int rim_b, size_b,
              const double[:, ::1] X_WA, const double[:, ::1] X_WB, out, int num_threads):
    """Manifolds of N placements of one pair of shapes; see `contactlib.manifolds`, which checks shapes and kinds.

    A single row of X_WA or X_WB stands for all. `out` comes from `empty_manifolds` or an earlier call. Returns the
    first row whose pose is not finite or whose quaternion is not of unit length, or -1.
    """
    cdef Py_ssize_t n = max(X_WA.shape[0], X_WB.shape[0]), i
    cdef Py_ssize_t step_a = X_WA.shape[0] > 1, step_b = X_WB.shape[0] > 1
    cdef core.Shape A = make_shape(kind_a, rim_a, size_a), B = make_shape(kind_b, rim_b, size_b)
    cdef core.Kernel kernel = core.pair_row(core.shape_kinds * kind_a + kind_b).kernel
    if kernel == NULL:
        raise ValueError("this pair of shapes is not defined")
    cdef int[::1] count = out[0]
    cdef double[:, :, ::1] point = out[1], normal = out[2]
    cdef double[:, ::1] depth = out[3]
    cdef int[:, ::1] feature = out[4]
    cdef unsigned char[::1] bad = np.zeros(n, dtype=np.uint8)
    for i in prange(n, nogil=True, schedule="static", num_threads=num_threads):
        bad[i] = collide(kernel, &A, &B, &X_WA[step_a * i, 0], &X_WB[step_b * i, 0], n, &count[i], &point[0, i, 0],
                         &normal[0, i, 0], &depth[0, i], &feature[0, i])
    for i in range(n):
        if bad[i]:
            return i
    return -1


cdef bint collide(core.Kernel kernel, const core.Shape* A, const core.Shape* B, const double* X_WA,
                  const double* X_WB, Py_ssize_t n, int* count, double* point, double* normal, double* depth,
                  int* feature) noexcept nogil:
    cdef core.Placement X
    cdef core.Manifold manifold
    cdef Py_ssize_t k
    cdef int i
    cdef double p
    if not rotation(X_WA + 3, X.R_WA.data()) or not rotation(X_WB + 3, X.R_WB.data()):
        return True
    for i in range(3):
        p = X_WB[i] - X_WA[i]
        if not isfinite(p):
            return True
        X.p_AB_W.data()[i] = p
    kernel(deref(A), deref(B), X, manifold)
    for k in range(manifold.count):
        for i in range(3):
            point[3 * k * n + i] = X_WA[i] + manifold.points[k].p_AC_W.data()[i]
            normal[3 * k * n + i] = manifold.points[k].n_AB_W.data()[i]
        depth[k * n] = manifold.points[k].depth
        feature[k * n] = manifold.points[k].feature
    for k in range(manifold.count, count[0]):  # what an earlier call left here
        for i in range(3):
            point[3 * k * n + i] = normal[3 * k * n + i] = 0
        depth[k * n] = 0
        feature[k * n] = -1
    count[0] = manifold.count
    return False


@cython.boundscheck(False)
def compute_batch(Model model not None, const double[:, :, ::1] states, int num_threads):
    """Wrenches of N states of all bodies, each without memory; see `Simulation.compute_batch`."""
    cdef Py_ssize_t n = states.shape[0], bodies = model.model.bodies.size(), i
    if states.shape[1] != bodies or states.shape[2] != 13:
        raise ValueError(f"states has shape {tuple(states.shape)[:3]}, must be (N, {bodies}, 13)")
    wrenches = np.zeros((n, bodies, 6))
    count = np.zeros(n, dtype=np.int32)
    depth = np.zeros(n)
    cdef double[:, :, ::1] wrenches_v = wrenches
    cdef int[::1] count_v = count
    cdef double[::1] depth_v = depth
    if n == 0 or bodies == 0:
        return wrenches, count, depth
    cdef vector[core.Status] statuses
    statuses.resize(n)
    cdef list workers = [Data(model) for _ in range(num_threads)]  # one state block per thread
    cdef vector[core.Data*] data
    for i in range(num_threads):
        data.push_back(&(<Data>workers[i]).data)
    for i in prange(n, nogil=True, schedule="static", num_threads=num_threads):
        statuses[i] = compute_one(model.model, data[threadid()], &states[i, 0, 0], &wrenches_v[i, 0, 0], &count_v[i],
                                  &depth_v[i])
    for i in range(n):
        if statuses[i].code != core.Code.ok:
            raise ValueError(f"state {i}: {core.describe(statuses[i], model.model).decode()}")
    return wrenches, count, depth


cdef core.Status compute_one(const core.Model& model, core.Data* data, const double* states, double* wrenches,
                             int* count, double* depth) noexcept nogil:
    cdef size_t bodies = model.bodies.size()
    cdef core.Status status
    status = core.set_states(model, deref(data), <const core.BodyState*>states)
    if status.code == core.Code.ok:
        status = core.evaluate(model, deref(data))
    if status.code == core.Code.ok:
        memcpy(wrenches, data.outputs(), bodies * 6 * sizeof(double))
        count[0] = <int>data.globals().contact_count
        depth[0] = data.globals().max_depth
    return status


def rim_line(double R, const double[:, ::1] Q, const double[:, ::1] d):
    """Rim points nearest to N lines: count (N,) and points (N, 2, 3), exact; the global minimum first."""
    cdef Py_ssize_t n = Q.shape[0], i
    cdef int k, j
    cdef core.RimMinima minima
    cdef core.Vec3 q, u
    count = np.zeros(n, dtype=np.int32)
    points = np.full((n, 2, 3), np.nan)
    for i in range(n):
        memcpy(q.data(), &Q[i, 0], 24)
        memcpy(u.data(), &d[i, 0], 24)
        minima = core.rim_line_exact(R, q, u)
        count[i] = minima.count
        for k in range(minima.count):
            for j in range(3):
                points[i, k, j] = minima.E[k].data()[j]
    return count, points


def rim_search(double R, const double[:, ::1] Q, const double[:, ::1] d, int levels, bint ends):
    """Rim points (N, 3) that the paper's eight-point search finds for N lines; d = 0 searches for points."""
    cdef Py_ssize_t n = Q.shape[0], i
    cdef int j
    cdef core.Vec3 q, u, E
    points = np.empty((n, 3))
    for i in range(n):
        memcpy(q.data(), &Q[i, 0], 24)
        memcpy(u.data(), &d[i, 0], 24)
        E = core.rim_subdivision(R, q, u, levels, ends)
        for j in range(3):
            points[i, j] = E.data()[j]
    return points
