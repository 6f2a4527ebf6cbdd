# points of a body on a plane, in many states: included by engine.pyx after batch.pyx.

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
