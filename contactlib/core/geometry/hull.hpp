// a polytope inside the difference D that grows, corner by corner, where its faces are near the origin.
#pragma once

#include "ties.hpp"

namespace contactlib {

struct Hull {
  static constexpr int most_points = 256, most_faces = 2 * most_points, most_border = 128;

  struct Face {
    std::int16_t v[3];       // counter-clockwise from outside
    std::int16_t beyond[3];  // across the edge from v[i] to the next: 4 times the face, plus which of its edges it is
    bool settled;            // needs no more looking at
    bool seen;               // by the corner that comes next
    Vec3 N;                  // outward, of any length
    double d;                // N.x = d on the face
    double blur;             // of N.x, by rounding
  };

  double fine;   // m, what rounding does to a corner
  double bound;  // m, how near is near; < 0: on the outside
  int points = 0, faces = 0, suspects = 0;
  Tie point[most_points];
  Face face[most_faces];
  std::int16_t suspect[most_faces];

  // of four corners of a tetrahedron. `settled`: the face of the first three is.
  Hull(const Tie (&corners)[4], bool settled, double bound, double fine) noexcept;

  // the next face that is nearer than the bound; -1 if there is none. it counts as settled from then on.
  int next_suspect() noexcept;

  bool has(const Tie& tie) const noexcept;

  // takes in a corner that face f sees. false if there is no room or it cannot be, by rounding.
  bool grow(const Tie& tie, int f) noexcept;

 private:
  bool is_near(const Face& f) const noexcept;
  void set_face(int f, int i, int j, int k, bool settled) noexcept;
};

}  // namespace contactlib
