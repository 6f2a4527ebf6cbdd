# The control logic of the latching end effector without a scene. Included by engine.pyx.

#: names of LeeCommand, LeePhase, ControlFlags and ControlSense (core/element/snare/control.hpp), in their order
LEE_COMMANDS = names_by_number({"hold": <int>lee.LeeCommand.hold, "close": <int>lee.LeeCommand.close,
                                "rigidize": <int>lee.LeeCommand.rigidize, "open": <int>lee.LeeCommand.open,
                                "manual": <int>lee.LeeCommand.manual}, lee.lee_command_count)
LEE_PHASES = names_by_number({"idle": <int>lee.LeePhase.idle, "closing": <int>lee.LeePhase.closing,
                              "captured": <int>lee.LeePhase.captured, "retracting": <int>lee.LeePhase.retracting,
                              "rigidizing": <int>lee.LeePhase.rigidizing, "rigidized": <int>lee.LeePhase.rigidized,
                              "extending": <int>lee.LeePhase.extending, "opening": <int>lee.LeePhase.opening,
                              "manual": <int>lee.LeePhase.manual, "fault": <int>lee.LeePhase.fault},
                             lee.lee_phase_count)
LEE_FLAGS = record_types()["lee_flags"].names
LEE_SENSES = record_types()["lee_senses"].names
LEE_STATE_WIDTH = <int>(sizeof(lee.ControlState) // sizeof(double))


def control_rows():
    """(name, unit, meaning, allowed) of every number of a control design, in the order of ControlDesign."""
    cdef const lee.ControlRow* rows = lee.control_rows()
    return [(rows[i].name.decode(), rows[i].unit.decode(), rows[i].meaning.decode(), rows[i].allowed.decode())
            for i in range(lee.control_row_count)]


cdef class Control:
    """A control design from its numbers, in the order of `control_rows`. Raises ValueError with key and value."""

    cdef lee.ControlDesign design

    def __init__(self, numbers):
        cdef double[::1] given = np.array(numbers, dtype=np.float64)
        cdef const lee.ControlRow* row
        cdef int wrong
        if given.shape[0] != lee.control_row_count:
            raise ValueError(f"a control design has {lee.control_row_count} numbers, not {given.shape[0]}")
        memcpy(<void*>&self.design, &given[0], sizeof(self.design))
        wrong = lee.check_control(self.design)
        if wrong >= 0:
            row = &lee.control_rows()[wrong]
            raise ValueError(f"{row.name.decode()} must be {row.allowed.decode()}, not {given[wrong]!r}")

    def step(self, const double[::1] input, const double[::1] sense, double h, double[::1] state):
        """One step of h (s) of `state` (LEE_STATE_WIDTH,), in place; h = 0 changes nothing.

        input (3,): command, and the voltages of ring and carriage for `manual`; sense (11,): see LEE_SENSES. Returns
        the voltages of ring and carriage (V), whether each is on and whether each is braked, the phase, and the flags.
        """
        cdef lee.ControlInput order
        cdef lee.ControlSense seen
        cdef lee.ControlState now
        cdef lee.ControlFlags flags
        cdef lee.ControlDrive drive
        if input.shape[0] != 3 or sense.shape[0] != len(LEE_SENSES) or state.shape[0] != LEE_STATE_WIDTH:
            raise ValueError(f"input, sense and state must have 3, {len(LEE_SENSES)} and {LEE_STATE_WIDTH} numbers, "
                             f"not {input.shape[0]}, {sense.shape[0]} and {state.shape[0]}")
        order.command, order.ring_voltage, order.carriage_voltage = input[0], input[1], input[2]
        memcpy(<void*>&seen, &sense[0], sizeof(seen))
        memcpy(<void*>&now, &state[0], sizeof(now))
        drive = lee.control_step(self.design, order, seen, h, now, flags)
        memcpy(&state[0], <void*>&now, sizeof(now))
        cdef const char* up = <const char*>&flags
        raised = frozenset(LEE_FLAGS[i] for i in range(lee.lee_flag_count) if up[i])
        return ((drive.ring_voltage, drive.carriage_voltage), (drive.ring_on, drive.carriage_on),
                (drive.ring_brake, drive.carriage_brake), LEE_PHASES[<int>now.phase], raised)
