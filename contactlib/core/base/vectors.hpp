// Vectors and matrices for all rooms of the core. SI units, radians; frames in Drake's monogram style: p_AC_W is the
// position from A's origin to C in world axes, R_WB rotates B's axes into world axes.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace contactlib {

using Vec3 = Eigen::Matrix<double, 3, 1>;
using Mat3 = Eigen::Matrix<double, 3, 3>;
using Quat = Eigen::Matrix<double, 4, 1>;  // w, x, y, z; body to world

// A symmetric 6 x 6 matrix of forces and torques: [[force, mixed], [mixed^T, torque]].
struct Blocks {
  Mat3 force, mixed, torque;
};

}  // namespace contactlib
