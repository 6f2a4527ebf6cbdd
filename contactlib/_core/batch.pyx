# Many pairs or many states in one call, in OpenMP loops. Each iteration writes its own slot, so the
# number of threads changes the run time only. Included by engine.pyx.

cimport cython
from cython.parallel cimport prange, threadid


OPENMP = bool(contactlib_openmp)
LANES = core.lane_count()


cdef bint rotation(const double* q, double* R) noexcept nogil:
    # Rotation matrix, column-major as in Eigen, of a quaternion that is normalised here. False if |q| is off 1 by more
    # than 1e-3.
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
    """A shape without a scene. A polyhedron or a mesh has corners and faces."""

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
    """Storage for the manifolds of n placements. Slot-major, so the memory of unused slots is never accessed."""
    return (np.zeros(n, dtype=np.int32), np.zeros((slots, n, 3)), np.zeros((slots, n, 3)), np.zeros((slots, n)),
            np.full((slots, n), -1, dtype=np.int32), np.zeros((slots, n)))


# Slots of one placement in the outputs: contact k is at [k * n].
cdef struct Slots:
    Py_ssize_t n
    int most
    int* count
    double* point
    double* normal
    double* depth
    int* feature
    double* load_share


# Rows of poses or hints. `step` 0: one row for all placements. `first` null: no rows.
cdef struct Rows:
    const double* first
    Py_ssize_t step


cdef Rows rows(const double[:, ::1] X):
    cdef Rows out = Rows(NULL, 0)
    if X.shape[0] > 0:
        out.first = &X[0, 0]
    if X.shape[0] > 1:
        out.step = X.shape[1]
    return out


# Number of placements whose quaternions are converted to rotations before a loop over them.
cdef enum:
    BLOCK = 64


@cython.boundscheck(False)
def manifolds(Shape shape_a not None, Shape shape_b not None, const double[:, ::1] X_WA, const double[:, ::1] X_WB,
              const double[:, ::1] hints, out, int num_threads, bint nearest=False, int sharpness=4):
    """Manifolds of N placements of one pair of shapes. `contactlib.manifolds` checks shapes and kinds before.

    A single row of X_WA or X_WB stands for all; hints has N rows or none. `out` comes from `empty_manifolds` or an
    earlier call. nearest: at all nearest places, as cables meet shapes. Returns the first row whose pose is not finite
    or whose quaternion is not of unit length, or -1.
    """
    cdef Py_ssize_t n = max(X_WA.shape[0], X_WB.shape[0]), i
    cdef const core.Shape* A = &shape_a.shape
    cdef const core.Shape* B = &shape_b.shape
    cdef int kinds = core.shape_kinds * <int>A.kind + <int>B.kind
    cdef const core.PairRow* row = &core.nearest_row(kinds) if nearest else &core.pair_row(kinds)
    if row.kernel == NULL if nearest else not row.is_defined():
        raise ValueError("this pair of shapes is not defined")
    cdef int[::1] count = out[0]
    cdef double[:, :, ::1] point = out[1], normal = out[2]
    cdef double[:, ::1] depth = out[3], load_share = out[5]
    cdef int[:, ::1] feature = out[4]
    cdef unsigned char[::1] bad = np.zeros(n, dtype=np.uint8)
    if n == 0:
        return -1
    cdef Rows a = rows(X_WA), b = rows(X_WB), hint = rows(hints)
    cdef Slots slots = Slots(n, <int>depth.shape[0], &count[0], &point[0, 0, 0], &normal[0, 0, 0], &depth[0, 0],
                             &feature[0, 0], &load_share[0, 0])
    cdef Py_ssize_t blocks = (n + BLOCK - 1) // BLOCK
    num_threads = team(num_threads)
    cdef vector[core.SurfaceScratch] surfaces = vector[core.SurfaceScratch](num_threads)
    for i in range(num_threads):
        surfaces[i].grow_capacity(deref(A), deref(B))
    if not nearest and row.is_surface(deref(A), deref(B)):
        for i in prange(n, nogil=True, schedule="static", num_threads=num_threads):
            bad[i] = collide_surfaces(row.surface, A, B, a, b, i, slots, &surfaces[threadid()], sharpness)
    elif row.loop != NULL:
        for i in prange(blocks, nogil=True, schedule="static", num_threads=num_threads):
            collide_block(row.loop, A, B, a, b, i * BLOCK, min(n, (i + 1) * BLOCK), slots, &bad[0])
    elif row.pairs != NULL and hint.first == NULL and slots.most >= row.max_contacts:
        for i in prange(blocks, nogil=True, schedule="static", num_threads=num_threads):
            collide_pairs(row.pairs, A, B, a, b, i * BLOCK, min(n, (i + 1) * BLOCK), slots, &bad[0])
    else:
        for i in prange(n, nogil=True, schedule="static", num_threads=num_threads):
            bad[i] = collide_one(row.kernel, A, B, a, b, hint, i, slots, &surfaces[threadid()])
    for i in range(n):
        if bad[i]:
            return i
    return -1


