# Cython declarations of the control logic of the latching end effector.
from libc.stdint cimport int32_t
from libcpp cimport bool as cbool


cdef extern from "element/snare/control.hpp" namespace "contactlib::element" nogil:
    const int lee_command_count
    const int lee_phase_count
    const int lee_flag_count
    const int control_row_count

    cdef enum class LeeCommand(int32_t):
        hold
        close
        rigidize
        open
        manual

    cdef enum class LeePhase(int32_t):
        idle
        closing
        captured
        retracting
        rigidizing
        rigidized
        extending
        opening
        manual
        fault

    cdef cppclass ControlDesign:
        pass

    cdef cppclass ControlRow:
        const char* name
        const char* unit
        const char* meaning
        const char* allowed

    const ControlRow* control_rows() noexcept
    int check_control(const ControlDesign& design) noexcept

    cdef cppclass ControlInput:
        double command
        double ring_voltage
        double carriage_voltage

    cdef cppclass ControlSense:
        pass

    cdef cppclass ControlState:
        double phase

    cdef cppclass ControlDrive:
        double ring_voltage
        double carriage_voltage
        cbool ring_on
        cbool carriage_on
        cbool ring_brake
        cbool carriage_brake

    cdef cppclass ControlFlags:
        pass

    ControlDrive control_step(const ControlDesign& design, const ControlInput& input, const ControlSense& sense,
                              double h, ControlState& state, ControlFlags& flags) noexcept
