#include "layouts.hpp"

#include "model/format.hpp"
#include "state/contact.hpp"

namespace contactlib::boundary {

namespace {

namespace format = model::format;

template <class Record>
constexpr Layout layout(const char* name) noexcept {
  return {name, sizeof(Record), LayoutOf<Record>::fields, sizeof LayoutOf<Record>::fields / sizeof(Field)};
}

constexpr Layout table[] = {
    layout<format::Header>("header"),
    layout<format::Section>("section"),
    layout<format::Scene>("scene"),
    layout<format::Body>("body"),
    layout<format::Group>("group"),
    layout<format::Shape>("shape"),
    layout<format::Law>("law"),
    layout<format::CurvePoint>("curve_point"),
    layout<format::MaterialPair>("material_pair"),
    layout<format::Pair>("pair"),
    layout<format::Vertex>("vertex"),
    layout<format::Surface>("surface"),
    layout<format::Element>("element"),
    layout<state::Contact>("contact"),
};

}  // namespace

Layouts layouts() noexcept { return {table, sizeof table / sizeof table[0]}; }

}  // namespace contactlib::boundary
