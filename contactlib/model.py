"""Model: the compiled, constant form of a scene. This file writes the format that core/format.hpp describes."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from contactlib import tables
from contactlib._core import engine
from contactlib.options import FRAMES, INTEGRATORS, MOTIONS, RIM_METHODS, WRENCH_OUTPUTS
from contactlib.shapes import Socket, check_shape

if TYPE_CHECKING:
    from contactlib.spec import Body, BodyShape, Law, Spec

MAGIC = b"contact\n"
VERSION = 1
HEADER = struct.Struct("<8sIIQ32s")
SECTION = struct.Struct("<IIQQ")
SCENE = struct.Struct("<2I5d4i")
BODY = struct.Struct("<2Iii26d")
SHAPE = struct.Struct("<4i13d")
LAW = struct.Struct("<2Iii10d")
PAIR = struct.Struct("<4i")


@dataclass(frozen=True)
class Variable:
    """A row of the variable table: what a simulation shows to the outside by name, in the FMU and here.

    `causality` is input, output or parameter; `type` real, integer or enumeration (numbered from 1, names in `items`).
    """

    name: str
    unit: str
    description: str
    causality: str
    type: str
    tunable: bool
    start: float
    minimum: float

    @property
    def items(self) -> tuple[str, ...]:
        return {"resolve_in": FRAMES, "wrench_output": WRENCH_OUTPUTS}.get(self.name, ())


class Model:
    """A compiled scene: constant, shared by any number of simulations, the same bytes in Python and in an FMU.

    Make one with `Spec.compile` or `Model.from_bytes`.

    >>> import contactlib
    >>> model = contactlib.load("peg_in_hole").compile()
    >>> contactlib.Model.from_bytes(model.to_bytes()).hash == model.hash
    True
    """

    def __init__(self, core: engine.Model) -> None:
        self.core = core

    @classmethod
    def from_spec(cls, spec: Spec) -> Model:
        """Compile; ValueError if names, materials, masses or pairs do not belong together."""
        try:
            return cls(engine.Model(_write(spec)))
        except struct.error as error:  # only a Spec that was not read by from_toml or from_dict
            raise ValueError(f"a field of the Spec '{spec.name}' has another type or length: {error}") from None

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        """Read what `to_bytes` gave; ValueError if it is truncated, damaged or out of range."""
        return cls(engine.Model(bytes(content)))

    def to_bytes(self) -> bytes:
        return self.core.to_bytes()

    @property
    def name(self) -> str:
        return self.core.name

    @property
    def hash(self) -> str:
        """SHA-256 of the content, 64 hexadecimal digits."""
        return self.core.hash

    @property
    def guid(self) -> str:
        """The FMU's GUID: the first 32 digits of the hash."""
        h = self.hash
        return f"{{{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:32]}}}"

    @property
    def body_names(self) -> tuple[str, ...]:
        return self.core.body_names

    @property
    def motions(self) -> tuple[str, ...]:
        """How each body moves: external, driven, free or fixed."""
        return self.core.motions

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variable table; value references of the FMU are indexes into it."""
        return tuple(Variable(*row) for row in self.core.variables())

    @property
    def step_size(self) -> float:
        """Longest step of the core, s."""
        return self.core.step_size

    @property
    def duration(self) -> float:
        """How long a run of the scene usually is, s."""
        return self.core.duration

    def __repr__(self) -> str:
        return f"<contactlib.Model '{self.name}' {self.hash[:12]}: {len(self.body_names)} bodies, " \
               f"{len(self.core.pairs)} pairs>"


class _Strings:
    """The text section: every name once."""

    def __init__(self) -> None:
        self.content = b""

    def add(self, text: str) -> tuple[int, int]:
        data = text.encode()
        at = len(self.content)
        self.content += data
        return at, len(data)


def _write(spec: Spec) -> bytes:
    _check_names(spec)
    strings = _Strings()
    shapes = [(shape, i) for i, body in enumerate(spec.bodies) for shape in body.shapes]
    materials = sorted({shape.material for shape, _ in shapes})
    scene = SCENE.pack(*strings.add(spec.name), *spec.gravity, spec.step_size, spec.duration, *_option_numbers(spec), 0)
    for shape, body in shapes:
        _check_shape_of(spec.bodies[body], shape)
    bodies = [_body(body, strings) for body in spec.bodies]
    packed_shapes = [
        SHAPE.pack(list(engine.shape_kinds()).index(s.shape.kind), body, materials.index(s.material),
                   RIM_METHODS.index(s.shape.rim) if isinstance(s.shape, Socket) else 0,
                   *_padded(s.shape.numbers(), 6), *s.r, *s.q)
        for s, body in shapes
    ]
    laws = [_law(law, strings) for law in spec.laws]
    pairs = [PAIR.pack(a, b, law, 0) for a, b, law in _pairs(spec)]
    return _container([
        (SCENE.size, [scene]), (BODY.size, bodies), (SHAPE.size, packed_shapes), (LAW.size, laws), (PAIR.size, pairs),
        (1, [strings.content]),
    ])


def _check_shape_of(body: Body, shape: BodyShape) -> None:
    try:
        check_shape(shape.shape)
        shape.mass_properties()
    except ValueError as error:
        raise ValueError(f"shape '{shape.name}' of body '{body.name}': {error}") from None


def _option_numbers(spec: Spec) -> tuple[int, int, int]:
    choices = (("resolve_in", FRAMES), ("integrator", INTEGRATORS), ("wrench_output", WRENCH_OUTPUTS))
    resolve_in, integrator, wrench_output = (
        options.index(tables.choice(options)(key, getattr(spec, key))) for key, options in choices)
    return resolve_in, integrator, wrench_output


def _container(sections: list[tuple[int, list[bytes]]]) -> bytes:
    offset = HEADER.size + len(sections) * SECTION.size
    table, payload = b"", b""
    for tag, (size, records) in enumerate(sections):
        data = b"".join(records)
        table += SECTION.pack(tag, size, len(data) // size, offset + len(payload))
        payload += data
    covered = hashlib.sha256(table + payload).digest() + table + payload
    return HEADER.pack(MAGIC, VERSION, len(sections), fnv1a(covered), covered[:32]) + covered[32:]


def fnv1a(data: bytes) -> int:
    """64-bit FNV-1a, which guards a model file against damage."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def _padded(values: Sequence[float], size: int) -> list[float]:
    return [*values, *(0.0 for _ in range(size - len(values)))]


