"""Elements of a scene: what acts on bodies besides plain contact, such as a membrane.

A kind of element is a class, in `ELEMENTS` by the name of its table in a scene file, which is also its row of the
element table of the core. It reads its table and says what its design in the core is made of; parameters, commands and
outputs come from the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from contactlib.elements.ball_joints import BallJoints, check_alone
from contactlib.elements.base import Design, Element, Sections, path_of
from contactlib.elements.berthing import Berthing, check_leads
from contactlib.elements.cable import Cable
from contactlib.elements.cables import Cables
from contactlib.elements.drive import Drive
from contactlib.elements.gauge import Gauge
from contactlib.elements.indicator import Indicator
from contactlib.elements.latch import Latch
from contactlib.elements.latch_drive import LatchDrive
from contactlib.elements.membrane import Membrane
from contactlib.elements.snare import Snare
from contactlib.elements.thruster import Thruster
from contactlib.elements.view import ElementView, views

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody

ELEMENTS: dict[str, type[Element]] = {
    kind.kind: kind for kind in (Membrane, Thruster, BallJoints, Cables, Snare, Latch, LatchDrive, Indicator, Berthing,
                                 Gauge)}

__all__ = ["ELEMENTS", "BallJoints", "Berthing", "Cable", "Cables", "Design", "Drive", "Element", "ElementView",
           "Gauge", "Indicator", "Latch", "LatchDrive", "Membrane", "Sections", "Snare", "Thruster", "in_order",
           "views"]


def in_order(elements: Sequence[Element], bodies: Mapping[str, FlatBody], integrator: str) -> list[Element]:
    """As the core goes through them: leaders behind those that they lead, joints last, which hold against all loads.

    ValueError if two clash, or one does not go with the integrator.
    """
    joints = [element for element in elements if isinstance(element, BallJoints)]
    check_alone(joints)
    check_leads(elements)
    for element in elements:
        if isinstance(element, Cables | Snare):
            _check_implicit(element, joints, bodies, integrator)
    leaders = [element for element in elements if isinstance(element, Berthing)]
    return [*(element for element in elements if not isinstance(element, BallJoints | Berthing)), *leaders, *joints]


def _check_implicit(element: Cables | Snare, joints: Sequence[BallJoints], bodies: Mapping[str, FlatBody],
                    integrator: str) -> None:
    """Cables move in one step with the free bodies that they hold or touch; joints would not know of their pull."""
    if integrator != "semi_implicit_euler":
        raise ValueError(f"{path_of(element)}: integrator = '{integrator}': cables move by implicit steps, which go "
                         "with 'semi_implicit_euler' only")
    holds = (element.base,) if isinstance(element, Snare) else (element.first_body, element.last_body)
    for name in (*holds, *element.touches):
        free = name in bodies and bodies[name].motion == "free"
        for joint in joints:
            if free and name in (joint.base, *joint.arms):
                raise ValueError(f"{path_of(element)} and {path_of(joint)} both act on '{name}', which is free: joints "
                                 "do not hold against cables; fix the body, or hold it by cables alone")
