// A zero of a function of one variable.
#pragma once

namespace contactlib::math {

// The zero of f between low and high, where f changes from - to +: regula falsi, with a bisection in every third step,
// until f is 0 or no number is left between the ends.
template <class Function>
double zero_between(double low, double f_low, double high, double f_high, const Function& f) noexcept {
  double x = high;
  for (int i = 0; i < 200; ++i) {
    const double width = high - low;
    x = low + width * (i % 3 == 2 ? 0.5 : f_low / (f_low - f_high));
    if (!(x > low && x < high)) x = low + 0.5 * width;
    if (!(x > low && x < high)) break;
    const double f_x = f(x);
    if (f_x == 0.0) break;
    if (f_x < 0.0)
      low = x, f_low = f_x;
    else
      high = x, f_high = f_x;
  }
  return x;
}

}  // namespace contactlib::math
