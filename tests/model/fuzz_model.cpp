// Damages a model file or a saved state at random and reads it; built with the sanitizers, which abort at an error.
// Usage: fuzz_model MODEL SEED CASES [STATE]. Prints the number of accepted models, or with STATE of accepted states.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "boundary/describe.hpp"
#include "boundary/interface.hpp"
#include "boundary/saved_state.hpp"
#include "model/format.hpp"
#include "model/reader/model.hpp"
#include "step/communication/step.hpp"

namespace {

using namespace contactlib;
using namespace contactlib::boundary;
namespace format = model::format;
using model::Model;
using reader::read_model;
using state::Data, state::ElementSlots;
using step::advance, step::evaluate;
using Bytes = std::vector<unsigned char>;
std::mt19937_64 random_bits;

std::size_t below(std::size_t limit) { return limit ? random_bits() % limit : 0; }

// A copy of exactly its size on the heap, so that a read past its end is detected.
std::unique_ptr<unsigned char[]> exact(const Bytes& bytes) {
  std::unique_ptr<unsigned char[]> copy(new unsigned char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return copy;
}

void write(Bytes& bytes, std::size_t at, const void* value, std::size_t size) {
  if (at + size <= bytes.size()) std::memcpy(bytes.data() + at, value, size);
}

void damage(Bytes& bytes) {
  using Limits = std::numeric_limits<double>;
  const double numbers[] = {0.0, -0.0, -1.0, 1e308, -1e308, 1e-308, Limits::infinity(), Limits::quiet_NaN(), 1e9, 0.5};
  const std::uint64_t integers[] = {0, 1, 2, 7, 63, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 60, ~0ull};
  const std::size_t at = below(bytes.size());
  switch (below(8)) {
    case 0: bytes[at] ^= static_cast<unsigned char>(1u << below(8)); break;
    case 1: bytes[at] = static_cast<unsigned char>(random_bits()); break;
    case 2: write(bytes, at / 8 * 8, &numbers[below(std::size(numbers))], 8); break;
    case 3: write(bytes, at / 4 * 4, &integers[below(std::size(integers))], 4); break;
    case 4: write(bytes, at / 8 * 8, &integers[below(std::size(integers))], 8); break;
    case 5:  // the header and the section table
      write(bytes, below(sizeof(format::Header) + format::tags * sizeof(format::Section)) / 4 * 4,
            &integers[below(std::size(integers))], 4);
      break;
    case 6: bytes.resize(at); break;
    case 7: std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end()); break;
  }
}

// Restores magic, version and checksum, so that the damage passes these checks.
void repair(Bytes& bytes) {
  const std::size_t covered = offsetof(format::Header, sha256);
  if (bytes.size() < covered) return;
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (std::size_t i = covered; i < bytes.size(); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  const std::uint32_t counts[] = {format::version, format::tags};
  std::memcpy(bytes.data(), format::magic, sizeof format::magic);
  std::memcpy(bytes.data() + offsetof(format::Header, version), counts, sizeof counts);
  std::memcpy(bytes.data() + offsetof(format::Header, checksum), &hash, sizeof hash);
}

void run(const Model& model, Data& data) {
  if (evaluate(model, data)) advance(model, data, 1.5 * data.globals().step_size);
}

// Restores magic, count and checksum of a saved state.
void reseal(Bytes& bytes) {
  if (bytes.size() < sizeof(SavedHeader)) return;
  bytes.resize(bytes.size() / 8 * 8);
  SavedHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memcpy(header.mark, "CLSTATE\n", sizeof header.mark);
  header.count = (bytes.size() - sizeof header) / 8;
  std::memcpy(bytes.data(), &header, sizeof header);
  constexpr std::size_t covered = offsetof(SavedHeader, version);
  header.checksum = saved_checksum(bytes.data() + covered, bytes.size() - covered);
  std::memcpy(bytes.data(), &header, sizeof header);
}

// Damages counts and choices, and numbers near the present one.
void damage_number(Bytes& bytes) {
  const double numbers[] = {0.0, 1.0, 2.0, 3.0, 4.0, 7.0, 31.0, 512.0, 2e9, 3e9, 1e16, 1e19, -1.0, 0.5, 1e-300, 1e300};
  const std::size_t count = (bytes.size() - sizeof(SavedHeader)) / 8;
  const std::size_t at = sizeof(SavedHeader) + 8 * below(count);
  double x;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  switch (below(4)) {
    case 0: x += 1.0; break;
    case 1: x = -x; break;
    case 2: x *= 1e3; break;
    default: x = numbers[below(std::size(numbers))];
  }
  write(bytes, at, &x, sizeof x);
}

bool all_finite(const Data& data, std::size_t first, std::size_t end) {
  return std::all_of(&data.state[first], &data.state[0] + end, [](double x) { return std::isfinite(x); });
}

// A refused state must change nothing, and a step from an accepted one must be finite.
bool take_state(const Model& model, Data& data, const Bytes& saved) {
  const std::vector<double> before(data.state.begin(), data.state.begin() + data.used());
  if (!restore(model, data, exact(saved).get(), saved.size())) {
    if (!std::equal(before.begin(), before.end(), data.state.begin())) std::abort();
    return false;
  }
  Bytes again(saved_size(data));
  save(model, data, again.data());
  if (again != saved) std::abort();
  const double h = data.globals().step_size;
  for (const double dt : {1.0, 1.5}) {
    if (below(2) == 0 && !evaluate(model, data)) continue;
    if (!advance(model, data, dt * h)) continue;
    if (!all_finite(data, data.bodies_at, data.laws_at)) std::abort();
    for (const ElementSlots& at : data.elements)
      if (!all_finite(data, at.outputs, at.state)) std::abort();
  }
  return true;
}

void damage_state(Bytes& saved) {
  for (std::size_t k = below(3) + 1; k > 0 && !saved.empty(); --k) {
    if (below(8) == 0 || saved.size() < sizeof(SavedHeader) + 8)
      damage(saved);
    else
      damage_number(saved);
  }
  if (below(8)) reseal(saved);
}

void restore_damaged(const Model& model, Data& data) {
  Bytes saved(saved_size(data));
  save(model, data, saved.data());
  damage_state(saved);
  if (restore(model, data, exact(saved).get(), saved.size())) run(model, data);
}

bool take(const Bytes& bytes) {
  Model model;
  const Status status = read_model(exact(bytes).get(), bytes.size(), model);
  describe(status, model);
  Data data;
  if (!status || !data.make(model)) return false;
  for (const Variable& variable : variables(model)) set_variable(variable, data, get_variable(variable, data));
  run(model, data);
  restore_damaged(model, data);
  return true;
}

Bytes content(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

long take_states(const Bytes& bytes, const Bytes& state, long cases) {
  Model model;
  Data data;
  if (!read_model(bytes.data(), bytes.size(), model) || !data.make(model)) return -1;
  if (!restore(model, data, state.data(), state.size())) return -1;
  long taken = 0;
  for (long i = 0; i < cases; ++i) {
    Bytes damaged = state;
    damage_state(damaged);
    if (!take_state(model, data, damaged)) continue;
    ++taken;
    if (!restore(model, data, state.data(), state.size())) std::abort();
  }
  return taken;
}

long take_models(const Bytes& model, long cases) {
  long taken = 0;
  for (long i = 0; i < cases; ++i) {
    Bytes bytes = model;
    for (std::size_t k = below(3) + 1; k > 0 && !bytes.empty(); --k) damage(bytes);
    if (below(8)) repair(bytes);
    taken += take(bytes);
  }
  return taken;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4 && count != 5) return 2;
  const Bytes model = content(arguments[1]);
  random_bits.seed(std::strtoull(arguments[2], nullptr, 10));
  const long cases = std::strtol(arguments[3], nullptr, 10);
  const long taken = count == 5 ? take_states(model, content(arguments[4]), cases) : take_models(model, cases);
  if (taken < 0) return 3;
  std::printf("%ld taken, %ld refused\n", taken, cases - taken);
}
