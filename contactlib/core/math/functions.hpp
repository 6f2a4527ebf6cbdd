// The elementary functions by name, for Python.
#pragma once

namespace contactlib::math {

struct Function {
  const char* name;
  double (*of_one)(double) noexcept;  // one of the two is set
  double (*of_two)(double, double) noexcept;
};

inline constexpr int function_count = 22;
extern const Function functions[function_count];

}  // namespace contactlib::math
