"""A scene on one screen: what `contactlib show` prints."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from contactlib._core import engine
from contactlib.model import Model
from contactlib.shapes import Shape, Socket
from contactlib.simulation import Simulation
from contactlib.spec import Body, BodyShape, Law, Spec


def describe(spec: Spec) -> str:
    """Bodies with their shapes, laws, pairs by kind, variables, cost and identity of a scene.

    Raises ValueError if the scene does not compile.

    Examples
    --------
    >>> import contactlib
    >>> print(describe(contactlib.load("peg_in_hole")).splitlines()[0])
    peg_in_hole: Four-pin docking interface and a target block with four capped holes (RWTH peg-in-hole)
    """
    model = spec.compile()
    gravity = "none" if not any(spec.gravity) else f"{_row(spec.gravity)} m/s2"
    return "\n".join(
        [
            f"{spec.name}: {spec.description}" if spec.description else spec.name,
            f"  step {spec.step_size:g} s, run {spec.duration:g} s, {spec.integrator}, gravity {gravity}, "
            f"wrenches in {spec.resolve_in} axes",
            "",
            "bodies",
            *(line for body in spec.bodies for line in _body(body)),
            "",
            "laws",
            *(line for law in spec.laws for line in _law(law)),
            "",
            "pairs of shapes that may touch",
            *_pairs(spec, model),
            "",
            "variables",
            f"  {_variables(model)}",
            "",
            "model",
            f"  {len(model.to_bytes())} bytes, hash {model.hash}",
            f"  one step from the start takes {_cost(model) * 1e6:.1f} µs here",
        ]
    )


def _body(body: Body) -> Iterator[str]:
    properties = body.mass_properties()
    mass = (
        "no mass"
        if properties is None
        else (
            f"{properties.mass:g} kg, centre of mass ({_row(properties.com)}) m, "
            f"inertia ({_row(properties.inertia.diagonal())}) kg m2"
        )
    )
    yield f"  {body.name:<14} {body.motion:<9} {mass}"
    last = len(groups := [list(g) for _, g in groupby(body.shapes, lambda s: (s.shape, s.material))]) - 1
    for k, group in enumerate(groups):
        yield f"  {'└─' if k == last else '├─'} {_shapes(group)}"


def _shapes(group: Sequence[BodyShape]) -> str:
    """Shapes that are alike, on one line."""
    first = group[0]
    names = first.name if len(group) == 1 else f"{first.name} .. {group[-1].name}"
    number = "" if len(group) == 1 else f"{len(group)} x "
    return f"{names:<22} {number}{first.shape.kind}, {_sizes(first.shape)}of '{first.material}'"


def _sizes(shape: Shape) -> str:
    """Sizes in mm, or in m from ten metres on."""
    parts = []
    for name in ("size", "radius", "length"):
        value = getattr(shape, name, None)
        if value is None:
            continue
        values = value if isinstance(value, tuple) else (value,)
        large = max(values) >= 10
        sizes = " x ".join(f"{v * (1 if large else 1e3):g}" for v in values)
        parts.append(f"{name} {sizes} {'m' if large else 'mm'}, ")
    if isinstance(shape, Socket) and shape.rim != "exact":
        parts.append(f"rim by {shape.rim}, ")
    return "".join(parts)


def _law(law: Law) -> Iterator[str]:
    yield f"  {law.name:<14} '{law.materials[0]}' on '{law.materials[1]}'"
    normal = dict(engine.normal_law_table())[law.normal]
    friction = dict(engine.friction_law_table())[law.friction]
    yield f"  ├─ normal    {law.normal}{_parameters(normal, law.normal_parameters)}"
    yield f"  └─ friction  {law.friction}{_parameters(friction, law.friction_parameters)}"


def _parameters(rows: Sequence[tuple[str, str, float, bool, str]], values: Sequence[float]) -> str:
    known = zip(rows, values, strict=True)
    text = ", ".join(f"{row[0]} {value:g}{'' if row[1] == '1' else ' ' + row[1]}" for row, value in known)
    return f": {text}" if text else ""


def _pairs(spec: Spec, model: Model) -> Iterator[str]:
    kinds = list(engine.shape_kinds())
    shapes = [shape.shape.kind for body in spec.bodies for shape in body.shapes]
    counts = Counter((shapes[a], shapes[b]) for a, b, _ in model.core.pairs)
    for (a, b), number in counts.items():
        most = engine.pair_table()[kinds.index(a), kinds.index(b)]
        yield f"  {f'{a}-{b}':<17} {number:>4}   at most {most} contact{'s' if most > 1 else ''} each"
    if not counts:
        yield "  none: nothing can touch"


def _variables(model: Model) -> str:
    counts = Counter(variable.causality for variable in model.variables)
    return ", ".join(
        f"{counts[kind]} {kind}{'' if counts[kind] == 1 else 's'}"
        for kind in ("input", "output", "parameter")
    )


def _cost(model: Model, steps: int = 200) -> float:
    """Seconds a step, the best of a few short tries."""
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
