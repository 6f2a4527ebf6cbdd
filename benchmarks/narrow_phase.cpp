// Loops around the kernels of contactlib and of other libraries, so that the measured time contains no Python. peers.py
// compiles this file once with each library, and once into a program that counts allocations.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

// A shape as Python passes it: the name of its kind, its sizes, and corners and faces if it has some.
struct Described {
  const char* kind;
  const double* sizes;
  const double* vertices;
  std::size_t vertex_count;
  const std::int32_t* loops;
  const std::int32_t* counts;
  std::size_t face_count;
};

// The result of a library for one pose.
struct Found {
  double count = 0.0, depth = 0.0;  // contacts; m, of the deepest
  double n[3] = {0.0, 0.0, 0.0};  // its normal, from A to B
};

}  // namespace

#if defined(WITH_CONTACTLIB)

#include <cstring>

#include "geometry/overlap/depth.hpp"
#include "geometry/pairs.hpp"
#include "geometry/shape.hpp"
#include "law/laws.hpp"
#include "law/point_set.hpp"
#include "math/rotation.hpp"
#include "model/model.hpp"

using namespace contactlib;
using namespace contactlib::geometry;
using namespace contactlib::law;
using contactlib::math::matrix;
using contactlib::model::BodyState;

namespace {

struct Solid {
  Shape shape;
  Surface surface, own;

  // At its body's origin. Returns false if the core refuses it.
  bool make(const Described& d) {
    int kind = 0;
    while (kind < shape_kinds - 1 && std::strcmp(shape_names[kind], d.kind) != 0) ++kind;
    shape.kind = static_cast<ShapeKind>(kind);
    shape.body = shape.material = 0;
    shape.rim = RimMethod::exact;
    std::memcpy(shape.size, d.sizes, sizeof shape.size);
    shape.surface = needs_surface(shape.kind) ? &surface : nullptr;
    shape.p_BS.setZero();
    shape.R_BS.setIdentity();
    if (shape.surface && !make_surface(d.vertices, d.vertex_count, d.loops, d.counts, d.face_count, surface))
      return false;
    return complete_shape(shape, &own);
  }
};

struct Couple {
  Solid A, B;
  SurfaceScratch scratch;

  const PairRow& row() const { return pair_row(pair_row_index(A.shape.kind, B.shape.kind)); }
};

template <class Row>
const Row* find_row(const Row* rows, int count, const char* name) {
  for (int i = 0; i < count; ++i)
    if (std::strcmp(rows[i].name, name) == 0) return &rows[i];
  return nullptr;
}

Found deepest(const Manifold& manifold) {
  Found found{static_cast<double>(manifold.count)};
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[i];
    if (point.depth <= found.depth) continue;
    found.depth = point.depth;
    Vec3::Map(found.n) = point.n_AB_W;
  }
  return found;
}

// The one contact at every placement, by the pair's loop.
void collide_in_loop(const Couple& pair, KernelLoop loop, const Placement* X, std::size_t n, Found* found) {
  constexpr std::size_t block = 64, step = sizeof(Found) / sizeof(double);
  double points[3 * block];
  for (std::size_t first = 0; first < n; first += block) {
    Found& here = found[first];  // the load share is 1 where there is a contact, else 0
    const ContactColumns out{{points, 3}, {here.n, step}, {&here.depth, step}, {&here.count, step}};
    loop(pair.A.shape, pair.B.shape, X + first, std::min(block, n - first), out);
  }
}

// The manifolds at every placement, by the kernel.
void collide_one_by_one(Couple& pair, const PairRow& row, const Placement* X, std::size_t n, Found* found) {
  ManifoldPoint points[64];
  const int capacity = row.max_contacts == many ? 64 : Manifold::max_points;
  for (std::size_t i = 0; i < n; ++i) {
    Manifold manifold{points, capacity};
    if (row.surface)
      add_surface_contact(row.surface, pair.A.shape, pair.B.shape, X[i], usual_sharpness, pair.scratch, manifold);
    else
      add_point_contacts(row.kernel, pair.A.shape, pair.B.shape, X[i], pair.scratch, manifold);
    found[i] = deepest(manifold);
  }
}

