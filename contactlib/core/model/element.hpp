// An element of a scene as the model holds it: whatever acts on bodies besides plain contact.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace contactlib::element {
struct ElementRow;
}

namespace contactlib::model {

// The constant part of an element, built once when a model is read, and the working memory of one instance.
struct ElementDesign {
  virtual ~ElementDesign() = default;
};
struct ElementScratch {
  virtual ~ElementScratch() = default;
  virtual void accept() noexcept {}  // the last step is no trial: keeps of it what users read
};

inline constexpr std::int32_t the_world = -1;  // instead of a body: a fixed frame at the origin of the world

struct Element {
  std::string name;
  const element::ElementRow* row = nullptr;  // its kind
  std::int32_t ports = 0;            // places with variables of their own: suspension points, cables
  std::vector<std::int32_t> bodies;  // the bodies that it acts on, or the_world
  std::vector<double> parameters;    // start values; each Data has its own copy
  std::vector<double> commands;      // start values
  std::vector<double> state;         // start values
  std::vector<std::int32_t> watches;  // earlier elements whose outputs it reads
  std::vector<std::int32_t> leads;    // earlier elements to which it gives orders; each has at most one leader
  bool led = false;                   // whether it has a leader
  std::unique_ptr<const ElementDesign> design;
};

}  // namespace contactlib::model
