# Cython declarations of the C++ core. Every function is noexcept; those used in loops are nogil.
from libc.stdint cimport int8_t, int32_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

from contactlib._core.geometry cimport *
from contactlib._core.laws cimport *


cdef extern from "math/functions.hpp" namespace "contactlib::math" nogil:
    cdef cppclass Function:
        const char* name
        double (*of_one)(double) noexcept
        double (*of_two)(double, double) noexcept

    const int function_count
    const Function functions[]

cdef extern from "math/lanes.hpp" namespace "contactlib::math" nogil:
    int lane_count() noexcept


cdef extern from "law/point_set.hpp" namespace "contactlib::law" nogil:
    cdef cppclass CurvePoint:
        double depth
        double force

    cdef cppclass Curve:
        const CurvePoint* points
        size_t count

    cdef cppclass PointSet:
        const double* x
        const double* y
        const double* z
        size_t count

    cdef cppclass PointSetMotion:
        Vec3 n
        double d
        Vec3 v
        Vec3 w

    cdef cppclass PointSetFriction:
        FrictionLaw law
        const double* parameters
        double h
        Vec3 x
        Vec3 y
        double* bristles

    cdef cppclass PointSetWrench:
        Vec3 force
        Vec3 torque
        double stored
        double heat
        double deepest
        size_t touching

    cbool complete_curve(CurvePoint* points, size_t count) noexcept
    PointSetWrench press(const PointSet& point_set, const PointSetMotion& motion, const NormalLaw& law,
                         const double* parameters, const Curve& curve, const PointSetFriction* friction) noexcept


cdef extern from "element/elements.hpp" namespace "contactlib::element" nogil:
    cdef cppclass ElementVariable:
        Parameter parameter
        cbool per_port

    cdef cppclass ElementVariables:
        const ElementVariable* rows
        int count

    cdef cppclass ElementRow:
        const char* name
        ElementVariables parameters
        ElementVariables commands
        ElementVariables outputs
        cbool reads_loads, reads_states

    cdef cppclass ElementRows:
        const ElementRow* const* rows
        int count

    ElementRows element_rows() noexcept


cdef extern from "model/element.hpp" namespace "contactlib::model" nogil:
    cdef cppclass Element:
        string name
        const ElementRow* row
        int32_t ports
        vector[int32_t] bodies
        vector[int32_t] watches
        vector[int32_t] leads


cdef extern from "model/model.hpp" namespace "contactlib::model" nogil:
    cdef enum class Motion(int32_t):
        external
        driven
        free
        fixed

    cdef cppclass Body:
        string name
        Motion motion

    cdef cppclass LawParameters "contactlib::law::LawParameters":
        pass

    cdef cppclass Law:
        string name
        LawParameters parameters
        string user_laws
        int32_t tangents
        int32_t numbers
        cbool is_user_law() noexcept

    cdef cppclass Options:
        double step_size
        cbool auto_step
        double duration

    cdef cppclass Pair:
        int32_t a
        int32_t b
        cbool ignores(int row) noexcept

    cdef cppclass BodyPair:
        int32_t body_a
        int32_t body_b
        int32_t pair

    cdef cppclass PairRule "contactlib::model::PairIndex::Rule":
        uint64_t key
        int32_t pair

    cdef cppclass PairIndex:
        vector[PairRule] rules
        vector[int32_t] class_of
        vector[int32_t] object_of
        size_t named
        BodyPair find(const vector[Pair]& pairs, int32_t i, int32_t k) noexcept

    cdef cppclass Model:
        Model()
        string name
        string hash
        Options options
        vector[Body] bodies
        vector[Shape] shapes
        vector[Law] laws
        vector[Pair] pairs
        PairIndex pair_index
        vector[Element] elements
        size_t contact_capacity
        size_t own_width
        cbool user_laws
        int32_t law_index(const Pair& pair, const Shape& A, const Shape& B) noexcept
    cdef cppclass BodyState:
        pass


