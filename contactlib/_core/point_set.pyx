# Points of a body on a plane, in many states. Included by engine.pyx after batch.pyx.


# Rows of the law tables and their parameters. friction < 0: no friction.
cdef struct PointSetLaws:
    int normal
    int friction
    double normal_parameters[4]
    double friction_parameters[8]
    double h


@cython.boundscheck(False)
def press(const double[:, ::1] points, const double[:, ::1] states, const double[::1] plane, normal, friction,
          double h, double[:, :, ::1] bristles, int num_threads):
    """Points (3, N) of a body in M states on a plane. `contactlib.press_points` checks all arguments before.

    `plane`: its axes x, y and z in the world, and where it lies along z. `normal`: row, parameters and curve of the
    law; `friction`: row and parameters, or None. `bristles`: (M, N, 3), or of length 0. Returns wrenches (M, 6),
    touching, deepest, stored and heat (M,), and the first row that is no state, before anything is changed, or -1.
    """
    cdef Py_ssize_t m = states.shape[0], n = points.shape[1], i
    cdef double R[9]
    cdef vector[core.CurvePoint] pieces
    cdef core.Curve line
    cdef core.PointSet point_set
    cdef PointSetLaws laws = point_set_laws(normal, friction, h)
    cdef const double[:, ::1] curve = normal[2]
    pieces.resize(curve.shape[0])
    for i in range(curve.shape[0]):
        pieces[i].depth, pieces[i].force = curve[i, 0], curve[i, 1]
    line.points, line.count = pieces.data(), pieces.size()
    if pieces.size() and not core.complete_curve(pieces.data(), pieces.size()):
        raise ValueError("the curve must start above zero, grow in depth, and not fall at its end")
    point_set.count = n
    if point_set.count:
        point_set.x, point_set.y, point_set.z = &points[0, 0], &points[1, 0], &points[2, 0]
    wrenches, sums = np.zeros((m, 6)), np.zeros((4, m))
    cdef double[:, ::1] wrenches_v = wrenches, sums_v = sums
    for i in range(m):
        if not rotation(&states[i, 3], R):
            return wrenches, *sums, i
    cdef double* memory = &bristles[0, 0, 0] if bristles.shape[0] and bristles.shape[1] else NULL
    num_threads = team(num_threads)
    for i in prange(m, nogil=True, schedule="static", num_threads=num_threads):
        press_one(point_set, &states[i, 0], &plane[0], laws, line, memory + 3 * n * i if memory != NULL else NULL,
                  &wrenches_v[i, 0], &sums_v[0, i], m)
    return wrenches, *sums, -1


cdef PointSetLaws point_set_laws(normal, friction, double h):
    cdef PointSetLaws laws
    cdef int i
    laws.normal, laws.friction, laws.h = normal[0], -1, h
    for i, number in enumerate(normal[1]):
        laws.normal_parameters[i] = number
    if friction is not None:
        laws.friction = friction[0]
        for i, number in enumerate(friction[1]):
            laws.friction_parameters[i] = number
    return laws


# A vector of world axes in the axes of a body.
cdef core.Vec3 in_body(const double* R, const double* v) noexcept nogil:
    cdef core.Vec3 out
    cdef int i
    for i in range(3):
        out.data()[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2]
    return out


cdef void press_one(const core.PointSet& point_set, const double* state, const double* plane, const PointSetLaws& laws,
                    const core.Curve& curve, double* bristles, double* wrench, double* sums,
                    Py_ssize_t stride) noexcept nogil:
    cdef double R[9]
    cdef core.PointSetMotion motion
    cdef core.PointSetFriction friction
    cdef core.PointSetWrench found
    cdef int i
    rotation(state + 3, R)
    motion.d = plane[9]
    for i in range(3):
        motion.d -= plane[6 + i] * state[i]
    motion.n = in_body(R, plane + 6)
    motion.v = in_body(R, state + 7)
    motion.w = in_body(R, state + 10)
    if laws.friction >= 0:
        friction.law = core.friction_laws[laws.friction].force
        friction.parameters = &laws.friction_parameters[0]
        friction.h = laws.h
        friction.x = in_body(R, plane)
        friction.y = in_body(R, plane + 3)
        friction.bristles = bristles
    found = core.press(point_set, motion, core.normal_laws[laws.normal].force, &laws.normal_parameters[0], curve,
                       &friction if laws.friction >= 0 else NULL)
    for i in range(3):
        wrench[i] = (R[i] * found.force.data()[0] + R[3 + i] * found.force.data()[1] + R[6 + i] * found.force.data()[2])
        wrench[3 + i] = (R[i] * found.torque.data()[0] + R[3 + i] * found.torque.data()[1]
                         + R[6 + i] * found.torque.data()[2])
    sums[0], sums[stride], sums[2 * stride] = <double>found.touching, found.deepest, found.stored
    sums[3 * stride] = found.heat
