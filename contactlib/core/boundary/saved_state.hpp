// the state of a Data as bytes, which may come from anywhere when they come back.
//   mark 8, checksum u64 of every byte behind it, version u32, numbers without friction memory u32, model hash 64,
//   numbers u64; then the numbers
// raise `saved_version` when a number gets another meaning.
#pragma once

#include "state/data.hpp"

namespace contactlib {

inline constexpr std::uint32_t saved_version = 2;

struct SavedHeader {
  char mark[8];
  std::uint64_t checksum;
  std::uint32_t version, fixed;
  char hash[64];
  std::uint64_t count;
};
static_assert(sizeof(SavedHeader) == 96);

// why bytes are no state of a model: the `index` of a status of code bad_state.
enum class SavedFault : std::int32_t { no_state, version, model, damaged, range };

// 64 bits, of whole words of 8 bytes; what is left over at the end does not count. damage to one word always shows.
std::uint64_t saved_checksum(const unsigned char* bytes, std::size_t size) noexcept;

std::size_t saved_size(const Data& data) noexcept;
void save(const Model& model, const Data& data, unsigned char* bytes) noexcept;

// checks all of it, and then every number by its range. on an error `data` is as before.
Status restore(const Model& model, Data& data, const unsigned char* bytes, std::size_t size) noexcept;

}  // namespace contactlib
