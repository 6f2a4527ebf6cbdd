"""Elementary functions of numbers, from the core: the same bits on every machine.

Python's `math` asks the C library, and numpy has variants for several processors: both may differ in the last bit.
Whatever leads from a scene to the bytes of its model uses the functions of this module, and those of
`contactlib.common.vectors`. `math.sqrt` and `math.radians` may be used: their results are exact roundings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine

Floats = NDArray[np.float64]


def sin(x: float) -> float:
    """Return the sine of an angle in rad.

    >>> sin(0.0), round(sin(0.5), 6)
    (0.0, 0.479426)
    """
    return float(engine.elementary("sin", x))


def cos(x: float) -> float:
    """Return the cosine of an angle in rad."""
    return float(engine.elementary("cos", x))


def tan(x: float) -> float:
    """Return the tangent of an angle in rad."""
    return float(engine.elementary("tan", x))


def acos(x: float) -> float:
    """Return the angle in rad, from 0 to pi, whose cosine is x; nan if |x| is above one."""
    return float(engine.elementary("acos", x))


def atan2(y: float, x: float) -> float:
    """Return the angle of the point (x, y) in rad, from -pi to pi."""
    return float(engine.elementary("atan2", y, x))


def angles(y: Floats, x: Floats) -> Floats:
    """Return the angles of points (x, y) in rad, from -pi to pi, of arrays of one shape."""
    return engine.elementary("atan2", y, x)


def log(x: float) -> float:
    """Return the natural logarithm; nan below zero."""
    return float(engine.elementary("log", x))


def power(x: float, y: float) -> float:
    """Return x to the power of y."""
    return float(engine.elementary("pow", x, y))


def hypot(*x: float) -> float:
    """Return the square root of the sum of squares, without overflow on the way.

    >>> hypot(3.0, 4.0, 12.0)
    13.0
    """
    length = 0.0
    for component in x:
        length = float(engine.elementary("hypot", length, component))
    return length
