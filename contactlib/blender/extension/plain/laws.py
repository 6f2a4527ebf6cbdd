"""Laws and pairs in the tables of a scene other than its bodies: reading and setting a common law of two materials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .checks import material_pairs
from .exporting import read_tables
from .items import TEXT
from .toml_text import toml_text

#: numbers of the law that the panel sets: name, part of the law, text
NUMBERS = (
    ("stiffness", "normal", "N/m"), ("damping", "normal", "N s/m"),
    ("mu_static", "friction", "friction coefficient at rest"),
    ("mu_kinetic", "friction", "friction coefficient of sliding"),
    ("tangential_stiffness", "friction", "N/m"), ("tangential_damping", "friction", "N s/m"))
NORMAL, FRICTION = "kelvin_voigt", "bristle"


def law_of(text: str, a: str, b: str) -> dict[str, Any] | None:
    """Return the table of the law of two materials; None if there is none."""
    for law in read_tables(text).get("law", []):
        if any({a, b} == set(pair) for pair in material_pairs(law)):
            return dict(law)
    return None


def laws_of(text: str, material: str) -> list[dict[str, Any]]:
    """Return the tables of all laws that name a material."""
    return [law for law in read_tables(text).get("law", []) if any(material in pair for pair in material_pairs(law))]


def numbers_of(law: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a law that `NUMBERS` names."""
    return {name: float(law[part][name]) for name, part, _ in NUMBERS if name in law.get(part, {})}


def with_law(text: str, a: str, b: str, numbers: Mapping[str, float]) -> str:
    """Return the text with a linear spring and damper, and friction by bristles, for two materials.

    A law that the materials have already keeps its name and all that `numbers` does not set. Friction coefficients of
    zero mean no friction. Raises ValueError for a law of another kind, which the text holds and the panel cannot.
    """
    tables = read_tables(text)
    rows = tables.setdefault("law", [])
    law = next((row for row in rows if any({a, b} == set(pair) for pair in material_pairs(row))), None)
    if law is None:
        law = {"name": _free_name(tables, f"{a}_{b}"), "materials": [a, b]}
        rows.append(law)
    for part, kind in (("normal", NORMAL), ("friction", FRICTION)):
        if law.get(part, {}).get("kind", kind) not in (kind, "none") or "model" in law:
            raise ValueError(f"the law '{law['name']}' is of another kind than '{kind}': change it in the text {TEXT}")
    normal = {name: numbers[name] for name in ("stiffness", "damping") if name in numbers}
    law["normal"] = {**law.get("normal", {}), "kind": NORMAL, **normal}
    friction = {name: numbers[name] for name, part, _ in NUMBERS if part == "friction" and name in numbers}
    if friction.get("mu_static", 0.0) > 0.0:
        law["friction"] = {**law.get("friction", {}), "kind": FRICTION, **friction}
    else:
        law.pop("friction", None)
    return toml_text(tables)


def _free_name(tables: Mapping[str, Any], name: str) -> str:
    taken = {row.get("name") for rows in tables.values() if isinstance(rows, list) for row in rows}
    while name in taken:
        name = f"{name}_law"
    return name


def with_pair(text: str, a: str, b: str) -> str:
    """Return the text with a pair of two bodies that may touch; one that is there already stays.

    >>> print(with_pair("", "probe", "drogue"), end="")
    [[pair]]
    bodies = ["probe", "drogue"]
    """
    tables = read_tables(text)
    pairs = tables.setdefault("pair", [])
    if not any({a, b} == set(row.get("bodies", [])) for row in pairs):
        pairs.append({"bodies": [a, b]})
    return toml_text(tables)


def with_scene(text: str, **keys: Any) -> str:
    """Return the text with keys of the table [scene]; None removes a key."""
    tables = read_tables(text)
    merged = {key: value for key, value in {**tables.pop("scene", {}), **keys}.items() if value is not None}
    return toml_text({"scene": merged, **tables})
