// Deferred contacts: contacts of a sweep where its axis is not nearest to the solid among its neighbours. They are
// accepted from the deepest on, if they are further than r along the axis from all accepted ones. So a sweep rests on
// both ends of a line, and fine facets do not make many contacts at one point.
#pragma once

#include <cmath>

#include "sweep.hpp"

namespace contactlib::geometry {

class DeferredContacts {
 public:
  void add(double s, const Vec3& g_B, double phi, int feature) noexcept {
    int slot = count_;
    if (count_ < most)
      ++count_;
    else
      for (int i = slot = 0; i < most; ++i)
        if (one_[i].phi > one_[slot].phi) slot = i;
    if (slot < count_ - 1 && !(phi < one_[slot].phi)) return;
    one_[slot] = {s, phi, g_B, feature};
  }

  void add_end(const Sweep& sweep, int i, const Nearest& nearest, int feature) noexcept {
    add(i * sweep.length, nearest.g_B, nearest.phi, feature);
  }

  // end_of(feature) returns the end of a contact: 0, 1, or -1 for the body.
  template <class EndOf>
  void accept(Manifold& out, const Sweep& sweep, const EndOf& end_of) noexcept {
    while (count_ > 0) {
      int deepest = 0;
      for (int i = 1; i < count_; ++i)
        if (one_[i].phi < one_[deepest].phi) deepest = i;
      const One& one = one_[deepest];
      if (is_alone(out, sweep, one.s, end_of)) sweep.add(out, one.s, one.g_B, one.phi, one.feature);
      one_[deepest] = one_[--count_];
    }
  }

  void accept(Manifold& out, const Sweep& sweep) noexcept {
    accept(out, sweep, [](int feature) noexcept { return feature <= end_feature + 1 ? feature - end_feature : -1; });
  }

 private:
  static constexpr int most = 64;
  struct One {
    double s, phi;
    Vec3 g_B;
    int feature;
  };

  template <class EndOf>
  static bool is_alone(const Manifold& out, const Sweep& sweep, double s, const EndOf& end_of) noexcept {
    for (int k = 0; k < out.count; ++k) {
      const int end = end_of(out.points[k].feature);
      const double along = out.points[k].p_AC_W.dot(sweep.d_W) + 0.5 * sweep.length;
      if (std::abs((end < 0 ? along : end * sweep.length) - s) <= sweep.r) return false;
    }
    return true;
  }

  int count_ = 0;
  One one_[most];
};

}  // namespace contactlib::geometry
