"""scene.step_size: a length, or "auto" with max_step_size as the longest one (docs/simulation.md)."""

from __future__ import annotations

from typing import Any

from contactlib.common import tables
from contactlib.common.options import AUTO

#: the defaults of scene.step_size and scene.max_step_size, s
STEP_SIZE: float | str = 1e-3
MAX_STEP_SIZE = 1e-2
_LENGTH = tables.number(0.0, above=True)


def step_size(path: str, value: Any) -> float | str:
    """Read scene.step_size; ValueError with the path, the value and what is allowed."""
    if isinstance(value, str) and value != AUTO:
        tables.fail(path, value, f"must be a finite number greater than 0, or '{AUTO}'{tables.question(value, [AUTO])}")
    return value if isinstance(value, str) else _LENGTH(path, value)


def longest(value: float | str, most: float) -> float:
    """Check both keys of a scene and return the number of the model file: below zero for "auto".

    Raises ValueError with the key's path, the value and what is allowed.
    """
    step, limit = step_size("scene.step_size", value), _LENGTH("scene.max_step_size", most)
    if isinstance(step, str):
        return -limit
    if limit != MAX_STEP_SIZE:
        tables.fail("scene.max_step_size", most,
                    f"needs step_size = '{AUTO}'; step_size = {step:g} is already the longest step of the core")
    return step
