"""The rooms of the C++ core: small folders, one namespace each, and includes in one direction."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "contactlib" / "core"
SOURCES = sorted(path.relative_to(CORE) for path in CORE.rglob("*.[ch]pp"))
#: a file includes files of its own room and of rooms that stand before it
ROOMS = (
    "base", "math",
    "geometry/manifold", "geometry/surface", "geometry/sweep", "geometry/mesh", "geometry/convex", "geometry/socket",
    "geometry/ray", "geometry/outline", "geometry/overlap", "geometry/overlap/round", "geometry", "geometry/distance",
    "bounding", "law", "solve", "model", "state",
    "element", "element/cable", "element/membrane", "element/snare", "element/berthing", "element/joint",
    "model/reader", "monitor", "step/response", "step/contact", "step", "step/communication", "boundary",
)  # fmt: skip
#: declares a type of another room without including it
FORWARD = {"model/element.hpp": "contactlib::element"}
#: these elements ask how bodies will move in the step
ASK_MOTION = {"element/ball_joints.cpp", "element/joint/solve.cpp", "element/snare/motion.cpp"}
MOTION = {"step/motion.hpp", "step/response/response.hpp"}


def _includes(source):
    """The files of the core that a source includes, as paths in the core."""
    for name in re.findall(r'#include "([^"]+)"', (CORE / source).read_text(encoding="utf-8")):
        beside = source.parent / name
        yield beside if (CORE / beside).exists() else Path(name)


def _namespace(source):
    room = source.parent.as_posix()
    return "reader" if room == "model/reader" else source.parts[0]


def test_every_folder_is_a_room():
    assert {source.parent.as_posix() for source in SOURCES} == set(ROOMS)
    assert [path.name for path in CORE.iterdir() if path.is_file()] == ["build.toml"]


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_is_crowded(room):
    assert sum(source.parent.as_posix() == room for source in SOURCES) <= 25


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_includes_run_one_way(source):
    own = ROOMS.index(source.parent.as_posix())
    for path in _includes(source):
        assert (CORE / path).exists(), path
        known = source.as_posix() in ASK_MOTION and path.as_posix() in MOTION
        if known:
            continue
        assert ROOMS.index(path.parent.as_posix()) <= own, path


def test_no_source_calls_libm():
    """Compilers differ in which of these functions they expand: core/math/ has all of them, with the same bits."""
    function = r"std::(ceil|floor|trunc|round|l?lround|rint|nearbyint|fmod|remainder|hypot|cbrt|fma|fmax|fmin|"
    function += r"a?(?:sin|cos|tan)h?|atan2|exp2?|expm1|log(?:2|10|1p)?|pow|ldexp|frexp|nextafter)\("
    called = {
        f"{source}: {name}"
        for source in SOURCES
        for name in re.findall(function, (CORE / source).read_text(encoding="utf-8"))
    }
    assert called == set()


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_a_room_has_its_namespace(source):
    text = (CORE / source).read_text(encoding="utf-8")
    opened = re.findall(r"^namespace (contactlib\S*) \{", text, re.MULTILINE)
    if source.parts[0] == "base":
        assert opened == ["contactlib"]
    elif source.as_posix() == "step/make_data.cpp":  # the part of Data that asks elements and coupling
        assert opened == ["contactlib::state"]
    else:
        name = f"contactlib::{_namespace(source)}"
        others = {"contactlib::model", FORWARD.get(source.as_posix()), "contactlib" if "_LAYOUT(" in text else None}
        assert opened and all(f"{space}::".startswith(f"{name}::") for space in opened if space not in others)
    if source.suffix == ".hpp":
        assert "using namespace" not in text
