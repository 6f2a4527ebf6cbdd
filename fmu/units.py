"""Converts units of the variable table to SI base units for modelDescription.xml."""

from __future__ import annotations

import re
from collections import Counter

#: exponents of the base units in each unit symbol; all symbols are coherent, so every factor is 1
SYMBOLS: dict[str, dict[str, int]] = {
    "1": {},
    "kg": {"kg": 1},
    "m": {"m": 1},
    "s": {"s": 1},
    "rad": {"rad": 1},
    "A": {"A": 1},
    "K": {"K": 1},
    "Hz": {"s": -1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
}
FACTOR = re.compile(r"(1|[A-Za-z]+)\^?(-?\d+)?")


def base_units(unit: str) -> dict[str, int] | None:
    """Return the exponents of the base units in a unit, or None if they are not constant, as in N/m^n.

    Factors are joined by a point; all factors after the slash divide.

    Examples
    --------
    >>> base_units("N.s/m")
    {'kg': 1, 's': -1}
    >>> base_units("N/m^n") is None
    True
    """
    above, _, below = unit.partition("/")
    total: Counter[str] = Counter()
    for product, sign in ((above, 1), (below, -1)):
        for factor in filter(None, product.split(".")):
            match = FACTOR.fullmatch(factor)
            if match is None or match[1] not in SYMBOLS:
                return None
            for base, exponent in SYMBOLS[match[1]].items():
                total[base] += sign * exponent * int(match[2] or 1)
    return {base: exponent for base, exponent in total.items() if exponent}
