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


cdef class Shape:
    """A shape of the core outside any scene; corners and faces for a polyhedron or a mesh."""

    cdef core.Shape shape
    cdef core.Surface surface, own

    def __init__(self, int kind, int rim, size, surface=None):
        cdef const double[:, ::1] vertices
        cdef const int32_t[::1] loops, counts
        self.shape.kind = <core.ShapeKind>kind
        self.shape.rim = <core.RimMethod>rim
        self.shape.surface = NULL
        for i in range(9):
            self.shape.size[i] = size[i]
        for i in range(3):
            self.shape.p_BS.data()[i] = 0
            for j in range(3):
                self.shape.R_BS.data()[3 * i + j] = i == j
        if surface is not None:
            vertices, loops, counts = surface
            if not core.make_surface(&vertices[0, 0], vertices.shape[0], &loops[0], &counts[0], counts.shape[0],
                                     self.surface):
                raise ValueError("the faces do not make a surface: an edge has more than two faces, or two that run "
                                 "along it the same way, or a face has no area")
            self.shape.surface = &self.surface
        if not core.complete_shape(self.shape, &self.own):
            raise ValueError("a size of this shape is not allowed, or a polyhedron is not convex")


def empty_manifolds(Py_ssize_t n, Py_ssize_t slots=8):
    """Room for the manifolds of n placements: slot-major, so that slots which no placement fills are never touched."""
    return (np.zeros(n, dtype=np.int32), np.zeros((slots, n, 3)), np.zeros((slots, n, 3)), np.zeros((slots, n)),
            np.full((slots, n), -1, dtype=np.int32), np.zeros((slots, n)))


# slots of one placement in the outputs: k-th contact at [k * n]
cdef struct Slots:
    Py_ssize_t n
    int most
    int* count
    double* point
    double* normal
    double* depth
    int* feature
    double* share


@cython.boundscheck(False)
def manifolds(Shape shape_a not None, Shape shape_b not None, const double[:, ::1] X_WA, const double[:, ::1] X_WB,
              const double[:, ::1] hints, out, int num_threads):
    """Manifolds of N placements of one pair of shapes; see `contactlib.manifolds`, which checks shapes and kinds.

    A single row of X_WA or X_WB stands for all; hints has N rows or none. `out` comes from `empty_manifolds` or an
    earlier call. Returns the first row whose pose is not finite or whose quaternion is not of unit length, or -1.
    """
    cdef Py_ssize_t n = max(X_WA.shape[0], X_WB.shape[0]), i
    cdef Py_ssize_t step_a = X_WA.shape[0] > 1, step_b = X_WB.shape[0] > 1
    cdef const core.Shape* A = &shape_a.shape
    cdef const core.Shape* B = &shape_b.shape
    cdef core.Kernel kernel = core.pair_row(core.shape_kinds * <int>A.kind + <int>B.kind).kernel
    if kernel == NULL:
        raise ValueError("this pair of shapes is not defined")
    cdef int[::1] count = out[0]
    cdef double[:, :, ::1] point = out[1], normal = out[2]
    cdef double[:, ::1] depth = out[3], share = out[5]
    cdef int[:, ::1] feature = out[4]
    cdef int most = depth.shape[0]
    cdef const double* hint = &hints[0, 0] if hints.shape[0] == n and n > 0 else NULL
    cdef unsigned char[::1] bad = np.zeros(n, dtype=np.uint8)
    for i in prange(n, nogil=True, schedule="static", num_threads=num_threads):
        bad[i] = collide_one(kernel, A, B, &X_WA[step_a * i, 0], &X_WB[step_b * i, 0],
                             hint + 3 * i if hint != NULL else NULL,
                             Slots(n, most, &count[i], &point[0, i, 0], &normal[0, i, 0], &depth[0, i],
                                   &feature[0, i], &share[0, i]))
    for i in range(n):
        if bad[i]:
            return i
    return -1


cdef extern from *:
    """
    // room for one manifold without constructing its points
    struct contactlib_room { alignas(16) unsigned char bytes[64 * sizeof(contactlib::ManifoldPoint)]; };
    """
    cdef cppclass Room "contactlib_room":
        unsigned char bytes[1]


