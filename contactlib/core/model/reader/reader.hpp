// The common part of model.cpp, shapes.cpp, laws.cpp and pairs.cpp. They trust nothing: lengths are checked first, then every
// number, then conditions on several numbers.
#pragma once

#include <algorithm>
#include <cmath>

#include "model/format.hpp"
#include "model/model.hpp"

namespace contactlib::reader {

namespace format = model::format;

using model::Model;

// The sections of a file.
struct Content {
  std::vector<format::Scene> scene;
  std::vector<format::Body> bodies;
  std::vector<format::Group> groups;
  std::vector<format::Shape> shapes;
  std::vector<format::Law> laws;
  std::vector<format::CurvePoint> curves;
  std::vector<format::MaterialPair> material_pairs;
  std::vector<format::Pair> pairs;
  std::vector<format::PairRule> pair_rules;
  std::vector<format::Surface> surfaces;
  std::vector<format::Vertex> vertices;
  std::vector<std::int32_t> counts, loops;
  std::vector<format::Element> elements;
  std::vector<double> numbers;
  std::vector<std::int32_t> integers;
  std::vector<char> strings;
};

inline bool finite(const double* numbers, int count) noexcept {
  for (int i = 0; i < count; ++i)
    if (!std::isfinite(numbers[i])) return false;
  return true;
}

inline bool unit(const double* q) noexcept {
  return finite(q, 4) && std::abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < 1e-9;
}

template <class Enum>
bool in_range(std::int32_t value, Enum last) noexcept {
  return value >= 0 && value <= static_cast<std::int32_t>(last);
}

// A name is part of variable names and of XML: letters, digits and _, no digit first; dots separate an object and its
// groups.
bool read_text(const std::vector<char>& strings, const format::Text& text, std::string& out);

// Any text.
bool read_any_text(const std::vector<char>& strings, const format::Text& text, std::string& out);

// Reads surfaces, groups and shapes, and builds the tree over them.
Status read_shapes(const Content& content, Model& model);

// Reads laws and their materials.
Status read_laws(const Content& content, Model& model);

// Reads which bodies may touch.
Status read_pairs(const Content& content, Model& model);

// Reads elements.
Status read_elements(const Content& content, Model& model);

}  // namespace contactlib::reader
