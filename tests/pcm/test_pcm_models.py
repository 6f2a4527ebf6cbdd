"""Models of contact in .pcm files: every row of the law tables, DefaultContact, and classes in Python."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib import pcm
from contactlib._core import engine
from contactlib.common.options import LAW_PARTS
from contactlib.pcm.models import ADDED, ALIASES, ALONE, WHOLE, row_keys
from tests.pcm.pcm_scene import PAIRS, climber, lift

# ---- rows ----------------------------------------------------------------------------------------


def test_every_row_is_a_model():
    known = pcm.models()
    rows = {kind for part in ALONE for kind, _ in engine.law_tables()[part]}
    assert known.keys() >= rows
    assert known.keys() - rows == {alias.name for alias in ALIASES if not alias.absent()}


def block(keys, **values):
    """Return a block with a value for each key of type number."""
    values |= {key.name: f"({', '.join(['1'] * (key.length or 1))})" if key.length is not None else "1"
               for key in keys if not key.choice and not key.file}
    return "[{ " + " ".join(f"{name}={value};" for name, value in values.items()) + " }];"


@pytest.mark.parametrize("name", sorted(pcm.models()))
def test_a_row_can_be_named(name):
    """Each model reads all of its parameters, and only the required parameters; the others have their defaults."""
    model = pcm.models()[name]
    (law,) = pcm.loads(f"ContactType C = {name} {block(model.keys)}").laws
    (least,) = pcm.loads(f"ContactType C = {name} {block(key for key in model.keys if key.default is None)}").laws
    for part in ALONE:
        assert getattr(law, part) == getattr(least, part)
        count = len(dict(engine.law_tables()[part])[getattr(law, part)])
        assert len(getattr(law, f"{part}_parameters")) == len(getattr(least, f"{part}_parameters")) == count
    assert [getattr(law, part) for part in ALONE].count("none") == len(ALONE) - (name != "none")


@pytest.mark.parametrize(("part", "kind"), [(p, kind) for p in ADDED for kind, _ in engine.law_tables()[p]])
def test_a_row_can_be_added(part, kind):
    keys = (*pcm.models()["hertz"].keys, *row_keys(part, kind))
    name = '"' + kind + '"'
    (law,) = pcm.loads(f"ContactType C = hertz {block(keys, **{part: name})}").laws
    assert getattr(law, part) == kind
    assert len(getattr(law, f"{part}_parameters")) == len(dict(engine.law_tables()[part])[kind])


def test_no_two_rows_share_a_parameter():
    """Within a law: so parameters of all parts stand beside each other in one block."""
    keys = {part: {name.partition("[")[0] for _, rows in table for name, *_ in rows} | set(engine.law_tables())
            for part, table in engine.law_tables().items()}
    shared = [keys[a] & keys[b] - set(LAW_PARTS) for a in keys for b in keys if a < b and WHOLE not in (a, b)]
    assert not any(shared)


# ---- DefaultContact ------------------------------------------------------------------------------

DEFAULT = "ContactType C = DefaultContact [{ Error=2e-3; Load=9.80665; }]; ObjectPair FrontRightFoot * Ground -> C;"


def test_the_default_contact_gives_way_by_its_error():
    spec = pcm.loads(DEFAULT).applied_to(climber())
    simulation = contactlib.Simulation(spec.compile())
    result = simulation.compute({"FrontRightFoot": {"r": [0.0, 0.0, 0.1 - 2e-3]}})
    assert result.wrench("FrontRightFoot")[2] == pytest.approx(9.80665, rel=1e-12)


def test_the_default_contact_gives_back_half_the_speed():
    """At 0.1 m/s; the step is a two hundredth of the impact, whose integration is the only error: 1e-3."""
    spec = pcm.loads(DEFAULT).applied_to(climber(step_size=1e-4)).with_motion("free", "FrontRightFoot")
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute({"FrontRightFoot": {"r": [0.0, 0.0, 0.1], "v": [0.0, 0.0, -0.1]}})
    while simulation.states[0, 9] < 0.0 or len(simulation.contacts):
        simulation.step(1e-4)
    assert simulation.states[0, 9] == pytest.approx(0.05, rel=2e-3)


def test_the_default_contact_holds_on_a_slope():
    spec = pcm.loads(DEFAULT).applied_to(climber(step_size=1e-3, gravity=[2.0, 0.0, -9.80665]))
    spec = spec.with_motion("free", "FrontRightFoot")
    simulation = contactlib.Simulation(spec.compile())
    inertia = simulation.run(2.0, 1e-3).body("FrontRightFoot")
    slipped = simulation.contacts["slipping"]
    assert len(simulation.contacts) == 1 and not slipped.any()
    assert np.isfinite(inertia).all()


# ---- models in Python ----------------------------------------------------------------------------

PADS = """
ContactType   pad = feet:Anchor [{ stiffness=1000; damping=1e1; z_limit=5.0; LogFile="pad"; Resolution=0.01; }];
ContactType   hard = kelvin_voigt [{ stiffness=4e3; damping=0; }];

