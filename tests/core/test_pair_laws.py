"""Laws of pairs of objects and of several pairs of materials: which law a contact has, and what is refused."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import contactlib
from contactlib.fmu.export import export_fmu
from tests.support.fmu_cases import Slave, peg_scene, rattling, run_fmu, run_python
from tests.support.law_scenes import GRAINED, SPRING
from tests.support.scenes import body

SOFT, HARD = SPRING, {**SPRING, "stiffness": 4e3}
DEEP = 1e-3  # m: 1 N of the soft law, 4 N of the hard one


def floor(name, material, kind="plane", **keys):
    return body(name, "fixed", shapes=[{"name": "top", "kind": kind, "material": material, **keys}])


def tip(material="a", name="tip"):
    return body(name, "external", shapes=[{"name": "tip", "kind": "point", "material": material}],
                state={"r": [0.0, 0.0, -DEEP]})


def tables(laws, pairs, bodies):
    return {"scene": {"name": "test"}, "body": bodies, "law": laws, "pair": pairs}


def force(laws, pairs, bodies, on="tip", **state):
    simulation = contactlib.Simulation(contactlib.Spec.from_dict(tables(laws, pairs, bodies)).compile())
    return simulation.compute({on: state} if state else None).wrench(on)[:3]


PAIRED = [{"bodies": ["tip", "floor"]}]
OF_MATERIALS = {"name": "soft", "materials": ["a", "b"], "normal": SOFT}
OF_OBJECTS = {"name": "hard", "normal": HARD}


@pytest.mark.parametrize("names", [["tip", "floor"], ["floor", "tip"]])
def test_the_law_of_the_objects_wins(names):
    laws, bodies = [OF_MATERIALS, OF_OBJECTS], [tip(), floor("floor", "b")]
    plain = force([OF_MATERIALS], [{"bodies": names}], bodies)
    own = force(laws, [{"bodies": names, "law": "hard"}], bodies)
    assert plain[2] == pytest.approx(1e3 * DEEP) and own[2] == pytest.approx(4e3 * DEEP)


def test_objects_with_a_law_need_none_for_their_materials():
    assert force([OF_OBJECTS], [{**PAIRED[0], "law": "hard"}], [tip(), floor("floor", "b")])[2] == pytest.approx(4.0)


def test_only_these_objects():
    """Another object of the same material keeps the law of the materials."""
    bodies = [tip(), floor("floor", "b"), floor("ground", "b")]
    pairs = [{"bodies": ["tip", "floor"], "law": "hard"}, {"bodies": ["tip", "ground"]}]
    assert force([OF_MATERIALS, OF_OBJECTS], pairs, bodies)[2] == pytest.approx(1.0 + 4.0)


def test_movable_groups_of_the_objects_too():
    arm = body("arm", "external", group=[
        {"name": "hand", "movable": True, "shape": [{"name": "tip", "kind": "point", "material": "a"}],
         "state": {"r": [0.0, 0.0, -DEEP]}}])
    del arm["shape"]
    pairs = [{"bodies": ["arm", "floor"], "law": "hard"}]
    assert force([OF_MATERIALS, OF_OBJECTS], pairs, [arm, floor("floor", "b")], "arm.hand")[2] == pytest.approx(4.0)


def test_one_law_for_several_materials():
    law = {"name": "soft", "materials": [["a", "b"], ["c", "a"]], "normal": SOFT}
    bodies = [tip(), floor("floor", "b"), floor("ground", "c")]
    pairs = [*PAIRED, {"bodies": ["ground", "tip"]}]
    spec = contactlib.Spec.from_dict(tables([law], pairs, bodies))
    model = spec.compile()
    assert [v.name for v in model.variables if v.causality == "parameter" and v.name.startswith("soft")] == [
        "soft.stiffness", "soft.damping"]
    simulation = contactlib.Simulation(model)
    assert simulation.wrenches[0, 2] == pytest.approx(2.0)
    simulation.data.set([v.name for v in model.variables].index("soft.stiffness"), 3e3)  # of both
    assert simulation.compute().wrench("tip")[2] == pytest.approx(6.0)
    assert contactlib.Model.from_bytes(model.to_bytes()).hash == model.hash


def rubbed(first, second, law, pair):
    """Force on the tip that slides over a box which is turned a right angle: along y of the world is its grain."""
    quarter = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
    bodies = [tip(), floor("floor", "b", "box", size=[1.0, 1.0, 1.0], r=[0.0, 0.0, -0.5], q=quarter)]
    simulation = contactlib.Simulation(contactlib.Spec.from_dict(tables([law], [pair], bodies)).compile())
    velocity = np.array([1.0, 0.0, 0.0])
    for k in range(20):
        result = simulation.step(1e-3, {"tip": {"r": [k * 1e-3, 0.0, -DEEP], "v": velocity}})
    return result.wrench("tip")[0]


def test_the_grain_is_of_the_second():
    """Of the second material, or of the second object, whatever order the kernel takes the shapes in."""
    law = {"name": "grain", "normal": SOFT, "friction": GRAINED}
    across, along = -GRAINED["mu_across"], -GRAINED["mu_along"]
    for names, expected in ((["tip", "floor"], across), (["floor", "tip"], along)):
        pair = {"bodies": names, "law": "grain"}
        assert rubbed(*names, law, pair) == pytest.approx(expected, rel=1e-6)
    for materials, expected in ((["a", "b"], across), (["b", "a"], along)):
        assert rubbed(None, None, {**law, "materials": materials}, PAIRED[0]) == pytest.approx(expected, rel=1e-6)
    several = {**law, "materials": [["b", "a"], ["b", "b"]]}
    assert rubbed(None, None, several, PAIRED[0]) == pytest.approx(along, rel=1e-6)


MISTAKES = [
    (("pair", 0, "law"), "hrad", r"pair \['tip', 'floor'\]: there is no law 'hrad'; did you mean 'hard'?"),
    (("pair", 0, "law"), 3, r"pair\[0\].law = 3: must be a name"),
    (("pair", 0, "law"), ..., "law 'hard' is for nothing: give it materials, or name it as the law of a pair"),
    (("law", 0, "materials"), [["a", "b"], ["b", "a"]], "laws 'soft' and 'soft' are for the same materials b and a"),
    (("law", 0, "materials"), [["a", "b"], ["a"]], r"law\[0\].materials\[1\] = \['a'\]: must be a list of 2"),
    (("law", 0, "materials"), [["a", "b"], ["a", "d"]], "law 'soft': no shape is made of 'd'"),
    (("law", 0, "materials"), [], r"law\[0\].materials = \[\]: must be a list of 2"),
    (("law", 0, "log"), "../x", r"law\[0\].log = '../x': must be the name of a file without its folder"),
    (("law", 0, "log_interval"), -1, r"law\[0\].log_interval = -1: must be a finite number of at least 0"),
]


@pytest.mark.parametrize(("path", "value", "message"), MISTAKES, ids=[m[2][:50] for m in MISTAKES])
def test_mistakes(path, value, message):
    values = copy.deepcopy(tables([OF_MATERIALS, OF_OBJECTS], [{**PAIRED[0], "law": "hard"}],
                                  [tip(), floor("floor", "b")]))
    part, row, key = path
    values[part][row].pop(key, None)
    if value is not ...:
        values[part][row][key] = value
    with pytest.raises(ValueError, match=message):
        contactlib.Spec.from_dict(values).compile()


def test_a_damaged_law_of_a_pair_is_refused():
    """The number of a pair's law, as everything in a model file, is not trusted."""
    from contactlib.model.model_file import RECORDS, read_section

    model = contactlib.Spec.from_dict(
        tables([OF_OBJECTS], [{**PAIRED[0], "law": "hard"}], [tip(), floor("floor", "b")])).compile()
    content = model.to_bytes()
    tag = 7  # of the pairs
    (pair,) = read_section(content, tag, "pair")
    assert pair["law"] == 0 and RECORDS["pair"].fields["law"][1] == 8
    sections = np.frombuffer(content, RECORDS["section"], tag + 1, RECORDS["header"].itemsize)
    offset = int(sections[tag]["offset"])
    from tests.model.test_model_fuzz import patched, repaired

    for number in (-2, 1, 2**31 - 1):
        changed = patched(content, offset + 8, number.to_bytes(4, "little", signed=True))
        with pytest.raises(ValueError, match="out of its range in section 'pairs'"):
            contactlib.Model.from_bytes(repaired(changed))


def test_the_fmu_has_the_law_of_the_objects(tmp_path):
    """The law that a pair names gives the same bits as the same law by its materials, in Python and in the FMU."""
    spec = peg_scene()
    named = replace(spec, laws=tuple(replace(law, materials=()) for law in spec.laws),
                    pairs=tuple(replace(pair, law=spec.laws[0].name) for pair in spec.pairs))
    by_materials, model = spec.compile(), named.compile()
    rows = rattling(model, 40, 4.3e-3)
    expected = run_python(by_materials, rows, 4.3e-3)
    assert by_materials.hash != model.hash and run_python(model, rows, 4.3e-3).tobytes() == expected.tobytes()
    with Slave(export_fmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
        assert run_fmu(slave.start(), rows, 4.3e-3).tobytes() == expected.tobytes()
