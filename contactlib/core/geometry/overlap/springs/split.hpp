// How much the contacts of the peaks of a patch count, against the one contact of the whole patch.
#pragma once

#include "balance.hpp"
#include "solve.hpp"

namespace contactlib::geometry {

class Split {
 public:
  // counts: all peaks have a contact
  Split(const OverlapSolver& solver, const OverlapScratch& scratch, const PeakContacts& peaks, bool counts) noexcept;

  // s: of the peaks; the contact of the whole patch has the rest
  double weight() const noexcept { return seen_ > 0.0 ? seen_ * smoothstep(z_) : 0.0; }

  // Of s, as A moves.
  Decrease decrease() const noexcept;

 private:
  // Of a saddle: how far it is below the peaks on both sides, and that of both together.
  struct Rise {
    double low, high, both;  // m
  };

  Rise rise_of(const Branch& branch) const noexcept;
  const OverlapSolver& solver_;
  const OverlapScratch& scratch_;
  const double seen_;  // 1; down to 0 where a tip of A beside the patch is much deeper than the peaks
  double height_ = 0.0, prominence_ = 0.0, z_ = 0.0;  // m, m, -
};

}  // namespace contactlib::geometry
