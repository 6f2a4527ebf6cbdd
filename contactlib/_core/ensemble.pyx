# Many runs in one call, each with a state block of its own: one model from many starts, or a model for each run.
# Included by engine.pyx.


# Start and result of one run.
cdef struct Run:
    const double* start         # states of all bodies, w in world axes; NULL is the model's own
    const int32_t* tuned        # numbers of the variables to set before it starts,
    const double* values        # and what to set them to
    Py_ssize_t tuned_count
    const int32_t* recorded     # numbers of the variables to record
    Py_ssize_t recorded_count
    double* out                 # time and the recorded variables, one after the other, each over all rows
    Py_ssize_t rows
    Py_ssize_t steps            # of this run
    const int32_t* moved        # external bodies with a prescribed motion,
    Py_ssize_t moved_count
    const double* motion        # and their states at the start of each step, w in world axes


@cython.boundscheck(False)
def run_ensemble(list models not None, Py_ssize_t runs, const double[:, :, ::1] starts, const int32_t[::1] tuned,
                 const double[:, ::1] values, const int32_t[::1] recorded, const int32_t[::1] steps, Py_ssize_t every,
                 double dt, const int32_t[::1] moved, list motions not None, int num_threads):
    """Run steps of dt for each of many runs, in threads. `contactlib.run_ensemble` checks the arguments before.

    `models` has one model or one for each run, `steps` one number of steps or one for each run, `starts` and `values`
    no row or one for each run, `motions` for each run an array (steps + 1, moved, 13), or nothing. Returns the recorded
    rows (runs, 1 + recorded, T), NaN after a run has ended or failed, and for each run None or (time, sentence).
    """
    cdef Py_ssize_t most = np.max(steps)
    cdef Py_ssize_t i, k, count = recorded.shape[0], rows = 1 + most // every + (most % every != 0)
    cdef Py_ssize_t many_steps = steps.shape[0] > 1
    cdef Py_ssize_t many_models = len(models) > 1
    cdef Model first = models[0]
    cdef Model model
    cdef vector[const core.Model*] model_of
    cdef vector[const vector[core.Variable]*] table_of
    for model in models:
        if not same_rows(first.table, model.table, tuned) or not same_rows(first.table, model.table, recorded):
            raise ValueError("the models of an ensemble must have the same variables")
        model_of.push_back(&model.model)
        table_of.push_back(&model.table)
    out = np.full((runs, 1 + count, rows), np.nan)
    cdef double[:, :, ::1] out_v = out
    cdef vector[core.Status] statuses
    statuses.resize(runs)
    cdef vector[Run] run
    cdef const double[:, :, ::1] motion
    run.resize(runs)
    for i in range(runs):
        run[i].start = &starts[i, 0, 0] if starts.shape[0] > 0 else <const double*>NULL
        run[i].tuned = &tuned[0] if tuned.shape[0] > 0 else <const int32_t*>NULL
        run[i].values = &values[i, 0] if tuned.shape[0] > 0 else <const double*>NULL
        run[i].recorded = &recorded[0] if count > 0 else <const int32_t*>NULL
        run[i].out = &out_v[i, 0, 0]
        run[i].tuned_count, run[i].recorded_count, run[i].rows = tuned.shape[0], count, rows
        run[i].steps = steps[many_steps * i]
        run[i].moved_count = moved.shape[0]
        if moved.shape[0] > 0:
            motion = motions[i]
            run[i].moved = &moved[0]
            run[i].motion = &motion[0, 0, 0]
    num_threads = team(num_threads)
    # Runs differ in duration, so each free thread takes the next run. Each run writes its own slot only.
    for i in prange(runs, nogil=True, schedule="dynamic", num_threads=num_threads):
        statuses[i] = run_one(deref(model_of[many_models * i]), deref(table_of[many_models * i]), run[i], every,
                              dt)
    errors = []
    for i in range(runs):
        if statuses[i].code == core.Code.ok:
            errors.append(None)
            continue
        k = rows
        while k > 0 and not isfinite(out_v[i, 0, k - 1]):
            k -= 1
        errors.append((out_v[i, 0, k - 1] if k else 0.0,
                       core.describe(statuses[i], deref(model_of[many_models * i])).decode()))
    return out, errors


cdef bint same_rows(const vector[core.Variable]& a, const vector[core.Variable]& b, const int32_t[::1] rows) noexcept:
    cdef Py_ssize_t k
    for k in range(rows.shape[0]):
        if <size_t>rows[k] >= b.size() or not a[rows[k]].name == b[rows[k]].name:
            return False
    return True


cdef core.Status run_one(const core.Model& model, const vector[core.Variable]& table, const Run& run,
                         Py_ssize_t every, double dt) noexcept nogil:
    cdef core.Data data
    cdef Py_ssize_t k, row = 1
    cdef core.Status status = data.make(model, 1, model.contact_capacity)
    if status.code == core.Code.ok and run.start != NULL:
        start_at(model, data, run.start)
    if status.code == core.Code.ok:
        move(data, run, 0)
        for k in range(run.moved_count):
            memcpy(<double*>data.bodies() + 13 * run.moved[k], run.motion + 13 * k, 13 * sizeof(double))
    for k in range(run.tuned_count):
        if status.code == core.Code.ok:
            status = core.set_variable(table[run.tuned[k]], data, run.values[k])
    core.accept_commands(model, data)
    if status.code == core.Code.ok:
        status = core.check_parameters(model, data)
    if status.code == core.Code.ok:
        status = core.evaluate_and_grow(model, data)
    if status.code == core.Code.ok:
        write_row(table, data, run, 0)
    for k in range(1, run.steps + 1):
        if status.code != core.Code.ok:
            break
        move(data, run, k - 1)
        status = core.advance_and_grow(model, data, dt)
        if status.code == core.Code.ok and (k % every == 0 or k == run.steps):
            write_row(table, data, run, row)
            row += 1
    return status


cdef void start_at(const core.Model& model, core.Data& data, const double* start) noexcept nogil:
    # As Data::reset does with the start of the model, so that both give the same bits.
    cdef size_t bodies = model.bodies.size(), i
    memcpy(<void*>data.bodies(), start, bodies * 13 * sizeof(double))
    for i in range(bodies):
        write_input(data, i, start + 13 * i)


cdef void move(core.Data& data, const Run& run, Py_ssize_t step) noexcept nogil:
    # From its state at the start of a step, a body moves along its twist, as in Simulation.step.
    cdef Py_ssize_t k
    for k in range(run.moved_count):
        write_input(data, run.moved[k], run.motion + 13 * (step * run.moved_count + k))


cdef void write_input(core.Data& data, size_t body, const double* state) noexcept nogil:
    cdef double R[9]
    cdef double* row = <double*>data.inputs() + 13 * body
    cdef const double* w = state + 10
    cdef int k
    memcpy(row, state, 13 * sizeof(double))
    if data.globals().resolve_in == 0:
        return
    if rotation(state + 3, R):  # inputs are in body axes there
        for k in range(3):
            row[10 + k] = R[3 * k] * w[0] + R[3 * k + 1] * w[1] + R[3 * k + 2] * w[2]


cdef void write_row(const vector[core.Variable]& table, core.Data& data, const Run& run, Py_ssize_t row) noexcept nogil:
    cdef Py_ssize_t k
    run.out[row] = data.globals().time
    for k in range(run.recorded_count):
        run.out[(1 + k) * run.rows + row] = core.get_variable(table[run.recorded[k]], data)
