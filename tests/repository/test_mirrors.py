"""Names and numbers that stand in C++ and in Python: enumerators in their order, and the numbers of parameters."""

import re
from pathlib import Path

import pytest

from contactlib._core import engine
from contactlib.common import options
from contactlib.elements import cable, drive, membrane

CORE = Path(__file__).parents[2] / "contactlib" / "core"
#: header, enum, and its names in Python
ENUMS = (
    ("model/model.hpp", "Motion", options.MOTIONS),
    ("model/model.hpp", "Frame", options.FRAMES),
    ("model/model.hpp", "Integrator", options.INTEGRATORS),
    ("model/model.hpp", "WrenchOutput", options.WRENCH_OUTPUTS),
    ("model/model.hpp", "Coupling", options.COUPLINGS),
    ("geometry/manifold/manifold.hpp", "RimMethod", options.RIM_METHODS),
    ("bounding/volumes.hpp", "VolumeKind", (*options.VOLUMES[1:], "half_space")),
    ("state/contact.hpp", "Phase", engine.PHASES),
    ("solve/mcp.hpp", "SolveCode", engine.SOLVE_CODES),
    ("element/drive.hpp", "DriveMode", drive.MODES),
    ("element/membrane/membrane.hpp", "Spread", membrane.SPREADS),
    ("element/membrane/membrane.hpp", "MembraneFault", engine.MEMBRANE_FAULTS),
    ("element/cable/cable.hpp", "StrainMeasure", cable.STRAINS),
    ("element/cable/cable.hpp", "CableQuadrature", cable.QUADRATURES),
    ("element/cable/cable.hpp", "CableHold", engine.CABLE_HOLDS),
    ("element/cable/cable.hpp", "CableFault", ("none", *(key for key, _ in engine.CABLE_FAULTS[1:]))),
    ("element/snare/control.hpp", "LeeCommand", engine.LEE_COMMANDS),
    ("element/snare/control.hpp", "LeePhase", engine.LEE_PHASES),
    ("element/berthing/control.hpp", "BerthingCommand", engine.BERTHING_COMMANDS),
    ("element/berthing/control.hpp", "BerthingPhase", engine.BERTHING_PHASES),
)


def enumerators(header, name):
    """The enumerators of an enum class, in their order."""
    text = re.sub(r"//.*|= \d+", "", (CORE / header).read_text(encoding="utf-8"))
    body = re.search(rf"enum class {name}\b[^{{;]*{{([^}}]*)}}", text)
    assert body is not None, name
    return tuple(word for word in re.split(r"[\s,]+", body[1]) if word)


@pytest.mark.parametrize(("header", "name", "python"), ENUMS, ids=[row[1] for row in ENUMS])
def test_enumerators_have_their_names_in_python(header, name, python):
    assert enumerators(header, name) == tuple(python)


def test_parts_of_a_law_have_room_for_as_many_parameters():
    text = (CORE / "law" / "laws.hpp").read_text(encoding="utf-8")
    core = dict(re.findall(r"constexpr int max_(\w+)_parameters = (\d+);", text))
    assert {part: int(number) for part, number in core.items()} == options.LAW_PARTS


def test_records_are_made_from_the_core():
    """A record that Python describes has the fields of the core's own layout, without gaps."""
    types = engine.record_types()
    for name in ("contact", "cable_contact", "membrane_result", "solve_report", "lee_senses", "lee_flags",
                 "berthing_flags"):
        ends = [types[name].fields[field][1] + types[name].fields[field][0].itemsize for field in types[name].names]
        starts = [types[name].fields[field][1] for field in types[name].names]
        assert starts == [0, *ends[:-1]] and ends[-1] == types[name].itemsize, name
    assert types["contact"] == engine.CONTACT_DTYPE and types["membrane_result"] == engine.MEMBRANE_DTYPE
    assert types["cable_contact"] == engine.CABLE_CONTACT_DTYPE