def _body(body: Body, strings: _Strings) -> bytes:
    properties = body.mass_properties()
    if properties is None and body.motion == "free":
        raise ValueError(f"body '{body.name}' is free: it needs mass and inertia, or shapes with a density")
    mass, com, inertia = (properties.mass, properties.com, properties.inertia) if properties else (
        0.0, np.zeros(3), np.zeros((3, 3)))
    inertia = (inertia + inertia.T) / 2
    return BODY.pack(*strings.add(body.name), MOTIONS.index(body.motion), 0, mass, *com, *inertia.T.ravel(),
                     *body.state)


def _law(law: Law, strings: _Strings) -> bytes:
    normal = [row[0] for row in engine.normal_law_table()].index(law.normal)
    friction = [row[0] for row in engine.friction_law_table()].index(law.friction)
    return LAW.pack(*strings.add(law.name), normal, friction, *_padded(law.normal_parameters, 4),
                    *_padded(law.friction_parameters, 6))


def _check_names(spec: Spec) -> None:
    tables.name("scene.name", spec.name)
    for what, names in (("body", [b.name for b in spec.bodies]), ("law", [law.name for law in spec.laws])):
        for name in names:
            tables.name(f"{what}.name", name)
            if names.count(name) > 1:
                raise ValueError(f"{what} '{name}' is defined twice: names must be unique")
    for body in spec.bodies:
        names = [shape.name for shape in body.shapes]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"shape '{name}' of body '{body.name}' is defined twice: names must be unique")
    bodies, laws = ({x.name for x in part} for part in (spec.bodies, spec.laws))
    for name in sorted(bodies & laws):
        raise ValueError(f"'{name}' names a body and a law: variables could not tell them apart")
    reserved = ("contact", "step_size", "resolve_in", "wrench_output")
    for name in sorted((bodies | laws) & set(reserved)):
        raise ValueError(f"the name '{name}' is reserved, as are {', '.join(x for x in reserved if x != name)}")


def _laws_by_materials(spec: Spec) -> dict[frozenset[str], int]:
    found: dict[frozenset[str], int] = {}
    known = {shape.material for body in spec.bodies for shape in body.shapes}
    for i, law in enumerate(spec.laws):
        for material in law.materials:
            if material not in known:
                raise ValueError(f"law '{law.name}': no shape is made of '{material}'; {tables.hint(material, known)}")
        key = frozenset(law.materials)
        if key in found:
            raise ValueError(f"laws '{spec.laws[found[key]].name}' and '{law.name}' are for the same materials "
                             f"{' and '.join(law.materials)}")
        found[key] = i
    return found


def _pairs(spec: Spec) -> list[tuple[int, int, int]]:
    """Shape pairs that may touch, simpler kind first, sorted into one bucket per kind of pair."""
    kinds = list(engine.shape_kinds())
    defined = engine.pair_table()
    laws = _laws_by_materials(spec)
    first = {}
    count = 0
    for body in spec.bodies:
        first[body.name] = count
        count += len(body.shapes)
    pairs: list[tuple[int, int, int, int]] = []
    seen: set[frozenset[str]] = set()
    for pair in spec.pairs:
        one, other = (spec.body(name) for name in pair.bodies)
        if one is other or frozenset(pair.bodies) in seen:
            raise ValueError(f"pair {list(pair.bodies)}: must be two different bodies, each pair once")
        seen.add(frozenset(pair.bodies))
        used: set[str] = set()
        for i, s in enumerate(one.shapes):
            for j, t in enumerate(other.shapes):
                a, b = (first[one.name] + i, s), (first[other.name] + j, t)
                if kinds.index(s.shape.kind) > kinds.index(t.shape.kind):
                    a, b = b, a
                kind = f"{a[1].shape.kind}-{b[1].shape.kind}"
                used.add(kind)
                if kind in pair.ignore:
                    continue
                ka, kb = kinds.index(a[1].shape.kind), kinds.index(b[1].shape.kind)
                if not defined[ka, kb]:
                    raise ValueError(f"pair {list(pair.bodies)}: {kind} is not defined ('{a[1].name}', '{b[1].name}'); "
                                     f"leave it out with ignore = [\"{kind}\"]")
                materials = frozenset((s.material, t.material))
                if materials not in laws:
                    raise ValueError(f"there is no law for the materials '{s.material}' and '{t.material}', which may "
                                     f"meet in the pair {list(pair.bodies)}")
                pairs.append((ka * len(kinds) + kb, a[0], b[0], laws[materials]))
        for kind in pair.ignore:
            if kind not in used:
                raise ValueError(f"pair {list(pair.bodies)}: ignore = '{kind}' matches no shapes; "
                                 f"{tables.hint(kind, sorted(used))}")
    return [(a, b, law) for _, a, b, law in sorted(pairs, key=lambda p: p[:1])]
