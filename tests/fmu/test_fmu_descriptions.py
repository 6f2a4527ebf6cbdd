"""Descriptions of variables: each stands alone. Noun first; what, of what, at which time; no other one is equal."""

import re
from dataclasses import replace

import pytest

import contactlib
from contactlib.model import spec
from tests.support.every_element import SPECS

SCENES = {path.parent.name: path for path in sorted(spec.SCENES.glob("*/scene.toml"))}
#: the quantities that descriptions begin with, after an adjective
NOUNS = """
    angle area attraction axes coefficient consistency command conductance coupling current damping depth direction
    distance elongation energy error exponent flag force friction inertia length limit load magnitude mass
    modulus moment momentum number phase position preload pressure quaternion radius range rate ratio
    speed state stiffness tension thrust time torque travel velocity voltage
"""
ADJECTIVES = """
    angular contact effective elastic energy external friction joint largest moment resisting rest
    sliding upper viscous
"""
TIMES = {
    "input": ("at the communication point",),
    "output": ("at the end of the step", "over the step", "so far", "in the last step", "flag, "),
}
#: words that need a neighbour to be understood
DEPENDENT = re.compile(r"\b(this|these|those|that one|the same|now|here|ditto|they|them|likewise|whom|it)\b")


def every_variable():
    for name, path in SCENES.items():
        yield name, contactlib.load(path).compile()
    for name, make in SPECS.items():
        yield name, make().compile()
    yield "auto_step", replace(contactlib.load("tripod"), step_size="auto").compile()


@pytest.mark.parametrize(("name", "model"), [pytest.param(*case, id=case[0]) for case in every_variable()])
def test_descriptions_stand_alone(name, model):
    seen = {}
    for variable in model.variables:
        text = variable.description
        where = (name, variable.name, text)
        words = re.findall(r"[a-z]+", text.partition(" of ")[0].partition(",")[0])
        assert text[0].islower() and not text.endswith("."), where
        nouns, adjectives = NOUNS.split(), ADJECTIVES.split()
        assert words[0] in nouns + adjectives and set(nouns) & set(words[:3]), where
        assert not DEPENDENT.search(text), where
        assert len(text) <= 250, where
        owner = variable.name.rpartition(".")[0]
        assert not owner or owner in ("contact", "coupling") or f"'{owner}'" in text, where
        assert variable.causality == "parameter" or any(time in text for time in TIMES[variable.causality]), where
        assert text not in seen, (*where, seen[text])
        seen[text] = variable.name
