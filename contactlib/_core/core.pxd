# the C++ core as cython sees it. every function is noexcept; those used in loops are nogil.
from libc.stdint cimport int32_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "contact.hpp" namespace "contactlib" nogil:
    cdef enum class Code(int32_t):
        ok

    cdef cppclass Status:
        Code code
        int32_t index

    cdef cppclass Vec3:
        double* data()

    cdef cppclass Mat3:
        double* data()

    cdef enum class ShapeKind(int32_t):
        point

    const int shape_kinds

    cdef enum class RimMethod(int32_t):
        exact

    cdef cppclass Shape:
        ShapeKind kind
        int32_t body
        RimMethod rim
        double size[6]

    cdef cppclass Placement:
        Mat3 R_WA
        Mat3 R_WB
        Vec3 p_AB_W

    cdef cppclass ManifoldPoint:
        Vec3 p_AC_W
        Vec3 n_AB_W
        double depth
        int32_t feature

    cdef cppclass Manifold:
        int count
        ManifoldPoint points[8]

    cdef cppclass Contact:
        pass

    ctypedef void (*Kernel)(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept


cdef extern from "law/laws.hpp" namespace "contactlib" nogil:
    cdef cppclass Parameter:
        const char* name
        const char* unit
        double minimum
        cbool above_minimum
        const char* meaning

    cdef cppclass NormalRow:
        const char* name
        int count
        Parameter parameters[4]

    cdef cppclass FrictionRow:
        const char* name
        int count
        Parameter parameters[6]

    const NormalRow* normal_laws
    const int normal_law_count
    const FrictionRow* friction_laws
    const int friction_law_count


cdef extern from "model.hpp" namespace "contactlib" nogil:
    cdef enum class Motion(int32_t):
        external
        driven
        free
        fixed

    cdef cppclass Body:
        string name
        Motion motion

    cdef cppclass Law:
        string name

    cdef cppclass Options:
        double step_size
        double duration

    cdef cppclass Pair:
        int32_t shape_a
        int32_t shape_b
        int32_t law

    cdef cppclass Model:
        Model()
        string name
        string hash
        Options options
        vector[Body] bodies
        vector[Shape] shapes
        vector[Law] laws
        vector[Pair] pairs
        size_t contact_capacity

    Status read_model(const unsigned char* bytes, size_t size, Model& out) noexcept
    string describe(const Status& status, const Model& model)


cdef extern from "data.hpp" namespace "contactlib" nogil:
    cdef cppclass Wrench:
        pass

    cdef cppclass BodyState:
        pass

    cdef cppclass Globals:
        double time
        double step_size
        double contact_count
        double max_depth
        double energy_stored
        double energy_dissipated

    cdef cppclass Data:
        Data()
        Status make(const Model& model) noexcept
        void reset(const Model& model) noexcept
        Globals& globals() noexcept
        BodyState* inputs() noexcept
        Wrench* input_rates() noexcept
        Wrench* applied() noexcept
        BodyState* bodies() noexcept
        Wrench* outputs() noexcept
        BodyState* reports() noexcept
        vector[double] state
        vector[Contact] contacts
        size_t count

    size_t saved_size(const Data& data) noexcept
    void save(const Model& model, const Data& data, unsigned char* bytes) noexcept
    Status restore(const Model& model, Data& data, const unsigned char* bytes, size_t size) noexcept


cdef extern from "step.hpp" namespace "contactlib" nogil:
    Status accept_inputs(const Model& model, Data& data) noexcept
    Status set_states(const Model& model, Data& data, const BodyState* states) noexcept
    Status evaluate(const Model& model, Data& data) noexcept
    Status advance(const Model& model, Data& data, double dt) noexcept


cdef extern from "interface.hpp" namespace "contactlib" nogil:
    cdef enum class Causality(int32_t):
        input

    cdef enum class Type(int32_t):
        real

    cdef cppclass Variable:
        string name
        string unit
        string description
        Causality causality
        Type type
        cbool tunable
        double start
        double minimum
        int32_t offset
        int32_t rate_offset

    vector[Variable] variables(const Model& model)
    Status set_variable(const Variable& variable, Data& data, double value) noexcept
    double get_variable(const Variable& variable, const Data& data) noexcept


cdef extern from "geometry/pairs.hpp" namespace "contactlib" nogil:
    cdef cppclass PairRow:
        Kernel kernel
        int max_contacts

    const PairRow& pair_row(int row) noexcept
    const char** shape_names


cdef extern from "geometry/rim.hpp" namespace "contactlib" nogil:
    cdef cppclass RimMinima:
        int count
        Vec3 E[2]

    RimMinima rim_line_exact(double R, const Vec3& Q, const Vec3& d) noexcept
    Vec3 rim_subdivision(double R, const Vec3& Q, const Vec3& d, int levels, cbool ends) noexcept
