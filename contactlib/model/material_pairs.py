"""What two bodies of a scene may meet by: the law of their pair, or else those of their materials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contactlib._core import engine
from contactlib.common import tables
from contactlib.model.groups import FlatBody
from contactlib.shapes.shapes import Shape, is_sheet, rounding_of, why_undefined

if TYPE_CHECKING:
    from contactlib.model.parts import BodyShape, Pair
    from contactlib.model.spec import Spec

KINDS = engine.shape_kinds()
#: kind and material of a body's shapes, and whether one is rounded or a sheet
Sorts = tuple[tuple[str, str, bool, bool], ...]


def sorts_of(body: FlatBody) -> Sorts:
    """Return what decides with which bodies a body may meet, sorted."""
    return tuple(sorted({(s.shape.kind, s.material, bool(rounding_of(s.shape)), is_sheet(s.shape))
                         for s in body.shapes}))


def laws_by_materials(spec: Spec, bodies: Sequence[FlatBody]) -> dict[frozenset[str], int]:
    """Return the numbers of the laws by their materials. ValueError for an unknown material or two laws for a pair."""
    found: dict[frozenset[str], int] = {}
    known = {shape.material for body in bodies for shape in body.shapes}
    for i, law in enumerate(spec.laws):
        for pair in law.materials:
            for material in pair:
                if material not in known:
                    raise ValueError(
                        f"law '{law.name}': no shape is made of '{material}'; {tables.hint(material, known)}")
            key = frozenset(pair)
            if key in found:
                raise ValueError(f"laws '{spec.laws[found[key]].name}' and '{law.name}' are for the same materials "
                                 f"{' and '.join(pair)}")
            found[key] = i
    return found


def law_of_pair(pair: Pair, numbers: dict[str, int]) -> int:
    """Number of the law that a pair names, -1 if it leaves that to the materials."""
    if pair.law is None:
        return -1
    if pair.law not in numbers:
        raise ValueError(f"pair {list(pair.bodies)}: there is no law '{pair.law}'; {tables.hint(pair.law, numbers)}")
    return numbers[pair.law]


def check_laws_are_used(spec: Spec) -> None:
    """Raise ValueError for a law that is for no materials and for no pair."""
    named = {pair.law for pair in spec.pairs}
    for law in spec.laws:
        if not law.materials and law.name not in named:
            raise ValueError(f"law '{law.name}' is for nothing: give it materials, or name it as the law of a pair")


class PairChecks:
    """Checks what meets in pairs, and finds the rows of the pair table that they ignore; equal bodies once."""

    def __init__(self, spec: Spec, bodies: Sequence[FlatBody]) -> None:
        self.laws = laws_by_materials(spec, bodies)
        self.foundations = {law.name: law.normal for law in spec.laws if engine.needs_surface(law.normal)}
        self.names = [law.name for law in spec.laws]
        self.known: dict[tuple[object, ...], tuple[frozenset[int], frozenset[str]]] = {}

    def ignored(self, pair: Pair, one: FlatBody, other: FlatBody, sorts: tuple[Sorts, Sorts],
                used: set[str]) -> frozenset[int]:
        """Rows of the pair table that this pair leaves out; `used` gets the kinds of shapes that meet.

        ValueError for a row without a kernel or a law, and for shapes without contacts.
        """
        key = (*sorts, pair.ignore, pair.law if pair.law in self.foundations else pair.law is None)
        if key not in self.known:
            met: set[str] = set()
            ignored = _rows_to_ignore(pair, one, other, self.laws, met)
            _check_shapes(pair, one, other)
            if self.foundations:
                self.check_foundations(pair, one, other)
            self.known[key] = frozenset(ignored), frozenset(met)
        rows, kinds = self.known[key]
        used |= kinds
        return rows

    def check_foundations(self, pair: Pair, one: FlatBody, other: FlatBody) -> None:
        """Raise ValueError if a law that is for surface contacts alone has shapes that may touch in points."""
        for s in one.shapes:
            for t in other.shapes:
                if _ignored_kinds(pair, s, t):
                    continue
                law = pair.law or self.names[self.laws[frozenset((s.material, t.material))]]
                if law in self.foundations and (problem := why_no_surface(s.shape, t.shape)):
                    raise ValueError(f"pair {list(pair.bodies)}: '{s.name}' and '{t.name}' have the law '{law}', which "
                                     f"is for surface contacts alone, as its normal law '{self.foundations[law]}' is a "
                                     f"pressure; {problem}; or give the two another law, or leave them out with ignore")


def check_ignored(pair: Pair, used: set[str]) -> None:
    """Raise ValueError if a pair ignores kinds of shapes that do not meet in it."""
    for kind in pair.ignore:
        if kind not in used:
            raise ValueError(f"pair {list(pair.bodies)}: ignore = '{kind}' matches no shapes; "
                             f"{tables.hint(kind, sorted(used))}")


def _ignored_kinds(pair: Pair, s: BodyShape, t: BodyShape) -> set[str]:
    """Return the name of the kinds of two shapes if the pair ignores them."""
    return {f"{s.shape.kind}-{t.shape.kind}", f"{t.shape.kind}-{s.shape.kind}"} & set(pair.ignore)


def why_no_surface(a: Shape, b: Shape) -> str:
    """Return why two shapes have contacts of points, and the remedy; empty if they have surface contacts."""
    first, second = sorted((a.kind, b.kind), key=KINDS.index)
    of_kinds, rounded = (KINDS.index(first), KINDS.index(second)), [s.kind for s in (a, b) if rounding_of(s)]
    if engine.surface_table(bool(rounded))[of_kinds]:
        return ""
    if engine.surface_table()[of_kinds]:
        return f"{first}-{second} touches in points where the {rounded[0]} is rounded: leave out its rounding"
    return (f"{first}-{second} touches in points, which have no area: use shapes with faces, such as box, cylinder or "
            f"mesh")


def _check_shapes(pair: Pair, one: FlatBody, other: FlatBody) -> None:
    """Raise ValueError if a rounded shape or a sheet may meet a shape with which it has no contacts."""
    if not any(rounding_of(s.shape) or is_sheet(s.shape) for body in (one, other) for s in body.shapes):
        return
    for s in one.shapes:
        for t in other.shapes:
            if not _ignored_kinds(pair, s, t) and (problem := why_undefined(s.shape, t.shape)):
                raise ValueError(f"pair {list(pair.bodies)}: '{s.name}' and '{t.name}': {problem}, or leave the pair "
                                 f"out with ignore")


def _rows_to_ignore(pair: Pair, one: FlatBody, other: FlatBody, laws: dict[frozenset[str], int],
                    used: set[str]) -> set[int]:
    """Rows of the pair table that this pair leaves out; ValueError for a row without a kernel or a law."""
    ignored: set[int] = set()
    defined = engine.pair_table()
    for s, name_s, material_s in one.sorts():
        for t, name_t, material_t in other.sorts():
            a, b = sorted(((KINDS.index(s), name_s), (KINDS.index(t), name_t)))
            kind = f"{KINDS[a[0]]}-{KINDS[b[0]]}"
            used.add(kind)
            if kind in pair.ignore:
                ignored.add(a[0] * len(KINDS) + b[0])
                continue
            if not defined[a[0], b[0]]:
                raise ValueError(f"pair {list(pair.bodies)}: {kind} is not defined ('{a[1]}', '{b[1]}'); "
                                 f"leave it out with ignore = [\"{kind}\"]")
            if pair.law is None and frozenset((material_s, material_t)) not in laws:
                raise ValueError(f"there is no law for the materials '{material_s}' and '{material_t}', which may "
                                 f"meet in the pair {list(pair.bodies)}")
    return ignored
