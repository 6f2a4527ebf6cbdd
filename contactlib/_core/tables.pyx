# The tables of the core: laws, elements, kinds of shapes, pairs, elementary functions; and checksums. Included by
# engine.pyx.

cdef tuple parameter_row(core.Parameter p):
    return (p.name.decode(), p.unit.decode(), p.minimum, p.above_minimum, p.meaning.decode())


cdef tuple law_parameter_row(core.Parameter p):
    return (*parameter_row(p), p.standard if isfinite(p.standard) else None)


def law_tables():
    """Rows of the law tables by part: name and parameters (name, unit, minimum, above_minimum, meaning, default).

    The default is None where the parameter must be given.
    """
    cdef int i, k
    tables = {"normal": [], "friction": [], "adhesion": [], "rolling": [], "model": []}
    for i in range(core.normal_law_count):
        normal = &core.normal_laws[i]
        parameters = tuple([law_parameter_row(normal.parameters[k]) for k in range(normal.count)])
        tables["normal"].append((normal.name.decode(), parameters))
    for i in range(core.friction_law_count):
        friction = &core.friction_laws[i]
        parameters = tuple([law_parameter_row(friction.parameters[k]) for k in range(friction.count)])
        tables["friction"].append((friction.name.decode(), parameters))
    for i in range(core.adhesion_law_count):
        adhesion = &core.adhesion_laws[i]
        parameters = tuple([law_parameter_row(adhesion.parameters[k]) for k in range(adhesion.count)])
        tables["adhesion"].append((adhesion.name.decode(), parameters))
    for i in range(core.rolling_law_count):
        rolling = &core.rolling_laws[i]
        parameters = tuple([law_parameter_row(rolling.parameters[k]) for k in range(rolling.count)])
        tables["rolling"].append((rolling.name.decode(), parameters))
    for i in range(core.contact_model_count):
        model = &core.contact_models[i]
        parameters = tuple([law_parameter_row(model.parameters[k]) for k in range(model.count)])
        tables["model"].append((model.name.decode(), parameters))
    return tables


cdef tuple element_variables(core.ElementVariables variables):
    return tuple([(parameter_row(variables.rows[i].parameter), bool(variables.rows[i].per_port))
                  for i in range(variables.count)])


cdef tuple element_row(const core.ElementRow* row):
    return (row.name.decode(), element_variables(row.parameters), element_variables(row.commands),
            element_variables(row.outputs))


def element_table():
    """Return the registered kinds of elements, sorted by name.

    A row holds the name and the variables of the parameters, commands and outputs; each variable is
    (parameter row, whether every port has a value of its own).
    """
    cdef core.ElementRows table = core.element_rows()
    return [element_row(table.rows[i]) for i in range(table.count)]


def four_bar(bars, double angle):
    """Angles of coupler and rocker (rad) and their derivatives with respect to the angle of the crank.

    bars: ground, crank, coupler, rocker (m), and the branch, 1.0 or -1.0. None where the linkage does not reach.
    """
    cdef core.FourBar given
    cdef core.FourBarPose pose
    given.ground, given.crank, given.coupler, given.rocker, given.branch = bars
    if not core.solve_four_bar(given, angle, pose):
        return None
    return pose.coupler, pose.rocker, pose.coupler_rate, pose.rocker_rate


cdef int normal_row(str name):
    cdef int i
    for i in range(core.normal_law_count):
        if core.normal_laws[i].name.decode() == name:
            return i
    return 0


def needs_curve(str normal not None):
    """True for the normal law that is a curve through points."""
    return bool(core.needs_curve(normal_row(normal)))


def needs_surface(str normal not None):
    """True for the normal law that is for surface contacts alone."""
    return bool(core.needs_surface(normal_row(normal)))


def checksum(bytes content not None):
    """64-bit FNV-1a checksum of a model file."""
    cdef uint64_t value = 0xCBF29CE484222325
    cdef const unsigned char* byte = <const unsigned char*>PyBytes_AsString(content)
    cdef Py_ssize_t i, size = len(content)
    with nogil:
        for i in range(size):
            value = (value ^ byte[i]) * <uint64_t>0x100000001B3
    return value


def state_checksum(bytes content not None):
    """Checksum of a saved state: of its bytes from the 17th on."""
    return core.saved_checksum(<const unsigned char*>PyBytes_AsString(content), len(content))


def shape_kinds():
    """Names of the shape kinds, in the order of the pair table."""
    return tuple(core.shape_names[i].decode() for i in range(core.shape_kinds))


def pair_table():
    """Matrix of the maximum number of contacts of each pair of kinds: 0 for an undefined pair, MANY for no limit."""
    kinds = range(core.shape_kinds)
    return np.array([[core.pair_row(core.shape_kinds * a + b).max_contacts for b in kinds] for a in kinds])


def point_table():
    """Matrix of the pairs of kinds: True where `manifolds` with nearest=True has a kernel, which is one for points."""
    kinds = range(core.shape_kinds)
    return np.array([[core.nearest_row(core.shape_kinds * a + b).kernel != NULL for b in kinds] for a in kinds])


def surface_table(bint rounded=False):
    """Matrix of the pairs of kinds: True for a pair with surface contacts, if one of the two is rounded or neither."""
    kinds = range(core.shape_kinds)
    return np.array([[core.pair_row(core.shape_kinds * a + b).is_surface(rounded) for b in kinds] for a in kinds])


cdef const core.Function* function_named(str name) except NULL:
    cdef int i
    for i in range(core.function_count):
        if core.functions[i].name.decode() == name:
            return &core.functions[i]
    raise ValueError(f"there is no elementary function {name!r} in the core")


def elementary(str name not None, x, y=None):
    """Values of an elementary function of the core (core/math/elementary.hpp), which has the same bits everywhere.

    x: numbers of any shape; y: the second argument of atan2 (y, x in this order), pow, hypot, fmod, remainder,
    nextafter, fmax and fmin, of the same shape. ValueError for an unknown name, or another number of arguments.
    """
    cdef const core.Function* function = function_named(name)
    if (function.of_two != NULL) != (y is not None):
        raise ValueError(f"{name} needs {'two arguments' if function.of_two != NULL else 'one argument'}")
    first = np.asarray(x, dtype=np.float64, order="C")
    second = first if y is None else np.asarray(y, dtype=np.float64, order="C")
    if first.shape != second.shape:
        raise ValueError(f"{name}: the arguments have the shapes {first.shape} and {second.shape}, must have one shape")
    out = np.empty(first.shape)
    if not out.size:
        return out
    cdef const double[::1] all_x = first.reshape(-1)
    cdef const double[::1] all_y = second.reshape(-1)
    cdef double[::1] all_values = out.reshape(-1)
    cdef const double* a = &all_x[0]
    cdef const double* b = &all_y[0]
    cdef double* values = &all_values[0]
    cdef Py_ssize_t i, size = out.size
    with nogil:
        for i in range(size):
            values[i] = function.of_one(a[i]) if function.of_two == NULL else function.of_two(a[i], b[i])
    return out
