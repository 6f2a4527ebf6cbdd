// Velocities of contacts and the laws of their forces, many contacts at a time.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Contact, state::Data;

void set_velocity(const Data& data, Contact& c) noexcept;

// The laws of contacts that were built one after the other. Those of a contact model have their forces already.
class ContactLaws {
 public:
  // h: s, time since the memory was written
  ContactLaws(const Model& model, Data& data, double h) noexcept : model_(model), data_(data), h_(h) {}

  double h() const noexcept { return h_; }

  // Applies their laws to the contacts since the last call: to all, or if they are enough to fill the lanes.
  void apply() noexcept;
  void apply_if_many() noexcept;

 private:
  const Model& model_;
  Data& data_;
  const double h_;
  std::size_t next_ = 0;
};

}  // namespace contactlib::step
