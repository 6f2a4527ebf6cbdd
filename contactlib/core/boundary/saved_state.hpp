// The state of a Data as bytes. Bytes to restore may come from anywhere.
//   mark 8, checksum u64 of every byte behind it, version u32, numbers without friction memory u32, model hash 64,
//   numbers u64; then the numbers
// Increase `saved_version` when a number changes its meaning.
#pragma once

#include "state/data.hpp"

namespace contactlib::boundary {

using model::Model;
using state::Data;

inline constexpr std::uint32_t saved_version = 9;

struct SavedHeader {
  char mark[8];
  std::uint64_t checksum;
  std::uint32_t version, fixed;
  char hash[64];
  std::uint64_t count;
};
static_assert(sizeof(SavedHeader) == 96);

// The reason why bytes are no state of a model: the `index` of a status with code bad_state.
enum class SavedFault : std::int32_t { no_state, version, model, damaged, range };

// 64 bits over whole words of 8 bytes; a rest at the end does not count. Damage of one word always changes the sum.
std::uint64_t saved_checksum(const unsigned char* bytes, std::size_t size) noexcept;

std::size_t saved_size(const Data& data) noexcept;
void save(const Model& model, const Data& data, unsigned char* bytes) noexcept;

// Checks the header and the range of every number. On an error `data` is unchanged.
Status restore(const Model& model, Data& data, const unsigned char* bytes, std::size_t size) noexcept;

}  // namespace contactlib::boundary
