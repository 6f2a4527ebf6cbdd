"""Which bodies of a scene may meet, and by which law: that of their pair, or else those of their materials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from contactlib._core import engine
from contactlib.common import tables
from contactlib.model.groups import FlatBody
from contactlib.shapes.shapes import rounding_of, undefined_with_rounding

if TYPE_CHECKING:
    from contactlib.model.parts import Pair
    from contactlib.model.spec import Spec

KINDS = engine.shape_kinds()


def _laws_by_materials(spec: Spec, bodies: Sequence[FlatBody]) -> dict[frozenset[str], int]:
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


def _sides(pair: Pair, bodies: Sequence[FlatBody]) -> tuple[list[int], list[int]]:
    """The rigid bodies on both sides of a pair, by index.

    An object is all of its bodies; a movable group, as "object.group", is that body and the movable groups in it. Where
    one side is part of the other they meet without what they share: an object and its group are the rest and the group.
    """
    known = list(dict.fromkeys([body.object for body in bodies] + [body.name for body in bodies]))
    for name in pair.bodies:
        if name not in known:
            raise ValueError(f"pair {list(pair.bodies)}: there is no body '{name}'; "
                             f"{tables.hint(name, known)}")
    one, other = ([i for i, body in enumerate(bodies) if f"{body.name}.".startswith(f"{name}.")]
                  for name in pair.bodies)
    part, whole = set(one) & set(other), set(one) | set(other)
    if part == whole:
        raise ValueError(f"pair {list(pair.bodies)}: must be two different bodies, each pair once")
    return ([i for i in one if i not in part] or one), ([i for i in other if i not in part] or other)


def _law_of_pair(pair: Pair, numbers: dict[str, int]) -> int:
    """Number of the law that a pair names, -1 if it leaves that to the materials."""
    if pair.law is None:
        return -1
    if pair.law not in numbers:
        raise ValueError(f"pair {list(pair.bodies)}: there is no law '{pair.law}'; {tables.hint(pair.law, numbers)}")
    return numbers[pair.law]


def _check_laws_are_used(spec: Spec) -> None:
    named = {pair.law for pair in spec.pairs}
    for law in spec.laws:
        if not law.materials and law.name not in named:
            raise ValueError(f"law '{law.name}' is for nothing: give it materials, or name it as the law of a pair")


def pairs_of(spec: Spec, bodies: Sequence[FlatBody]) -> Iterator[tuple[int, int, int, set[int]]]:
    """Bodies that may touch, by index, their own law or -1, and the rows of the pair table that they ignore."""
    laws = _laws_by_materials(spec, bodies)
    numbers = {law.name: i for i, law in enumerate(spec.laws)}
    seen: dict[frozenset[int], Pair] = {}
    for pair in spec.pairs:
        one, other = _sides(pair, bodies)
        used: set[str] = set()
        law = _law_of_pair(pair, numbers)
        for a in one:
            for b in other:
                first = seen.setdefault(frozenset((a, b)), pair)
                if first is not pair:
                    raise ValueError(f"pair {list(pair.bodies)}: '{bodies[a].name}' and '{bodies[b].name}' are in the "
                                     f"pair {list(first.bodies)} already; must be two different bodies, each pair once")
                ignored = _rows_to_ignore(pair, bodies[a], bodies[b], laws, used)
                _check_rounded(pair, bodies[a], bodies[b])
                yield a, b, law, ignored
        for kind in pair.ignore:
            if kind not in used:
                raise ValueError(f"pair {list(pair.bodies)}: ignore = '{kind}' matches no shapes; "
                                 f"{tables.hint(kind, sorted(used))}")
    _check_laws_are_used(spec)


def _check_rounded(pair: Pair, one: FlatBody, other: FlatBody) -> None:
    """Raise ValueError if a rounded shape may meet a shape with which it has no contacts."""
    if not any(rounding_of(shape.shape) for body in (one, other) for shape in body.shapes):
        return
    for s in one.shapes:
        for t in other.shapes:
            ignored = {f"{s.shape.kind}-{t.shape.kind}", f"{t.shape.kind}-{s.shape.kind}"} & set(pair.ignore)
            if not ignored and (problem := undefined_with_rounding(s.shape, t.shape)):
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
