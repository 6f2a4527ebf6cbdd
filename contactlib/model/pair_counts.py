"""How many pairs of bodies, and pairs of shapes of each kind, may be in contact, without a loop over all pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from contactlib._core import engine

Kinds = Mapping[int, int]
#: number of pairs of bodies, pairs of shapes by row of the pair table, and rows that are ignored
RuleCount = tuple[int, list[tuple[int, int]], tuple[int, ...]]


def count_pairs(core: engine.Model) -> tuple[int, Counter[int]]:
    """Return the number of pairs of bodies that may touch, and of pairs of their shapes by row of the pair table."""
    shapes: list[Counter[int]] = [Counter() for _ in core.body_names]
    for body, kind in core.shapes:
        shapes[body][kind] += 1
    rows, bodies = Counter[int](), 0
    for one, other, ignored in core.pairs:
        if (found := core.find_pair(one, other)) is not None:
            bodies += 1
            _add(rows, _products(shapes[found[0]], shapes[found[1]]), ignored, 1)
    for number, products, ignored in _rule_counts(core, shapes):
        bodies += number
        _add(rows, products, ignored, 1)
    return bodies, +rows


def _add(rows: Counter[int], products: Iterable[tuple[int, int]], ignored: Sequence[int], sign: int) -> None:
    for row, number in products:
        if row not in ignored:
            rows[row] += sign * number


def _products(one: Kinds, other: Kinds) -> Iterator[tuple[int, int]]:
    """Yield rows of the pair table and the number of pairs of shapes of two bodies."""
    kinds = len(engine.shape_kinds())
    for a, number_a in one.items():
        for b, number_b in other.items():
            yield min(a, b) * kinds + max(a, b), number_a * number_b


def _rule_counts(core: engine.Model, shapes: Sequence[Counter[int]]) -> Iterator[RuleCount]:
    """Yield for each rule the pairs of bodies and of their shapes: all of two classes, less the exceptions."""
    classes, objects = core.pair_classes
    members, parts = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for body, (number, of) in enumerate(zip(classes, objects, strict=True)):
        members[number].append(body)
        parts[of].append(body)
    together = {two for of in parts.values() for two in combinations(of, 2)}
    named = {(min(a, b), max(a, b)) for a, b, _ in core.pairs}
    exceptions: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    inside: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for a, b in named | together:
        exceptions[_sorted(classes[a], classes[b])].append((a, b))
    for a, b in together - named:
        inside[_sorted(classes[a], classes[b])].append((a, b))
    for c, d, same_object, ignored in core.pair_rules:
        key = _sorted(c, d)
        if same_object:
            number, counts = 0, Counter[int]()
        else:
            number, counts = _all(members[c], members[d], c == d, shapes)
        for a, b in inside[key] if same_object else exceptions[key]:
            sign = 1 if same_object else -1
            number += sign
            _add(counts, _products(shapes[a], shapes[b]), (), sign)
        yield number, list(counts.items()), ignored


def _sorted(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)


def _all(one: Sequence[int], other: Sequence[int], same: bool,
         shapes: Sequence[Counter[int]]) -> tuple[int, Counter[int]]:
    """Count all pairs of bodies of two classes, or of one class with itself, and the pairs of their shapes."""
    total_one, total_other = (sum((shapes[i] for i in of), Counter[int]()) for of in (one, other))
    counts: Counter[int] = Counter()
    _add(counts, _products(total_one, total_other), (), 1)
    if not same:
        return len(one) * len(other), counts
    for i in one:
        _add(counts, _products(shapes[i], shapes[i]), (), -1)
    return len(one) * (len(one) - 1) // 2, Counter({row: number // 2 for row, number in counts.items()})
