"""Finds pairs of overlapping bounding boxes with a tree of boxes, built and searched level by level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

#: pairs of leaves that are expanded at once, and most pairs of nodes in a level; both limit the memory
CHUNK, MAX_NODES = 20_000, 1_500_000


class BoxTree:
    """A binary tree over boxes low, high (N, 3). Nodes are split at the median of their longest side, to 2 or 3 boxes.

    Level k has 2^k nodes; node i of it holds the boxes order[i N / 2^k] to order[(i + 1) N / 2^k - 1].
    """

    def __init__(self, low: Floats, high: Floats) -> None:
        count = len(low)
        self.low, self.high = low, high
        self.order = np.arange(count)
        self.depth = max(0, count.bit_length() - 2)
        middle = (low + high) / 2
        self.boxes: list[tuple[Floats, Floats]] = []
        for level in range(self.depth + 1):
            starts = self.starts(level)[:-1]
            self.boxes.append((np.minimum.reduceat(low[self.order], starts),
                               np.maximum.reduceat(high[self.order], starts)))
            if level == self.depth:
                break
            node = np.repeat(np.arange(len(starts)), np.diff(self.starts(level)))
            here = middle[self.order]
            extent = np.maximum.reduceat(here, starts) - np.minimum.reduceat(here, starts)
            along = here[np.arange(count), extent.argmax(axis=1)[node]]
            self.order = self.order[np.lexsort((along, node))]

    def starts(self, level: int) -> Numbers:
        """Return the first indices in `order` of the nodes of a level, and the end."""
        return np.arange((1 << level) + 1) * len(self.order) >> level

    def pairs(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield all pairs of overlapping boxes in arrays, each pair once. OverflowError if there are too many."""
        a = b = np.zeros(1, dtype=np.intp)
        for level in range(1, self.depth + 1):
            a, b = (np.concatenate([2 * x + i for i in side])
                    for x, side in ((a, (0, 0, 1, 1)), (b, (0, 1, 1, 0))))
            once = a <= b
            a, b = a[once], b[once]
            meet = _overlap(*self.boxes[level], a, b)
            a, b = a[meet], b[meet]
            if len(a) > MAX_NODES:
                raise OverflowError(f"more than {MAX_NODES} pairs of nodes overlap")
        for at in range(0, len(a), CHUNK):
            yield self._expanded(a[at:at + CHUNK], b[at:at + CHUNK])

    def _expanded(self, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
        """Return the pairs of boxes of pairs of leaves."""
        starts = self.starts(self.depth)
        room = int(np.diff(starts).max())
        i, j = (x.ravel() for x in np.meshgrid(np.arange(room), np.arange(room), indexing="ij"))
        one, other = starts[a][:, None] + i, starts[b][:, None] + j
        there = (one < starts[a + 1][:, None]) & (other < starts[b + 1][:, None]) & (one < other)
        one, other = self.order[one[there]], self.order[other[there]]
        meet = _overlap(self.low, self.high, one, other)
        return one[meet], other[meet]


def _overlap(low: Floats, high: Floats, a: Numbers, b: Numbers) -> NDArray[np.bool_]:
    meet = np.ones(len(a), dtype=bool)
    for k in range(3):
        meet &= (low[a, k] <= high[b, k]) & (low[b, k] <= high[a, k])
    return meet
