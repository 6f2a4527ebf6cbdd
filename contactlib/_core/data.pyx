# One instance of a model. Included by engine.pyx.

# Contacts of a Data for which there is memory before the first step: a step with more of them is repeated once with
# more memory. A process may have 10^5 Data.
cdef size_t FIRST_CONTACTS = 32

cdef class StateCopy:
    """The result of `Data.copy_state`: numbers of that one Data, restored without a check."""

    cdef core.StateCopy numbers
    cdef Data owner


cdef class Data(Lock):
    """One instance of a model: its state block and its scratch memory.

    One thread may use it at a time, for one call or, as `with data:`, for several; all others get a RuntimeError.
    """

    cdef readonly Model model
    cdef core.Data data
    cdef object models      # the caller's contact models, see set_models,
    cdef object failure     # and what one of them raised
    cdef int num_threads

    def __init__(self, Model model not None, int num_threads=1):
        self.model = model
        self.num_threads = num_threads
        model.raise_if_bad(self.data.make(model.model, num_threads, FIRST_CONTACTS))
        if num_threads > 1:
            self.data.narrow = collide_in_threads

    def set_models(self, models, columns):
        """Set the contact models of `Model.user_laws`, called as models(ask, law, count) with their rows in `columns`.

        `columns`: contiguous arrays by name, a row for every contact that there is capacity for. ask: 0 establish,
        1 update, 2 terminate. Errors end the step, which leaves no trace. Where an answer is not finite
        models.not_finite(law, shape_a, shape_b) gives the error.
        """
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        self.lend(models, columns)

    cdef int lend(self, models, columns) except -1:
        check_columns(columns, self.capacity, self.model.own_width)
        self.data.user_laws.caller = <void*>self
        self.data.user_laws.answer = <core.Answer>ask_models  # a cast, for cython leaves `noexcept` out of the type
        lend_columns(&self.data.user_laws, columns)
        self.models = models, columns
        return 0

    cdef int raise_if_bad(self, core.Status status) except -1:
        cdef const core.Contact* contact
        if status.code == core.Code.ok:
            return 0
        failure, self.failure = self.failure, None
        if failure is None and status.code == core.Code.model_failed and status.port >= 0:
            contact = &self.data.contacts_before[status.port]  # where those of the step that failed are now
            failure = self.models[0].not_finite(status.index, contact.shape_a, contact.shape_b)
        if failure is not None:
            raise failure
        if status.code == core.Code.out_of_memory:
            raise MemoryError(core.describe_with(status, self.model.model, self.data).decode())
        raise ValueError(core.describe_with(status, self.model.model, self.data).decode())

    @property
    def capacity(self):
        """Present capacity for contacts."""
        return self.data.contacts.size()

    cdef bint capacity_grew(self, core.Status status) except -1:
        """Increase the capacity after a call that needed more; True if that call can be repeated."""
        cdef size_t capacity = self.data.contacts.size()
        if not core.grow_capacity(self.model.model, self.data, status):
            return False
        self.fit_columns(capacity)
        return True

    cdef int fit_columns(self, size_t capacity) except -1:
        """Make the columns of contact models again if the capacity has changed."""
        if self.models is not None and self.data.contacts.size() != capacity:
            self.lend(self.models[0], self.models[0].columns_for(self.data.contacts.size()))
        return 0

    @property
    def last_interval(self):
        """Time (s) since the contact memory that contact models read was written."""
        return self.data.user_laws.h

    cdef object copy_out(self, const void* source, int width):
        cdef size_t bodies = self.model.model.bodies.size()
        return read_only(source, (bodies, width), REAL, bodies * width * sizeof(double))

    cdef object rows(self, object values, int width, str what):
        array = CONTIGUOUS(values, REAL)
        expected = (self.model.model.bodies.size(), width)
        if array.shape != expected:
            raise ValueError(f"{what} has shape {array.shape}, must be {expected}: one row per body")
        return array

    cdef const core.BodyState* given(self, object states, Buffer& rows) except? NULL:
        """The states (bodies, 13), in memory that `rows` holds; NULL for None."""
        if states is None:
            return NULL
        return <const core.BodyState*>rows.of(self.rows(states, STATE_WIDTH, "states"))

    def reset(self):
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        self.data.reset(self.model.model)

    cdef core.Globals summary(self) except *:
        """The head of the state between two calls."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        return self.data.globals()

    @property
    def time(self):
        return self.summary().time

    @property
    def contact_count(self):
        return int(self.summary().contact_count)

    @property
    def deep(self):
        return int(self.summary().deep_count)

    @property
    def max_depth(self):
        return self.summary().max_depth

    @property
    def energy_stored(self):
        return self.summary().energy_stored

    @property
    def energy_dissipated(self):
        return self.summary().energy_dissipated

    @property
    def energy_error(self):
        return self.summary().energy_error

    def sub_steps(self):
        """Of the last step: numbers of sub-steps and of refused trials, sum of all lengths and the least one, s."""
        cdef core.Globals g = self.summary()
        return int(g.sub_steps), int(g.refused_sub_steps), g.sub_step_time, g.shortest_sub_step

    def warnings(self, bint held=False):
        """Warnings about step length, energy error, deep contacts, order of stepping, fast bodies and sub-steps that
        may not be shorter; "" for none.

        `held`: a master holds the wrenches of external bodies over its communication steps.
        """
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        cdef int cause
        return tuple([core.warning(cause, self.model.model, self.data, held).decode()
                      for cause in range(core.warning_causes)])

    def states(self):
        """States of all bodies, w in the axes of resolve_in, as of the last evaluation or step."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        return self.copy_out(self.data.reports(), STATE_WIDTH)

    def wrenches(self):
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        return self.copy_out(self.data.outputs(), WRENCH_WIDTH)

    def responses(self):
        """Ratio of each body's response to force and to torque to that of its mass, shape (bodies, 2)."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        cdef size_t i
        cdef core.Factors factors
        out = np.ones((self.model.model.bodies.size(), 2))
        for i in range(self.model.model.bodies.size()):
            factors = core.factors_of(self.model.model, self.data, i)
            out[i, 0], out[i, 1] = factors.force, factors.torque
        return ARRAY(out.shape, REAL, out.tobytes())

    def contacts(self):
        """The contacts of the last evaluation or step, a structured array of CONTACT_DTYPE."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        cdef size_t count = self.data.count
        return read_only(self.data.contacts.data(), (count,), CONTACT_DTYPE, count * sizeof(core.Contact))

    def patches(self):
        """Contacts of the present states, and their patches, points, outlines and corners of outlines: five structured
        arrays. The state and the contacts of the last evaluation or step stay as they are.
        """
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef core.PatchQuery query
        turn.run()
        cdef core.Status status = core.find_contact_patches(self.model.model, self.data, query)
        while self.capacity_grew(status):
            status = core.find_contact_patches(self.model.model, self.data, query)
        self.raise_if_bad(status)
        return (rows_of(query.contacts.data(), query.contacts.size(), CONTACT_DTYPE),
                rows_of(query.patches.data(), query.patches.size(), PATCH_DTYPES[0]),
                rows_of(query.points.data(), query.points.size(), PATCH_DTYPES[1]),
                rows_of(query.outlines.data(), query.outlines.size(), PATCH_DTYPES[2]),
                rows_of(query.corners.data(), query.corners.size(), PATCH_DTYPES[3]))

    def outputs(self):
        """Wrenches and contacts of one instant."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        return self.wrenches(), self.contacts()

    def work(self):
        """Counts of the last evaluation: tests of bounding volumes, candidate pairs of shapes. Cached candidates lower
        both."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        return self.data.volume_tests, self.data.candidate_pairs

    def cache_candidates(self, bint on):
        """Whether evaluations keep candidates from one to the next, the default. The contacts do not depend on this."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        self.model.raise_if_bad(core.cache_candidates(self.model.model, self.data, on))

    def set_states(self, states):
        """Set the states of all bodies, shape (bodies, 13), or none of them if one is not allowed."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef Buffer rows
        array = self.rows(states, STATE_WIDTH, "states")
        self.model.raise_if_bad(core.set_states(self.model.model, self.data, <const core.BodyState*>rows.of(array)))

    def set_applied(self, wrenches, bint body_axes=False):
        """Set loads on free bodies, torque about the origin, shape (bodies, 6), which rotate with it in body axes."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef Buffer rows
        array = self.rows(wrenches, WRENCH_WIDTH, "applied wrenches")
        if not np.isfinite(array).all():
            raise ValueError("applied wrenches must be finite")
        memcpy(<void*>(self.data.thrust() if body_axes else self.data.applied()), rows.of(array), rows.size())

    def applied(self, bint body_axes=False):
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        return self.copy_out(self.data.thrust() if body_axes else self.data.applied(), WRENCH_WIDTH)

    def accept_inputs(self):
        """Check the inputs and parameters that `set` wrote, and copy the inputs to the external bodies."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        self.raise_if_bad(core.accept_inputs(self.model.model, self.data))

    def accept_starts(self):
        """Set the free bodies to the start values that `set` wrote."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        self.raise_if_bad(core.accept_starts(self.model.model, self.data))

    def check_parameters(self):
        """Raise ValueError if parameters that `set` wrote contradict each other."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        self.raise_if_bad(core.check_parameters(self.model.model, self.data))

    def accept_commands(self):
        """Apply the commands of elements that `set` wrote."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        core.accept_commands(self.model.model, self.data)

    def evaluate(self, states=None):
        """Compute contacts and wrenches, of `states` (bodies, 13) if given. Nothing changes on an error."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef Buffer rows
        cdef const core.BodyState* first = self.given(states, rows)
        team(self.num_threads)
        turn.run()
        cdef core.Status status = core.evaluate(self.model.model, self.data, first)
        while self.capacity_grew(status):
            status = core.evaluate(self.model.model, self.data, first)
        self.raise_if_bad(status)

    def advance(self, double dt, states=None):
        """Take a step of dt, from `states` (bodies, 13) if given. Nothing changes on an error."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef core.Status status
        cdef Buffer rows
        cdef const core.BodyState* first = self.given(states, rows)
        team(self.num_threads)
        turn.run()
        while True:
            with nogil:
                status = core.advance(self.model.model, self.data, dt, first)
            if not self.capacity_grew(status):
                break
        self.raise_if_bad(status)

    cdef const core.Variable* variable(self, Py_ssize_t index) except NULL:
        if index < 0 or <size_t>index >= self.model.table.size():
            raise IndexError(f"variable {index} does not exist: the model has {self.model.table.size()} variables")
        return &self.model.table[index]

    def get(self, Py_ssize_t index):
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        return core.get_variable(deref(self.variable(index)), self.data)

    def get_all(self, rows):
        """The variables with the numbers `rows`."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        cdef Py_ssize_t k, n = len(rows)
        out = np.empty(n)
        cdef double[::1] values = out
        for k in range(n):
            values[k] = core.get_variable(deref(self.variable(rows[k])), self.data)
        return out

    def set(self, Py_ssize_t index, double value):
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef const core.Variable* variable = self.variable(index)
        cdef core.Status status = core.set_variable(deref(variable), self.data, value)
        if status.code != core.Code.ok:
            raise ValueError(f"{variable.name.decode()} = {value:g}: {core.why_not(deref(variable), value).decode()}")

    def set_all(self, rows, values):
        """Set variables by their numbers: all of them or, on a ValueError, none. Parameters must be valid together."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef StateCopy before = self.copy_state()
        try:
            for row, value in zip(rows, values, strict=True):
                self.set(row, value)
            self.check_parameters()
        except Exception:
            self.roll_back(before)
            raise

    def set_rate(self, Py_ssize_t index, double value):
        """Set the time derivative of an input, for extrapolation within the next steps."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef const core.Variable* variable = self.variable(index)
        if variable.rate_offset < 0:
            raise ValueError(f"{variable.name.decode()} takes no derivative: only v and w of external bodies, loads "
                             "on free bodies, and commands of elements do")
        if not isfinite(value):
            raise ValueError(f"the rate of {variable.name.decode()} = {value}: must be finite")
        self.data.state[variable.rate_offset] = value

    def cable_nodes(self, Py_ssize_t element):
        """The nodes (n, 12) of each cable of an element: r, r', v, v' in world axes, m and m/s; () without cables."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        cdef size_t k = 0, count
        cdef double[:, ::1] rows
        found = []
        while element >= 0:
            count = core.cable_nodes(self.model.model, self.data, element, k, NULL)
            if count == 0:
                break
            out = np.empty((count, core.node_numbers))
            rows = out
            core.cable_nodes(self.model.model, self.data, element, k, &rows[0, 0])
            found.append(out)
            k += 1
        return tuple(found)

    def cable_contacts(self, Py_ssize_t element):
        """The contacts of the cables of an element at the end of the last step, an array of CABLE_CONTACT_DTYPE."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        cdef size_t count = 0 if element < 0 else core.cable_contacts(self.model.model, self.data, element, NULL)
        cdef bytes rows = PyBytes_FromStringAndSize(NULL, count * sizeof(core.CableContact))
        if count:
            core.cable_contacts(self.model.model, self.data, element, <core.CableContact*>PyBytes_AsString(rows))
        return ARRAY((count,), CABLE_CONTACT_DTYPE, rows)

    def save(self):
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        cdef bytes out = PyBytes_FromStringAndSize(NULL, core.saved_size(self.data))
        core.save(self.model.model, self.data, <unsigned char*>PyBytes_AsString(out))
        return out

    def restore(self, bytes saved not None):
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef size_t capacity = self.data.contacts.size()
        core.reserve_for_saved(self.model.model, self.data, len(saved))
        self.fit_columns(capacity)
        self.model.raise_if_bad(core.restore(
            self.model.model, self.data, <const unsigned char*>PyBytes_AsString(saved), len(saved)))

    cpdef StateCopy copy_state(self):
        """A copy of the numbers of the state, without contacts, for `roll_back` after a call that failed."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        cdef StateCopy copy = StateCopy()
        copy.owner = self
        copy.numbers.reserve(self.data.used())
        copy.numbers.save(self.data.state, self.data.used())
        return copy

    cpdef roll_back(self, StateCopy copy):
        """Restore the numbers of `copy_state`, without a check."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        if copy is None or copy.owner is not self:
            raise ValueError("this copy of a state belongs to another Data: roll that Data back")
        copy.numbers.restore(self.data.state)

    def put_contacts(self, contacts):
        """Set contacts that `contacts()` returned for the present state; `restore` does not restore contacts."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        rows = CONTIGUOUS(contacts, CONTACT_DTYPE)
        cdef size_t capacity = self.data.contacts.size()
        core.reserve_contacts(self.model.model, self.data, rows.size)
        self.fit_columns(capacity)
        if rows.ndim != 1 or rows.size > self.data.contacts.size():
            raise ValueError(f"{rows.shape} contacts: the scene has capacity for {self.data.contacts.size()}")
        cdef Buffer memory
        memcpy(<void*>self.data.contacts.data(), memory.of(rows), memory.size())
        self.data.count = rows.size
