# Membranes without a scene: many states of the two bodies in one call. Included by engine.pyx.

#: one result of `membrane_wrenches`
MEMBRANE_DTYPE = record_types()["membrane_result"]

MEMBRANE_FAULTS = ("none", "dimension", "too_few_points", "not_finite", "coincident", "not_plane", "not_convex", "up",
                   "hull", "profile")


cdef vector[core.Vec3] vectors(const double[:, ::1] rows):
    cdef vector[core.Vec3] out
    cdef Py_ssize_t i
    out.resize(rows.shape[0])
    for i in range(rows.shape[0]):
        memcpy(out[i].data(), &rows[i, 0], 24)
    return out


cdef vector[core.CurvePoint] profile_table(rows):
    cdef vector[core.CurvePoint] out
    cdef Py_ssize_t i
    out.resize(len(rows))
    for i in range(len(rows)):
        out[i].depth, out[i].force = rows[i]
    return out


cdef class Membrane:
    """A membrane with the body that it catches. `fault` names an error of the design, at `index`, or is "none"."""

    cdef fabric.MembraneDesign design
    cdef readonly str fault
    cdef readonly int index
    cdef readonly double outline

    def __init__(self, int dimension, const double[:, ::1] p_CS, const double[::1] up_C, const double[:, ::1] p_BV,
                 const int32_t[:, ::1] triangles, tables=((), (), ()), int spread=0, bint push=False):
        cdef fabric.MembraneCheck check
        cdef fabric.MembraneHull* hull = &self.design.hull
        self.design.dimension, self.design.spread, self.design.push = dimension, <fabric.Spread>spread, push
        self.design.p_CS = vectors(p_CS)
        memcpy(self.design.up_C.data(), &up_C[0], 24)
        hull.p_BV = vectors(p_BV)
        hull.triangles.resize(triangles.shape[0])
        if triangles.shape[0] > 0:
            memcpy(<void*>hull.triangles.data(), &triangles[0, 0], 12 * triangles.shape[0])
        self.design.profile.elastic = profile_table(tables[0])
        self.design.profile.extending = profile_table(tables[1])
        self.design.profile.retracting = profile_table(tables[2])
        check = fabric.complete_membrane(self.design)
        self.fault, self.index, self.outline = MEMBRANE_FAULTS[<int>check.fault], check.index, self.design.outline


@cython.boundscheck(False)
def membrane_wrenches(Membrane membrane not None, parameters, const double[:, :, ::1] states, const double[:, ::1] reel,
                      const double[:, ::1] reel_rate, out, int num_threads):
    """Results of N states (N, 2, 13), carrier and caught body, into `out` of MEMBRANE_DTYPE; codes and indices (N,).

    parameters: stiffness, damping, rest_area, friction, slip_speed. reel and reel_rate (N, n) of the n suspension
    points, or of no rows for none.
    """
    cdef Py_ssize_t n = states.shape[0], i, points = membrane.design.p_CS.size()
    if states.shape[1] != 2 or states.shape[2] != 13 or out.dtype != MEMBRANE_DTYPE or out.shape != (n,):
        raise ValueError(f"states must have shape (N, 2, 13), not {tuple(states.shape)[:3]}, and out N rows")
    if reel.shape[0] not in (0, n) or reel_rate.shape[0] not in (0, n) or reel.shape[1] != points \
            or reel_rate.shape[1] != points:
        raise ValueError(f"reel and reel_rate must have shape (N, {points}) or (0, {points})")
    if membrane.fault != "none":
        raise ValueError(f"the membrane is not complete: {membrane.fault}")
    cdef fabric.MembraneParameters numbers
    numbers.stiffness, numbers.damping, numbers.rest_area, numbers.friction, numbers.slip_speed = parameters
    codes, indices = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    cdef int32_t[::1] codes_v = codes, indices_v = indices
    cdef unsigned char[::1] bytes_v = out.view(np.uint8)
    cdef fabric.MembraneResult* results = <fabric.MembraneResult*>&bytes_v[0] if n > 0 else NULL
    cdef vector[fabric.MembraneScratch] scratch
    cdef core.Status status
    num_threads = team(num_threads)
    scratch.resize(num_threads)
    for i in range(num_threads):
        scratch[i].make(membrane.design)
    for i in prange(n, nogil=True, schedule="static", num_threads=num_threads):
        status = wrench_one(membrane.design, numbers, &states[i, 0, 0], &reel[i, 0] if reel.shape[0] else NULL,
                            &reel_rate[i, 0] if reel_rate.shape[0] else NULL, scratch[threadid()], results[i])
        codes_v[i], indices_v[i] = <int32_t>status.code, status.index
    return codes, indices


cdef core.Status wrench_one(const fabric.MembraneDesign& design, const fabric.MembraneParameters& parameters,
                            const double* states, const double* reel, const double* reel_rate,
                            fabric.MembraneScratch& scratch, fabric.MembraneResult& out) noexcept nogil:
    # An invalid quaternion reaches the kernel as a rotation of nan.
    cdef fabric.MembraneMotion X
    cdef const double* caught = states + 13
    cdef int i
    if not rotation(states + 3, X.R_WC.data()) or not rotation(caught + 3, X.R_WB.data()):
        X.R_WC.data()[0] = NAN
    for i in range(3):
        X.p_CB_W.data()[i] = caught[i] - states[i]
        X.v_CB_W.data()[i] = caught[7 + i] - states[7 + i]
        X.w_WC.data()[i] = states[10 + i]
        X.w_WB.data()[i] = caught[10 + i]
    X.reel, X.reel_rate = reel, reel_rate
    return fabric.membrane_wrench(design, parameters, X, scratch, out)


def membrane_fabric(Membrane membrane not None, parameters, const double[:, ::1] state, const double[::1] reel):
    """The fabric's triangles (T, 3) in one state (2, 13), and its corner forces: corners, normals and forces."""
    cdef fabric.MembraneParameters numbers
    cdef fabric.MembraneScratch scratch
    cdef fabric.MembraneResult result
    cdef size_t i
    cdef int j
    numbers.stiffness, numbers.damping, numbers.rest_area, numbers.friction, numbers.slip_speed = parameters
    scratch.make(membrane.design)
    wrench_one(membrane.design, numbers, &state[0, 0], &reel[0] if reel.shape[0] else NULL, NULL, scratch, result)
    triangles = np.zeros((scratch.triangles, 3), dtype=np.int32)
    corners, normals = np.zeros(scratch.corner_force_count, dtype=np.int32), np.zeros((scratch.corner_force_count, 3))
    forces = np.zeros(scratch.corner_force_count)
    for i in range(scratch.triangles):
        for j in range(3):
            triangles[i, j] = scratch.fabric[i].point[j]
    for i in range(scratch.corner_force_count):
        corners[i], forces[i] = scratch.corner_forces[i].corner, scratch.corner_forces[i].force
        for j in range(3):
            normals[i, j] = scratch.corner_forces[i].n_B.data()[j]
    return triangles, corners, normals, forces
