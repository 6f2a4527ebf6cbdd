# distutils: language = c++
"""Model, Data and the tables of the core, for Python: checks, views and errors, no mathematics."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cython.operator cimport dereference as deref
from libc.math cimport NAN, isfinite, sqrt
from libc.stdint cimport int8_t, int32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from contactlib._core cimport cable as ancf
from contactlib._core cimport berthing as berth
from contactlib._core cimport control as lee
from contactlib._core cimport core
from contactlib._core cimport membrane as fabric
from contactlib._core cimport solver

import numpy as np

STATE_WIDTH = 13
WRENCH_WIDTH = 6
MAX_MANIFOLD = 8
MANY = core.many

#: one contact record, as `Data.contacts()` returns them; layout of core/contact.hpp
CONTACT_DTYPE = np.dtype([
    ("pair", "i4"), ("feature", "i4"), ("shape_a", "i4"), ("shape_b", "i4"), ("body_a", "i4"), ("body_b", "i4"),
    ("slipping", "i4"), ("law", "i4"), ("phase", "i4"), ("apart", "i4"),
    ("p_AC_W", "f8", 3), ("p_BC_W", "f8", 3), ("n_AB_W", "f8", 3),
    ("depth", "f8"), ("depth_rate", "f8"), ("v_AB_W", "f8", 3), ("f_B_W", "f8", 3), ("t_B_W", "f8", 3),
    ("normal_force", "f8"), ("share", "f8"), ("stored_energy", "f8"), ("heat", "f8"),
    ("z_W", "f8", 3), ("s_W", "f8", 3), ("age", "f8"),
])
#: of the field `phase` of a contact
PHASES = ("begins", "lasts", "ends", "ended")
if CONTACT_DTYPE.itemsize != sizeof(core.Contact):
    raise ImportError("the contact record of the compiled core has another layout than CONTACT_DTYPE")

cdef tuple CAUSALITIES = ("input", "output", "parameter")
cdef tuple TYPES = ("real", "integer", "enumeration")


cdef class Model:
    """A compiled scene, read from the bytes that `contactlib.model.compile_scene` writes."""

    cdef core.Model model
    cdef vector[core.Variable] table
    cdef bytes content

    def __init__(self, bytes content not None):
        cdef core.Status status = core.read_model(
            <const unsigned char*>PyBytes_AS_STRING(content), len(content), self.model)
        self.raise_if_bad(status)
        self.table = core.variables(self.model)
        self.content = content

    cdef int raise_if_bad(self, core.Status status) except -1:
        if status.code == core.Code.ok:
            return 0
        raise ValueError(core.describe(status, self.model).decode())

    def to_bytes(self):
        return self.content

    @property
    def hash(self):
        return self.model.hash.decode()

    @property
    def name(self):
        return self.model.name.decode()

    @property
    def step_size(self):
        return self.model.options.step_size

    @property
    def duration(self):
        return self.model.options.duration

    @property
    def body_names(self):
        return tuple(self.model.bodies[i].name.decode() for i in range(self.model.bodies.size()))

    @property
    def law_names(self):
        return tuple(self.model.laws[i].name.decode() for i in range(self.model.laws.size()))

    @property
    def motions(self):
        names = ("external", "driven", "free", "fixed")
        return tuple(names[<int>self.model.bodies[i].motion] for i in range(self.model.bodies.size()))

    @property
    def pairs(self):
        """Body indices of A and B of every pair of bodies that may touch, and rows of the pair table it ignores."""
        rows = range(core.shape_kinds * core.shape_kinds)
        return tuple((self.model.pairs[i].body_a, self.model.pairs[i].body_b,
                      tuple([row for row in rows if self.model.pairs[i].ignores(row)]))
                     for i in range(self.model.pairs.size()))

    @property
    def elements(self):
        """Of every element its name, its row of the element table, its ports, and its bodies (-1: the world)."""
        return tuple((self.model.elements[i].name.decode(), self.model.elements[i].row, self.model.elements[i].ports,
                      tuple(self.model.elements[i].bodies)) for i in range(self.model.elements.size()))

    @property
    def foreign(self):
        """Of every law that the caller brings: its number, its name, what is to be known of it, and its memory's width:
        vectors and numbers."""
        return tuple((i, self.model.laws[i].name.decode(), self.model.laws[i].foreign.decode(),
                      self.model.laws[i].tangents, self.model.laws[i].numbers)
                     for i in range(self.model.laws.size()) if self.model.laws[i].is_foreign())

    @property
    def own_width(self):
        """Most numbers that one of these laws remembers of a contact."""
        return self.model.own_width

    @property
    def shapes(self):
        """Body and kind of every shape, by index."""
        return tuple((self.model.shapes[i].body, <int>self.model.shapes[i].kind)
                     for i in range(self.model.shapes.size()))

    @property
    def contact_capacity(self):
        return self.model.contact_capacity

    def variables(self):
        """Rows of the variable table: name, unit, description, causality, type, tunable, start, minimum."""
        return [(v.name.decode(), v.unit.decode(), v.description.decode(), CAUSALITIES[<int>v.causality],
                 TYPES[<int>v.type], v.tunable, v.start + (TYPES[<int>v.type] == "enumeration"), v.minimum)
                for v in self.table]


cdef class Data:
    """One instance of a model: its state block and its scratch memory."""

    cdef readonly Model model
    cdef core.Data data
    cdef object models      # the caller's contact models, see set_models,
    cdef object failure     # and what one of them raised

    def __init__(self, Model model not None, int num_threads=1):
        self.model = model
        model.raise_if_bad(self.data.make(model.model, num_threads))
        if num_threads > 1:
            self.data.narrow = collide_in_threads

    def set_models(self, models, columns):
        """Bring the contact models of `Model.foreign`: called as models(ask, law, count), with the rows in `columns`.

        `columns`: contiguous arrays by name, a row for every contact that there is room for. ask: 0 establish,
        1 update, 2 terminate. Errors end the step, which leaves no trace. Where an answer is not finite
        models.not_finite(law, shape_a, shape_b) gives the error.
        """
        for name, kind, width in FOREIGN_COLUMNS:
            array = columns[name]
            wanted = self.room * (width or self.model.own_width)
            if array.dtype != kind or array.size != wanted or not array.flags.c_contiguous:
                raise ValueError(f"the column {name} must be contiguous, of {wanted} numbers of type {kind}")
        self.data.foreign.caller = <void*>self
        self.data.foreign.answer = <core.Answer>ask_models  # a cast, for cython leaves `noexcept` out of the type
        lend_columns(&self.data.foreign, columns)
        self.models = models, columns

    cdef int raise_if_bad(self, core.Status status) except -1:
        if status.code == core.Code.ok:
            return 0
        failure, self.failure = self.failure, None
        if failure is None and status.code == core.Code.model_failed and status.port >= 0:
            failure = self.models[0].not_finite(status.index, self.data.contacts[status.port].shape_a,
                                                self.data.contacts[status.port].shape_b)
        if failure is not None:
            raise failure
        raise ValueError(core.describe_with(status, self.model.model, self.data).decode())

    @property
    def room(self):
        """Contacts for which there is memory now."""
        return self.data.contacts.size()

    cdef bint made_room(self, core.Status status) except -1:
        """Whether a call that needed more room has it now, and is worth repeating."""
        if not core.make_room(self.model.model, self.data, status):
            return False
        if self.models is not None:
            self.set_models(self.models[0], self.models[0].columns_for(self.room))
        return True

    @property
    def last_interval(self):
        """s, between the memory that contact models see and now."""
        return self.data.foreign.h

    cdef object copy_out(self, const void* source, int width):
        out = np.empty((self.model.model.bodies.size(), width))
        cdef double[:, ::1] view = out
        if view.shape[0]:
            memcpy(&view[0, 0], source, out.nbytes)
        return out

    cdef const double[:, ::1] rows(self, object values, int width, str what):
        array = np.ascontiguousarray(values, dtype=np.float64)
        expected = (self.model.model.bodies.size(), width)
        if array.shape != expected:
            raise ValueError(f"{what} has shape {array.shape}, must be {expected}: one row per body")
        return array

    def reset(self):
        self.data.reset(self.model.model)

    @property
    def time(self):
        return self.data.globals().time

    @property
    def contact_count(self):
        return int(self.data.globals().contact_count)

    @property
    def max_depth(self):
        return self.data.globals().max_depth

    @property
    def energy_stored(self):
        return self.data.globals().energy_stored

    @property
    def energy_dissipated(self):
        return self.data.globals().energy_dissipated

    @property
    def energy_error(self):
        return self.data.globals().energy_error

    def warnings(self, bint held=False):
        """What to say of the length of the step and of the energy error so far, "" where there is nothing.

        `held`: a master holds the wrenches of external bodies over its communication steps.
        """
        return (core.step_warning(self.model.model, self.data, held).decode(),
                core.energy_warning(self.model.model, self.data).decode())

    def states(self):
        """States of all bodies, w in the axes of resolve_in, as of the last evaluation or step."""
        return self.copy_out(self.data.reports(), STATE_WIDTH)

    def wrenches(self):
        return self.copy_out(self.data.outputs(), WRENCH_WIDTH)

    def responses(self):
        """How much more bodies respond to force and to torque than their masses tell, shape (bodies, 2)."""
        cdef size_t i
        cdef core.Factors factors
        out = np.ones((self.model.model.bodies.size(), 2))
        for i in range(self.model.model.bodies.size()):
            factors = core.factors_of(self.model.model, self.data, i)
            out[i, 0], out[i, 1] = factors.force, factors.torque
        return out

    def contacts(self):
        """The contacts of the last evaluation or step, a structured array of CONTACT_DTYPE."""
        out = np.empty(self.data.count, dtype=CONTACT_DTYPE)
        cdef const unsigned char[::1] view = out.view(np.uint8)
        if self.data.count:
            memcpy(<void*>&view[0], self.data.contacts.data(), out.nbytes)
        return out

    def work(self):
        """What the last evaluation or step did: tests of bounding volumes, candidate pairs of shapes."""
        return self.data.volume_tests, self.data.looked_at

    def set_states(self, states):
        """Put all bodies at the given states, shape (bodies, 13); nothing changes if one of them is not allowed."""
        cdef const double[:, ::1] rows = self.rows(states, STATE_WIDTH, "states")
        if rows.shape[0]:
            self.model.raise_if_bad(
                core.set_states(self.model.model, self.data, <const core.BodyState*>&rows[0, 0]))

    def set_applied(self, wrenches, bint body_axes=False):
        """Outside loads on free bodies, torque about the origin, shape (bodies, 6); those in body axes turn along."""
        cdef const double[:, ::1] rows = self.rows(wrenches, WRENCH_WIDTH, "applied wrenches")
        if not np.isfinite(rows).all():
            raise ValueError("applied wrenches must be finite")
        if rows.shape[0]:
            memcpy(<void*>(self.data.thrust() if body_axes else self.data.applied()), &rows[0, 0],
                   rows.shape[0] * WRENCH_WIDTH * sizeof(double))

    def applied(self, bint body_axes=False):
        return self.copy_out(self.data.thrust() if body_axes else self.data.applied(), WRENCH_WIDTH)

    def accept_inputs(self):
        """Check the inputs and parameters that `set` wrote, and make the inputs the external bodies' states."""
        self.raise_if_bad(core.accept_inputs(self.model.model, self.data))

    def accept_starts(self):
        """Put the free bodies at the starts that `set` wrote."""
        self.raise_if_bad(core.accept_starts(self.model.model, self.data))

    def check_parameters(self):
        """ValueError if parameters that `set` wrote do not go together."""
        self.raise_if_bad(core.check_parameters(self.model.model, self.data))

    def accept_commands(self):
        """Make the commands of elements that `set` wrote what they are from now on."""
        core.accept_commands(self.model.model, self.data)

    def evaluate(self):
        cdef core.Status status = core.evaluate(self.model.model, self.data)
        while self.made_room(status):
            status = core.evaluate(self.model.model, self.data)
        self.raise_if_bad(status)

    def advance(self, double dt):
        cdef core.Status status
        while True:
            with nogil:
                status = core.advance(self.model.model, self.data, dt)
            if not self.made_room(status):
                break
        self.raise_if_bad(status)

    cdef const core.Variable* variable(self, Py_ssize_t index) except NULL:
        if index < 0 or <size_t>index >= self.model.table.size():
            raise IndexError(f"variable {index} does not exist: the model has {self.model.table.size()} variables")
        return &self.model.table[index]

    def get(self, Py_ssize_t index):
        return core.get_variable(deref(self.variable(index)), self.data)

    def set(self, Py_ssize_t index, double value):
        cdef const core.Variable* variable = self.variable(index)
        cdef core.Status status = core.set_variable(deref(variable), self.data, value)
        if status.code != core.Code.ok:
            raise ValueError(f"{variable.name.decode()} = {value:g}: {core.why_not(deref(variable), value).decode()}")

    def set_all(self, rows, values):
        """Variables by their numbers: all of them or, on a ValueError, none. Parameters must go together."""
        cdef const core.Variable* variable
        cdef double fresh = self.data.globals().fresh
        kept = []
        try:
            for row, value in zip(rows, values, strict=True):
                variable = self.variable(row)
                for offset in (variable.offset, variable.rate_offset):
                    if offset >= 0:
                        kept.append((offset, self.data.state[offset]))
                self.set(row, value)
            self.check_parameters()
        except ValueError:
            for offset, value in reversed(kept):
                self.data.state[offset] = value
            self.data.globals().fresh = fresh
            raise

    def set_rate(self, Py_ssize_t index, double value):
        """The time derivative of an input, for extrapolation within the next steps."""
        cdef const core.Variable* variable = self.variable(index)
        if variable.rate_offset < 0:
            raise ValueError(f"{variable.name.decode()} takes no derivative: only v and w of external bodies, loads "
                             "on free bodies, and commands of elements do")
        if not isfinite(value):
            raise ValueError(f"the rate of {variable.name.decode()} = {value}: must be finite")
        self.data.state[variable.rate_offset] = value

    def cable_nodes(self, Py_ssize_t element):
        """Of each cable of an element its nodes (n, 12): r, r', v, v' in world axes, m and m/s; () if it has none."""
        cdef size_t k, count
        cdef double[:, ::1] rows
        found = []
        for k in range(0 if element < 0 else 1 << 30):
            count = core.cable_nodes(self.model.model, self.data, element, k, NULL)
            if count == 0:
                break
            out = np.empty((count, core.node_numbers))
            rows = out
            core.cable_nodes(self.model.model, self.data, element, k, &rows[0, 0])
            found.append(out)
        return tuple(found)

    def save(self):
        cdef bytes out = PyBytes_FromStringAndSize(NULL, core.saved_size(self.data))
        core.save(self.model.model, self.data, <unsigned char*>PyBytes_AS_STRING(out))
        return out

    def restore(self, bytes saved not None):
        core.make_room_for_saved(self.model.model, self.data, len(saved))
        self.model.raise_if_bad(core.restore(
            self.model.model, self.data, <const unsigned char*>PyBytes_AS_STRING(saved), len(saved)))


