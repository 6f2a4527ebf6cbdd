"""Elements of a scene: what acts on bodies besides plain contact, such as a membrane.

A kind of element is a class, in `ELEMENTS` by the name of its table in a scene file, which is also its row of the
element table of the core. It reads its table and says what its design in the core is made of; parameters, commands and
outputs come from the row.
"""

from contactlib.elements.base import Design, Element, Sections
from contactlib.elements.membrane import Membrane
from contactlib.elements.view import ElementView, views

ELEMENTS: dict[str, type[Element]] = {kind.kind: kind for kind in (Membrane,)}

__all__ = ["ELEMENTS", "Design", "Element", "ElementView", "Membrane", "Sections", "views"]
