# Cython declarations of the membrane.
from libc.stdint cimport int32_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from contactlib._core.core cimport CurvePoint, Mat3, Status, Vec3


cdef extern from *:
    ctypedef int32_t Corners "std::array<std::int32_t, 3>"


cdef extern from "element/membrane/membrane.hpp" namespace "contactlib::element" nogil:
    cdef enum class Spread(int32_t):
        bisector

    cdef enum class MembraneFault(int32_t):
        none

    cdef cppclass MembraneParameters:
        double stiffness
        double damping
        double rest_area
        double friction
        double slip_speed

    cdef cppclass MembraneProfile:
        vector[CurvePoint] elastic
        vector[CurvePoint] extending
        vector[CurvePoint] retracting

    cdef cppclass MembraneHull:
        vector[Vec3] p_BV
        vector[Corners] triangles

    cdef cppclass MembraneDesign:
        int32_t dimension
        vector[Vec3] p_CS
        Vec3 up_C
        MembraneHull hull
        MembraneProfile profile
        Spread spread
        cbool push
        double outline

    cdef cppclass MembraneCheck:
        MembraneFault fault
        int32_t index

    MembraneCheck complete_membrane(MembraneDesign& design) except +

    cdef cppclass MembraneMotion:
        Mat3 R_WC
        Mat3 R_WB
        Vec3 p_CB_W
        Vec3 v_CB_W
        Vec3 w_WC
        Vec3 w_WB
        const double* reel
        const double* reel_rate

    cdef cppclass MembraneResult:
        Vec3 f_B_W

    cdef cppclass FabricTriangle:
        int32_t point[3]
        Vec3 n_B

    cdef cppclass CornerForce:
        int32_t corner
        Vec3 n_B
        double force

    cdef cppclass MembraneScratch:
        MembraneScratch()
        vector[FabricTriangle] fabric
        vector[CornerForce] corner_forces
        size_t triangles
        size_t corner_force_count
        void make(const MembraneDesign& design) except +

    Status membrane_wrench(const MembraneDesign& design, const MembraneParameters& parameters,
                           const MembraneMotion& motion, MembraneScratch& scratch, MembraneResult& out) noexcept