SurfacePair   Normal * Glass -> hard;
ObjectPair    FrontRightFoot * Ground -> pad;
"""
FEET = Path(__file__).parents[1] / "support" / "feet"


def test_a_model_in_python_is_named_by_module_and_class():
    contacts = pcm.loads(PADS, folder=FEET, trust=True)
    (pad, _), spec = contacts.laws, contacts.applied_to(climber((), PAIRS[:1]))
    assert pad.python.kind == "feet:Anchor" and pad.log == "pad" and pad.normal == pad.model == "none"
    assert pad.python.arguments == '{"damping": 10.0, "stiffness": 1000, "z_limit": 5.0}'
    normal = {"kind": "feet:Anchor", "stiffness": 1000, "damping": 1e1, "z_limit": 5.0}
    values = {"scene": {"name": "x"}, "law": [{"name": "pad", "model": normal, "log": "pad", "log_interval": 0.01}]}
    assert contactlib.Spec.from_dict(values, folder=FEET, trust=True).laws == (pad,)
    assert lift(spec) == pytest.approx(1.0)  # as the spring: 1 mm deep
    bare = replace(spec, laws=(), pairs=tuple(replace(pair, law=None) for pair in spec.pairs))
    assert pcm.loads(pcm.written(spec), folder=FEET, trust=True).applied_to(bare) == spec
    assert pcm.parse(pcm.format_text(PADS)) == pcm.parse(PADS)


PYTHON = [
    ("feet:Anchro [{ stiffness=1; }]", "model = 'feet:Anchro': the module feet has no subclass 'Anchro'"),
    ("feat:Anchor [{ stiffness=1; }]", "model = 'feat:Anchor': there is no module"),
    ("feet:Anchor", "Anchor needs the argument 'stiffness', and it is missing"),
    ("feet:Anchor [{ stifness=1; }]", "Anchor takes no argument 'stifness'; did you mean 'stiffness'?"),
    ("feet:Anchor [{ stiffness=1 N/m; }]", "wrong unit 'N/m': arguments of a class have no unit"),
    ("feet:Anchor [{ stiffness=1e999; }]", "model = 'feet:Anchor': "),
    ("feet:Anchor [{ stiffness=1; Resolution=-1; }]", "Resolution = -1.0: must be a finite number of at least 0"),
    ("feet : Anchor", "':' has no meaning here: expected '[{' or ';'"),
    ("../feet:Anchor", "'.' has no meaning here: expected a name or module:Class"),
]


@pytest.mark.parametrize(("model", "sentence"), PYTHON, ids=[model for model, _ in PYTHON])
def test_what_is_wrong_with_a_model_in_python(model, sentence):
    with pytest.raises(pcm.PcmError) as error:
        pcm.loads(f"ContactType C = {model};", folder=FEET, trust=True)
    assert sentence in str(error.value) and len(error.value.diagnostics) == 1


def test_a_text_runs_no_module():
    with pytest.raises(pcm.PcmError, match="'feet:Anchor' is a class in a module, and a text has no folder"):
        pcm.loads(PADS)


def test_arguments_that_a_pcm_file_cannot_express():
    for value in (True, None, [], "two\nlines", {"a": 1}, ["a"]):
        law = pcm.loads(PADS, folder=FEET, trust=True).laws[0]
        law = replace(law, python=replace(law.python, arguments=json.dumps({"stiffness": value})))
        with pytest.raises(ValueError, match=r"law 'pad': the argument stiffness = .* cannot be written to"):
            pcm.written(contactlib.Spec("x", laws=(law,)))
