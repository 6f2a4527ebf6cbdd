// contact models that the caller brings, such as those written in python: they are asked for all contacts of their law
// at a time, which stand here in columns. laws know nothing of each other, so the order of laws changes nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "contact.hpp"

namespace contactlib {

struct Model;
struct Data;

// establish: of contacts that begin; fills in their memory. update: of all; gives forces. terminate: of those that have
// ended; only shapes, age and memory are given.
enum class Ask : std::int32_t { establish, update, terminate };

struct Foreign {
  // not ok ends the step, which leaves no trace.
  using Answer = Status (*)(void* caller, Ask what, std::int32_t law, std::size_t count) noexcept;
  Answer answer = nullptr;
  void* caller = nullptr;

  void make(std::size_t capacity, std::size_t own_width);

  double h = 0.0;  // s, since the memory was written
  std::vector<std::int32_t> contact, shape_a, shape_b, held;
  // world axes; matrices row by row
  std::vector<double> point, normal, depth, depth_rate, velocity, spin, stretch, R_WA, R_WB, age, share, memory;
  std::vector<double> force, torque, stored, heat;  // the answer, of whole contacts
  std::vector<std::int32_t> ends;
};

// asks the caller's models for the forces of all contacts that are theirs.
Status ask_models(const Model& model, Data& data, double h) noexcept;

// tells them which contacts have ended, before the memory of those is overwritten.
Status end_contacts(const Model& model, Data& data) noexcept;

}  // namespace contactlib
