"""Mass, centre of mass and inertia of bodies as tunable parameters: `NAME.mass`, `NAME.com`, `NAME.inertia`."""

import numpy as np
import pytest

import contactlib
from contactlib.fmu.export import export_fmu
from contactlib.fmu.package.dependencies import MASS_PROPERTIES, initial_dependencies, is_mass_property
from contactlib.model.spec import replace
from tests.support.coupled import Master, balls
from tests.support.fmu_cases import DISCARD, Slave, named, of, refused, run_fmu

both = pytest.mark.parametrize("mode", ["jacobi", "gauss_seidel"])
H = 5e-3  # s
SPIN = {"offset": 0.3, "com": (0.05, -0.1, 0.02), "w": (2.0, -3.0, 5.0)}  # off centre, unbalanced, spinning
#: off-diagonal elements, so that each of the six has its own value
INERTIA = np.array([[1.0, 0.1, -0.2], [0.1, 1.2, 0.05], [-0.2, 0.05, 0.9]])


def true_balls(mode):
    """Two balls that meet off centre."""
    spec = balls(mode, **SPIN)
    return replace(spec, bodies=tuple(replace(body, inertia=tuple(map(tuple, INERTIA))) for body in spec.bodies))


def wrong(spec):
    """The scene with other masses, centres of mass and inertias."""
    return replace(spec, bodies=tuple(
        replace(body, mass=0.6 * body.mass, com=(0.01, 0.0, -0.03), inertia=((0.4, 0.0, 0.0), (0.0, 0.5, 0.0),
                                                                              (0.0, 0.0, 0.6)))
        for body in spec.bodies))


def mass_properties(model):
    """The start values of all mass properties of a model, by name."""
    return {v.name: v.start for v in model.variables if is_mass_property(model, v.name)}


def flight(mode, steps=30):
    """Inputs of the true balls during their impact (steps, 26), and all outputs of a scene with the true masses."""
    spec = true_balls(mode)
    return Master(spec, H).run(steps).reshape(-1, 26)


def through_python(simulation, rows):
    """All real outputs after each step, as bytes."""
    outputs = of(simulation.model, "output")
    found = []
    for row in rows:
        simulation.step(H, row.reshape(2, 13))
        found.append([simulation.data.get(i) for i in outputs])
    return np.array(found)


@both
def test_a_mass_tolerance_is_a_parameter_of_the_fmu(mode, tmp_path):
    """Set before the run it gives the bits of the scene that has it, and they are not those of a scene without."""
    stiff = {"stiffness": 5e6, "damping": 0.0}
    spec = balls(mode, factor=1.3, **stiff)
    rows = Master(replace(spec, mass_tolerance=1.3), H, plant=balls("none", **stiff)).run(30).reshape(-1, 26)
    right = through_python(contactlib.Simulation(replace(spec, mass_tolerance=1.3).compile()), rows)
    simulation = contactlib.Simulation(spec.compile())
    simulation.set("mass_tolerance", 1.3)
    assert np.array_equal(through_python(simulation, rows), right)
    assert not np.array_equal(through_python(contactlib.Simulation(spec.compile()), rows), right)
    model, found = spec.compile(), []
    for tolerance in (1.0, 1.3):
        with Slave(export_fmu(model, tmp_path / f"{tolerance}.fmu"), tmp_path / str(tolerance), model) as slave:
            slave.start()
            slave.setReal(named(model, "mass_tolerance"), [tolerance])
            found.append(run_fmu(slave, rows, H)[1:])
    assert np.array_equal(found[1], right) and not np.array_equal(found[0], right)


@pytest.mark.parametrize("value", [0.99, -1.0, np.nan, np.inf])
def test_a_mass_tolerance_is_at_least_one(value):
    simulation = contactlib.Simulation(true_balls("jacobi").compile())
    with pytest.raises(ValueError, match="mass_tolerance"):
        simulation.set("mass_tolerance", value)
    with pytest.raises(ValueError, match=r"scene\.mass_tolerance = .*: must be a finite number of at least 1"):
        replace(true_balls("jacobi"), mass_tolerance=value).compile()


def test_a_mass_tolerance_without_a_mass_is_refused():
    spec = true_balls("none")
    spec = replace(spec, bodies=tuple(replace(body, mass=None, inertia=None) for body in spec.bodies))
    with pytest.raises(ValueError, match=r"scene\.mass_tolerance = 1\.5: needs an external body with a mass"):
        replace(spec, mass_tolerance=1.5).compile()


