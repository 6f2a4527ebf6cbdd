# Cython declarations of the law tables. core.pxd imports all names of this file.
from libcpp cimport bool as cbool


cdef extern from "law/laws.hpp" namespace "contactlib::law" nogil:
    const int law_parameters
    cbool needs_curve(int row) noexcept
    cbool needs_surface(int row) noexcept

    cdef cppclass Parameter:
        const char* name
        const char* unit
        double minimum
        cbool above_minimum
        const char* meaning
        double standard

    cdef cppclass NormalLaw:
        pass

    cdef cppclass NormalRow:
        const char* name
        NormalLaw force
        int count
        Parameter parameters[4]

    cdef cppclass FrictionLaw:
        pass

    cdef cppclass FrictionRow:
        const char* name
        FrictionLaw force
        int count
        Parameter parameters[8]

    const NormalRow* normal_laws
    const int normal_law_count
    const FrictionRow* friction_laws
    const int friction_law_count

    cdef cppclass AdhesionRow:
        const char* name
        int count
        Parameter parameters[2]

    const AdhesionRow* adhesion_laws
    const int adhesion_law_count

    cdef cppclass RollingRow:
        const char* name
        int count
        Parameter parameters[4]

    const RollingRow* rolling_laws
    const int rolling_law_count

    cdef cppclass ModelRow:
        const char* name
        int count
        Parameter parameters[10]

    const ModelRow* contact_models
    const int contact_model_count