cdef bint collide_one(core.Kernel kernel, const core.Shape* A, const core.Shape* B, const double* X_WA,
                      const double* X_WB, const double* hint, Slots out) noexcept nogil:
    cdef core.Placement X
    cdef Room room
    cdef core.Manifold manifold
    cdef core.ManifoldPoint* p
    cdef Py_ssize_t k, n = out.n
    cdef int i
    cdef double d
    if not rotation(X_WA + 3, X.R_WA.data()) or not rotation(X_WB + 3, X.R_WB.data()):
        return True
    for i in range(3):
        d = X_WB[i] - X_WA[i]
        if not isfinite(d):
            return True
        X.p_AB_W.data()[i] = d
        X.hint_W.data()[i] = hint[i] if hint != NULL else 0
    manifold.points = <core.ManifoldPoint*>room.bytes
    manifold.capacity = out.most if out.most < 64 else 64
    manifold.count = manifold.needed = 0
    kernel(deref(A), deref(B), X, manifold)
    for k in range(manifold.count):
        p = &manifold.points[k]
        for i in range(3):
            out.point[3 * k * n + i] = X_WA[i] + p.p_AC_W.data()[i]
            out.normal[3 * k * n + i] = p.n_AB_W.data()[i]
        out.depth[k * n] = p.depth
        out.feature[k * n] = p.feature
        out.share[k * n] = p.share
    for k in range(manifold.count, out.count[0]):  # what an earlier call left here
        for i in range(3):
            out.point[3 * k * n + i] = out.normal[3 * k * n + i] = 0
        out.depth[k * n] = 0
        out.feature[k * n] = -1
        out.share[k * n] = 0
    out.count[0] = manifold.count
    return False


# candidates of a portion below which threads cost more than they give
cdef enum:
    WORTH_THREADS = 256


cdef void collide_in_threads(const core.Model& model, core.Data& data, size_t count) noexcept nogil:
    cdef int chunks = <int>data.pools.size(), chunk
    if count < WORTH_THREADS:
        core.collide_serially(model, data, count)
        return
    for chunk in prange(chunks, schedule="static", num_threads=chunks):
        core.collide(model, data, chunk, count)


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


@cython.boundscheck(False)
def rays(Shape shape not None, const double[:, ::1] X_WS, const double[:, ::1] origins,
         const double[:, ::1] directions, double longest, int num_threads):
    """Rays (N, 3) along unit directions against one shape; see `contactlib.cast_rays`, which checks the rows.

    Returns hit, distance, normal, feature and the first row of X_WS that is no pose, or -1.
    """
    cdef Py_ssize_t n = origins.shape[0], step = X_WS.shape[0] > 1, i
    hit = np.zeros(n, dtype=np.uint8)
    distance = np.full(n, np.inf)
    normal = np.zeros((n, 3))
    feature = np.full(n, -1, dtype=np.int32)
    cdef unsigned char[::1] hit_v = hit, bad = np.zeros(n, dtype=np.uint8)
    cdef double[::1] distance_v = distance
    cdef double[:, ::1] normal_v = normal
    cdef int[::1] feature_v = feature
    for i in prange(n, nogil=True, schedule="static", num_threads=num_threads):
        bad[i] = cast_one(&shape.shape, &X_WS[step * i, 0], &origins[i, 0], &directions[i, 0], longest, &hit_v[i],
                          &distance_v[i], &normal_v[i, 0], &feature_v[i])
    for i in range(n):
        if bad[i]:
            return hit, distance, normal, feature, i
    return hit, distance, normal, feature, -1


