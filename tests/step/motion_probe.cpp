// Reads rows of R0, p0, R, p, c (R by rows, m) and a radius, and writes the bound of the motion of the ball about c.
#include <cstdio>

#include "state/cached_candidates.hpp"

using namespace contactlib;

int main() {
  double row[28];
  while (std::fread(row, sizeof row, 1, stdin) == 1) {
    const auto pose = [&](const double* at, const Vec3& c) {
      Mat3 R;
      for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = at[i];
      const Vec3 p(at[9], at[10], at[11]);
      return state::RelativePose{R, p + R * c, p.norm() + c.norm() + row[27]};
    };
    const Vec3 c(row[24], row[25], row[26]);
    state::CachedPair pair;
    pair.radius = row[27];
    pair.reference = pose(row, c);
    const double bound = pair.motion(pose(row + 12, c));
    if (std::fwrite(&bound, sizeof bound, 1, stdout) != 1) return 1;
  }
}
