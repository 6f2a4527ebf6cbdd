# The control logic of the latching end effector and of a berthing mechanism, without a scene. Included by engine.pyx.

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


#: names of BerthingCommand, BerthingPhase and BerthingFlags (core/element/berthing/control.hpp), in their order
BERTHING_COMMANDS = names_by_number({"hold": <int>berth.BerthingCommand.hold,
                                     "capture": <int>berth.BerthingCommand.capture,
                                     "berth": <int>berth.BerthingCommand.berth,
                                     "open": <int>berth.BerthingCommand.open,
                                     "manual": <int>berth.BerthingCommand.manual,
                                     "automatic": <int>berth.BerthingCommand.automatic}, berth.berthing_command_count)
BERTHING_PHASES = names_by_number({"idle": <int>berth.BerthingPhase.idle, "waiting": <int>berth.BerthingPhase.waiting,
                                   "capturing": <int>berth.BerthingPhase.capturing,
                                   "captured": <int>berth.BerthingPhase.captured,
                                   "berthing": <int>berth.BerthingPhase.berthing,
                                   "berthed": <int>berth.BerthingPhase.berthed,
                                   "opening": <int>berth.BerthingPhase.opening,
                                   "manual": <int>berth.BerthingPhase.manual,
                                   "fault": <int>berth.BerthingPhase.fault}, berth.berthing_phase_count)
BERTHING_FLAGS = record_types()["berthing_flags"].names
BERTHING_STATE_WIDTH = <int>(sizeof(berth.BerthingState) // sizeof(double))
MAX_LATCHES = berth.max_latches


def berthing_rows():
    """(name, unit, meaning, allowed) of every number of a berthing design, in the order of BerthingDesign."""
    cdef const berth.BerthingRow* rows = berth.berthing_rows()
    return [(rows[i].name.decode(), rows[i].unit.decode(), rows[i].meaning.decode(), rows[i].allowed.decode())
            for i in range(berth.berthing_row_count)]


cdef class Berthing:
    """A berthing design from its numbers, in the order of `berthing_rows`, and its numbers of elements.

    Raises ValueError with key and value.
    """

    cdef berth.BerthingDesign design
    cdef berth.BerthingSize size

    def __init__(self, numbers, int latches, int indicators, int seats=0):
        cdef double[::1] given = np.array(numbers, dtype=np.float64)
        cdef const berth.BerthingRow* row
        cdef int wrong
        if given.shape[0] != berth.berthing_row_count:
            raise ValueError(f"a berthing design has {berth.berthing_row_count} numbers, not {given.shape[0]}")
        if not 1 <= latches <= berth.max_latches:
            raise ValueError(f"there are {latches} latches, must be from 1 to {berth.max_latches}")
        memcpy(<void*>&self.design, &given[0], sizeof(self.design))
        self.size.latches, self.size.indicators, self.size.seats = latches, indicators, seats
        wrong = berth.check_berthing(self.design, self.size)
        if wrong >= 0:
            row = &berth.berthing_rows()[wrong]
            raise ValueError(f"{row.name.decode()} must be {row.allowed.decode()}, not {given[wrong]!r}")

    def step(self, double command, const double[:, ::1] latches, double ready, double h, double[::1] state,
             double seated=0.0):
        """One step of h (s) of `state` (BERTHING_STATE_WIDTH,), in place; h = 0 changes nothing.

        command: a number of BERTHING_COMMANDS; latches (n, 3): angle (rad), rate (rad/s) and current (A) of each;
        ready, seated: how many indicators and seats show. Returns for each latch its voltage (V), whether it is on,
        whether it obeys its own inputs and whether it was given up; then the phase, and the flags.
        """
        cdef berth.BerthingSense seen
        cdef berth.BerthingState now
        cdef berth.BerthingOutput out
        cdef int k
        if latches.shape[0] != self.size.latches or latches.shape[1] != 3 or state.shape[0] != BERTHING_STATE_WIDTH:
            raise ValueError(f"latches and state have shapes ({latches.shape[0]}, {latches.shape[1]}) and "
                             f"({state.shape[0]},), must be ({self.size.latches}, 3) and ({BERTHING_STATE_WIDTH},)")
        seen.latches, seen.ready, seen.seated = self.size.latches, ready, seated
        for k in range(seen.latches):
            seen.latch[k].angle, seen.latch[k].rate, seen.latch[k].current = (
                latches[k, 0], latches[k, 1], latches[k, 2])
        memcpy(<void*>&now, &state[0], sizeof(now))
        out = berth.berthing_step(self.design, command, seen, h, now)
        memcpy(&state[0], <void*>&now, sizeof(now))
        cdef const char* up = <const char*>&out.flags
        raised = frozenset(BERTHING_FLAGS[i] for i in range(berth.berthing_flag_count) if up[i])
        orders = [(out.latch[k].voltage, bool(out.latch[k].on), bool(out.latch[k].own), bool(berth.failed(now, k)))
                  for k in range(seen.latches)]
        return orders, BERTHING_PHASES[<int>now.phase], raised
