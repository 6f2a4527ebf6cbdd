"""Small scenes for the programs of cases, from tables as in a scene file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contactlib.model.spec import Spec

Tabled = dict[str, Any]


def shape(kind: str, material: str = "a", name: str = "", **keys: Any) -> Tabled:
    """Return the table of a shape; its name is its kind unless it is given."""
    return {"name": name or kind, "kind": kind, "material": material, **keys}


def body(name: str, motion: str = "free", shapes: Sequence[Tabled] = (), **keys: Any) -> Tabled:
    """Return the table of a body; `keys` are mass, inertia, com and state."""
    return {"name": name, "motion": motion, "shape": list(shapes), **keys}


def floor(material: str = "b", **state: Any) -> Tabled:
    """Return the table of a fixed body `floor` with the plane z = 0 of its axes."""
    return body("floor", "fixed", [shape("plane", material)], **({"state": state} if state else {}))


def scene(bodies: Sequence[Tabled], law: Mapping[str, Any] | None = None,
          pairs: Sequence[tuple[str, str]] = (), elements: Mapping[str, Any] | None = None, **options: Any) -> Spec:
    """Return the scene of some bodies; the law is that of the materials a and b.

    Examples
    --------
    >>> scene([body("ball", mass=1.0, inertia=[1.0, 1.0, 1.0])], gravity=[0.0, 0.0, -9.81]).name
    'case'
    """
    laws = [{"name": "touch", "materials": ["a", "b"], **law}] if law else []
    return Spec.from_dict({
        "scene": {"name": "case", **options}, "body": list(bodies), "law": laws,
        "pair": [{"bodies": list(pair)} for pair in pairs], **(elements or {}),
    })
