#include "contact_patches.hpp"

#include <algorithm>
#include <utility>

#include "step/narrow_phase.hpp"
#include "step/plant.hpp"
#include "step/substeps.hpp"

namespace contactlib::boundary {

using state::Contact, state::ContactPatch, state::InterfaceMotion, state::Pool;

namespace {

void clear(PatchQuery& query) noexcept {
  query.contacts.clear(), query.patches.clear(), query.points.clear(), query.outlines.clear(), query.corners.clear();
  query.counts.clear();
  query.found.failed = query.failed = false;
}

// The narrow phase, in one thread, with the query; Data does not keep it.
Status evaluate_with(const Model& model, Data& data, PatchQuery& query) noexcept {
  const auto narrow = std::exchange(data.narrow, step::collide_serially);
  data.patch_query = &query;
  for (Pool& pool : data.pools) pool.surface.outlines = &query.found;
  const Status status = step::contacts_and_wrenches(model, data, InterfaceMotion::twist, 0.0);
  for (Pool& pool : data.pools) pool.surface.outlines = nullptr;
  data.patch_query = nullptr;
  data.narrow = narrow;
  return status;
}

ContactPatch patch_of_point(const Contact& c, std::int32_t number) noexcept {
  return {number,         0,   c.p_AC_W, c.n_AB_W, c.normal_force * c.n_AB_W, Vec3::Zero(), c.normal_force,
          c.normal_force, 0.0, 0.0,      c.depth};
}

// Surface contacts are in the order in which their patches were found. Puts the contacts of points between them.
void number(PatchQuery& query) {
  std::vector<ContactPatch> all;
  std::vector<std::int32_t> new_number, contact_of;
  std::size_t next = 0;
  for (std::size_t i = 0; i < query.contacts.size(); ++i) {
    const auto row = static_cast<std::int32_t>(i);
    if (query.contacts[i].surface == 0) {
      all.push_back(patch_of_point(query.contacts[i], row));
      continue;
    }
    for (std::int32_t k = 0; k < query.counts.at(contact_of.size()); ++k) {
      new_number.push_back(static_cast<std::int32_t>(all.size()));
      all.push_back(query.patches.at(next++)), all.back().contact = row;
    }
    contact_of.push_back(row);
  }
  const auto renumber = [&](auto& row) { row.contact = contact_of[row.contact], row.patch = new_number[row.patch]; };
  std::for_each(query.points.begin(), query.points.end(), renumber);
  std::for_each(query.outlines.begin(), query.outlines.end(), renumber);
  query.patches.swap(all);
}

}  // namespace

Status find_contact_patches(const Model& model, Data& data, PatchQuery& query) noexcept {
  clear(query);
  data.begin_call(false);
  Status status = step::update_plant(model, data);
  if (status) status = evaluate_with(model, data, query);
  try {
    if (status) query.contacts.assign(data.contacts.begin(), data.contacts.begin() + static_cast<long>(data.count));
    if (status && !query.failed) number(query);
  } catch (...) {
    query.failed = true;
  }
  data.roll_back();
  return status && query.failed ? Status{Code::out_of_memory, -1} : status;
}

}  // namespace contactlib::boundary
