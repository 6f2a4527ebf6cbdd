// damages a model file and a saved state at random and reads them; built with the sanitizers, which end it at an error.
// usage: fuzz_model MODEL SEED CASES. prints how many models were taken and refused.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "format.hpp"
#include "interface.hpp"
#include "step.hpp"

namespace {

using namespace contactlib;
using Bytes = std::vector<unsigned char>;
std::mt19937_64 random_bits;

std::size_t below(std::size_t limit) { return limit ? random_bits() % limit : 0; }

// a copy of exactly its size on the heap, so that one byte too far is seen
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

// the mark, version and checksum as they should be, so that the damage gets past them
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

void restore_damaged(const Model& model, Data& data) {
  Bytes saved(saved_size(data));
  save(model, data, saved.data());
  for (std::size_t k = below(3) + 1; k > 0 && !saved.empty(); --k) damage(saved);
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

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  const Bytes model{std::istreambuf_iterator<char>(file), {}};
  random_bits.seed(std::strtoull(arguments[2], nullptr, 10));
  const long cases = std::strtol(arguments[3], nullptr, 10);
  long taken = 0;
  for (long i = 0; i < cases; ++i) {
    Bytes bytes = model;
    for (std::size_t k = below(3) + 1; k > 0 && !bytes.empty(); --k) damage(bytes);
    if (below(8)) repair(bytes);
    taken += take(bytes);
  }
  std::printf("%ld taken, %ld refused\n", taken, cases - taken);
}
