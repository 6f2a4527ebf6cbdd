"""Success criteria: comparisons between metrics, drawn values and numbers, such as "peak_force < 400"."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.campaign.metrics import CONSTANT, NUMBER, Node, Reader

Floats = NDArray[np.float64]
_COMPARISONS: dict[type[ast.cmpop], tuple[Callable[[Any, Any], Any], float]] = {
    ast.Lt: (np.less, 1.0), ast.LtE: (np.less_equal, 1.0),
    ast.Gt: (np.greater, -1.0), ast.GtE: (np.greater_equal, -1.0)}


@dataclass(frozen=True)
class Link:
    """One comparison of a chain: `sign` is 1 where the right side must be the greater."""

    left: Node
    right: Node
    compare: Callable[[Any, Any], Any]
    sign: float


@dataclass(frozen=True)
class Criterion:
    """A condition on one run: a chain of comparisons.

    >>> criterion = read_criterion("soft", "0 < force < 400", ["force"])
    >>> columns = {"force": np.array([100.0, 500.0, np.nan])}
    >>> criterion.holds(columns).tolist(), criterion.margin(columns).tolist()
    ([True, False, False], [100.0, -100.0, nan])
    """

    name: str
    text: str
    links: tuple[Link, ...]

    def holds(self, columns: Mapping[str, Floats]) -> NDArray[np.bool_]:
        """Return for each run whether it fulfils this criterion; false where a value is missing."""
        holds = [link.compare(link.left.compute(columns), link.right.compute(columns)) for link in self.links]
        return np.asarray(np.logical_and.reduce(np.broadcast_arrays(*holds)))

    def margin(self, columns: Mapping[str, Floats]) -> Floats:
        """Return the margin of each run: negative if the criterion is not fulfilled, NaN where a value is missing."""
        with np.errstate(invalid="ignore"):
            gaps = [link.sign * (link.right.compute(columns) - link.left.compute(columns)) for link in self.links]
            return np.asarray(np.minimum.reduce(np.broadcast_arrays(*gaps)))

    def limits(self, metric: str) -> list[float]:
        """Return the constants with which the criterion compares this metric directly."""
        found = []
        for link in self.links:
            for side, other in ((link.left, link.right), (link.right, link.left)):
                if side.reads == {metric} and other.kind == CONSTANT and side.compute({metric: 1.5}) == 1.5:
                    found.append(float(other.compute({})))
        return found

    @property
    def reads(self) -> frozenset[str]:
        return frozenset[str]().union(*(link.left.reads | link.right.reads for link in self.links))


def read_criterion(name: str, text: str, columns: Sequence[str]) -> Criterion:
    """Parse one entry of [success]: a comparison of metrics and drawn numbers."""
    reader = Reader(f"success.{name}", text, dict.fromkeys(columns, NUMBER), {})
    tree = reader.tree()
    if not isinstance(tree, ast.Compare) or any(type(op) not in _COMPARISONS for op in tree.ops):
        reader.fail("must be a comparison with <, <=, > or >=, such as 'peak_force < 400'")
    sides = [reader.node(side) for side in (tree.left, *tree.comparators)]
    links = tuple(Link(left, right, *_COMPARISONS[type(op)])
                  for left, right, op in zip(sides, sides[1:], tree.ops, strict=False))
    if not any(side.reads for side in sides):
        reader.fail("compares no metric")
    return Criterion(name, text, links)