cdef bint cast_one(const core.Shape* shape, const double* X_WS, const double* origin, const double* direction,
                   double longest, unsigned char* hit, double* distance, double* normal, int* feature) noexcept nogil:
    cdef double R[9]
    cdef core.Vec3 p_S, d_S
    cdef core.RayHit found
    cdef int i
    if not rotation(X_WS + 3, R):
        return True
    for i in range(3):  # column i of R_WS is axis i of the shape
        p_S.data()[i] = (R[3 * i] * (origin[0] - X_WS[0]) + R[3 * i + 1] * (origin[1] - X_WS[1])
                         + R[3 * i + 2] * (origin[2] - X_WS[2]))
        d_S.data()[i] = R[3 * i] * direction[0] + R[3 * i + 1] * direction[1] + R[3 * i + 2] * direction[2]
    found = core.cast_ray(deref(shape), p_S, d_S, longest)
    hit[0] = found.hit
    if found.hit:
        distance[0] = found.distance
        feature[0] = found.feature
        for i in range(3):
            normal[i] = (R[i] * found.n.data()[0] + R[3 + i] * found.n.data()[1] + R[6 + i] * found.n.data()[2])
    return False


@cython.boundscheck(False)
def press(const double[:, ::1] points, const double[:, ::1] states, const double[::1] plane, int normal_law,
          parameters, const double[:, ::1] curve, int num_threads):
    """Points (3, N) of a body in M states on a plane; see `contactlib.press_points`, which checks all of it.

    Returns wrenches (M, 6), touching, deepest, stored and heat (M,), and the first row that is no state, or -1.
    """
    cdef Py_ssize_t m = states.shape[0], i
    cdef double numbers[4]
    cdef vector[core.CurvePoint] pieces
    cdef core.Curve line
    cdef core.Cloud cloud
    for i in range(len(parameters)):
        numbers[i] = parameters[i]
    pieces.resize(curve.shape[0])
    for i in range(curve.shape[0]):
        pieces[i].depth, pieces[i].force = curve[i, 0], curve[i, 1]
    line.points, line.count = pieces.data(), pieces.size()
    if pieces.size() and not core.complete_curve(pieces.data(), pieces.size()):
        raise ValueError("the curve must start above zero, grow in depth, and not fall at its end")
    cloud.count = points.shape[1]
    if cloud.count:
        cloud.x, cloud.y, cloud.z = &points[0, 0], &points[1, 0], &points[2, 0]
    wrenches, sums = np.zeros((m, 6)), np.zeros((4, m))
    cdef double[:, ::1] wrenches_v = wrenches, sums_v = sums
    cdef unsigned char[::1] bad = np.zeros(m, dtype=np.uint8)
    for i in prange(m, nogil=True, schedule="static", num_threads=num_threads):
        bad[i] = press_one(cloud, &states[i, 0], &plane[0], normal_law, numbers, line, &wrenches_v[i, 0],
                           &sums_v[0, i], m)
    for i in range(m):
        if bad[i]:
            return wrenches, *sums, i
    return wrenches, *sums, -1


cdef bint press_one(const core.Cloud& cloud, const double* state, const double* plane, int normal_law,
                    const double* parameters, const core.Curve& curve, double* wrench, double* sums,
                    Py_ssize_t stride) noexcept nogil:
    # plane: its normal in the world and where it lies along that
    cdef double R[9]
    cdef core.CloudMotion motion
    cdef core.CloudWrench found
    cdef const double* column
    cdef int i
    if not rotation(state + 3, R):
        return True
    motion.d = plane[3]
    for i in range(3):
        motion.d -= plane[i] * state[i]
        column = R + 3 * i
        motion.n.data()[i] = column[0] * plane[0] + column[1] * plane[1] + column[2] * plane[2]
        motion.v.data()[i] = column[0] * state[7] + column[1] * state[8] + column[2] * state[9]
        motion.w.data()[i] = column[0] * state[10] + column[1] * state[11] + column[2] * state[12]
    found = core.press(cloud, motion, core.normal_laws[normal_law].force, parameters, curve)
    for i in range(3):
        wrench[i] = (R[i] * found.force.data()[0] + R[3 + i] * found.force.data()[1] + R[6 + i] * found.force.data()[2])
        wrench[3 + i] = (R[i] * found.torque.data()[0] + R[3 + i] * found.torque.data()[1]
                         + R[6 + i] * found.torque.data()[2])
    sums[0], sums[stride], sums[2 * stride] = <double>found.touching, found.deepest, found.stored
    sums[3 * stride] = found.heat
    return False
