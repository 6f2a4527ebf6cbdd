"""A scene by itself: bodies that have a mass fly freely, the others stand still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contactlib.common import tables
from contactlib.common.arguments import step_count
from contactlib.common.options import INTEGRATORS
from contactlib.model.spec import Spec


def closed_loop(
    spec: Spec, fixed: Sequence[str], dt: float | None, duration: float | None, integrator: str | None,
    moved: Sequence[str] = (),
) -> Spec:
    """The scene with every external body that has a mass made free, and the others fixed; `moved` are external.

    Examples
    --------
    >>> from contactlib import load
    >>> spec = closed_loop(load("peg_in_hole"), ["target"], None, None, None)
    >>> [body.motion for body in spec.bodies]
    ['free', 'fixed']
    """
    for name, value in (("dt", dt), ("duration", duration)):
        if value is not None and not 0 < value < float("inf"):
            raise ValueError(f"{name} = {value:g}: must be finite and greater than zero")
    if integrator is not None and integrator not in INTEGRATORS:
        raise ValueError(
            f"integrator = '{integrator}': must be one of {', '.join(INTEGRATORS)}"
            f"{tables.question(integrator, INTEGRATORS)}"
        )
    known = [body.name for body in spec.rigid_bodies]
    for name in (*fixed, *moved):
        if name not in known:
            raise ValueError(f"there is no body '{name}'; {tables.hint(name, known)}")
    movable = [b for b in spec.rigid_bodies if b.motion in ("external", "free") and b.name not in (*fixed, *moved)]
    free = [b.name for b in movable if b.mass_properties() is not None]
    still = [b.name for b in movable if b.name not in free]
    if not free and not moved:
        raise ValueError(f"{spec.name}: nothing can move: a body needs mass and inertia, and not to be fixed")
    dt, duration = dt or spec.longest_step, duration or spec.duration
    step_count(duration, dt)
    spec = spec.with_motion("free", *free).with_motion("fixed", *still, *fixed).with_motion("external", *moved)
    return replace(spec.with_longest_step(dt), duration=duration, integrator=integrator or spec.integrator)
