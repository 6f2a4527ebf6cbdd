# Cables without a scene. Included by engine.pyx. States are q and v (m, nodes, 6) of m cables of one design: position
# and slope of each node, and their rates. `ends` (m, 2, 6) are targets of both ends.

cdef tuple MEASURES = ("green", "engineering")
cdef tuple QUADRATURES = ("full", "reduced")
cdef tuple INTEGRATORS = ("first_order", "second_order")
CABLE_HOLDS = ("free", "position", "direction", "slope")

# Key and allowed values of each CableFault, in the order of the enum.
CABLE_FAULTS = (
    ("", ""),
    ("elements", "must be 1 to 1048576 rows of length, strain and curvature"),
    ("length", "must be positive and finite, in m"),
    ("strain", "must be finite and above -1, for the measure green above -1/2"),
    ("curvature", "must be finite and not negative, in 1/m"),
    ("axial_stiffness", "must be positive and finite, in N"),
    ("bending_stiffness", "must be finite and not negative, in N m2"),
    ("line_density", "must be positive and finite, in kg/m"),
    ("axial_damping", "must be finite and not negative, in s"),
    ("bending_damping", "must be finite and not negative, in s"),
    ("mass_damping", "must be finite and not negative, in 1/s"),
)


cdef int choice(tuple names, value, str key) except -1:
    if value not in names:
        raise ValueError(f"{key} must be one of {', '.join(names)}, not {value!r}")
    return names.index(value)


cdef class Cable:
    """A cable: its elements without load (length m, strain, curvature 1/m), and its material.

    material: axial_stiffness N, bending_stiffness N m2, line_density kg/m, axial_damping s, bending_damping s,
    mass_damping 1/s. Raises ValueError with the key, its value and what is allowed.
    """

    cdef ancf.CableDesign design

    def __init__(self, elements, material, measure="green", quadrature="full", bint tension_stiffness=False,
                 integrator="first_order"):
        cdef const double[:, ::1] rows = np.ascontiguousarray(elements, dtype=np.float64).reshape(-1, 3)
        cdef ancf.CableMaterial* numbers = &self.design.material
        cdef Py_ssize_t i
        (numbers.axial_stiffness, numbers.bending_stiffness, numbers.line_density, numbers.axial_damping,
         numbers.bending_damping, numbers.mass_damping) = material
        self.design.measure = <ancf.StrainMeasure>choice(MEASURES, measure, "measure")
        self.design.quadrature = <ancf.CableQuadrature>choice(QUADRATURES, quadrature, "quadrature")
        self.design.tension_stiffness = tension_stiffness
        self.design.integrator = <ancf.CableIntegrator>choice(INTEGRATORS, integrator, "integrator")
        self.design.elements.resize(rows.shape[0])
        for i in range(rows.shape[0]):
            self.design.elements[i].length = rows[i, 0]
            self.design.elements[i].strain = rows[i, 1]
            self.design.elements[i].curvature = rows[i, 2]
        cdef ancf.CableCheck check = ancf.check_cable(self.design)
        cdef int fault = <int>check.fault
        if fault:
            key, allowed = CABLE_FAULTS[fault]
            if check.index >= 0:
                value = rows[check.index, fault - 2]
                raise ValueError(f"elements[{check.index}].{key} {allowed}, not {value!r}")
            value = len(rows) if fault == 1 else material[fault - 5]
            raise ValueError(f"{key} {allowed}, not {value!r}")

    @property
    def nodes(self):
        """Number of nodes, one more than elements."""
        return self.design.nodes()


cdef check_cables(Cable cable, Py_ssize_t m, tuple arrays):
    cdef Py_ssize_t nodes = cable.design.nodes()
    shapes = {"q": (m, nodes, 6), "v": (m, nodes, 6), "ends": (m, 2, 6), "reactions": (m, 2, 6)}
    for name, array in arrays:
        if name == "forces":
            allowed = ((0, nodes, 6), (m, nodes, 6))
        else:
            allowed = (shapes[name],)
        if array.shape not in allowed:
            raise ValueError(f"{name} must have shape {allowed[-1]}, not {array.shape}")


cdef ancf.CableInputs cable_inputs(double h, gravity, holds):
    cdef ancf.CableInputs out
    cdef int side
    out.h = h
    for side in range(3):
        out.gravity.data()[side] = gravity[side]
    for side in range(2):
        out.ends[side].hold = <ancf.CableHold>choice(CABLE_HOLDS, holds[side], "holds")
    return out


cdef void aim_cable(ancf.CableInputs& inputs, const double* ends, const double* forces) noexcept nogil:
    cdef int side
    inputs.forces = forces
    for side in range(2):
        memcpy(inputs.ends[side].p_OE.data(), ends + 6 * side, 24)
        memcpy(inputs.ends[side].slope.data(), ends + 6 * side + 3, 24)