def test_the_table_has_them_with_the_values_of_the_scene():
    model = true_balls("jacobi").compile()
    table = {v.name: v for v in model.variables}
    assert [table["one.mass"].start, table["one.mass"].unit, table["one.mass"].tunable] == [10.0, "kg", True]
    assert [table[f"one.com[{k}]"].start for k in (1, 2, 3)] == list(SPIN["com"])
    assert [table[f"one.inertia[{k}]"].start for k in range(1, 7)] == [1.0, 1.2, 0.9, 0.1, -0.2, 0.05]
    assert {table[name].unit for name in table if ".inertia[" in name} == {"kg.m^2"}


def test_bodies_whose_mass_does_no_matter_have_none():
    spec = balls("jacobi")
    free = spec.with_motion("free", "two").compile()
    assert {name.partition(".")[0] for name in mass_properties(free)} == {"one"}
    still = replace(spec, coupling="none", bodies=tuple(replace(b, mass=None, inertia=None, com=None)
                                                         for b in spec.bodies))
    assert not mass_properties(still.compile())


@both
def test_true_values_set_before_the_run_give_the_bits_of_the_scene_with_true_values(tmp_path, mode):
    true, believed = true_balls(mode).compile(), wrong(true_balls(mode)).compile()
    values, rows = mass_properties(true), flight(mode)
    simulation = contactlib.Simulation(believed)
    simulation.set(values)
    expected = through_python(contactlib.Simulation(true), rows)
    assert np.abs(expected).max() > 100.0
    assert through_python(simulation, rows).tobytes() == expected.tobytes()
    assert through_python(contactlib.Simulation(believed), rows).tobytes() != expected.tobytes()
    found = []
    for model, given in ((true, {}), (believed, values)):
        with Slave(export_fmu(model, tmp_path / f"{len(found)}.fmu"), tmp_path / str(len(found)), model) as slave:
            slave.start()
            for name, value in given.items():  # one after the other, as masters do
                slave.setReal(named(model, name), [value])
            found.append(run_fmu(slave, rows, H).tobytes())
    assert found[0] == found[1]


@both
@pytest.mark.parametrize(("before", "after", "true"), [(0.7, 1.0, 1.0), (1.0, 1.5, 1.0), (1.0, 1.5, 1.5)])
def test_the_response_follows_values_set_during_the_run(mode, before, after, true):
    """The ratio of the two masses is learnt again. It stays 1 where the plant changes together with its parameters."""
    outside = np.zeros((2, 6))
    outside[:, 0] = 300.0, -300.0  # so that they meet again and again
    master = Master(balls(mode, factor=before), H, plant=balls("none"), outside=outside)
    master.run(120)
    np.testing.assert_allclose(master.simulation.responses[:, 0], before, rtol=2e-3)
    master.simulation.set({f"{name}.mass": 10.0 * after for name in ("one", "two")})
    master.masses = Master(balls("none", factor=true), H).masses
    rows = master.run(150)[-150:]
    np.testing.assert_allclose(master.simulation.responses[:, 0], after / true, rtol=5e-3)
    gap = rows[:, 1, 0] - rows[:, 0, 0] - 1.0
    total = (master.momenta(rows)[0] + 300.0 * gap)[gap > 0.0]  # no contact, which stores energy
    assert total.max() < 1.05 * total.min(), total


@pytest.mark.parametrize(("change", "sentence"), [
    ({"one.mass": 0.0}, "one.mass = 0: must be greater than 0 kg"),
    ({"one.mass": -1.0}, "one.mass = -1: must be greater than 0 kg"),
    ({"one.com[2]": np.nan}, r"one.com\[2\] = nan: must be finite"),
    ({"one.inertia": [1.0, 1.0, 3.0, 0.0, 0.0, 0.0]},
     r"one.inertia = \[1, 1, 3, 0, 0, 0\] kg m2: must have principal moments of which none exceeds the sum of the "
     "other two; set all six elements xx, yy, zz, xy, xz, yz of one inertia"),
    ({"two.mass": 3.0, "two.inertia": [1.0, 1.0, 1.0, 2.0, 0.0, 0.0]},
     r"two.inertia = \[1, 1, 1, 2, 0, 0\] kg m2: must be positive definite; set all six"),
    ({"two.inertia[1]": -1.0}, "two.inertia = .*must be positive definite"),
])
def test_impossible_values_are_refused_and_change_nothing(change, sentence):
    simulation = contactlib.Simulation(true_balls("jacobi").compile())
    before = simulation.save()
    with pytest.raises(ValueError, match=sentence):
        simulation.set(change)
    assert simulation.save() == before


