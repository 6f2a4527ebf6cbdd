#include "layouts.hpp"

#include "element/berthing/control.hpp"
#include "element/membrane/membrane.hpp"
#include "element/snare/control.hpp"
#include "element/snare/nodes.hpp"
#include "model/format.hpp"
#include "solve/mcp.hpp"
#include "state/contact.hpp"
#include "state/contact_patches.hpp"

namespace contactlib {

// solve/ includes no other room, so the layout of its report is declared here.
CONTACTLIB_LAYOUT(solve::SolveReport, CONTACTLIB_FIELD(code), CONTACTLIB_FIELD(row), CONTACTLIB_FIELD(pivots),
                  CONTACTLIB_FIELD(single), CONTACTLIB_FIELD(iterations), CONTACTLIB_FIELD(sweeps),
                  CONTACTLIB_FIELD(residual))

}  // namespace contactlib

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
    layout<format::PairRule>("pair_rule"),
    layout<format::Vertex>("vertex"),
    layout<format::Surface>("surface"),
    layout<format::Element>("element"),
    layout<state::Contact>("contact"),
    layout<state::ContactPatch>("contact_patch"),
    layout<state::PatchPoint>("patch_point"),
    layout<state::PatchOutline>("patch_outline"),
    layout<state::PatchCorner>("patch_corner"),
    layout<element::CableContact>("cable_contact"),
    layout<element::MembraneResult>("membrane_result"),
    layout<solve::SolveReport>("solve_report"),
    layout<element::ControlSense>("lee_senses"),
    layout<element::ControlFlags>("lee_flags"),
    layout<element::BerthingFlags>("berthing_flags"),
};

}  // namespace

Layouts layouts() noexcept { return {table, sizeof table / sizeof table[0]}; }

}  // namespace contactlib::boundary
