#include "curve.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::law {

bool complete_curve(CurvePoint* points, std::size_t count) noexcept {
  CurvePoint last{0.0, 0.0};
  bool rises = count > 0;
  for (std::size_t i = 0; i < count; ++i) {
    CurvePoint& end = points[i];
    if (!(std::isfinite(end.depth) && std::isfinite(end.force) && end.depth > last.depth && end.force >= 0.0))
      return false;
    const double along = end.depth - last.depth;
    end.slope = (end.force - last.force) / along;
    end.stored = last.stored + 0.5 * (end.force + last.force) * along;
    rises = end.force >= last.force;
    last = end;
  }
  return rises && std::isfinite(last.stored);
}

CurvePoint curve_at(const Curve& curve, double x) noexcept {
  if (curve.count == 0) return {x, 0.0};
  const CurvePoint* const last = curve.points + curve.count - 1;
  const auto shallower = [](const CurvePoint& point, double depth) { return point.depth < depth; };
  const CurvePoint* const end = std::lower_bound(curve.points, last, x, shallower);
  const CurvePoint begin = end == curve.points ? CurvePoint{0.0, 0.0} : *(end - 1);
  const double along = x - begin.depth, force = begin.force + end->slope * along;
  return {x, force, end->slope, begin.stored + 0.5 * (begin.force + force) * along};
}

}  // namespace contactlib::law
