"""A scene with the surfaces and objects of RiSE's example: a foot of two pads over ground, wall and window."""

from contactlib import Simulation, Spec
from tests.support.scenes import body

PAIRS = [(("FrontRightFoot", "Ground"), {}), (("RearFoot", "Ground"), {})]


def shape(name, material, kind="sphere", **keys):
    return {"name": name, "kind": kind, "material": material, **keys}


def climber(laws=(), pairs=(), **options):
    """The foot is a ball of 10 cm whose lowest point is 1 mm below the plane z = 0 of the ground."""
    foot = body("FrontRightFoot", "external", [shape("heel", "Normal", radius=0.1)],
                state={"r": [0.0, 0.0, 0.099]}, mass=1.0, inertia=[4e-3] * 3)
    pad = body("RearFoot", "external", [shape("pad", "Sticky", radius=0.1)], state={"r": [0.0, 5.0, 0.099]})
    ground = body("Ground", "fixed", [shape("top", "Glass", "plane")])
    wall = body("Wall", "fixed", [shape("front", "Glass", "plane", q=[0.5**0.5, 0.0, 0.5**0.5, 0.0], r=[-9.0, 0, 0])])
    named = [{"bodies": list(names), **keys} for names, keys in pairs]
    return Spec.from_dict({"scene": {"name": "climber", **options}, "body": [foot, pad, ground, wall],
                           "law": list(laws), "pair": named})


def lift(spec, name="FrontRightFoot"):
    """Vertical force on a foot that is 1 mm deep."""
    return Simulation(spec.compile()).compute().wrench(name)[2]
