// contact models that the caller brings, such as those written in python: they are asked for all contacts of their law
// at a time, which stand here in columns. laws know nothing of each other, so the order of laws changes nothing.
#pragma once

#include <cstddef>

#include "geometry/manifold/contact.hpp"

namespace contactlib {

struct Model;
struct Data;

// establish: of contacts that begin; fills in their memory. update: of all; gives forces. terminate: of those that have
// ended; only shapes, age and memory are given.
enum class Ask : std::int32_t { establish, update, terminate };

// the columns are the caller's, with room for every contact that a scene has room for.
struct UserLaws {
  // not ok ends the step, which leaves no trace.
  using Answer = Status (*)(void* caller, Ask what, std::int32_t law, std::size_t count) noexcept;
  Answer answer = nullptr;
  void* caller = nullptr;

  double h = 0.0;  // s, since the memory was written
  std::int32_t *contact, *shape_a, *shape_b;
  bool* held;
  // world axes, three numbers a vector; matrices row by row
  double *point, *normal, *depth, *depth_rate, *velocity, *spin, *stretch, *R_WA, *R_WB, *age, *load_share, *memory;
  double *force, *torque, *stored, *heat;  // the answer, of whole contacts
  bool* ends;
};

// asks the caller's models for the forces of all contacts that are theirs.
Status ask_models(const Model& model, Data& data, double h) noexcept;

// tells them which contacts have ended, before the memory of those is overwritten.
Status end_contacts(const Model& model, Data& data) noexcept;

}  // namespace contactlib