@cython.boundscheck(False)
def step_cables(Cable cable not None, double[:, :, ::1] q, double[:, :, ::1] v, double h, Py_ssize_t steps, gravity,
                const double[:, :, ::1] forces, holds, const double[:, :, ::1] ends, double[:, :, ::1] reactions,
                bint begins=False):
    """Step m cables in place, each until a step fails. Returns statuses (m,), their indices, and steps done (m,).

    begins: the velocities before the first step belong to its start, not to the middle of a step before it.
    """
    cdef Py_ssize_t m = q.shape[0], i, k
    check_cables(cable, m, (("q", np.asarray(q)), ("v", np.asarray(v)), ("forces", np.asarray(forces)),
                            ("ends", np.asarray(ends)), ("reactions", np.asarray(reactions))))
    cdef ancf.CableInputs inputs = cable_inputs(h, gravity, holds)
    cdef ancf.CableReaction held[2]
    cdef ancf.CableState state
    cdef vector[ancf.CableScratch] scratch
    cdef core.Status status
    cdef bint second_order = ancf.is_second_order(cable.design)
    scratch.resize(m)
    for i in range(m):
        scratch[i].make(cable.design)
    codes, indices, done = (np.zeros(m, dtype=np.int32) for _ in range(3))
    cdef int32_t[::1] codes_v = codes, indices_v = indices, done_v = done
    with nogil:
        for k in range(steps):
            inputs.kick = 0.5 if begins and k == 0 and second_order else 1.0
            for i in range(m):
                if codes_v[i] != 0:
                    continue
                aim_cable(inputs, &ends[i, 0, 0], &forces[i, 0, 0] if forces.shape[0] else NULL)
                state.q, state.v = &q[i, 0, 0], &v[i, 0, 0]
                status = ancf.step_cable(cable.design, inputs, scratch[i], state, held)
                codes_v[i], indices_v[i] = <int32_t>status.code, status.index
                if status.code == core.Code.ok:
                    memcpy(&reactions[i, 0, 0], &held[0], 96)
                    done_v[i] += 1
    return codes, indices, done


def cable_system(Cable cable not None, double[:, :, ::1] q, double[:, :, ::1] v, double h, gravity,
                 const double[:, :, ::1] forces, holds, const double[:, :, ::1] ends, const double[:, ::1] columns):
    """Return b (N s) and v+ of a step of one cable, and A^-1 times columns that are given as rows (k, 6 nodes)."""
    check_cables(cable, 1, (("q", np.asarray(q)), ("v", np.asarray(v)), ("forces", np.asarray(forces)),
                            ("ends", np.asarray(ends))))
    cdef Py_ssize_t width = 6 * cable.design.nodes(), i
    if columns.shape[1] != width:
        raise ValueError(f"columns must have {width} numbers each, not {columns.shape[1]}")
    cdef ancf.CableInputs inputs = cable_inputs(h, gravity, holds)
    cdef ancf.CableScratch scratch
    cdef ancf.CableState state
    scratch.make(cable.design)
    aim_cable(inputs, &ends[0, 0, 0], &forces[0, 0, 0] if forces.shape[0] else NULL)
    state.q, state.v = &q[0, 0, 0], &v[0, 0, 0]
    cdef core.Status status = ancf.prepare_cable(cable.design, state, inputs, scratch)
    if status.code != core.Code.ok:
        raise ValueError(f"the cable cannot step: code {<int>status.code}, element {status.index}")
    impulse, velocity, solved = np.zeros(width), np.zeros(width), np.array(columns)
    cdef double[:, ::1] solved_v = solved
    for i in range(width):
        impulse[i], velocity[i] = scratch.impulse[i], scratch.velocity[i]
    for i in range(columns.shape[0]):
        scratch.forward(&solved_v[i, 0], 0)
        scratch.backward(&solved_v[i, 0])
    return impulse, velocity, solved


def measure_cables(Cable cable not None, double[:, :, ::1] q, double[:, :, ::1] v):
    """Kinetic, axial and bending energy, momentum and spin (m, 9) of m cables, and their tensions (m, elements)."""
    cdef Py_ssize_t m = q.shape[0], i
    check_cables(cable, m, (("q", np.asarray(q)), ("v", np.asarray(v))))
    out, tension = np.zeros((m, 9)), np.zeros((m, cable.design.elements.size()))
    cdef double[:, ::1] out_v = out, tension_v = tension
    cdef ancf.CableState state
    cdef ancf.CableEnergy energy
    for i in range(m):
        state.q, state.v = &q[i, 0, 0], &v[i, 0, 0]
        energy = ancf.measure_cable(cable.design, state, &tension_v[i, 0])
        memcpy(&out_v[i, 0], &energy, 72)
    return out, tension


