"""Elements of a scene: what acts on bodies besides plain contact, such as a membrane.

A kind of element is a class, in `ELEMENTS` by the name of its table in a scene file, which is also its row of the
element table of the core. It reads its table and says what its design in the core is made of; parameters, commands and
outputs come from the row.
"""

from collections.abc import Sequence

from contactlib.elements.ball_joints import BallJoints, check_alone
from contactlib.elements.base import Design, Element, Sections
from contactlib.elements.cable import Cable
from contactlib.elements.cables import Cables
from contactlib.elements.indicator import Indicator
from contactlib.elements.latch import Latch
from contactlib.elements.membrane import Membrane
from contactlib.elements.snare import Drive, Snare
from contactlib.elements.thruster import Thruster
from contactlib.elements.view import ElementView, views

ELEMENTS: dict[str, type[Element]] = {
    kind.kind: kind for kind in (Membrane, Thruster, BallJoints, Cables, Snare, Latch, Indicator)}

__all__ = ["ELEMENTS", "BallJoints", "Cable", "Cables", "Design", "Drive", "Element", "ElementView", "Indicator",
           "Latch", "Membrane", "Sections", "Snare", "Thruster", "in_order", "views"]


def in_order(elements: Sequence[Element]) -> list[Element]:
    """As the core goes through them: joints last, for they hold against all other loads. ValueError if two clash."""
    joints = [element for element in elements if isinstance(element, BallJoints)]
    check_alone(joints)
    return [*(element for element in elements if not isinstance(element, BallJoints)), *joints]
