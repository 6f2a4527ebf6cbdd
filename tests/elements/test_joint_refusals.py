"""What a scene may not say about joints, in sentences; and that each name of an element's variables is one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import contactlib
from contactlib._core import engine
from contactlib.elements.ball_joints import BallJoints
from contactlib.elements.base import Element
from contactlib.elements.joints import MAX_JOINTS, FixedJoint, Hinge, Slider, SpringDamper
from contactlib.model.spec import Spec
from tests.elements.test_joint_motion import link


def refused(*joints: Element, **keys: Any) -> str:
    """The sentence that a scene of two free bodies, a fixed and an external one is refused with."""
    bodies = [link("one", 1.0, (0, 0, 0)), link("two", 1.0, (1, 0, 0)), link("wall", 1.0, (0, 1, 0), motion="fixed"),
              link("robot", 1.0, (0, 0, 1), motion="external")]
    with pytest.raises(ValueError) as error:
        Spec("mechanism", bodies=tuple(bodies), elements=joints, **keys).compile()
    return str(error.value)


@pytest.mark.parametrize(("joint", "sentence"), [
    (Hinge("j", "too"), "hinge 'j': arm = 'too': there is no such body; did you mean 'two'?"),
    (Hinge("j", "two", base="on"), "hinge 'j': base = 'on': there is no such body; did you mean 'one'?"),
    (Hinge("j", "two", base="two"), "hinge 'j': arm = 'two': must be another body"),
    (Slider("j", "wall"), "slider 'j': arm = 'wall': must be a free body, or its base must be one"),
    (FixedJoint("j", "wall"), "fixed_joint 'j': arm = 'wall': must be a free body"),
    (SpringDamper("j", None, "wall", 1.0), "spring_damper 'j': last_body = 'wall': must not be fixed if first_body is"),
    (SpringDamper("j", "one", "two", 1.0, first_point=(1, 0, 0)), "must not coincide with first_point at the start"),
    (Hinge("j", "two", axis=(0, 0, 0)), "hinge 'j': axis = (0, 0, 0): must be a vector other than zero"),
    (Hinge("j", "two", axis=(0, float("nan"), 0)), "hinge 'j': axis[1] = nan: must be a finite number"),
    (Hinge("j", "two", lower=1.0, upper=1.0, start=1.0), "hinge 'j': lower = 1.0: must be less than upper = 1"),
    (Slider("j", "two", lower=0.1), "slider 'j': start = 0.0: must not be below lower = 0.1"),
    (Slider("j", "two", upper=-0.1), "slider 'j': start = 0.0: must not be above upper = -0.1"),
    (Slider("j", "two", drive_stiffness=1.0), "slider 'j': drive_limit = 0.0: must be greater than 0 N if there is a"),
    (Hinge("j", "two", stiffness=-1.0), "hinge 'j': stiffness = -1.0: must be a finite number of at least 0"),
    (Hinge("j", "two", base="robot"), "hinge 'j': 'robot' is external, so that this rigid joint acts on it in the"),
])
def test_a_joint_that_cannot_be_is_refused_in_a_sentence(joint, sentence):
    assert sentence in refused(joint)


def test_joints_need_the_integrator_that_solves_them():
    assert refused(Hinge("j", "two"), integrator="rk4") == (
        "hinge 'j': scene.integrator = 'rk4': joints are solved with 'semi_implicit_euler' only")


def test_joints_and_ball_joints_do_not_share_a_body():
    other = BallJoints("b", ("one",), ((0, 0, 0),), ((0, 0, 0),))
    assert "hinge 'j' and ball_joints 'b' both hold 'one'" in refused(Hinge("j", "one"), other)


def test_there_are_not_too_many():
    joints = [Hinge(f"j{k}", "two") for k in range(MAX_JOINTS + 1)]
    assert f"the scene has {MAX_JOINTS + 1} joints, must have at most {MAX_JOINTS}" in refused(*joints)
    most = replace(Spec("most", bodies=(link("two", 1.0, (1, 0, 0)),)), elements=tuple(joints[:-1]))
    run = contactlib.Simulation(most.compile())
    run.step(0.01)
    assert run.elements["j0"].gap < 1e-12


def test_bodies_that_are_held_apart_end_the_run_in_a_sentence():
    """A body on two robots that move apart: no force can keep both joints."""
    bodies = [link("one", 1.0, (0, 0, 0)), link("left", 1.0, (-1, 0, 0), motion="external"),
              link("right", 1.0, (1, 0, 0), motion="external")]
    joints = tuple(FixedJoint(f"to_{base}", "one", base=base) for base in ("left", "right"))
    spec = Spec("torn", bodies=tuple(bodies), elements=joints, wrench_output="mean")
    run = contactlib.Simulation(spec.compile())
    before = run.save()
    with pytest.raises(ValueError, match="no joint force can bring its bodies together: others hold them apart"):
        run.step(1e-2, {"left": {"v": (-1.0, 0, 0)}, "right": {"v": (1.0, 0, 0)}})
    assert run.save() == before


def test_keys_of_a_scene_file_are_those_of_the_classes():
    part = {"motion": "free", "mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
    table = {"scene": {"name": "m"}, "body": [{"name": "a", **part}, {"name": "b", **part, "state": {"r": [1, 0, 0]}}]}
    spec = Spec.from_dict({**table, "hinge": [{"name": "h", "arm": "b", "base": "a", "axis": [0, 1, 0], "lower": -1.0,
                                               "drive_limit": 2.0, "target": 0.3}],
                           "spring_damper": [{"name": "s", "first_body": "a", "last_body": "b", "stiffness": 5.0}]})
    assert spec.elements == (Hinge("h", "b", base="a", axis=(0.0, 1.0, 0.0), lower=-1.0, drive_limit=2.0, target=0.3),
                             SpringDamper("s", "a", "b", 5.0))
    with pytest.raises(ValueError, match=r"hinge\[0\]\.axes is not a known key; did you mean 'axis'\?"):
        Spec.from_dict({**table, "hinge": [{"name": "h", "arm": "b", "axes": [0, 1, 0]}]})


def test_no_element_uses_a_name_twice():
    """Parameters, commands and outputs of an element are variables of one prefix."""
    for name, *tables in engine.element_table():
        names = [row[0][0] for table in tables for row in table]
        assert len(names) == len(set(names)), name


def test_an_axis_upside_down_is_no_closed_hinge():
    spec = Spec("door", bodies=(link("arm", 1.0, (0, 0, 0)),), elements=(Hinge("j", "arm"),))
    run = contactlib.Simulation(spec.compile())
    run.compute({"arm": {"q": (0.0, 1.0, 0.0, 0.0)}})
    with pytest.raises(ValueError, match="no joint force can bring its bodies together"):
        run.step(1e-3)
