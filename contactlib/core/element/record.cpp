// An element's own numbers in a model file, in sequence.
#include <algorithm>
#include <cmath>

#include "elements.hpp"

namespace contactlib::element {

bool ElementRecord::numbers(double* out, std::size_t count) noexcept {
  if (count > number_count_) return false;
  std::copy_n(numbers_, count, out);
  numbers_ += count;
  number_count_ -= count;
  return std::all_of(out, out + count, [](double x) { return std::isfinite(x); });
}

bool ElementRecord::integers(std::int32_t* out, std::size_t count) noexcept {
  if (count > integer_count_) return false;
  std::copy_n(integers_, count, out);
  integers_ += count;
  integer_count_ -= count;
  return true;
}

bool ElementRecord::integer(std::int32_t low, std::int32_t high, std::int32_t& out) noexcept {
  return integers(&out, 1) && out >= low && out <= high;
}

// The length is checked before memory is allocated.
bool ElementRecord::numbers(std::size_t count, std::vector<double>& out) {
  if (count > number_count_) return false;
  out.resize(count);
  return numbers(out.data(), count);
}

bool ElementRecord::integers(std::size_t count, std::vector<std::int32_t>& out) {
  if (count > integer_count_) return false;
  out.resize(count);
  return integers(out.data(), count);
}

}  // namespace contactlib::element