@pytest.mark.parametrize("moments", [(1.0, 1.0, 2.0), (1e-9, 1.0, 1.0), (3.0, 2.0, 1.0)])
def test_flat_plates_and_thin_rods_are_allowed_in_all_attitudes(moments):
    simulation = contactlib.Simulation(true_balls("jacobi").compile())
    random = np.random.default_rng(1)
    for _ in range(100):
        R = np.linalg.qr(random.normal(size=(3, 3)))[0]
        matrix = R @ np.diag(moments) @ R.T
        simulation.set("one.inertia", matrix[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)])
        simulation.set("one.inertia", [*(1.0 + 1e-6 * np.arange(3)), 0.0, 0.0, 0.0])


def test_a_scene_with_values_at_the_limit_is_allowed():
    plate = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 2.0))
    spec = true_balls("jacobi")
    spec = replace(spec, bodies=tuple(replace(body, inertia=plate) for body in spec.bodies))
    simulation = contactlib.Simulation(spec.compile())
    simulation.set("one.mass", 3.0)
    simulation.step(H)


def test_elements_set_one_after_the_other_may_be_impossible_in_between(tmp_path):
    model = true_balls("jacobi").compile()
    rows = flight("jacobi", 3)
    with Slave(export_fmu(model, tmp_path / "balls.fmu"), tmp_path / "balls", model) as slave:
        slave.start(logging=True)
        run_fmu(slave, rows[:2], H)
        xx, yy, zz = named(model, "one.inertia")[:3]
        refused(DISCARD, slave.setReal, named(model, "one.mass"), [0.0])
        assert slave.last().endswith("it must be greater than 0 kg.")
        assert slave.getReal(named(model, "one.mass")) == [10.0]
        slave.setReal([zz], [5.0])
        before = slave.everything()
        refused(DISCARD, slave.doStep, 2 * H, H)
        assert "one.inertia = [1, 1.2, 5, 0.1, -0.2, 0.05] kg m2: must have principal moments" in slave.last()
        assert slave.everything() == before
        slave.take(before)
        slave.setReal([xx, yy], [4.0, 4.0])
        slave.doStep(2 * H, H)


@both
def test_a_saved_state_keeps_them(mode):
    model, rows = true_balls(mode).compile(), flight(mode)
    values = mass_properties(wrong(true_balls(mode)).compile())
    simulation = contactlib.Simulation(model)
    simulation.set(values)
    through_python(simulation, rows[:12])
    saved = simulation.save()
    expected = through_python(simulation, rows[12:])
    other = contactlib.Simulation(model)  # whose working copy has the values of the scene
    other.restore(saved)
    assert other.get("one.mass") == 6.0
    assert through_python(other, rows[12:]).tobytes() == expected.tobytes()
    other.reset()
    assert other.get("one.mass") == 10.0
    assert through_python(other, rows).tobytes() == through_python(contactlib.Simulation(model), rows).tobytes()


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_a_mass_out_of_its_range_is_no_state(value):
    simulation = contactlib.Simulation(true_balls("jacobi").compile())
    simulation.set("one.mass", 1234.5)
    saved = simulation.save()
    assert saved.count(np.float64(1234.5).tobytes()) == 1
    simulation.set("one.mass", 10.0)
    with pytest.raises(ValueError, match="saved state"):
        simulation.restore(saved.replace(np.float64(1234.5).tobytes(), np.float64(value).tobytes()))
    assert simulation.get("one.mass") == 10.0


def test_initial_outputs_depend_on_them_only_where_outputs_are_predicted():
    for mode in ("jacobi", "gauss_seidel", "none"):
        model = balls(mode).compile()
        index = {v.name: i for i, v in enumerate(model.variables)}
        known = {model.variables[i].name for i in initial_dependencies(model)[index["one.f[1]"]]}
        wanted = {name for name in mass_properties(model) if mode == "jacobi"}
        assert {name for name in known if is_mass_property(model, name)} == wanted
    assert len(MASS_PROPERTIES) == 3


def test_an_announced_first_step_depends_on_them():
    """The dependency is true: the initial wrench is the mean over the first step."""
    forces = []
    for mass in (10.0, 20.0):
        model = balls("jacobi").compile()
        data = contactlib.Simulation(model).data
        for name, value in {"next_step": H, "one.mass": mass, "one.r[1]": -0.5, "two.r[1]": 0.495}.items():
            data.set(*named(model, name), value)
        data.accept_inputs()
        data.evaluate()
        forces.append(data.get(*named(model, "one.f[1]")))
    assert forces[0] != forces[1]
