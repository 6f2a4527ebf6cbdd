# Cython declarations of the cable.
from libc.stdint cimport int32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from contactlib._core.core cimport Mat3, Shape, Status, Vec3


cdef extern from "element/cable/cable.hpp" namespace "contactlib::element" nogil:
    cdef enum class StrainMeasure(int32_t):
        green

    cdef enum class CableQuadrature(int32_t):
        full

    cdef enum class CableIntegrator(int32_t):
        first_order

    cdef enum class CableHold(int32_t):
        free

    cdef enum class CableFault(int32_t):
        none

    cdef cppclass CableMaterial:
        double axial_stiffness
        double bending_stiffness
        double line_density
        double axial_damping
        double bending_damping
        double mass_damping

    cdef cppclass CableElement:
        double length
        double strain
        double curvature

    cdef cppclass CableDesign:
        CableMaterial material
        vector[CableElement] elements
        StrainMeasure measure
        CableQuadrature quadrature
        cbool tension_stiffness
        CableIntegrator integrator
        size_t nodes() noexcept

    cbool is_second_order(const CableDesign& design) noexcept

    cdef cppclass CableCheck:
        CableFault fault
        int32_t index

    CableCheck check_cable(const CableDesign& design) noexcept

    cdef cppclass CableState:
        double* q
        double* v

    cdef cppclass CableEnd:
        CableHold hold
        Vec3 p_OE
        Vec3 slope

    cdef cppclass CableInputs:
        double h
        double kick
        Vec3 gravity
        const double* forces
        CableEnd ends[2]

    cdef cppclass CableReaction:
        Vec3 force
        Vec3 couple

    cdef cppclass CableScratch:
        vector[double] impulse
        vector[double] velocity
        void make(const CableDesign& design) except +
        void forward(double* x, size_t first) noexcept
        void backward(double* x) noexcept

    Status prepare_cable(const CableDesign& design, const CableState& state, const CableInputs& inputs,
                         CableScratch& scratch) noexcept
    Status step_cable(const CableDesign& design, const CableInputs& inputs, CableScratch& scratch, CableState& state,
                      CableReaction* reactions) noexcept

    cdef cppclass CableEnergy:
        double kinetic
        double axial
        double bending
        Vec3 momentum
        Vec3 spin

    CableEnergy measure_cable(const CableDesign& design, const CableState& state, double* tension) noexcept


cdef extern from "element/cable/skin.hpp" namespace "contactlib::element" nogil:
    const int32_t max_cable_capsules

    cdef cppclass CableSkin:
        double radius
        int32_t capsules

    cdef cppclass CableStrand:
        const CableDesign* design
        const double* q
        CableSkin skin
        cbool touches_itself

    cdef cppclass CableBody:
        Mat3 R_WB
        Vec3 p_OB

    cdef cppclass CableObstacle:
        const Shape* shape
        const CableBody* body

    cdef cppclass CablePlace:
        pass

    cdef cppclass CableTouch:
        CablePlace a, b
        int32_t obstacle
        Vec3 p_OC, n_W
        double gap
        uint64_t key

    cdef cppclass CableSkinScratch:
        void make(const CableStrand* strands, size_t count, const CableObstacle* obstacles,
                  size_t obstacle_count) except +

    size_t find_touches(const CableStrand* strands, size_t count, const CableObstacle* obstacles,
                        size_t obstacle_count, double reach, CableSkinScratch& scratch, CableTouch* out,
                        size_t capacity) noexcept
