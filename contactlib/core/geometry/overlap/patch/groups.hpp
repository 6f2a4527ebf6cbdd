// Union-find: joins records into groups, such as the triangles of a patch. `leader` of a record is another record of
// its group, or itself if it is the first one; `next` is -1 until link_groups().
#pragma once

#include <cstdint>
#include <vector>

namespace contactlib::geometry {

template <class Record>
std::int32_t leader_of(std::vector<Record>& records, std::int32_t k) noexcept {
  while (records[k].leader != k) {
    std::int32_t& up = records[k].leader;
    up = records[up].leader;
    k = up;
  }
  return k;
}

// The first record of both groups becomes the leader.
template <class Record>
void unite(std::vector<Record>& records, std::int32_t a, std::int32_t b) noexcept {
  const std::int32_t ra = leader_of(records, a), rb = leader_of(records, b);
  if (ra < rb) records[rb].leader = ra;
  if (rb < ra) records[ra].leader = rb;
}

// `leader` of every record is then the first one of its group, and `next` runs through the group from there, upwards.
template <class Record>
void link_groups(std::vector<Record>& records) noexcept {
  for (auto k = static_cast<std::int32_t>(records.size()); k-- > 0;) {
    const std::int32_t first = leader_of(records, k);
    records[k].leader = first;
    if (first == k) continue;
    records[k].next = records[first].next;
    records[first].next = k;
  }
}

}  // namespace contactlib::geometry
