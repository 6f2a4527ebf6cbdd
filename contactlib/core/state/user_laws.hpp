// User laws: contact models of the caller, for example in Python. Each is evaluated for all contacts of its law at
// once, in columns. Laws do not interact, so their order changes no result.
#pragma once

#include <cstddef>

#include "base/status.hpp"

namespace contactlib::model {
struct Model;
}

namespace contactlib::state {

using model::Model;

struct Data;

// establish: contacts that begin; initialises their states. update: all contacts; returns forces. terminate: contacts
// that have ended; only shapes, age and state are given.
enum class Ask : std::int32_t { establish, update, terminate };

// The columns belong to the caller, with the contact capacity of the scene.
struct UserLaws {
  // a bad status ends the step, which is rolled back
  using Answer = Status (*)(void* caller, Ask what, std::int32_t law, std::size_t count) noexcept;
  Answer answer = nullptr;
  void* caller = nullptr;

  double h = 0.0;  // s, since the memory was written
  std::int32_t *contact, *shape_a, *shape_b;
  bool* held;
  // world axes, three numbers per vector; matrices by rows
  double *point, *normal, *depth, *depth_rate, *velocity, *spin, *stretch, *R_WA, *R_WB, *age, *load_share, *memory;
  double *force, *torque, *stored, *heat;  // results, for whole contacts
  bool* ends;
};

// Evaluates the user laws of all their contacts.
Status ask_models(const Model& model, Data& data, double h) noexcept;

// Tells user laws which contacts have ended, before their states are overwritten.
Status end_contacts(const Model& model, Data& data) noexcept;

}  // namespace contactlib::state
