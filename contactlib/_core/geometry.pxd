# Cython declarations of shapes, kernels of pairs, rays and distances. core.pxd imports all names of this file.
from libc.stdint cimport int32_t
from libcpp cimport bool as cbool


cdef extern from "base/status.hpp" namespace "contactlib" nogil:
    cdef enum class Code(int32_t):
        ok
        model_failed
        out_of_memory

    cdef cppclass Status:
        Code code
        int32_t index
        int32_t port


cdef extern from "base/vectors.hpp" namespace "contactlib" nogil:
    cdef cppclass Vec3:
        double* data()

    cdef cppclass Mat3:
        double* data()


cdef extern from "geometry/manifold/manifold.hpp" namespace "contactlib::geometry" nogil:
    cdef enum class ShapeKind(int32_t):
        point

    const int shape_kinds

    cdef enum class RimMethod(int32_t):
        exact

    cdef cppclass Surface:
        Surface()

    cdef cppclass Shape:
        ShapeKind kind
        int32_t body
        RimMethod rim
        double size[9]
        double reference_area
        const Surface* surface
        Vec3 p_BS
        Mat3 R_BS

    cdef cppclass Placement:
        Mat3 R_WA
        Mat3 R_WB
        Vec3 p_AB_W
        Vec3 hint_W

    cdef cppclass ManifoldPoint:
        Vec3 p_AC_W
        Vec3 n_AB_W
        double depth
        int32_t feature
        double load_share

    cdef cppclass Manifold:
        ManifoldPoint* points
        int capacity
        int count
        int needed

    ctypedef void (*Kernel)(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept

    cdef cppclass Column:
        double* first
        size_t step

    cdef cppclass ContactColumns:
        Column p_AC_W
        Column n_AB_W
        Column depth
        Column load_share

    ctypedef void (*KernelLoop)(const Shape& A, const Shape& B, const Placement* X, size_t count,
                                const ContactColumns& out) noexcept


cdef extern from "state/contact.hpp" namespace "contactlib::state" nogil:
    cdef cppclass Contact:
        int32_t shape_a
        int32_t shape_b


cdef extern from "geometry/shape.hpp" namespace "contactlib::geometry" nogil:
    cbool complete_shape(Shape& shape, Surface* own) except +


cdef extern from "geometry/surface/surface.hpp" namespace "contactlib::geometry" nogil:
    cbool make_surface(const double* vertices, size_t vertex_count, const int32_t* loops, const int32_t* counts,
                       size_t face_count, Surface& out) except +


cdef extern from "geometry/overlap/depth.hpp" namespace "contactlib::geometry" nogil:
    cdef cppclass SurfaceScratch:
        void grow_capacity(const Shape& A, const Shape& B) except +

    ctypedef void (*SurfaceKernel)(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept

    cbool is_rounded(const Shape& shape)

    void add_point_contacts(Kernel kernel, const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& scratch,
                            Manifold& out) except +

    void add_surface_contact(SurfaceKernel kernel, const Shape& A, const Shape& B, const Placement& X, int sharpness,
                             SurfaceScratch& scratch, Manifold& out) except +


cdef extern from "geometry/overlap/ways.hpp" namespace "contactlib::geometry" nogil:
    cbool has_field(const Shape& A, const Shape& B)


cdef extern from "geometry/pairs.hpp" namespace "contactlib::geometry" nogil:
    cdef cppclass PairContacts:
        int32_t count

    ctypedef void (*PairLoop)(const Shape** A, const Shape** B, const Placement* X, size_t count,
                              ManifoldPoint* points, PairContacts* found) noexcept

    cdef cppclass PairRow:
        Kernel kernel
        int max_contacts
        cbool warm
        KernelLoop loop
        PairLoop pairs
        SurfaceKernel surface
        cbool is_defined()
        cbool is_surface(const Shape& A, const Shape& B)
        cbool is_surface(cbool rounded)

    const int many

    const PairRow& pair_row(int row) noexcept
    const PairRow& nearest_row(int row) noexcept
    const char** shape_names


cdef extern from "geometry/sweep/rim.hpp" namespace "contactlib::geometry" nogil:
    cdef cppclass RimMinima:
        int count
        Vec3 E[2]

    RimMinima rim_line_exact(double R, const Vec3& Q, const Vec3& d) noexcept
    Vec3 rim_subdivision(double R, const Vec3& Q, const Vec3& d, int levels, cbool ends) noexcept


cdef extern from "geometry/ray/ray.hpp" namespace "contactlib::geometry" nogil:
    cdef cppclass RayHit:
        cbool hit
        double distance
        Vec3 n
        int32_t feature

    RayHit cast_ray(const Shape& shape, const Vec3& p_S, const Vec3& d_S, double longest) noexcept


cdef extern from "geometry/distance/distance.hpp" namespace "contactlib::geometry" nogil:
    cdef enum class Nearness:
        apart
        beyond
        overlap

    cdef cppclass NearestPoints:
        double distance
        Vec3 n
        Vec3 P
        Vec3 Q

    cbool has_distance(ShapeKind a, ShapeKind b) noexcept
    Nearness shape_distance(const Shape& A, const Shape& B, const Placement& X, double longest,
                            NearestPoints& out) noexcept
