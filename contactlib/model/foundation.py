"""Laws of an elastic foundation: the modulus from a layer, and the sharpness that such a law has.

A layer of the thickness h and Young's modulus E that is free to expand sideways is compressed by the strain e/h where a
hard face is e deep in it. Its pressure is E e/h, so the modulus of the foundation is K = E/h (Winkler 1867; Johnson,
Contact Mechanics, 1985, section 4.3). A layer that is bonded and wide, or does not change its volume, is stiffer.
"""

from __future__ import annotations

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.tables import Table

#: of the integral of the squared extent, which is the energy of a foundation
FOUNDATION_SHARPNESS = 2
USUAL_SHARPNESS = 4


def modulus_of_layer(youngs_modulus: float, layer: float) -> float:
    """Return the modulus K (Pa/m) of an elastic foundation: a layer that is free to expand sideways.

    Parameters
    ----------
    youngs_modulus : E of the layer, Pa.
    layer : thickness h of the layer, m; of two layers on each other, with the same E, the sum.

    Examples
    --------
    >>> modulus_of_layer(5e6, 2e-3)  # 2 mm of rubber
    2500000000.0
    """
    return youngs_modulus / layer


def take_layer(table: Table) -> None:
    """Replace Young's modulus and the thickness of a layer, where they are given, by the modulus of the foundation.

    Raises
    ------
    ValueError : neither or both ways are given, or half of one.
    """
    layer, either = ("youngs_modulus", "layer"), "give modulus (Pa/m), or youngs_modulus (Pa) and layer (m)"
    given = [key for key in layer if key in table.values]
    if "modulus" in table.values:
        if given:
            tables.fail(table.at(given[0]), table.values[given[0]], f"is given beside modulus: {either}")
        return
    missing = [key for key in layer if key not in given] if given else ["modulus"]
    if missing:
        raise ValueError(f"{table.at(missing[0])} is missing: {either}")
    positive = tables.number(0.0, above=True)
    table.values["modulus"] = modulus_of_layer(table.take("youngs_modulus", positive), table.take("layer", positive))


def sharpness_of(law: str, normal: str, given: int) -> int:
    """Return the sharpness of a law with this normal law; 0 is given for the usual one.

    Raises
    ------
    ValueError : the normal law is an elastic foundation, and another sharpness than 2 is given.
    """
    if not engine.needs_surface(normal):
        return given or USUAL_SHARPNESS
    if given not in (0, FOUNDATION_SHARPNESS):
        tables.fail(f"law '{law}'.sharpness", given,
                    f"must be {FOUNDATION_SHARPNESS} with the normal law '{normal}', whose energy is the integral of "
                    f"the squared extent: leave the key out")
    return FOUNDATION_SHARPNESS
