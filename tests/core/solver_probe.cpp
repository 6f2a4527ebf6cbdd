// Random problems for the solvers, a third of them with numbers that are not finite. Prints the number of solutions
// that allocated, of solved problems and of others, and a checksum of all bits of all solutions.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <random>

#include "solve/coulomb.hpp"

using namespace contactlib::solve;

namespace {

long allocations = 0;
std::mt19937_64 engine(3);

double normal() { return 2.0 * static_cast<double>(engine() >> 11) / 9007199254740992.0 - 1.0; }

struct Problem {
  int n;
  std::vector<double> A, b, lo, hi;
  std::vector<FrictionContact> contacts;

  explicit Problem(int rows) : n(rows), A(n * n), b(n), lo(n, 0.0), hi(n, std::numeric_limits<double>::infinity()) {
    const int rank = 1 + static_cast<int>(engine() % (n + 4));
    std::vector<double> J(n * rank);
    for (double& entry : J) entry = normal();
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < rank; ++k) {
        b[i] += J[i * rank + k] * std::sqrt(k + 1.0) * (k % 2 ? 1.0 : -1.0);
        for (int j = 0; j < n; ++j) A[i * n + j] += J[i * rank + k] * J[j * rank + k];
      }
    for (int i = 0; i + 2 < n; i += 3) contacts.push_back({i, 0.1 * static_cast<double>(engine() % 11)});
  }

  void damage(std::vector<double>& numbers) {
    const std::uint64_t bits = engine();
    std::memcpy(&numbers[engine() % numbers.size()], &bits, sizeof bits);
  }
};

struct Tally {
  std::uint64_t digest = 14695981039346656037u;
  long solved = 0, failed = 0, allocated = 0;

  void add(const SolveReport& report, const std::vector<double>& z, long before) {
    allocated += allocations != before;
    (report.code == SolveCode::solved ? solved : failed) += 1;
    for (const double value : z) {
      std::uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      digest = (digest ^ bits) * 1099511628211u;
    }
  }
};

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main() {
  Tally tally;
  McpSolver mcp;
  CoulombSolver coulomb;
  mcp.make(14);
  coulomb.make(14, 4);
  for (int k = 0; k < 1500; ++k) {
    Problem p(1 + static_cast<int>(engine() % 14));
    std::vector<RowState> states(p.n);
    std::vector<double> z(p.n);
    for (RowState& state : states) state = static_cast<RowState>(static_cast<std::int8_t>(engine() % 256));
    if (k % 6 == 0) p.damage(p.A);
    if (k % 7 == 0) p.damage(p.b);
    if (k % 11 == 0) p.damage(p.lo);
    if (k % 13 == 0)
      for (FrictionContact& contact : p.contacts) contact.row += static_cast<int>(engine() % 9) - 4;
    const McpProblem rows{p.n, p.A.data(), p.b.data(), p.lo.data(), p.hi.data()};
    const long before = allocations;
    const SolveReport with =
        coulomb.solve({rows, static_cast<int>(p.contacts.size()), p.contacts.data()}, states.data(), z.data());
    tally.add(with, z, before);
    const SolveReport without = mcp.solve(rows, states.data(), z.data());
    tally.add(without, z, before);
  }
  std::printf("%ld %ld %ld %016llx\n", tally.allocated, tally.solved, tally.failed,
              static_cast<unsigned long long>(tally.digest));
}