cdef extern from *:
    """
    // capacity for one manifold without constructing its points
    struct contactlib_room { alignas(16) unsigned char bytes[64 * sizeof(contactlib::geometry::ManifoldPoint)]; };
    // and for the manifolds of a block
    struct contactlib_rooms { contactlib_room of[contactlib::geometry::Manifold::max_points]; };
    """
    cdef cppclass Room "contactlib_room":
        unsigned char bytes[1]
    cdef cppclass Rooms "contactlib_rooms":
        Room of[1]


# False if a pose is not finite or its quaternion is not of unit length.
cdef bint place(const double* X_WA, const double* X_WB, const double* hint, core.Placement& X) noexcept nogil:
    cdef double d
    cdef int k
    if not rotation(X_WA + 3, X.R_WA.data()) or not rotation(X_WB + 3, X.R_WB.data()):
        return False
    for k in range(3):
        d = X_WB[k] - X_WA[k]
        if not isfinite(d):
            return False
        X.p_AB_W.data()[k] = d
        X.hint_W.data()[k] = hint[k] if hint != NULL else 0
    return True


cdef bint collide_one(core.Kernel kernel, const core.Shape* A, const core.Shape* B, Rows X_WA, Rows X_WB, Rows hints,
                      Py_ssize_t i, Slots out, core.SurfaceScratch* scratch) noexcept nogil:
    cdef core.Placement X
    cdef Room capacity
    cdef core.Manifold manifold
    cdef const double* r_WA = X_WA.first + X_WA.step * i
    cdef const double* hint = hints.first + hints.step * i if hints.first != NULL else NULL
    if not place(r_WA, X_WB.first + X_WB.step * i, hint, X):
        return True
    manifold.points = <core.ManifoldPoint*>capacity.bytes
    manifold.capacity = out.most if out.most < 64 else 64
    manifold.count = manifold.needed = 0
    core.add_point_contacts(kernel, deref(A), deref(B), X, deref(scratch), manifold)
    give_manifold(manifold.points, manifold.count, r_WA, out, i)
    return False


cdef bint collide_surfaces(core.SurfaceKernel kernel, const core.Shape* A, const core.Shape* B, Rows X_WA, Rows X_WB,
                           Py_ssize_t i, Slots out, core.SurfaceScratch* scratch, int sharpness) noexcept nogil:
    cdef core.Placement X
    cdef Room capacity
    cdef core.Manifold manifold
    cdef const double* r_WA = X_WA.first + X_WA.step * i
    if not place(r_WA, X_WB.first + X_WB.step * i, NULL, X):
        return True
    manifold.points = <core.ManifoldPoint*>capacity.bytes
    manifold.capacity = out.most if out.most < 64 else 64
    manifold.count = manifold.needed = 0
    core.add_surface_contact(kernel, deref(A), deref(B), X, sharpness, deref(scratch), manifold)
    give_manifold(manifold.points, manifold.count, r_WA, out, i)
    return False


cdef inline void give_manifold(const core.ManifoldPoint* points, int count, const double* r_WA, Slots out,
                               Py_ssize_t i) noexcept nogil:
    cdef const core.ManifoldPoint* p
    cdef Py_ssize_t at = i
    cdef int k, j
    for k in range(count):
        p = &points[k]
        for j in range(3):
            out.point[3 * at + j] = r_WA[j] + p.p_AC_W.data()[j]
            out.normal[3 * at + j] = p.n_AB_W.data()[j]
        out.depth[at] = p.depth
        out.feature[at] = p.feature
        out.load_share[at] = p.load_share
        at += out.n
    finish_slot(out, i, count)


