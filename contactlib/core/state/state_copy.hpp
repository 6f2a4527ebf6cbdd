// Rollback: a copy of the numbers of a state, to restore them after a call that failed or after a prediction. All
// rollbacks of the core, the Python module and the FMU use it.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace contactlib::state {

class StateCopy {
 public:
  // Capacity for states of `size` numbers. May throw std::bad_alloc.
  void reserve(std::size_t size) { numbers_.resize(size, 0.0); }

  // Copies the first `count` numbers of a state, at most as many as reserved.
  void save(const std::vector<double>& state, std::size_t count) noexcept { save(state, count, count, count); }

  // The same without the numbers [same, changing), which nobody writes before restore().
  void save(const std::vector<double>& state, std::size_t count, std::size_t same, std::size_t changing) noexcept {
    count_ = count, same_ = same, changing_ = changing;
    copy(state.data(), numbers_.data());
  }
  void restore(std::vector<double>& state) const noexcept { copy(numbers_.data(), state.data()); }

  // The same for bytes from outside: `check(numbers)` decides whether they become the state.
  template <class Check>
  bool load(const unsigned char* bytes, std::size_t count, const Check& check, std::vector<double>& state) noexcept {
    count_ = same_ = changing_ = count;
    std::memcpy(numbers_.data(), bytes, count * sizeof(double));
    if (!check(static_cast<const double*>(numbers_.data()))) return false;
    restore(state);
    return true;
  }

  const double* numbers() const noexcept { return numbers_.data(); }

 private:
  void copy(const double* from, double* to) const noexcept {
    std::memcpy(to, from, same_ * sizeof(double));
    std::memcpy(to + changing_, from + changing_, (count_ - changing_) * sizeof(double));
  }

  std::vector<double> numbers_;
  std::size_t count_ = 0, same_ = 0, changing_ = 0;
};

}  // namespace contactlib::state
