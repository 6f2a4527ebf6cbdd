// Saved states are kept by the instance, so that a pointer to anything else is refused without dereferencing it.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "boundary/capacity.hpp"
#include "boundary/saved_state.hpp"
#include "instance.hpp"

namespace contactlib::fmi {

using boundary::reserve_for_saved, boundary::restore, boundary::save, boundary::saved_checksum, boundary::saved_size;

namespace {

// A state as bytes: this head, then the core's part, which contains the scene's hash, its own length and its own
// checksum.
struct Head {
  char magic[8];
  std::uint64_t checksum;  // of `life`
  Life life;
};
static_assert(sizeof(Life) % 8 == 0 && sizeof(Head) == 16 + sizeof(Life));
constexpr char magic[] = "CLSTATE2";

std::uint64_t checksum(const Life& life) {
  return saved_checksum(reinterpret_cast<const unsigned char*>(&life), sizeof life);
}

bool is_sound(const Head& head) {
  if (std::memcmp(head.magic, magic, sizeof head.magic) != 0 || checksum(head.life) != head.checksum) return false;
  const std::uint32_t mode = head.life.mode;
  const bool one_mode = mode == instantiated || mode == initialization || mode == stepping || mode == terminated;
  return one_mode && std::isfinite(head.life.time) && head.life.stale <= 1;
}

fmi2Status not_mine(const Instance& self, const char* function) {
  return self.error(function, "this is not a state that this instance saved.");
}

}  // namespace

Snapshot* Instance::find_snapshot(fmi2FMUstate state) const {
  for (const auto& snapshot : snapshots)
    if (snapshot.get() == state) return snapshot.get();
  return nullptr;
}

fmi2Status Instance::save_state(const char* function, fmi2FMUstate* state) {
  if (state == nullptr) return null_array(function);
  Snapshot* snapshot = find_snapshot(*state);
  if (snapshot == nullptr) snapshot = snapshots.emplace_back(std::make_unique<Snapshot>()).get();
  snapshot->life = life;
  snapshot->core.resize(saved_size(data));
  save(model, data, snapshot->core.data());
  *state = snapshot;
  return fmi2OK;
}

fmi2Status Instance::restore_state(const char* function, fmi2FMUstate state) {
  const Snapshot* snapshot = find_snapshot(state);
  if (snapshot == nullptr) return not_mine(*this, function);
  reserve_for_saved(model, data, snapshot->core.size());
  if (const Status status = restore(model, data, snapshot->core.data(), snapshot->core.size()); !status)
    return refuse(fmi2Error, function, status);
  life = snapshot->life;
  return fmi2OK;
}

fmi2Status Instance::free_state(const char* function, fmi2FMUstate* state) {
  if (state == nullptr || *state == nullptr) return fmi2OK;
  const auto is_it = [state](const auto& snapshot) { return snapshot.get() == *state; };
  const auto at = std::find_if(snapshots.begin(), snapshots.end(), is_it);
  if (at == snapshots.end()) return not_mine(*this, function);
  snapshots.erase(at);
  *state = nullptr;
  return fmi2OK;
}

fmi2Status Instance::serialized_size(const char* function, fmi2FMUstate state, std::size_t* size) const {
  const Snapshot* snapshot = find_snapshot(state);
  if (snapshot == nullptr) return not_mine(*this, function);
  if (size == nullptr) return null_array(function);
  *size = sizeof(Head) + snapshot->core.size();
  return fmi2OK;
}

fmi2Status Instance::serialize(const char* function, fmi2FMUstate state, fmi2Byte bytes[], std::size_t size) const {
  const Snapshot* snapshot = find_snapshot(state);
  if (snapshot == nullptr) return not_mine(*this, function);
  if (bytes == nullptr) return null_array(function);
  const std::size_t needed = sizeof(Head) + snapshot->core.size();
  if (size < needed)
    return error(function, std::to_string(needed) + " bytes are needed, not " + std::to_string(size) + ".");
  Head head{};
  std::memcpy(head.magic, magic, sizeof head.magic);
  head.life = snapshot->life;
  head.checksum = checksum(head.life);
  std::memcpy(bytes, &head, sizeof head);
  std::copy(snapshot->core.begin(), snapshot->core.end(), bytes + sizeof head);
  return fmi2OK;
}

fmi2Status Instance::deserialize(const char* function, const fmi2Byte bytes[], std::size_t size, fmi2FMUstate* state) {
  if (bytes == nullptr || state == nullptr) return null_array(function);
  Head head{};
  if (size >= sizeof head) std::memcpy(&head, bytes, sizeof head);
  if (!is_sound(head)) return error(function, "these bytes are not a saved state.");
  // Tried on a spare first: bytes of another scene are refused here, not when they are restored.
  const auto* core = reinterpret_cast<const unsigned char*>(bytes) + sizeof head;
  Data spare;
  Status status = spare.make(model);
  if (status) reserve_for_saved(model, spare, size - sizeof head);
  if (status) status = restore(model, spare, core, size - sizeof head);
  if (!status) return refuse(fmi2Error, function, status);
  Snapshot* snapshot = snapshots.emplace_back(std::make_unique<Snapshot>()).get();
  snapshot->life = head.life;
  snapshot->core.assign(core, core + size - sizeof head);
  *state = snapshot;
  return fmi2OK;
}

}  // namespace contactlib::fmi