# A block with a bad row is not changed.
cdef void collide_pairs(core.PairLoop loop, const core.Shape* A, const core.Shape* B, Rows X_WA, Rows X_WB,
                        Py_ssize_t first, Py_ssize_t end, Slots out, unsigned char* bad) noexcept nogil:
    cdef core.Placement[BLOCK] X
    cdef (const core.Shape*)[BLOCK] a, b
    cdef core.PairContacts[BLOCK] found
    cdef Rooms capacity
    cdef core.ManifoldPoint* points = <core.ManifoldPoint*>capacity.of[0].bytes
    cdef Py_ssize_t i
    for i in range(first, end):
        a[i - first], b[i - first] = A, B
        if not place(X_WA.first + X_WA.step * i, X_WB.first + X_WB.step * i, NULL, X[i - first]):
            bad[i] = True
            return
    loop(&a[0], &b[0], &X[0], end - first, points, &found[0])
    for i in range(first, end):
        give_manifold(points, found[i - first].count, X_WA.first + X_WA.step * i, out, i)
        points += found[i - first].count


# Sets the capacity and clears the contacts of an earlier call.
cdef void finish_slot(Slots out, Py_ssize_t i, int count) noexcept nogil:
    cdef Py_ssize_t at
    cdef int k, j
    for k in range(count, out.count[i]):
        at = k * out.n + i
        for j in range(3):
            out.point[3 * at + j] = out.normal[3 * at + j] = 0
        out.depth[at] = 0
        out.feature[at] = -1
        out.load_share[at] = 0
    out.count[i] = count


# A block with a bad row is not changed.
cdef void collide_block(core.KernelLoop loop, const core.Shape* A, const core.Shape* B, Rows X_WA, Rows X_WB,
                        Py_ssize_t first, Py_ssize_t end, Slots out, unsigned char* bad) noexcept nogil:
    cdef core.Placement[BLOCK] X
    cdef core.ContactColumns columns
    cdef const double* r_WA
    cdef Py_ssize_t i
    cdef int j
    for i in range(first, end):
        if not place(X_WA.first + X_WA.step * i, X_WB.first + X_WB.step * i, NULL, X[i - first]):
            bad[i] = True
            return
    columns.p_AC_W.first, columns.p_AC_W.step = out.point + 3 * first, 3
    columns.n_AB_W.first, columns.n_AB_W.step = out.normal + 3 * first, 3
    columns.depth.first, columns.depth.step = out.depth + first, 1
    columns.load_share.first, columns.load_share.step = out.load_share + first, 1
    loop(deref(A), deref(B), &X[0], end - first, columns)
    for i in range(first, end):  # no branch: it could not be predicted
        r_WA = X_WA.first + X_WA.step * i
        for j in range(3):
            out.point[3 * i + j] += out.load_share[i] * r_WA[j]
        out.feature[i] = <int>out.load_share[i] - 1
        finish_slot(out, i, <int>out.load_share[i])


# Minimum number of candidates per portion; below it, threads cost more time than they save.
cdef enum:
    WORTH_THREADS = 256


cdef void collide_in_threads(const core.Model& model, core.Data& data, size_t count) noexcept nogil:
    cdef int chunks = <int>data.pools.size(), chunk
    if count < WORTH_THREADS or forked():
        core.collide_serially(model, data, count)
        return
    for chunk in prange(chunks, schedule="static", num_threads=chunks):
        core.collide(model, data, chunk, count)


@cython.boundscheck(False)
def compute_batch(Model model not None, const double[:, :, ::1] states, int num_threads):
    """Wrenches of N states of all bodies, without contact memory; see `Simulation.compute_batch`."""
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
    num_threads = team(num_threads)
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
        status = core.evaluate_and_grow(model, deref(data))
    if status.code == core.Code.ok:
        memcpy(wrenches, data.outputs(), bodies * 6 * sizeof(double))
        count[0] = <int>data.globals().contact_count
        depth[0] = data.globals().max_depth
    return status


def rim_line(double R, const double[:, ::1] Q, const double[:, ::1] d):
    """Exact rim points nearest to N lines: count (N,) and points (N, 2, 3). The global minimum is first."""
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
    """Rim points (N, 3) by the paper's eight-point search for N lines; for d = 0, nearest to a point."""
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