// The same by the pair's loop over pairs of shapes, which follows no hints.
void collide_pairs(Couple& pair, const PairRow& row, const Placement* X, std::size_t n, Found* found) {
  constexpr std::size_t block = 64;
  static ManifoldPoint points[block * Manifold::max_points];
  const Shape *A[block], *B[block];
  PairContacts contacts[block];
  std::fill_n(A, block, &pair.A.shape);
  std::fill_n(B, block, &pair.B.shape);
  const auto has_hint = [](const Placement& placement) { return !placement.hint_W.isZero(0.0); };
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t here = std::min(block, n - first);
    if (row.warm && std::any_of(X + first, X + first + here, has_hint)) {
      collide_one_by_one(pair, row, X + first, here, found + first);
      continue;
    }
    row.pairs(A, B, X + first, here, points, contacts);
    ManifoldPoint* at = points;
    for (std::size_t k = 0; k < here; at += contacts[k++].count)
      found[first + k] = deepest({at, contacts[k].count, contacts[k].count});
  }
}

}  // namespace

// Returns null if the core refuses a shape or has no kernel for the pair.
API Couple* contactlib_make(const Described* a, const Described* b) {
  auto pair = std::make_unique<Couple>();
  if (!pair->A.make(*a) || !pair->B.make(*b) || !pair->row().is_defined()) return nullptr;
  pair->scratch.grow_capacity(pair->A.shape, pair->B.shape);
  return pair.release();
}

API void contactlib_free(Couple* pair) { delete pair; }

// The manifold at every placement.
API void contactlib_collide(Couple* pair, const Placement* X, std::size_t n, Found* found) {
  static_assert(sizeof(Placement) == 24 * sizeof(double));
  const PairRow& row = pair->row();
  if (row.loop) return collide_in_loop(*pair, row.loop, X, n, found);
  if (row.pairs) return collide_pairs(*pair, row, X, n, found);
  collide_one_by_one(*pair, row, X, n, found);
}

// Points of a moving body (n x 3, column by column) on the plane z = 0 at rest: their wrench on the body, in its axes.
// Returns the number of points in contact.
API std::size_t point_plane_wrench(const BodyState* body, const double* p_BP, std::size_t n, const double* parameters,
                                   double* wrench) {
  const Mat3 R_BW = matrix(body->q_WB).transpose();
  const PointSetMotion motion{R_BW.col(2), -body->r_WB[2], R_BW * body->v_WB, R_BW * body->w_WB};
  const NormalLaw& law = find_row(normal_laws, normal_law_count, "kelvin_voigt")->force;
  const PointSetWrench found = press({p_BP, p_BP + n, p_BP + 2 * n, n}, motion, law, parameters, {}, nullptr);
  Vec3::Map(wrench) = found.force;
  Vec3::Map(wrench + 3) = found.torque;
  return found.touching;
}

// One step of h of the friction law `bristle` at n points that slide at v (all along x, then all along y) under N,
// `depth` deep: the law's own loop.
API void bristle_update(const double* v, const double* N, const double* depth, std::size_t n, double h,
                        const double* parameters, double* bristles, double* found) {
  double *stored = found + 2 * n, *heat = found + 3 * n;
  std::fill(stored, heat + n, 0.0);
  find_row(friction_laws, friction_law_count, "bristle")
      ->force.many({depth, N, v, v + n, bristles, found, found + n, stored, heat, n}, h, parameters);
}

#elif defined(COUNT_ALLOCATIONS)

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

#include "model/reader/model.hpp"
#include "step/communication/step.hpp"

namespace {
long allocations = 0;
}

