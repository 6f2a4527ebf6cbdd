# Cython declarations of the control logic of a berthing mechanism.
from libc.stdint cimport int32_t
from libcpp cimport bool as cbool


cdef extern from "element/berthing/control.hpp" namespace "contactlib::element" nogil:
    const int max_latches
    const int berthing_command_count
    const int berthing_phase_count
    const int berthing_flag_count
    const int berthing_row_count

    cdef enum class BerthingCommand(int32_t):
        hold
        capture
        berth
        open
        manual
        automatic

    cdef enum class BerthingPhase(int32_t):
        idle
        waiting
        capturing
        captured
        berthing
        berthed
        opening
        manual
        fault

    cdef cppclass BerthingDesign:
        pass

    cdef cppclass BerthingSize:
        int latches
        int indicators
        int seats

    cdef cppclass BerthingRow:
        const char* name
        const char* unit
        const char* meaning
        const char* allowed

    const BerthingRow* berthing_rows() noexcept
    int check_berthing(const BerthingDesign& design, const BerthingSize& size) noexcept

    cdef cppclass LatchSense:
        double angle
        double rate
        double current

    cdef cppclass BerthingSense:
        int latches
        LatchSense* latch
        double ready
        double seated

    cdef cppclass BerthingState:
        double phase

    cdef cppclass LatchOrder:
        cbool own
        cbool on
        double voltage

    cdef cppclass BerthingFlags:
        pass

    cdef cppclass BerthingOutput:
        BerthingFlags flags
        LatchOrder* latch

    BerthingOutput berthing_step(const BerthingDesign& design, double command, const BerthingSense& sense, double h,
                                 BerthingState& state) noexcept
    cbool failed(const BerthingState& state, int latch) noexcept
