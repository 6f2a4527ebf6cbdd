# Queries of shapes without contacts: rays and distances. Included by engine.pyx after batch.pyx.

@cython.boundscheck(False)
def rays(Shape shape not None, const double[:, ::1] X_WS, const double[:, ::1] origins,
         const double[:, ::1] directions, double longest, int num_threads):
    """Rays (N, 3) along unit directions against one shape. `contactlib.cast_rays` checks the rows before.

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
    num_threads = team(num_threads)
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
def distances(Shape shape_a not None, Shape shape_b not None, const double[:, ::1] X_WA, const double[:, ::1] X_WB,
              double longest, int num_threads):
    """Distances and nearest points of N placements of two shapes. `contactlib.distances` checks shapes and rows before.

    Returns overlap, distance (infinite beyond `longest`), the points of A and of B, the normal, and the first row that
    is no pose, or -1.
    """
    cdef Py_ssize_t n = max(X_WA.shape[0], X_WB.shape[0]), i
    overlap = np.empty(n, dtype=bool)
    distance, points_a, points_b, normal = np.empty(n), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    cdef unsigned char[::1] overlap_v = overlap.view(np.uint8)
    cdef double[::1] distance_v = distance
    cdef double[:, ::1] a_v = points_a, b_v = points_b, normal_v = normal
    cdef unsigned char[::1] bad = np.zeros(n, dtype=np.uint8)
    cdef Rows a = rows(X_WA), b = rows(X_WB)
    num_threads = team(num_threads)
    for i in prange(n, nogil=True, schedule="static", num_threads=num_threads):
        bad[i] = measure_one(&shape_a.shape, &shape_b.shape, a.first + i * a.step, b.first + i * b.step, longest,
                             &overlap_v[i], &distance_v[i], &a_v[i, 0], &b_v[i, 0], &normal_v[i, 0])
    for i in range(n):
        if bad[i]:
            return overlap, distance, points_a, points_b, normal, i
    return overlap, distance, points_a, points_b, normal, -1


cdef bint measure_one(const core.Shape* A, const core.Shape* B, const double* X_WA, const double* X_WB, double longest,
                      unsigned char* overlap, double* distance, double* point_a, double* point_b,
                      double* normal) noexcept nogil:
    cdef core.Placement X
    cdef core.NearestPoints found
    cdef core.Nearness verdict
    cdef int k
    if not (rotation(X_WA + 3, X.R_WA.data()) and rotation(X_WB + 3, X.R_WB.data())):
        return True
    for k in range(3):
        X.p_AB_W.data()[k] = X_WB[k] - X_WA[k]
    verdict = core.shape_distance(deref(A), deref(B), X, longest, found)
    overlap[0] = verdict == core.Nearness.overlap
    distance[0] = 0 if overlap[0] else INFINITY
    for k in range(3):
        point_a[k] = point_b[k] = normal[k] = NAN
    if verdict == core.Nearness.apart:
        distance[0] = found.distance
        for k in range(3):
            point_a[k] = X_WA[k] + found.P.data()[k]
            point_b[k] = X_WA[k] + found.Q.data()[k]
            normal[k] = found.n.data()[k]
    return False


def has_distance(int a, int b):
    """Whether two kinds of shapes have a distance."""
    return core.has_distance(<core.ShapeKind>a, <core.ShapeKind>b)
