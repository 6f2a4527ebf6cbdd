# Contact models written in Python: the columns of their inputs and outputs, and the call. Included by engine.pyx.

#: the columns: name, type, and numbers of a contact; 0: as many as it has memory
USER_LAW_COLUMNS = (
    ("contact", "i4", 1), ("shape_a", "i4", 1), ("shape_b", "i4", 1), ("held", "?", 1),
    ("point", "f8", 3), ("normal", "f8", 3), ("depth", "f8", 1), ("depth_rate", "f8", 1), ("velocity", "f8", 3),
    ("spin", "f8", 3), ("stretch", "f8", 3), ("R_WA", "f8", 9), ("R_WB", "f8", 9), ("age", "f8", 1),
    ("load_share", "f8", 1), ("memory", "f8", 0), ("force", "f8", 3), ("torque", "f8", 3), ("stored", "f8", 1),
    ("heat", "f8", 1), ("ends", "?", 1),
)


cdef int check_columns(columns, Py_ssize_t capacity, Py_ssize_t own_width) except -1:
    """Raise ValueError for a column that has not the numbers of `capacity` contacts, own_width of them in `memory`."""
    for name, kind, width in USER_LAW_COLUMNS:
        array = columns[name]
        wanted = capacity * (width or own_width)
        if array.dtype != kind or array.size != wanted or not array.flags.c_contiguous:
            raise ValueError(f"the column {name} must be contiguous, of {wanted} numbers of type {kind}")
    return 0


cdef void* address(array):
    return <void*><size_t>array.ctypes.data


cdef int lend_columns(core.UserLaws* out, columns) except -1:
    out.contact = <int32_t*>address(columns["contact"])
    out.shape_a = <int32_t*>address(columns["shape_a"])
    out.shape_b = <int32_t*>address(columns["shape_b"])
    out.held = <core.cbool*>address(columns["held"])
    out.point = <double*>address(columns["point"])
    out.normal = <double*>address(columns["normal"])
    out.depth = <double*>address(columns["depth"])
    out.depth_rate = <double*>address(columns["depth_rate"])
    out.velocity = <double*>address(columns["velocity"])
    out.spin = <double*>address(columns["spin"])
    out.stretch = <double*>address(columns["stretch"])
    out.R_WA = <double*>address(columns["R_WA"])
    out.R_WB = <double*>address(columns["R_WB"])
    out.age = <double*>address(columns["age"])
    out.load_share = <double*>address(columns["load_share"])
    out.memory = <double*>address(columns["memory"])
    out.force = <double*>address(columns["force"])
    out.torque = <double*>address(columns["torque"])
    out.stored = <double*>address(columns["stored"])
    out.heat = <double*>address(columns["heat"])
    out.ends = <core.cbool*>address(columns["ends"])
    return 0


# The only function of a step that takes the GIL. It must not raise an exception.
cdef core.Status ask_models(void* caller, core.Ask what, int32_t law, size_t count) noexcept with gil:
    cdef Data data = <Data>caller
    cdef core.Status status
    try:
        data.models[0](<int>what, law, count)
    except BaseException as error:
        data.failure = error
        status.code, status.index = core.Code.model_failed, law
    return status
