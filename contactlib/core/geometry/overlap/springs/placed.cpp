#include "placed.hpp"

#include <algorithm>

#include "added_force.hpp"

namespace contactlib::geometry {

namespace {

// An added force is limited: to this part of the force of all springs, as it turns their normals; and to a shift of the
// line of action by this part of how far they are apart.
constexpr double most_force = 0.25, most_shift = 0.5;
constexpr double most_deeper = 1.15;  // see set_energy()

template <class Visit>
void each(PlacedSprings& springs, std::size_t first, const Visit& visit) noexcept {
  for (std::size_t k = first; k < springs.size(); ++k) visit(springs[k]);
}

double force_of(const PlacedSpring& spring) noexcept { return spring.load_share * spring.depth; }

}  // namespace

void place(const PatchContact& contact, const Springs& springs, PlacedSprings& out) noexcept {
  for (int i = 0; i < springs.count; ++i)
    if (springs.depth[i] > 0.0 && springs.share(i) > 0.0)
      out.push_back({place_of(contact, springs, i), springs.n, springs.depth[i], springs.share(i)});
}

Stored stored(const PlacedSprings& springs, std::size_t first) noexcept {
  Stored out{0.0, 0.0};
  for (std::size_t k = first; k < springs.size(); ++k) {
    out.energy += 0.5 * force_of(springs[k]) * springs[k].depth;
    out.depth = std::max(out.depth, springs[k].depth);
  }
  return out;
}

void scale_load_share(PlacedSprings& springs, std::size_t first, double part) noexcept {
  scale_load_share(springs, first, part, springs.size());
}

void scale_load_share(PlacedSprings& springs, std::size_t first, double part, std::size_t end) noexcept {
  for (std::size_t k = first; k < end; ++k) springs[k].load_share *= part;
}

void limit_depth(PlacedSprings& springs, std::size_t first, double most) noexcept {
  each(springs, first, [&](PlacedSpring& spring) noexcept {
    spring.load_share *= std::max(1.0, spring.depth / most);
    spring.depth = std::min(spring.depth, most);
  });
}

void add_force(PlacedSprings& springs, std::size_t first, const Decrease& more) noexcept {
  double load = 0.0, size = 0.0;
  Vec3 force = Vec3::Zero(), middle = Vec3::Zero();
  each(springs, first, [&](const PlacedSpring& spring) noexcept {
    const double f = force_of(spring);
    load += f, force += f * spring.n, middle += f * spring.x;
  });
  if (!(load > 0.0) || more.force == Vec3::Zero()) return;
  middle /= load;
  each(springs, first, [&](const PlacedSpring& spring) noexcept { size = std::max(size, (spring.x - middle).norm()); });
  if (!(size > 0.0)) return;
  const AddedForce added = added_force(force, middle, more, most_force * load, most_shift * size);
  each(springs, first, [&](PlacedSpring& spring) noexcept {
    const Vec3 f = spring.n + added.force / load;
    const double by = f.norm(), shallower = std::max(1.0, by);
    spring.n = f / by, spring.x += added.shift, spring.depth /= shallower, spring.load_share *= by * shallower;
  });
}

void set_energy(PlacedSprings& springs, std::size_t first, const Stored& wanted) noexcept {
  limit_depth(springs, first, wanted.depth);
  const double energy = stored(springs, first).energy;
  if (!(energy > 0.0)) return;
  const double by = std::clamp(wanted.energy / energy, 1.0 / most_deeper, most_deeper);
  each(springs, first, [&](PlacedSpring& spring) noexcept { spring.depth *= by, spring.load_share /= by; });
}

}  // namespace contactlib::geometry