cdef extern from "monitor/stability.hpp" namespace "contactlib::monitor" nogil:
    double normal_force(const Law& row, const LawParameters& parameters, double area, double depth,
                        double depth_rate) noexcept
    double longest_step(double w2, double d, cbool rk4) noexcept


cdef extern from "model/reader/model.hpp" namespace "contactlib::reader" nogil:
    Status read_model(const unsigned char* bytes, size_t size, Model& out) noexcept


cdef extern from "state/user_laws.hpp" namespace "contactlib::state" nogil:
    cdef enum class Ask(int32_t):
        establish

    ctypedef Status (*Answer "contactlib::state::UserLaws::Answer")(void*, Ask, int32_t, size_t) noexcept

    cdef cppclass UserLaws:
        Answer answer
        void* caller
        double h
        int32_t* contact
        int32_t* shape_a
        int32_t* shape_b
        cbool* held
        double* point
        double* normal
        double* depth
        double* depth_rate
        double* velocity
        double* spin
        double* stretch
        double* R_WA
        double* R_WB
        double* age
        double* load_share
        double* memory
        double* force
        double* torque
        double* stored
        double* heat
        cbool* ends


cdef extern from "state/state_copy.hpp" namespace "contactlib::state" nogil:
    cdef cppclass StateCopy:
        void reserve(size_t size) except +
        void save(const vector[double]& state, size_t count) noexcept
        void restore(vector[double]& state) noexcept


cdef extern from "state/contact.hpp" namespace "contactlib::state" nogil:
    const int phase_count

    cdef enum class Phase(int32_t):
        begins
        lasts
        ends
        ended


cdef extern from "state/data.hpp" namespace "contactlib::state" nogil:
    cdef cppclass Wrench:
        pass

    cdef cppclass Globals:
        double fresh
        double time
        double step_size
        double resolve_in
        double contact_count
        double deep_count
        double max_depth
        double energy_stored
        double energy_dissipated
        double energy_error
        double sub_steps
        double refused_sub_steps
        double sub_step_time
        double shortest_sub_step

    cdef cppclass Pool:
        pass

    cdef cppclass Data:
        Data()
        Status make(const Model& model, size_t chunks, size_t contacts) noexcept
        void reset(const Model& model) noexcept
        Globals& globals() noexcept
        BodyState* inputs() noexcept
        Wrench* input_rates() noexcept
        Wrench* applied() noexcept
        Wrench* thrust() noexcept
        BodyState* bodies() noexcept
        Wrench* outputs() noexcept
        BodyState* reports() noexcept
        size_t used() noexcept
        void roll_back() noexcept
        StateCopy before_call
        vector[double] state
        vector[Contact] contacts
        vector[Contact] contacts_before
        UserLaws user_laws
        vector[Pool] pools
        size_t count
        size_t volume_tests
        size_t candidate_pairs
        void (*narrow)(const Model& model, Data& data, size_t count) noexcept nogil


cdef extern from "boundary/saved_state.hpp" namespace "contactlib::boundary" nogil:
    uint64_t saved_checksum(const unsigned char* bytes, size_t size) noexcept
    size_t saved_size(const Data& data) noexcept
    void save(const Model& model, const Data& data, unsigned char* bytes) noexcept
    Status restore(const Model& model, Data& data, const unsigned char* bytes, size_t size) noexcept


cdef extern from "step/narrow_phase.hpp" namespace "contactlib::step" nogil:
    void collide(const Model& model, Data& data, size_t chunk, size_t count) noexcept
    void collide_serially(const Model& model, Data& data, size_t count) noexcept


cdef extern from "step/response/response.hpp" namespace "contactlib::step" nogil:
    cdef cppclass Factors:
        double force
        double torque

    Factors factors_of(const Model& model, Data& data, size_t i) noexcept