// The C library's allocation functions under their public names: all C++ allocations use these.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return ++allocations, __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) { return ++allocations, __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) { return ++allocations, __libc_memalign(alignment, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = memalign(alignment, size);
  return *out ? 0 : 12;
}
}

namespace {

using contactlib::Status;
using contactlib::model::Model;
using contactlib::reader::read_model;
using contactlib::state::Data;
using contactlib::step::accept_inputs, contactlib::step::advance, contactlib::step::evaluate;

// The external bodies continue from the end of the last step with the same velocity, as a master would set them.
Status hold_inputs(const Model& model, Data& data) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.inputs()[i] = data.reports()[i];
  return accept_inputs(model, data);
}

}  // namespace

// MODEL DT STEPS: prints the allocations while the model is read and while it is stepped, the mean of its contacts,
// and the processor time of all steps in s.
int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const double dt = std::atof(argv[2]);
  const long steps = std::atol(argv[3]);
  Model model;
  Data data;
  const long before = allocations;
  if (!read_model(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), model)) return 3;
  if (!data.make(model) || !evaluate(model, data)) return 4;
  const long read = allocations - before;
  double contacts = 0.0;
  const std::clock_t start = std::clock();
  for (long k = 0; k < steps; ++k) {
    if (!hold_inputs(model, data) || !advance(model, data, dt)) return 5;
    contacts += data.globals().contact_count;
  }
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const long stepped = allocations - before - read;
  std::printf("%ld %ld %.17g %.17g\n", read, stepped, contacts / static_cast<double>(steps), took);
}

#elif defined(WITH_COAL)

#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/contact_patch.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

namespace {

using Geometry = std::shared_ptr<coal::CollisionGeometry>;
using Mesh = coal::BVHModel<coal::OBB>;  // of its volumes the fastest here

std::vector<coal::Vec3s> points(const Described& d) {
  std::vector<coal::Vec3s> rows(d.vertex_count);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = coal::Vec3s::Map(d.vertices + 3 * i);
  return rows;
}

Geometry mesh(const Described& d) {
  std::vector<coal::Triangle> triangles(d.face_count);
  for (std::size_t i = 0; i < triangles.size(); ++i)
    triangles[i].set(d.loops[3 * i], d.loops[3 * i + 1], d.loops[3 * i + 2]);
  auto model = std::make_shared<Mesh>();
  model->beginModel(static_cast<unsigned>(d.face_count), static_cast<unsigned>(d.vertex_count));
  model->addSubModel(points(d), triangles);
  model->endModel();
  return model;
}

// By the kind: sphere, capsule, box, polyhedron, mesh.
Geometry geometry(const Described& d) {
  const double* s = d.sizes;
  if (d.kind[0] == 's') return std::make_shared<coal::Sphere>(s[0]);
  if (d.kind[0] == 'c') return std::make_shared<coal::Capsule>(s[0], s[1]);
  if (d.kind[0] == 'b') return std::make_shared<coal::Box>(s[0], s[1], s[2]);
  if (d.kind[0] == 'm') return mesh(d);
  auto corners = std::make_shared<std::vector<coal::Vec3s> >(points(d));
  return Geometry(coal::ConvexBase::convexHull(corners, static_cast<unsigned>(d.vertex_count), true));
}

struct Pair {
  Geometry a, b;
  coal::ComputeCollision collide;
  std::unique_ptr<coal::ComputeContactPatch> patch;  // of two shapes; a mesh has a contact for every triangle
  coal::CollisionRequest request;
  std::vector<coal::Transform3s> X_WA, X_WB;
  std::vector<coal::CollisionResult> before;  // what coal keeps of every pose for the next step

