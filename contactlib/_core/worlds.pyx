# Many instances of one model that advance together, one call for all of them. Included by engine.pyx.


cdef class Worlds(Lock):
    """Independent instances (worlds) of one model, each with a state block of its own.

    A call that fails in one world is rolled back in all of them. One thread may use it at a time, as a Data.
    """

    cdef readonly Model model
    cdef readonly list instances    # a Data for each world
    cdef vector[core.Data*] data
    cdef vector[core.Status] statuses
    cdef int num_threads

    def __init__(self, Model model not None, Py_ssize_t n, int num_threads=1):
        cdef Data instance
        self.model = model
        self.num_threads = num_threads
        self.instances = []
        for _ in range(n):
            instance = Data(model)
            self.instances.append(instance)
            self.data.push_back(&instance.data)
        self.statuses.resize(n)

    def __len__(self):
        return <Py_ssize_t>self.data.size()

    cdef const double[:, :, ::1] rows(self, object states):
        array = np.ascontiguousarray(states, dtype=np.float64)
        expected = (self.data.size(), self.model.model.bodies.size(), STATE_WIDTH)
        if array.shape != expected:
            raise ValueError(f"states has shape {array.shape}, must be {expected}: worlds, bodies, numbers of a state")
        return array

    cdef object flags(self, object selected):
        """Which worlds are selected, uint8 (n,)."""
        if selected is None:
            return np.ones(self.data.size(), dtype=np.uint8)
        return np.ascontiguousarray(selected, dtype=np.uint8)

    @cython.boundscheck(False)
    def run(self, double dt, states=None, selected=None):
        """Advance the selected worlds by dt, or evaluate them if dt is 0. `states` (n, bodies, 13) replaces theirs.

        Returns the wrenches (n, bodies, 6) of all worlds.
        ValueError, with the numbers of the worlds that failed as its second argument, after all worlds are rolled back.
        """
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef const double[:, :, ::1] rows
        cdef const double* first = NULL
        if states is not None:
            rows = self.rows(states)
            if rows.shape[0] and rows.shape[1]:
                first = &rows[0, 0, 0]
        cdef const unsigned char[::1] chosen = self.flags(selected)
        cdef Py_ssize_t i, n = self.data.size(), width = STATE_WIDTH * self.model.model.bodies.size()
        out = np.empty((n, self.model.model.bodies.size(), WRENCH_WIDTH))
        cdef double[:, :, ::1] wrenches = out
        cdef size_t size = out.nbytes // n
        cdef const core.Model* model = &self.model.model
        cdef int num_threads = team(max(1, min(self.num_threads, n)))
        # A world always has the same thread, in whose cache it is; in turns, since worlds in contact take longer.
        cdef Py_ssize_t few = max(1, min(8, n // (8 * num_threads)))
        for i in prange(n, nogil=True, schedule="static", chunksize=few, num_threads=num_threads):
            self.statuses[i] = run_world(deref(model), deref(self.data[i]), dt,
                                         first + i * width if first != NULL else NULL, chosen[i])
            if size > 0:  # here, where they are in the cache of this thread
                memcpy(&wrenches[i, 0, 0], self.data[i].outputs(), size)
        self.raise_if_any_failed(chosen)
        return out

    cdef int raise_if_any_failed(self, const unsigned char[::1] chosen) except -1:
        """Roll back the worlds that succeeded if another one failed; the core has rolled back that one."""
        cdef size_t i
        cdef bint memory = False
        failed = []
        for i in range(self.statuses.size()):
            if self.statuses[i].code != core.Code.ok:
                failed.append(i)
                memory = memory or self.statuses[i].code == core.Code.out_of_memory
        if not failed:
            return 0
        for i in range(self.statuses.size()):
            if chosen[i] and self.statuses[i].code == core.Code.ok:
                self.data[i].roll_back()
        sentence = core.describe_with(self.statuses[<size_t>failed[0]], self.model.model,
                                      deref(self.data[<size_t>failed[0]])).decode()
        raise (MemoryError if memory else ValueError)(sentence, tuple(failed))

    def reset(self, selected=None):
        """Return the selected worlds to the initial values of the model."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef size_t i
        cdef const unsigned char[::1] chosen = self.flags(selected)
        for i in range(self.data.size()):
            if chosen[i]:
                self.data[i].reset(self.model.model)

    def set(self, const int32_t[::1] variables, const double[:, ::1] values, selected=None):
        """Set variables (k,) by their numbers to values (n, k) in the selected worlds: all of them or none."""
        cdef Turn turn
        take_turn(&self.use, &turn, True)
        cdef const unsigned char[::1] chosen = self.flags(selected)
        cdef size_t i
        cdef Py_ssize_t k = 0
        cdef core.Status status
        for i in range(self.data.size()):
            if not chosen[i]:
                continue
            self.data[i].before_call.save(self.data[i].state, self.data[i].used())
            status = self.set_world(deref(self.data[i]), variables, &values[i, 0], &k)
            if status.code != core.Code.ok:
                self.refuse(i, chosen, status, self.model.table[variables[k]], values[i, k])
        for i in range(self.data.size()):
            if chosen[i]:
                core.accept_commands(self.model.model, deref(self.data[i]))

    cdef core.Status set_world(self, core.Data& data, const int32_t[::1] variables, const double* values,
                               Py_ssize_t* k) noexcept:
        cdef core.Status status
        k[0] = 0
        while k[0] < variables.shape[0]:
            status = core.set_variable(self.model.table[variables[k[0]]], data, values[k[0]])
            if status.code != core.Code.ok:
                return status
            k[0] += 1
        k[0] = 0
        return core.check_parameters(self.model.model, data)

    cdef int refuse(self, size_t last, const unsigned char[::1] chosen, core.Status status,
                    const core.Variable& variable, double value) except -1:
        """Undo `set` in all worlds up to `last`, which refused a value, and raise."""
        cdef size_t i
        sentence = core.why_not(variable, value).decode()
        if sentence:
            sentence = f"{variable.name.decode()} = {value:g}: {sentence}"
        else:  # each value is allowed alone, and they contradict one another
            sentence = core.describe_with(status, self.model.model, deref(self.data[last])).decode()
        for i in range(last + 1):
            if chosen[i]:
                self.data[i].before_call.restore(self.data[i].state)
        raise ValueError(sentence, (last,))

    def get(self, const int32_t[::1] variables):
        """Values (n, k) of variables (k,) by their numbers."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        out = np.empty((self.data.size(), variables.shape[0]))
        cdef double[:, ::1] values = out
        cdef Py_ssize_t i, k
        for i in range(values.shape[0]):
            for k in range(values.shape[1]):
                values[i, k] = core.get_variable(self.model.table[variables[k]], deref(self.data[i]))
        return out

    def states(self):
        """States (n, bodies, 13), as `Data.states`."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        out = np.empty((self.data.size(), self.model.model.bodies.size(), STATE_WIDTH))
        cdef double[:, :, ::1] view = out
        cdef size_t i
        if view.shape[1]:
            for i in range(self.data.size()):
                memcpy(&view[i, 0, 0], self.data[i].reports(), view.shape[1] * STATE_WIDTH * sizeof(double))
        return out

    def wrenches(self):
        """Wrenches (n, bodies, 6), as `Data.wrenches`."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        out = np.empty((self.data.size(), self.model.model.bodies.size(), WRENCH_WIDTH))
        cdef double[:, :, ::1] view = out
        cdef size_t i
        if view.shape[1]:
            for i in range(self.data.size()):
                memcpy(&view[i, 0, 0], self.data[i].outputs(), view.shape[1] * WRENCH_WIDTH * sizeof(double))
        return out

    def times(self):
        """Time (n,), s, of each world."""
        cdef Turn turn
        take_turn(&self.use, &turn, False)
        out = np.empty(self.data.size())
        cdef double[::1] view = out
        cdef size_t i
        for i in range(self.data.size()):
            view[i] = self.data[i].globals().time
        return out


cdef core.Status run_world(const core.Model& model, core.Data& data, double dt, const double* states,
                           bint chosen) noexcept nogil:
    # As Data.advance and Data.evaluate: repeated with more capacity for contacts where a world needs it.
    cdef const core.BodyState* first = <const core.BodyState*>states
    cdef core.Status status
    while chosen:
        status = core.advance(model, data, dt, first) if dt > 0 else core.evaluate(model, data, first)
        if not core.grow_capacity(model, data, status):
            return status
    return status
