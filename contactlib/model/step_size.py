"""scene.step_size: a length, or "auto" with max_step_size as the longest one (docs/simulation.md)."""

from __future__ import annotations

from typing import Any

from contactlib.common import tables
from contactlib.common.options import AUTO

#: the default of scene.step_size, s
STEP_SIZE: float | str = 1e-3
#: the defaults of scene.max_step_size, s: of contact alone, and of scenes with elements, which the core cannot estimate
MAX_STEP_SIZE, MAX_STEP_SIZE_OF_ELEMENTS = 1e-2, 1e-3
_LENGTH = tables.number(0.0, above=True)


def step_size(path: str, value: Any) -> float | str:
    """Read scene.step_size; ValueError with the path, the value and what is allowed."""
    if isinstance(value, str) and value != AUTO:
        tables.fail(path, value, f"must be a finite number greater than 0, or '{AUTO}'{tables.question(value, [AUTO])}")
    return value if isinstance(value, str) else _LENGTH(path, value)


def longest(value: float | str, most: float | None, has_elements: bool) -> float:
    """Check both keys of a scene and return the number of the model file: below zero for "auto".

    `most` None is the default, which depends on whether the scene has elements.

    Raises ValueError with the key's path, the value and what is allowed.
    """
    step = step_size("scene.step_size", value)
    usual = MAX_STEP_SIZE_OF_ELEMENTS if has_elements else MAX_STEP_SIZE
    limit = usual if most is None else _LENGTH("scene.max_step_size", most)
    if isinstance(step, str):
        return -limit
    if most is not None:
        tables.fail("scene.max_step_size", most,
                    f"needs step_size = '{AUTO}'; step_size = {step:g} is already the longest step of the core")
    return step
