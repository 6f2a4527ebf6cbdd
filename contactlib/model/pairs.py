"""Which bodies of a scene may touch: pairs that it names, patterns of names, and collision groups.

Pairs of two names become pairs of bodies. All others become rules: bodies that no pattern, no collision group and no
kind of shape tells apart are one class, and a rule is for all bodies of two classes. So a model grows with its bodies.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from contactlib.common import tables
from contactlib.model.groups import FlatBody
from contactlib.model.material_pairs import (
    PairChecks,
    Sorts,
    check_ignored,
    check_laws_are_used,
    law_of_pair,
    sorts_of,
)
from contactlib.model.parts import Pair

if TYPE_CHECKING:
    from contactlib.model.parts import Body
    from contactlib.model.spec import Spec

NONE = -1
ALL_ROWS = frozenset(range(6 * 32))  # as ignored rows: the two never touch


@dataclass(frozen=True)
class BodyPair:
    """Two bodies by index, their own law or -1, the place among all pairs, and ignored rows of the pair table."""

    a: int
    b: int
    law: int
    order: int
    ignored: frozenset[int]


@dataclass(frozen=True)
class Rule:
    """Bodies of two classes; `same_object`: those of one object, otherwise those of different objects only.

    `directed`: A is the body of class a, otherwise the body of the lower index.
    """

    a: int
    b: int
    law: int
    order: int
    same_object: bool
    directed: bool
    ignored: frozenset[int]


@dataclass(frozen=True)
class Pairs:
    """All pairs and rules of a scene; for each body its class, -1 for none, and its object, by index."""

    pairs: list[BodyPair]
    rules: list[Rule]
    classes: list[int]
    objects: list[int]


@dataclass
class _Class:
    """Bodies that rules treat alike."""

    sides: tuple[tuple[int, int], ...]  # numbers of pairs, and on which of their sides
    owner: _Owner
    sorts: Sorts
    bodies: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Owner:
    """What an object says of collisions."""

    groups: frozenset[str]
    mask: frozenset[str]
    self_collision: bool


def is_pattern(name: str) -> bool:
    """Whether a name stands for several names."""
    return bool(re.search(r"[*?\[]", name))


def matcher(name: str) -> Callable[[str], object]:
    """Return what tells whether a name matches a pattern; `*` and `?` stand for no dot."""
    parts = (fnmatch.translate(part).removeprefix("(?s:").rpartition(")")[0] for part in name.split("."))
    return re.compile(r"\.".join(part.replace(".*", "[^.]*") for part in parts)).fullmatch


def pairs_of(spec: Spec, bodies: Sequence[FlatBody]) -> Pairs:
    """Return which bodies may touch. ValueError for names, laws, kinds of shapes and groups that do not fit."""
    return _Compiler(spec, bodies).run()


class _Compiler:
    def __init__(self, spec: Spec, bodies: Sequence[FlatBody]) -> None:
        self.spec, self.bodies = spec, bodies
        self.checks = PairChecks(spec, bodies)
        self.numbers = {law.name: i for i, law in enumerate(spec.laws)}
        self.sorts = [sorts_of(body) for body in bodies]
        number = {body.name: i for i, body in enumerate(spec.bodies)}
        self.objects = [number[body.object] for body in bodies]
        self.below: dict[str, list[int]] = defaultdict(list)  # bodies of an object or a movable group, by its name
        known = dict.fromkeys(body.object for body in bodies) | dict.fromkeys(body.name for body in bodies)
        for i, body in enumerate(bodies):
            parts = body.name.split(".")
            for name in (".".join(parts[:k + 1]) for k in range(len(parts))):
                if name in known:
                    self.below[name].append(i)
        self.known = list(known)
        self.named: dict[tuple[int, int], int] = {}  # number of the pair that names two bodies, lower index first

    def run(self) -> Pairs:
        pairs = list(self.body_pairs())
        classes, of_body = self.classes()
        rules = [*self.pattern_rules(classes)]
        taken = {_key(rule.a, rule.b, False) for rule in rules}  # patterns decide over groups
        rules += (rule for rule in self.group_rules(classes) if _key(rule.a, rule.b, False) not in taken)
        rules += self.self_rules(classes, of_body)
        check_laws_are_used(self.spec)
        return Pairs(pairs, rules, of_body, self.objects)

    def body_pairs(self) -> Iterator[BodyPair]:
        """Yield the pairs of bodies of all pairs of two names."""
        for order, pair in enumerate(self.spec.pairs):
            if any(map(is_pattern, pair.bodies)):
                continue
            one, other = self.sides(pair)
            used: set[str] = set()
            law = law_of_pair(pair, self.numbers)
            for a in one:
                for b in other:
                    self.name_once(order, a, b)
                    yield BodyPair(a, b, law, order, self.ignored(pair, a, b, used))
            if pair.collide:
                check_ignored(pair, used)

    def ignored(self, pair: Pair, a: int, b: int, used: set[str]) -> frozenset[int]:
        if not pair.collide:
            return ALL_ROWS
        return self.checks.ignored(pair, self.bodies[a], self.bodies[b], (self.sorts[a], self.sorts[b]), used)

    def name_once(self, order: int, a: int, b: int) -> None:
        first = self.named.setdefault((min(a, b), max(a, b)), order)
        if first != order:
            raise ValueError(f"pair {list(self.spec.pairs[order].bodies)}: '{self.bodies[a].name}' and "
                             f"'{self.bodies[b].name}' are in the pair {list(self.spec.pairs[first].bodies)} already; "
                             f"must be two different bodies, each pair once")

    def sides(self, pair: Pair) -> tuple[list[int], list[int]]:
        """The rigid bodies on both sides of a pair of two names, by index.

        An object is all of its bodies; a movable group, as "object.group", is that body and the movable groups in it.
        Where one side is part of the other they meet without what they share: an object and its group are the rest and
        the group.
        """
        for name in pair.bodies:
            if name not in self.below:
                raise self.unknown(pair, name)
        one, other = (self.below[name] for name in pair.bodies)
        part, whole = set(one) & set(other), set(one) | set(other)
        if part == whole:
            raise ValueError(f"pair {list(pair.bodies)}: must be two different bodies, each pair once")
        if not part:
            return one, other
        return ([i for i in one if i not in part] or one), ([i for i in other if i not in part] or other)

    def unknown(self, pair: Pair, name: str) -> ValueError:
        return ValueError(f"pair {list(pair.bodies)}: there is no body '{name}'; {tables.hint(name, self.known)}")

    def matches(self, pair: Pair, name: str) -> list[int]:
        """The bodies that one side of a pair with patterns stands for, by index."""
        if not is_pattern(name):
            if name not in self.below:
                raise self.unknown(pair, name)
            return self.below[name]
        matches = matcher(name)
        found = sorted({i for each in self.known if matches(each) for i in self.below[each]})
        if not found:
            plain = re.sub(r"[*?]|\[.*?\]", "", name)
            raise ValueError(f"pair {list(pair.bodies)}: '{name}' matches no object and no movable group; "
                             f"{tables.hint(plain, self.known)}; correct the pattern, or leave the pair out")
        return found

    def classes(self) -> tuple[list[_Class], list[int]]:
        """The classes of the bodies that patterns or groups concern, and the class of each body, -1 for none."""
        sides: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for order, pair in enumerate(self.spec.pairs):
            if any(map(is_pattern, pair.bodies)):
                for side, name in enumerate(pair.bodies):
                    for i in self.matches(pair, name):
                        sides[i].append((order, side))
        several = Counter(self.objects)
        owners = [_owner(body, several[i] > 1) for i, body in enumerate(self.spec.bodies)]
        _check_groups(self.spec, owners)
        found: dict[tuple[object, ...], int] = {}
        classes: list[_Class] = []
        of_body = [NONE] * len(self.bodies)
        for i, k in enumerate(self.objects):
            owner = owners[k]
            if not self.sorts[i] or not (i in sides or owner.groups or owner.self_collision):
                continue
            key = tuple(sides.get(i, ())), owner, self.sorts[i]
            of_body[i] = found.setdefault(key, len(classes))
            if of_body[i] == len(classes):
                classes.append(_Class(*key))
            classes[of_body[i]].bodies.append(i)
        return classes, of_body

    def pattern_rules(self, classes: Sequence[_Class]) -> Iterator[Rule]:
        """Yield the rules of pairs with patterns, each two classes once."""
        pairs = self.spec.pairs
        on_side: dict[tuple[int, int], list[int]] = defaultdict(list)
        for c, each in enumerate(classes):
            for key in each.sides:
                on_side[key].append(c)
        first: dict[tuple[int, int, bool], int] = {}
        for order, pair in enumerate(pairs):
            if not any(map(is_pattern, pair.bodies)):
                continue
            law, used, met = law_of_pair(pair, self.numbers), set[str](), False
            forth = {(c, d) for c in on_side[order, 0] for d in on_side[order, 1]}
            for c, d in sorted({(min(p), max(p)) for p in forth}):
                met = met or next(self.different_objects(classes, c, d), None) is not None
                two = self.not_named(self.different_objects(classes, c, d))
                if two is None:
                    continue
                earlier = first.setdefault(_key(c, d, False), order)
                if earlier != order:
                    self.check_agree(pairs[earlier], pair, two)
                    continue
                a, b = (c, d) if (c, d) in forth else (d, c)
                directed = not {(c, d), (d, c)} <= forth
                yield Rule(a, b, law, order, False, directed, self.ignored(pair, *two, used))
            if not met:
                raise ValueError(f"pair {list(pair.bodies)}: matches no two different objects with shapes; correct the "
                                 f"patterns, or leave the pair out")
            if pair.collide and used:
                check_ignored(pair, used)

    def different_objects(self, classes: Sequence[_Class], c: int, d: int) -> Iterator[tuple[int, int]]:
        """Yield the bodies of two classes, by index, that belong to different objects, each two once."""
        for i in classes[c].bodies:
            for k in classes[d].bodies:
                if self.objects[i] != self.objects[k] and (c != d or i < k):
                    yield i, k

    def not_named(self, found: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
        """The first two bodies that no pair names, or None."""
        return next(((i, k) for i, k in found if (min(i, k), max(i, k)) not in self.named), None)

    def check_agree(self, first: Pair, second: Pair, two: tuple[int, int]) -> None:
        if (first.law, set(first.ignore), first.collide) == (second.law, set(second.ignore), second.collide):
            return
        a, b = (self.bodies[i].name for i in two)
        raise ValueError(f"pairs {list(first.bodies)} and {list(second.bodies)}: both match '{a}' and '{b}', with "
                         f"different keys; make the patterns narrower, or name these two in a pair of their own")

    def group_rules(self, classes: Sequence[_Class]) -> Iterator[Rule]:
        """Yield the rules of collision groups."""
        by_owner: dict[_Owner, list[int]] = defaultdict(list)
        for c, each in enumerate(classes):
            by_owner[each.owner].append(c)
        owners = list(by_owner)
        met = {(min(c, d), max(c, d)) for k, one in enumerate(owners) for other in owners[k:]
               if one.mask & other.groups and other.mask & one.groups for c in by_owner[one] for d in by_owner[other]}
        for c, d in sorted(met):
            two = self.not_named(self.different_objects(classes, c, d))
            if two is not None:
                yield self.rule_without_pair(c, d, False, two)

    def self_rules(self, classes: Sequence[_Class], of_body: Sequence[int]) -> Iterator[Rule]:
        """Yield the rules of the parts of objects with self collision."""
        parts: dict[int, list[int]] = defaultdict(list)
        for i, k in enumerate(self.objects):
            if of_body[i] >= 0 and classes[of_body[i]].owner.self_collision:
                parts[k].append(i)
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for of in parts.values():
            for i, k in combinations(of, 2):
                c, d = sorted((of_body[i], of_body[k]))
                if (i, k) not in self.named:
                    found.setdefault((c, d), (i, k))
        for (c, d), two in sorted(found.items()):
            yield self.rule_without_pair(c, d, True, two)

    def rule_without_pair(self, c: int, d: int, same_object: bool, two: tuple[int, int]) -> Rule:
        """The rule of two classes that collision groups or self collision let meet, behind all pairs."""
        pair = Pair(tuple(self.bodies[i].name for i in two))
        return Rule(c, d, NONE, len(self.spec.pairs), same_object, False, self.ignored(pair, *two, set()))


def _key(c: int, d: int, same_object: bool) -> tuple[int, int, bool]:
    return min(c, d), max(c, d), same_object


def _owner(body: Body, has_parts: bool) -> _Owner:
    return _Owner(frozenset(body.collision_groups), frozenset(body.collides_with), body.self_collision and has_parts)


def _check_groups(spec: Spec, owners: Sequence[_Owner]) -> None:
    """Raise ValueError for a group without members, and for an object with groups or a mask only."""
    known = sorted({group for owner in owners for group in owner.groups})
    for body, owner in zip(spec.bodies, owners, strict=True):
        if bool(owner.groups) != bool(owner.mask):
            given, missing = "collision_groups", "collides_with"
            if not owner.groups:
                given, missing = missing, given
            raise ValueError(f"body '{body.name}' has {given} and no {missing}: it would collide with nothing; give "
                             f"both, or neither")
        for group in body.collides_with:
            if group not in known:
                raise ValueError(f"body '{body.name}': collides_with names '{group}', to which no object belongs; "
                                 f"{tables.hint(group, known)}")
