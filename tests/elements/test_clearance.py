"""Clearances: closed forms, other bodies, and the same numbers in an FMU."""

from __future__ import annotations

from dataclasses import replace

import fmpy
import numpy as np
import pytest

import contactlib
from contactlib.elements.clearance import Clearance
from contactlib.fmu.export import export_fmu
from contactlib.model.spec import Spec
from tests.support.scenes import body, scene

BALL = {"name": "ball", "kind": "sphere", "radius": 0.5, "material": "m"}
PEG = {"name": "peg", "kind": "cylinder", "radius": 0.2, "length": 0.4, "material": "m"}
HOLE = {"name": "hole", "kind": "socket", "size": [1.2, 1.4, 1.0], "radius": 0.3, "length": 0.5, "material": "m"}
FLOOR = {"name": "top", "kind": "plane", "material": "m"}


def watched(*clearances: Clearance, origin: float = 0.0) -> Spec:
    """A peg in a hole, a ball 3 m away along x, and a floor 4 m below."""
    bodies = [body("peg", "external", [PEG], state={"r": [origin + 0.03, 0.04, -0.25]}),
              body("block", "fixed", [HOLE], state={"r": [origin, 0, 0]}),
              body("ball", "external", [BALL], state={"r": [origin + 3.0, 0, 0]}),
              body("ground", "fixed", [FLOOR], state={"r": [origin, 0, -4.0]})]
    return replace(scene(bodies, [], []), elements=clearances)


def measured(spec: Spec) -> contactlib.Simulation:
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute()
    return simulation


def points(gap) -> tuple[np.ndarray, np.ndarray]:
    return np.array([gap.point_x, gap.point_y, gap.point_z]), np.array([gap.normal_x, gap.normal_y, gap.normal_z])


@pytest.mark.parametrize("origin", [0.0, 7e6])
def test_closed_forms(origin):
    simulation = measured(watched(Clearance("gap", "peg", "block"), Clearance("above", "ball", "ground"),
                                  Clearance("free", "ball"), origin=origin))
    gap, above, free = (simulation.elements[name] for name in ("gap", "above", "free"))
    rounding = 2e-9 if origin else 1e-15  # of a coordinate of 7000 km
    assert gap.distance == pytest.approx(0.3 - 0.2 - 0.05, abs=rounding) and gap.body == 2
    p, n = points(gap)
    np.testing.assert_allclose(n, [0.6, 0.8, 0], atol=1e-6)
    np.testing.assert_allclose(p[:2], [origin + 0.03 + 0.2 * 0.6, 0.04 + 0.2 * 0.8], atol=max(1e-7, rounding))
    assert above.distance == pytest.approx(3.5, abs=rounding) and above.body == 4
    p, n = points(above)
    np.testing.assert_allclose(p, [origin + 3.0, 0.0, -0.5], atol=rounding)
    np.testing.assert_array_equal(n, [0, 0, -1])
    assert free.distance == pytest.approx(3.0 - 0.5 - 0.6, abs=rounding) and free.body == 2  # from the block's side


def test_margin_touching_and_motion():
    simulation = measured(watched(Clearance("gap", "ball", "peg", margin=1.0)))
    gap = simulation.elements["gap"]
    assert (gap.distance, gap.body) == (1.0, 0) and not np.any(points(gap))
    simulation.set("gap.margin", 4.0)
    simulation.compute()
    assert gap.distance == pytest.approx(np.hypot(2.97, 0.04) - 0.7, abs=1e-3) and gap.body == 1
    half = np.sqrt(0.5)
    simulation.compute({"ball": {"r": (0.03, 0.04, 1.0)}, "peg": {"r": (0.03, 0.04, 0.0), "q": (half, half, 0, 0)}})
    assert gap.distance == pytest.approx(1.0 - 0.5 - 0.2, abs=1e-15)  # the peg lies on its side
    simulation.compute({"ball": {"r": (0.03, 0.04, 0.6)}})
    assert (gap.distance, gap.body) == (0.0, 1) and not np.any(points(gap))


def test_the_least_of_many_shapes():
    """50 spheres around a box: the least of the distances one by one."""
    rng = np.random.default_rng(8)
    places = rng.normal(size=(50, 3)) * 2.0
    places *= np.maximum(1.0, 1.5 / np.linalg.norm(places, axis=1))[:, None]
    cloud = [{"name": f"s{i}", "kind": "sphere", "radius": 0.1, "r": place.tolist(), "material": "m"}
             for i, place in enumerate(places)]
    box = {"name": "box", "kind": "box", "size": [0.5, 0.8, 0.3], "material": "m"}
    spec = scene([body("cloud", "external", cloud), body("box", "external", [box])], [], [])
    gap = measured(replace(spec, elements=(Clearance("gap", "cloud", "box"),))).elements["gap"]
    outside = np.linalg.norm(np.maximum(np.abs(places) - (0.25, 0.4, 0.15), 0.0), axis=1) - 0.1
    assert gap.distance == pytest.approx(outside.min(), abs=1e-15)


def test_the_fmu_measures_the_same(tmp_path):
    spec = watched(Clearance("gap", "peg", "block"), Clearance("above", "ball"))
    path = export_fmu(spec.compile(), tmp_path / "gap.fmu")
    start = {"peg.r[1]": 0.01, "peg.r[2]": -0.02, "peg.r[3]": -0.3, "ball.r[1]": 2.5, "ball.r[3]": 0.4}
    names = [f"{name}.{output}" for name in ("gap", "above") for output in
             ("distance", "body", "point_x", "point_y", "point_z", "normal_x", "normal_y", "normal_z")]
    row = fmpy.simulate_fmu(str(path), stop_time=0.01, output_interval=0.01, start_values=start, output=names)[-1]
    simulation = contactlib.Simulation(spec.compile())
    simulation.step(0.01, {"peg": {"r": (0.01, -0.02, -0.3)}, "ball": {"r": (2.5, 0.0, 0.4)}})
    for name in names:
        element, output = name.split(".")
        assert row[name] == getattr(simulation.elements[element], output), name


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"first_body = 'pegg': there is no such body.*peg"):
        watched(Clearance("gap", "pegg")).compile()
    with pytest.raises(ValueError, match="last_body = 'peg': must differ from first_body"):
        watched(Clearance("gap", "peg", "peg")).compile()
    with pytest.raises(ValueError, match="margin = 0"):
        watched(Clearance("gap", "peg", margin=0.0)).compile()
    two = scene([body("a", "fixed", [HOLE]), body("b", "external", [HOLE])], [], [])
    with pytest.raises(ValueError, match="last_body = 'b': no pair of shapes has a distance"):
        replace(two, elements=(Clearance("gap", "a", "b"),)).compile()