  void place(const double* rows, std::size_t n) {
    X_WA.clear(), X_WB.clear();
    for (std::size_t i = 0; i < n; ++i, rows += 24) {
      X_WA.emplace_back(coal::Matrix3s::Map(rows), coal::Vec3s::Map(rows + 9));
      X_WB.emplace_back(coal::Matrix3s::Map(rows + 12), coal::Vec3s::Map(rows + 21));
    }
  }
};

Found deepest(const coal::CollisionResult& result) {
  Found found{static_cast<double>(result.numContacts())};
  for (const coal::Contact& contact : result.getContacts()) {
    const double depth = -contact.penetration_depth;  // which is a signed distance
    if (depth <= found.depth) continue;
    found.depth = depth;
    coal::Vec3s::Map(found.n) = contact.normal;
  }
  return found;
}

}  // namespace

API Pair* coal_make(const Described* a, const Described* b) {
  const Geometry A = geometry(*a), B = geometry(*b);
  A->computeLocalAABB();
  B->computeLocalAABB();
  auto patch = b->kind[0] == 'm' ? nullptr : std::make_unique<coal::ComputeContactPatch>(A.get(), B.get());
  auto* pair =
      new Pair{A, B, coal::ComputeCollision(A.get(), B.get()), std::move(patch), {coal::CONTACT, 64}, {}, {}, {}};
  pair->request.distance_upper_bound = 0.0;  // the distance of what is apart is not asked for
  pair->request.gjk_initial_guess = coal::BoundingVolumeGuess;
  pair->request.gjk_variant = coal::PolyakAcceleration;
  return pair;
}

API void coal_free(Pair* pair) { delete pair; }

// Rows of R_WA (column by column), p_WA, R_WB, p_WB.
API void coal_place(Pair* pair, const double* rows, std::size_t n) { pair->place(rows, n); }

// From now on GJK starts from its result at the present poses.
API void coal_remember(Pair* pair) {
  pair->before.resize(pair->X_WA.size());
  for (std::size_t i = 0; i < pair->X_WA.size(); ++i)
    pair->collide(pair->X_WA[i], pair->X_WB[i], pair->request, pair->before[i]);
  pair->request.gjk_initial_guess = coal::CachedGuess;
}

// Contacts, and where two shapes touch the patch between them, at every pose.
API void coal_collide(const Pair* pair, Found* found) {
  const coal::ContactPatchRequest patch_request;
  coal::CollisionResult result;
  coal::ContactPatchResult patches(patch_request);
  for (std::size_t i = 0; i < pair->X_WA.size(); ++i) {
    result.clear();
    if (!pair->before.empty()) pair->request.updateGuess(pair->before[i]);
    pair->collide(pair->X_WA[i], pair->X_WB[i], pair->request, result);
    found[i] = deepest(result);
    if (!pair->patch || found[i].count == 0.0) continue;
    patches.clear();
    (*pair->patch)(pair->X_WA[i], pair->X_WB[i], result, patch_request, patches);
    found[i].count = static_cast<double>(patches.contactPatch(0).size());
  }
}

#elif defined(WITH_MUJOCO)

#include <mujoco/mujoco.h>

namespace {

// The third argument has another type in other versions.
template <class Contact>
void collide(int (*function)(const mjModel*, mjData*, Contact*, int, int, mjtNum), const mjModel* model,
             const mjData* data, double* poses, std::size_t n, Found* found) {
  mjData here = *data;  // looks at one row of poses after the other, so that nothing is copied
  Contact contacts[mjMAXCONPAIR];
  for (std::size_t i = 0; i < n; ++i) {
    here.geom_xpos = poses + 24 * i;
    here.geom_xmat = poses + 24 * i + 6;
    const int count = function(model, &here, contacts, 0, 1, 0.0);
    found[i] = {static_cast<double>(count)};
    for (int k = 0; k < count; ++k)
      if (-contacts[k].dist > found[i].depth) found[i].depth = -contacts[k].dist;
  }
}

}  // namespace

// Rows of both positions and both rotations (row by row) of geoms 0 and 1.
API void mujoco_collide(const mjModel* model, const mjData* data, double* poses, std::size_t n, Found* found) {
  collide(mjCOLLISIONFUNC[model->geom_type[0]][model->geom_type[1]], model, data, poses, n, found);
}

#endif