#: a contact of a cable: CableTouch of core/element/cable/skin.hpp
CABLE_PLACE_DTYPE = np.dtype([("cable", "i4"), ("element", "i4"), ("xi", "f8"), ("S", "f8", 4)], align=True)
CABLE_TOUCH_DTYPE = np.dtype([
    ("a", CABLE_PLACE_DTYPE), ("obstacle", "i4"), ("b", CABLE_PLACE_DTYPE), ("p_OC", "f8", 3), ("n_W", "f8", 3),
    ("gap", "f8"), ("key", "u8"),
], align=True)


cdef tuple touch_offsets():
    """Offsets of the fields of CableTouch, in the order of CABLE_TOUCH_DTYPE, and its size."""
    cdef ancf.CableTouch touch
    cdef char* start = <char*>&touch
    return (<char*>&touch.a - start, <char*>&touch.obstacle - start, <char*>&touch.b - start,
            <char*>&touch.p_OC - start, <char*>&touch.n_W - start, <char*>&touch.gap - start,
            <char*>&touch.key - start, sizeof(touch))


if touch_offsets()[:-1] != tuple([CABLE_TOUCH_DTYPE.fields[name][1] for name in CABLE_TOUCH_DTYPE.names]) or \
        touch_offsets()[-1] != CABLE_TOUCH_DTYPE.itemsize:
    raise ImportError("CableTouch of the compiled core and CABLE_TOUCH_DTYPE have different layouts")


cdef int check_skins(tuple cables, tuple q, tuple skins) except -1:
    if not len(cables) == len(q) == len(skins):
        raise ValueError(f"cables, q and skins must be equally many, not {len(cables)}, {len(q)} and {len(skins)}")
    for i, (cable, state, (radius, capsules, _)) in enumerate(zip(cables, q, skins)):
        if state.shape != (cable.nodes, 6):
            raise ValueError(f"q[{i}] must have shape {(cable.nodes, 6)}, not {state.shape}")
        if not (radius > 0 and isfinite(radius)):
            raise ValueError(f"skins[{i}].radius must be positive and finite, in m, not {radius!r}")
        if not 1 <= capsules <= ancf.max_cable_capsules:
            raise ValueError(f"skins[{i}].capsules must be 1 to {ancf.max_cable_capsules}, not {capsules!r}")
    return 0


def cable_touches(cables, q, skins, shapes, const double[:, ::1] X_WS, double reach, Py_ssize_t capacity=1024):
    """Contacts of cables with skins (radius m, capsules per element, touches itself) with shapes X_WS (k, 7).

    q (nodes, 6) of each cable. Returns all contact points nearer than reach, of CABLE_TOUCH_DTYPE, at most `capacity`
    of them, and their number.
    """
    cdef tuple held = tuple(cables), obstacles = tuple(shapes)
    cdef tuple states = tuple(np.ascontiguousarray(state, dtype=np.float64) for state in q)
    cdef tuple skin = tuple(skins)
    cdef vector[ancf.CableStrand] strand
    cdef vector[ancf.CableObstacle] obstacle
    cdef vector[ancf.CableBody] body
    cdef ancf.CableSkinScratch scratch
    cdef const double[:, ::1] state
    cdef Py_ssize_t i
    check_skins(held, states, skin)
    if X_WS.shape[0] != len(obstacles) or X_WS.shape[1] != 7:
        raise ValueError(f"X_WS must have shape {(len(obstacles), 7)}, not {tuple(X_WS.shape)[:2]}")
    if not reach >= 0 or not isfinite(reach):
        raise ValueError(f"reach must be finite and not negative, in m, not {reach!r}")
    if capacity < 0:
        raise ValueError(f"capacity must not be negative, not {capacity}")
    strand.resize(len(held))
    for i in range(len(held)):
        state = states[i]
        strand[i].design, strand[i].q = &(<Cable?>held[i]).design, &state[0, 0]
        strand[i].skin.radius, strand[i].skin.capsules, strand[i].touches_itself = skin[i]
    obstacle.resize(len(obstacles))
    body.resize(X_WS.shape[0])
    for i in range(X_WS.shape[0]):
        if not rotation(&X_WS[i, 3], body[i].R_WB.data()) or not isfinite(X_WS[i, 0] + X_WS[i, 1] + X_WS[i, 2]):
            raise ValueError(f"X_WS[{i}] must be finite, with a quaternion of unit length")
        memcpy(body[i].p_OB.data(), &X_WS[i, 0], 24)
    for i in range(len(obstacles)):
        obstacle[i].shape, obstacle[i].body = &(<Shape?>obstacles[i]).shape, &body[i]
    scratch.make(strand.data(), strand.size(), obstacle.data(), obstacle.size())
    out = np.zeros(max(capacity, 1), dtype=CABLE_TOUCH_DTYPE)
    cdef unsigned char[::1] bytes_v = out.view(np.uint8)
    cdef size_t count = ancf.find_touches(strand.data(), strand.size(), obstacle.data(), obstacle.size(), reach,
                                          scratch, <ancf.CableTouch*>&bytes_v[0], <size_t>capacity)
    return out[:min(<Py_ssize_t>count, capacity)], count