cdef tuple parameter_row(core.Parameter p):
    return (p.name.decode(), p.unit.decode(), p.minimum, p.above_minimum, p.meaning.decode())


cdef tuple law_parameter_row(core.Parameter p):
    return (*parameter_row(p), p.standard if isfinite(p.standard) else None)


def law_tables():
    """The law tables by part: rows of name and parameters (name, unit, minimum, above_minimum, meaning, default).

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


def needs_curve(str normal not None):
    """True for the normal law that is given by points."""
    cdef int i
    for i in range(core.normal_law_count):
        if core.normal_laws[i].name.decode() == normal:
            return bool(core.needs_curve(i))
    return False


def checksum(bytes content not None):
    """64-bit FNV-1a, which guards a model file against damage."""
    cdef uint64_t value = 0xCBF29CE484222325
    cdef const unsigned char* byte = <const unsigned char*>PyBytes_AS_STRING(content)
    cdef Py_ssize_t i, size = len(content)
    with nogil:
        for i in range(size):
            value = (value ^ byte[i]) * <uint64_t>0x100000001B3
    return value


def shape_kinds():
    """Names of the shape kinds, in the order of the pair table."""
    return tuple(core.shape_names[i].decode() for i in range(core.shape_kinds))


def pair_table():
    """Matrix of the most contacts a pair of kinds can make; 0 where it is not defined, MANY where the pool decides."""
    kinds = range(core.shape_kinds)
    return np.array([[core.pair_row(core.shape_kinds * a + b).max_contacts for b in kinds] for a in kinds])


include "foreign.pyx"
include "batch.pyx"
include "cables.pyx"
include "cloud.pyx"
include "control.pyx"
include "berthing.pyx"
include "elements.pyx"
include "ensemble.pyx"
include "membranes.pyx"
include "solvers.pyx"
