"""Which geoms collide in MuJoCo: `switch_off` excludes pairs of geoms and keeps all others.

MuJoCo lets two geoms collide if (contype_1 & conaffinity_2) | (contype_2 & conaffinity_1) is not zero. `switch_off`
writes new masks. Geoms with the same partners form a class; each class has one bit. A geom has its own bit in contype,
and in conaffinity the bits of the classes that it still collides with. Flexes have such masks, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
MOST_CLASSES = 32  # bits of a mask


def switch_off(model: Any, pairs: Iterable[tuple[int, int]]) -> None:
    """Exclude pairs of geoms from MuJoCo's contact; all other pairs collide as before.

    Parameters
    ----------
    model : the MjModel, whose masks are changed.
    pairs : numbers of two geoms each.

    Raises
    ------
    ValueError : the MJCF has a `<pair>` for such geoms, which MuJoCo checks whatever their masks are, or the geoms need
        more masks than there are bits. The model is then unchanged.

    Examples
    --------
    >>> import mujoco
    >>> geoms = "<geom name='floor' type='plane' size='1 1 1'/>" + "".join(
    ...     f"<body><freejoint/><geom name='{name}' size='.1'/></body>" for name in ("a", "b"))
    >>> model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
    >>> switch_off(model, [(1, 2)])
    >>> [bool(collide(model)[i, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    [True, True, False]
    """
    taken = np.zeros((model.ngeom + model.nflex,) * 2, dtype=bool)
    for i, j in pairs:
        taken[i, j] = taken[j, i] = True
    _refuse_explicit_pairs(model, taken)
    contype, conaffinity = _masks(collide(model), taken)
    model.geom_contype[:], model.flex_contype[:] = np.split(contype, [model.ngeom])
    model.geom_conaffinity[:], model.flex_conaffinity[:] = np.split(conaffinity, [model.ngeom])
    for body in range(model.nbody):  # MuJoCo's broad phase uses the union over each body
        geoms = np.flatnonzero(model.geom_bodyid == body)
        model.body_contype[body] = np.bitwise_or.reduce(model.geom_contype[geoms], initial=0)
        model.body_conaffinity[body] = np.bitwise_or.reduce(model.geom_conaffinity[geoms], initial=0)


def collide(model: Any) -> Bools:
    """Return which geoms and flexes may collide by their masks, (n, n); the flexes come last."""
    contype = np.concatenate([model.geom_contype, model.flex_contype])
    conaffinity = np.concatenate([model.geom_conaffinity, model.flex_conaffinity])
    one_way = (contype[:, None] & conaffinity[None, :]) != 0
    return np.asarray(one_way | one_way.T)


def _masks(collide: Bools, taken: Bools) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return contype and conaffinity (n,) for which exactly the pairs in `collide` and not in `taken` collide."""
    # no geom meets itself, so the diagonal is free: of two choices the one with fewer classes counts
    none, diagonal = np.zeros_like(taken), np.diag(taken.any(axis=1))
    choices = [_classes(collide & ~(taken | excluded)) for excluded in (none, diagonal)]
    allowed, members = min(choices, key=lambda choice: len(choice[0]))
    if len(allowed) > MOST_CLASSES:
        raise ValueError(f"the contact of MuJoCo would need {len(allowed)} masks, and it has {MOST_CLASSES}: take "
                         "fewer pairs, or set contype and conaffinity of the geoms in the MJCF to 0")
    bits = (np.int64(1) << np.arange(len(allowed))).astype(np.uint32)
    contype = bits[members]
    conaffinity = (allowed * bits).sum(axis=1, dtype=np.uint32)[members]
    return contype.view(np.int32), conaffinity.view(np.int32)


def _classes(allowed: Bools) -> tuple[Bools, NDArray[np.intp]]:
    """Return the classes of equal rows: which of them collide (k, k), and the class of each geom (n,)."""
    rows, first, members = np.unique(allowed, axis=0, return_index=True, return_inverse=True)
    return rows[:, first], members.reshape(-1)


def _refuse_explicit_pairs(model: Any, taken: Bools) -> None:
    for i, j in zip(model.pair_geom1, model.pair_geom2, strict=True):
        if taken[i, j]:
            names = " and ".join(f"'{model.geom(k).name or k}'" for k in (i, j))
            raise ValueError(f"the MJCF has a <pair> for the geoms {names}, which masks cannot switch off: remove this "
                             "<pair> from the MJCF")