cdef extern from "step/communication/step.hpp" namespace "contactlib::step" nogil:
    Status accept_inputs(const Model& model, Data& data) noexcept
    Status accept_starts(const Model& model, Data& data) noexcept
    void accept_commands(const Model& model, Data& data) noexcept
    Status set_states(const Model& model, Data& data, const BodyState* states) noexcept
    Status evaluate(const Model& model, Data& data, const BodyState* states) noexcept
    Status advance(const Model& model, Data& data, double dt, const BodyState* states) noexcept


cdef extern from "monitor/warnings.hpp" namespace "contactlib::monitor":
    int warning_causes
    string warning(int cause, const Model& model, const Data& data, cbool held)


cdef extern from "boundary/interface.hpp" namespace "contactlib::boundary" nogil:
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
        int choices
        int32_t offset
        int32_t rate_offset

    vector[Variable] variables(const Model& model) except +
    Status set_variable(const Variable& variable, Data& data, double value) noexcept
    double get_variable(const Variable& variable, const Data& data) noexcept
    string why_not(const Variable& variable, double value) except +


cdef extern from "boundary/capacity.hpp" namespace "contactlib::boundary" nogil:
    cbool grow_capacity(const Model& model, Data& data, const Status& status) noexcept
    void reserve_contacts(const Model& model, Data& data, size_t contacts) noexcept
    void reserve_for_saved(const Model& model, Data& data, size_t size) noexcept
    Status evaluate_and_grow(const Model& model, Data& data) noexcept
    Status advance_and_grow(const Model& model, Data& data, double dt) noexcept
    Status cache_candidates(const Model& model, Data& data, cbool on) noexcept


cdef extern from "state/contact_patches.hpp" namespace "contactlib::state" nogil:
    cdef cppclass ContactPatch:
        pass

    cdef cppclass PatchPoint:
        pass

    cdef cppclass PatchOutline:
        pass

    cdef cppclass PatchCorner:
        pass

    cdef cppclass PatchQuery:
        vector[Contact] contacts
        vector[ContactPatch] patches
        vector[PatchPoint] points
        vector[PatchOutline] outlines
        vector[PatchCorner] corners


cdef extern from "boundary/contact_patches.hpp" namespace "contactlib::boundary" nogil:
    Status find_contact_patches(const Model& model, Data& data, PatchQuery& query) noexcept


cdef extern from "boundary/describe.hpp" namespace "contactlib::boundary" nogil:
    string describe(const Status& status, const Model& model)
    string describe_with "contactlib::boundary::describe"(const Status& status, const Model& model,
                                                          const Data& data) except +


cdef extern from "model/reader/parameters.hpp" namespace "contactlib::reader" nogil:
    Status check_parameters(const Model& model, const Data& data) noexcept


cdef extern from "element/snare/nodes.hpp" namespace "contactlib::element" nogil:
    const int node_numbers
    size_t cable_nodes(const Model& model, const Data& data, size_t element, size_t k, double* out) noexcept
    cdef cppclass CableContact:
        pass
    size_t cable_contacts(const Model& model, const Data& data, size_t element, CableContact* out) noexcept


cdef extern from "element/latch.hpp" namespace "contactlib::element" nogil:
    cdef struct FourBar:
        double ground, crank, coupler, rocker, branch

    cdef struct FourBarPose:
        double coupler, rocker, coupler_rate, rocker_rate

    bint solve_four_bar(const FourBar& bars, double angle, FourBarPose& out) noexcept


cdef extern from "base/layout.hpp" namespace "contactlib" nogil:
    cdef cppclass Field:
        const char* name
        char type
        size_t offset
        size_t count


cdef extern from "boundary/layouts.hpp" namespace "contactlib::boundary" nogil:
    cdef cppclass Layout:
        const char* name
        size_t size
        const Field* fields
        size_t count

    cdef cppclass Layouts:
        const Layout* first
        size_t count

    Layouts layouts() noexcept


cdef extern from "model/format.hpp" namespace "contactlib::model::format" nogil:
    const uint32_t model_version "contactlib::model::format::version"
