// an element of a scene as the model holds it: what acts on bodies besides plain contact.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace contactlib {

// the constant part of one kind of element, made once when a model is read, and the memory that one instance works in.
struct ElementDesign {
  virtual ~ElementDesign() = default;
};
struct ElementScratch {
  virtual ~ElementScratch() = default;
};

inline constexpr std::int32_t the_world = -1;  // instead of a body: a frame at rest in the world's origin

struct Element {
  std::string name;
  std::int32_t row = 0;              // of the element table
  std::int32_t ports = 0;            // places with variables of their own: suspension points, cables
  std::vector<std::int32_t> bodies;  // that it acts on, or the_world
  std::vector<double> parameters;    // start values; each Data tunes its own copy
  std::vector<double> commands;      // start values of its inputs
  std::vector<double> state;         // start values of what it remembers
  std::vector<std::int32_t> watches;  // elements before it whose outputs it reads,
  std::vector<std::int32_t> leads;    // and those to which it gives orders; each has one leader at most
  bool led = false;                   // whether it has one
  std::unique_ptr<const ElementDesign> design;
};

}  // namespace contactlib
