"""What `contactlib show` prints of surface contacts: reference area, stiffness of a face, an edge and a corner, step.

With the depth d below a flat surface, a normal law f and the sharpness p (docs/manifolds.md, "Surface contacts"):

    face     Phi = d
    edge     M = 2 sqrt(2) L d^(p+1)/(p+1), of the length L, with both faces at 45 degrees
    corner   M = 9 d^(p+2)/((p+1)(p+2)), of a cube that stands on its diagonal
    force    f(Phi) dPhi/dd,  Phi = (M/area)^(1/p)

If the shape with the edge has the field, extents are measured from its own faces: M is 2^((p+1)/2) times smaller for an
edge, and 3^((p+1)/2) times for a corner.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from contactlib._core import engine
from contactlib.model.groups import FlatBody
from contactlib.model.model import Model
from contactlib.model.parts import BodyShape, Law
from contactlib.model.spec import Spec
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import Box, Capsule, Ellipsoid, Shape, rounding_of

#: m, at which the stiffness is given
DEPTH = 1e-4
#: rows that are printed: half a screen
MOST_ROWS = 20
#: of the differences from which slopes are computed: as in core/monitor/stability.cpp
_PART, _SPEED = 1e-6, 1e-3


@dataclass(frozen=True)
class SurfaceRow:
    """A surface contact of two shapes, and of all that are alike.

    sharpness : of the law.
    area : m2, the reference area; None for a round solid, whose reference is a line or a point of it.
    face, edge, corner : N/m, force divided by depth at a depth of 0.1 mm; None where the shapes have none.
    length : m, of the edge.
    step : s, the longest stable step of a whole face; None if no body of the pair has a mass and moves.
    """

    shapes: str
    law: str
    sharpness: int
    area: float | None
    face: float
    edge: float | None
    corner: float | None
    length: float | None
    step: float | None


@dataclass(frozen=True)
class _Side:
    """What counts of a shape, alike for all shapes of its kind, size and mass."""

    kind: str
    material: str
    rounded: bool
    area: float
    length: float  # m, the longest side around a solid with edges; 0: it has none
    line: tuple[float, float]  # m, radius and length of a round solid
    mobility: float  # 1/kg


@dataclass(frozen=True)
class _Place:
    """One shape of a side: its number, body, and name."""

    number: int
    body: int
    name: str


def surface_rows(spec: Spec, model: Model) -> list[SurfaceRow]:
    """Return the surface contacts that a scene may have, those with equal numbers once.

    Laws with a contact model of their own have no rows.

    Examples
    --------
    >>> import contactlib
    >>> spec = contactlib.load("worksite")
    >>> row = surface_rows(spec, spec.compile())[0]
    >>> row.law, row.face > row.edge > row.corner
    ('case_slot', True)
    """
    sides = _sides(spec, model)
    found: dict[tuple[object, ...], SurfaceRow] = {}
    for a, b in _body_pairs(model.core, sides):
        _, _, ignored = model.core.find_pair(a, b) or (a, b, ())
        for (one, at), (other, there) in product(sides[a].items(), sides[b].items()):
            if not _is_surface(one, other, ignored):
                continue
            law = spec.laws[number := model.core.find_law(at.number, there.number)]
            key = law.name, *sorted((one, other), key=repr)
            if key not in found and law.model == "none" and not law.python:
                found[key] = _row(spec, model, number, (one, at), (other, there))
    return list(found.values())


def summary(spec: Spec, model: Model) -> list[str]:
    """Return the lines of a table of all surface contacts, equal lines once; none if the scene has none."""
    rows = surface_rows(spec, model)
    if not rows:
        return []
    alike: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        values = (row.area, row.face, row.edge, row.corner, row.step)
        numbers = f"{row.sharpness:>2} " + " ".join(f"{_number(x):>9}" for x in values)
        alike.setdefault((row.law, numbers), []).append(row.shapes)
    lines = [(shapes[0] + (f" (and {len(shapes) - 1} alike)" if len(shapes) > 1 else ""), *key)
             for key, shapes in alike.items()]
    names = max(len(line[0]) for line in lines[:MOST_ROWS])
    laws = max(3, *(len(line[1]) for line in lines[:MOST_ROWS]))
    heads = " p " + " ".join(f"{head:>9}" for head in ("area, m2", "face", "edge", "corner", "step, s"))
    table = [f"  {shapes:<{names}}  {law:<{laws}}  {numbers}" for shapes, law, numbers in lines[:MOST_ROWS]]
    return [f"surface contacts: force/depth at a depth of {DEPTH * 1e3:g} mm, N/m",
            f"  {'shapes':<{names}}  {'law':<{laws}}  {heads}", *table,
            *([f"  and {len(lines) - MOST_ROWS} more"] if len(lines) > MOST_ROWS else []),
            "  p: sharpness; edge: the longest side of the smaller shape, faces at 45 degrees; corner: of a cube on",
            "  its diagonal; -: of a round or rounded shape; step: the longest that is stable with one whole face,",
            "  between the two bodies alone; forces need a much shorter one to be exact; -: neither has a mass"]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


# ---- what may touch ------------------------------------------------------------------------------


def _sides(spec: Spec, model: Model) -> list[dict[_Side, _Place]]:
    """Return by body its different shapes, each with the first that is so."""
    areas, number = model.core.reference_areas, 0
    found: list[dict[_Side, _Place]] = []
    for k, body in enumerate(spec.rigid_bodies):
        mobility, sides = _mobility(body), dict[_Side, _Place]()
        for shape in body.shapes:
            place = _Place(number, k, f"{body.name}.{shape.name}")
            sides.setdefault(_side(shape, areas[number], mobility), place)
            number += 1
        found.append(sides)
    return found


def _mobility(body: FlatBody) -> float:
    """1/kg: 0 of a body that the contact does not move, or whose mass is not known."""
    properties = body.mass_properties()
    moves = body.motion in ("free", "external") and properties is not None and properties.mass > 0.0
    return 1.0 / properties.mass if moves and properties else 0.0


def _side(shape: BodyShape, area: float, mobility: float) -> _Side:
    form = shape.shape
    return _Side(form.kind, shape.material, bool(rounding_of(form)), area, _longest(form), _line(form), mobility)


def _line(shape: Shape) -> tuple[float, float]:
    """m, radius and length of what a round solid lies on."""
    if isinstance(shape, Capsule):
        return shape.radius, shape.length
    # of an ellipsoid the ball of its volume, as in its kernel
    return (float(np.cbrt(np.prod(shape.semi_axes))), 0.0) if isinstance(shape, Ellipsoid) else (0.0, 0.0)


def _longest(shape: Shape) -> float:
    """m, the longest side of the box around a solid with edges and corners."""
    if isinstance(shape, Box):
        return max(shape.size)
    if isinstance(shape, Mesh):
        return float(max(shape.extent)) if shape.closed else 0.0
    if isinstance(shape, Polyhedron):
        return float(np.ptp(np.asarray(shape.corners), axis=0).max())
    return 0.0


def _body_pairs(core: engine.Model, sides: Sequence[dict[_Side, _Place]]) -> Iterator[tuple[int, int]]:
    """Yield the bodies of the pairs that the scene names, and of each rule two bodies for all that are alike."""
    yield from ((a, b) for a, b, _ in core.pairs if core.find_pair(a, b) is not None)
    classes, _ = core.pair_classes
    members: dict[int, dict[frozenset[_Side], list[int]]] = defaultdict(lambda: defaultdict(list))
    for body, number in enumerate(classes):
        members[number][frozenset(sides[body])].append(body)
    for c, d, _, _ in core.pair_rules:
        for one, other in product(members[c].values(), members[d].values()):
            # of bodies that are alike the first few: some may be of one object
            pairs = product(one[:4], other[:4])
            yield from [(a, b) for a, b in pairs if a != b and core.find_pair(a, b) is not None][:1]


def _is_surface(one: _Side, other: _Side, ignored: Iterable[int]) -> bool:
    kinds = engine.shape_kinds()
    a, b = sorted((kinds.index(one.kind), kinds.index(other.kind)))
    rounded = one.rounded or other.rounded
    return a * len(kinds) + b not in ignored and bool(engine.surface_table(rounded)[a, b])


# ---- what it bears -------------------------------------------------------------------------------


def _row(spec: Spec, model: Model, number: int, one: tuple[_Side, _Place], other: tuple[_Side, _Place]) -> SurfaceRow:
    law, sides = spec.laws[number], (one[0], other[0])
    radius, along = max(side.line for side in sides)
    is_round = radius > 0.0
    area = _area_of_line(radius, along) if is_round else min(side.area for side in sides)
    with_edges = [(side.area, side.length, k) for k, side in enumerate(sides) if side.length > 0.0]
    has_edges = with_edges and not (is_round or one[0].rounded or other[0].rounded)
    _, length, edged = min(with_edges) if has_edges else (0.0, 0.0, 0)
    numbers = one[1].number, other[1].number
    own_field = model.core.has_field(numbers[edged], numbers[1 - edged])

    def force(depth: float, rate: float = 0.0) -> float:
        return model.core.normal_force(number, area, depth, rate)

    edge = corner = None
    if length > 0.0:
        p = law.sharpness
        less = (p + 1) / 2 if own_field else 0.0
        edge = _stiffness(force, area, law, 2.0**-less * 2.0 * math.sqrt(2.0) * length / (p + 1), p + 1)
        corner = _stiffness(force, area, law, 3.0**-less * 9.0 / ((p + 1) * (p + 2)), p + 2)
    mobility = sum(side.mobility for side in sides)
    slope = (force(DEPTH * (1.0 + _PART)) - force(DEPTH)) / (_PART * DEPTH)
    damping = (force(DEPTH, _SPEED) - force(DEPTH)) / _SPEED
    step = engine.longest_step(slope * mobility, damping * mobility, spec.integrator == "rk4")
    return SurfaceRow(f"{one[1].name} on {other[1].name}", law.name, law.sharpness, None if is_round else area,
                      force(DEPTH) / DEPTH, edge, corner, length or None, step if 0.0 < step < 1e100 else None)


def _stiffness(force: Callable[[float], float], area: float, law: Law, factor: float, power: int) -> float:
    """N/m, of what has M = factor d^power: f(Phi) dPhi/dd, divided by d."""
    p = law.sharpness
    phi = float((factor * DEPTH**power / area) ** (1.0 / p))
    return force(phi) * power / p * phi / DEPTH**2


def _area_of_line(radius: float, length: float) -> float:
    """m2, S'/(2 d) at p = 2: of a capsule that lies on a face, or an ellipsoid that stands on it, for a foundation.

    S = line d^(5/2) + ball d^3 with line = length sqrt(2 r) int (1 - t^2)^2 dt and ball = 2 pi r/3.
    """
    line, ball = length * math.sqrt(2.0 * radius) * 16.0 / 15.0, 2.0 * math.pi * radius / 3.0
    return 1.25 * line * math.sqrt(DEPTH) + 1.5 * ball * DEPTH
