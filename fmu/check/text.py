"""Lists of names in sentences."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 3  # names in a sentence


def listed(names: Sequence[str]) -> str:
    """Return some names as a part of a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c", "d", "e"])
    ('a', 'a, b, c and 2 more')
    """
    if len(names) > MOST:
        return f"{', '.join(names[:MOST])} and {len(names) - MOST} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
