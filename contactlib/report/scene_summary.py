"""The summary of a scene that `contactlib show` prints."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from contactlib._core import engine
from contactlib.common.options import LAW_PARTS
from contactlib.model.model import Model
from contactlib.model.pair_counts import count_pairs
from contactlib.model.parts import Body, BodyShape, Group, Law
from contactlib.model.spec import Spec
from contactlib.report import surface_summary
from contactlib.shapes.mass import MassProperties
from contactlib.shapes.polytopes import Mesh
from contactlib.shapes.shapes import Shape, Socket
from contactlib.simulation.simulation import Simulation

#: pairs of objects that a line names
MOST_NAMED = 8


def describe(spec: Spec) -> str:
    """Describe a scene: objects with shapes, laws, pairs, surface contacts, elements, variables, cost and hash.

    A scene whose Python modules were not run (`trust=None`) has no hash and no cost. Raises ValueError if the scene
    does not compile.

    Examples
    --------
    >>> import contactlib
    >>> print(describe(contactlib.load("peg_in_hole")).splitlines()[0])
    peg_in_hole: Four-pin docking interface and a target block with four capped holes (RWTH peg-in-hole)
    """
    unrun = [law.python.module for law in spec.laws if law.python and not law.python.trusted]
    model = Model.from_spec(spec, outline=bool(unrun))
    gravity = "none" if not any(spec.gravity) else f"{_row(spec.gravity)} m/s2"
    return "\n".join(
        [
            f"{spec.name}: {spec.description}" if spec.description else spec.name,
            f"  step {spec.step_text}, run {spec.duration:g} s, {spec.integrator}, gravity {gravity}, "
            f"wrenches in {spec.resolve_in} axes",
            "",
            "objects",
            *_objects(spec),
            "",
            "laws",
            *(line for law in spec.laws for line in _law(law, spec)),
            "",
            "pairs of shapes that may be in contact",
            *_pairs(model),
            "",
            *((*surfaces, "") if (surfaces := surface_summary.summary(spec, model)) else ()),
            *(("elements", *(f"  {e.name:<14} {e.kind}, {e.summary()}" for e in spec.elements), "")
              if spec.elements else ()),
            "variables",
            f"  {_variables(model)}",
            "",
            "model",
            *(_identity(spec, model) if not unrun else _not_run(unrun)),
        ]
    )


def _not_run(modules: Iterable[str]) -> list[str]:
    names = ", ".join(dict.fromkeys(f"{name}.py" for name in modules))
    return [f"  not compiled, because `show` does not run the scene's Python modules: {names}"]


def _identity(spec: Spec, model: Model) -> list[str]:
    return [
        f"  {len(model.to_bytes())} bytes, hash {model.hash}",
        f"  capacity {model.core.contact_capacity} contacts{', which grows if needed' * (not spec.max_contacts)}",
        f"  {_work(model)}",
        f"  one evaluation at the initial state takes {_cost(model) * 1e6:.1f} µs on this machine",
    ]


def _objects(spec: Spec) -> Iterator[str]:
    """Describe each object, and objects that differ in name and state only together."""
    masses: dict[str, dict[str, MassProperties | None]] = {}
    for flat in spec.rigid_bodies:
        masses.setdefault(flat.object, {})[flat.name] = flat.mass_properties()
    for _, group in groupby(spec.bodies, lambda body: replace(body, name="", state=())):
        alike = list(group)
        yield from _object(alike, masses[alike[0].name])


def _object(alike: Sequence[Body], masses: Mapping[str, MassProperties | None]) -> Iterator[str]:
    """Describe an object as a tree: its mass, its groups (movable groups are marked with *), its shapes."""
    body = alike[0]
    names = body.name if len(alike) == 1 else f"{body.name} .. {alike[-1].name}"
    number = "" if len(alike) == 1 else f"{len(alike)} objects, each "
    yield f"  {names:<14} {body.motion:<9} {number}{_mass(masses[body.name])}"
    yield from _below(body, body.name, "  ", masses)


def _below(node: Body | Group, path: str, indent: str, masses: Mapping[str, MassProperties | None]) -> Iterator[str]:
    shapes = [list(g) for _, g in groupby(node.shapes, lambda s: (s.shape, s.material))]
    last = len(shapes) + len(node.groups) - 1
    for k, alike in enumerate(shapes):
        yield f"{indent}{'└─' if k == last else '├─'} {_shapes(alike)}"
    for k, group in enumerate(node.groups, start=len(shapes)):
        inner = f"{path}.{group.name}"
        text = f"group, {_count(group)} shapes, volume {group.volume}"
        if group.movable:
            text = f"movable group, {group.motion}, {_mass(masses[inner])}, {_count(group)} shapes"
        yield f"{indent}{'└─' if k == last else '├─'} {group.name + ('*' if group.movable else ''):<22} {text}"
        yield from _below(group, inner, indent + ("   " if k == last else "│  "), masses)


def _count(group: Group) -> int:
    return len(group.shapes) + sum(_count(inner) for inner in group.groups)


def _mass(properties: MassProperties | None) -> str:
    if properties is None:
        return "no mass"
    return (f"{properties.mass:g} kg, centre of mass ({_row(properties.com)}) m, "
            f"inertia ({_row(properties.inertia.diagonal())}) kg m2")


def _shapes(group: Sequence[BodyShape]) -> str:
    """Describe equal shapes on one line."""
    first = group[0]
    names = first.name if len(group) == 1 else f"{first.name} .. {group[-1].name}"
    number = "" if len(group) == 1 else f"{len(group)} x "
    return f"{names:<22} {number}{first.shape.kind}, {_sizes(first.shape)}of '{first.material}'"


def _sizes(shape: Shape) -> str:
    """Return the sizes of a shape in mm, or in m from ten metres on."""
    if isinstance(shape, Mesh):
        return _mesh(shape)
    parts = []
    for name in ("size", "semi_axes", "radius", "length"):
        value = getattr(shape, name, None)
        if value is None:
            continue
        parts.append(f"{name} {_lengths(value if isinstance(value, tuple) else (value,))}, ")
    if isinstance(shape, Socket) and shape.rim != "exact":
        parts.append(f"rim by {shape.rim}, ")
    return "".join(parts)


def _lengths(values: Sequence[float]) -> str:
    large = max(values) >= 10
    return f"{' x '.join(f'{v * (1 if large else 1e3):g}' for v in values)} {'m' if large else 'mm'}"


def _mesh(mesh: Mesh) -> str:
    """Describe a mesh: number of triangles, sides of its bounding box, enclosed volume."""
    border = np.count_nonzero(mesh.edges.border)
    inside = f"not closed ({border} border edges)" if border else f"closed, volume {mesh.volume:g} m3"
    return f"{len(mesh.triangles)} triangles, size {_lengths(mesh.extent.tolist())}, {inside}, "


def _law(law: Law, spec: Spec) -> Iterator[str]:
    uses = [f"'{a}' on '{b}'" for a, b in law.materials]
    paired = [f"objects '{pair.bodies[0]}' and '{pair.bodies[1]}'" for pair in spec.pairs if pair.law == law.name]
    more = len(paired) - MOST_NAMED
    uses += paired if more <= 0 else [*paired[:MOST_NAMED], f"and {more} more pairs"]
    yield f"  {law.name:<14} {', '.join(uses)}"
    if law.python:
        yield f"  └─ model     {law.python.kind}, in Python: {law.python.arguments}"
        return
    always = () if law.model != "none" else ("normal", "friction")
    parts = [part for part in LAW_PARTS if getattr(law, part) != "none" or part in always]
    for part in parts:
        kind, values = getattr(law, part), getattr(law, f"{part}_parameters")
        points = f" of {len(law.curve)} points" if part == "normal" and law.curve else ""
        text = _parameters(dict(engine.law_tables()[part])[kind], values)
        yield f"  {'└─' if part == parts[-1] else '├─'} {part:<9} {kind}{points}{text}"


def _parameters(rows: Sequence[engine.LawParameterRow], values: Sequence[float]) -> str:
    known = zip(rows, values, strict=True)
    text = ", ".join(f"{row[0]} {value:g}{'' if row[1] == '1' else ' ' + row[1]}" for row, value in known)
    return f": {text}" if text else ""


def _pairs(model: Model) -> Iterator[str]:
    kinds = list(engine.shape_kinds())
    bodies, counts = count_pairs(model.core)
    if len(model.core.pair_rules):
        yield f"  {bodies} pairs of bodies, {len(model.core.pairs)} of them named; {len(model.core.pair_rules)} rules"
    for row, number in sorted(counts.items()):
        a, b = divmod(row, len(kinds))
        most = engine.pair_table()[a, b]
        text = "any number of contacts" if most == engine.MANY else f"at most {most} contact{'s' if most > 1 else ''}"
        yield f"  {f'{kinds[a]}-{kinds[b]}':<21} {number:>6}   {text} each"
    if not counts:
        yield "  none: no contact is possible"


def _work(model: Model) -> str:
    """Describe the work of one evaluation at the initial state."""
    data = Simulation(model).data
    data.evaluate()
    tests, candidates = data.work()
    return (f"at the initial state, {tests} tests of bounding volumes leave {candidates} candidates "
            f"and {data.contact_count} contacts")


def _variables(model: Model) -> str:
    counts = Counter(variable.causality for variable in model.variables)
    return ", ".join(
        f"{counts[kind]} {kind}{'' if counts[kind] == 1 else 's'}"
        for kind in ("input", "output", "parameter")
    )


def _cost(model: Model, steps: int = 200) -> float:
    """Return the time of one evaluation, s: the best of five short measurements."""
    data = Simulation(model).data
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(steps):
            data.evaluate()
        best = min(best, (time.perf_counter() - start) / steps)
    return best


def _row(values: Iterable[float]) -> str:
    return ", ".join(f"{v:g}" for v in values)
