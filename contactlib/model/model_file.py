"""The model file: writes a checked Spec as the bytes that core/model/format.hpp describes."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.options import CHOICES, LAW_PARTS, MOTIONS, RESERVED, RIM_METHODS, VOLUMES
from contactlib.elements import base as elements
from contactlib.elements import in_order
from contactlib.model.groups import FlatBody, flat_bodies
from contactlib.model.material_pairs import KINDS, pairs_of
from contactlib.model.mesh_checks import refuse_no_solid, warn_of_meshes
from contactlib.shapes.mass import impossible_inertia
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import Shape, Socket, check_shape

if TYPE_CHECKING:
    from contactlib.model.parts import Body, BodyShape, Group, Law
    from contactlib.model.spec import Spec

MAGIC = b"contact\n"
VERSION = 6
HEADER = struct.Struct("<8sIIQ32s")
SECTION = struct.Struct("<IIQQ")
SCENE = struct.Struct("<2I5d6i")
BODY = struct.Struct("<2Iii26d")
GROUP = struct.Struct("<4i7d")
SHAPE = struct.Struct("<6i16d")
LAW = struct.Struct("<2I10i2I29d")
CURVE = struct.Struct("<2d")
MATERIAL_PAIR = struct.Struct("<3i")
PAIR = struct.Struct("<3i6I")
SURFACE = struct.Struct("<6i")
VERTEX = struct.Struct("<3d")
INDEX = struct.Struct("<i")
PYTHON = -1  # the row of a contact model that the caller brings


class _Strings:
    """The text section: every name once."""

    def __init__(self) -> None:
        self.content = b""

    def add(self, text: str) -> tuple[int, int]:
        data = text.encode()
        at = len(self.content)
        self.content += data
        return at, len(data)


def write_model(spec: Spec, outline: bool) -> bytes:
    """The bytes of a model; ValueError as `Model.from_spec`, which calls this for the caller of `Spec.compile`."""
    _check_names(spec)
    strings, surfaces = _Strings(), _Surfaces()
    bodies = flat_bodies(spec)
    shapes = [(shape, i) for i, body in enumerate(bodies) for shape in body.shapes]
    materials = sorted({shape.material for shape, _ in shapes})
    choices = [allowed.index(tables.choice(allowed)(key, getattr(spec, key))) for key, allowed in CHOICES.items()]
    _check_coupling(spec, bodies)
    scene = SCENE.pack(*strings.add(spec.name), *spec.gravity, spec.step_size, spec.duration, *choices[:3],
                       spec.max_contacts, VOLUMES.index(spec.volume) - 1, choices[3])
    for shape, index in shapes:
        _check_shape_of(bodies[index].name, shape)
    warn_of_meshes(bodies, stacklevel=4)  # the caller of Spec.compile
    groups: list[bytes] = []
    packed_shapes: list[bytes] = []
    for i, body in enumerate(bodies):
        first = len(groups)  # numbers of groups count on through the bodies
        groups += [GROUP.pack(i, _from(first, g.parent), VOLUMES.index(g.volume) - 1, 0, *g.r, *g.q)
                   for g in body.groups]
        packed_shapes += [_shape(s, i, _from(first, group), materials.index(s.material), surfaces)
                          for s, group in zip(body.shapes, body.group_of, strict=True)]
    pairs = [PAIR.pack(a, b, law, *_bits(ignored)) for a, b, law, ignored in pairs_of(spec, bodies)]
    curves: list[bytes] = []
    laws = [_law(law, strings, curves, outline) for law in spec.laws]
    material_pairs = [MATERIAL_PAIR.pack(*(materials.index(m) for m in pair), i)
                for i, law in enumerate(spec.laws) for pair in law.materials]
    packed_bodies = [_body(body, strings) for body in bodies]
    packed_elements = elements.Sections()
    by_name = {body.name: body for body in bodies}
    for element in in_order(spec.elements, by_name, spec.integrator):
        packed_elements.add(element, by_name, (*strings.add(element.name), *strings.add(element.row)))
    return _container([
        (SCENE.size, [scene]), (BODY.size, packed_bodies), (GROUP.size, groups), (SHAPE.size, packed_shapes),
        (LAW.size, laws), (CURVE.size, curves), (MATERIAL_PAIR.size, material_pairs),
        (PAIR.size, pairs), (SURFACE.size, surfaces.records),
        (VERTEX.size, surfaces.vertices), (INDEX.size, surfaces.counts), (INDEX.size, surfaces.loops),
        (elements.RECORD.size, packed_elements.records), (elements.NUMBER.size, packed_elements.numbers),
        (elements.INTEGER.size, packed_elements.integers),
        (1, [strings.content]),
    ])


def _from(first: int, index: int) -> int:
    return first + index if index >= 0 else -1


def _shape(s: BodyShape, body: int, group: int, material: int, surfaces: _Surfaces) -> bytes:
    rim = RIM_METHODS.index(s.shape.rim) if isinstance(s.shape, Socket) else 0
    return SHAPE.pack(KINDS.index(s.shape.kind), body, material, rim, group, surfaces.add(s.shape),
                      *_padded(s.shape.numbers(), 9), *s.r, *s.q)


class _Surfaces:
    """The sections of corners and faces: every surface once."""

    def __init__(self) -> None:
        self.records: list[bytes] = []
        self.vertices: list[bytes] = []
        self.counts: list[bytes] = []
        self.loops: list[bytes] = []
        self.sizes = [0, 0, 0]
        self.known: dict[Any, int] = {}

    def add(self, shape: Shape) -> int:
        """Number of the shape's surface, -1 if it has none of its own."""
        if not isinstance(shape, Polyhedron | Mesh):
            return -1
        if shape not in self.known:
            vertices, loops, counts = shape.surface()
            sizes = len(vertices), len(counts), len(loops)
            self.records.append(SURFACE.pack(*(x for pair in zip(self.sizes, sizes, strict=True) for x in pair)))
            self.vertices.append(np.ascontiguousarray(vertices, dtype="<f8").tobytes())
            self.counts.append(np.ascontiguousarray(counts, dtype="<i4").tobytes())
            self.loops.append(np.ascontiguousarray(loops, dtype="<i4").tobytes())
            self.sizes = [a + b for a, b in zip(self.sizes, sizes, strict=True)]
            self.known[shape] = len(self.known)
        return self.known[shape]


def _bits(rows: Iterable[int]) -> list[int]:
    """Rows of the pair table as bits of six words."""
    words = [0] * 6
    for row in rows:
        words[row >> 5] |= 1 << (row & 31)
    return words


def _check_shape_of(body: str, shape: BodyShape) -> None:
    try:
        check_shape(shape.shape)
        if isinstance(shape.shape, Mesh):
            refuse_no_solid(shape.shape)
        shape.mass_properties()
    except ValueError as error:
        raise ValueError(f"shape '{shape.name}' of body '{body}': {error}") from None


def _check_coupling(spec: Spec, bodies: Sequence[FlatBody]) -> None:
    if spec.coupling != "none" and not any(body.motion == "external" and body.mass_properties() for body in bodies):
        raise ValueError(f"scene.coupling = '{spec.coupling}': takes an external body with a mass, and there is none")


def _container(sections: list[tuple[int, list[bytes]]]) -> bytes:
    offset = HEADER.size + len(sections) * SECTION.size
    table, parts = b"", []
    for tag, (size, records) in enumerate(sections):
        parts.append(b"".join(records))
        table += SECTION.pack(tag, size, len(parts[-1]) // size, offset)
        offset += len(parts[-1])
    content = table + b"".join(parts)
    covered = hashlib.sha256(content).digest() + content
    return HEADER.pack(MAGIC, VERSION, len(sections), engine.checksum(covered), covered[:32]) + covered[32:]


def _padded(values: Sequence[float], size: int) -> list[float]:
    return [*values, *(0.0 for _ in range(size - len(values)))]


def _body(body: FlatBody, strings: _Strings) -> bytes:
    properties = body.mass_properties()
    if properties is None and body.motion == "free":
        raise ValueError(f"body '{body.name}' is free: it needs mass and inertia, or shapes with a density")
    if body.source.inertia is not None and (problem := impossible_inertia(np.array(body.source.inertia, dtype=float))):
        tables.fail(f"inertia of body '{body.name}'", body.source.inertia, problem)
    mass, com, inertia = (properties.mass, properties.com, properties.inertia) if properties else (
        0.0, np.zeros(3), np.zeros((3, 3)))
    inertia = (inertia + inertia.T) / 2
    return BODY.pack(*strings.add(body.name), MOTIONS.index(body.motion), 0, mass, *com, *inertia.T.ravel(),
                     *body.state)


def _law(law: Law, strings: _Strings, curves: list[bytes], outline: bool) -> bytes:
    tables_of = engine.law_tables()
    rows = [[row[0] for row in tables_of[part]].index(getattr(law, part)) for part in LAW_PARTS]
    numbers = [x for part, room in LAW_PARTS.items() for x in _padded(getattr(law, f"{part}_parameters"), room)]
    first = len(curves)
    curves += [CURVE.pack(*point) for point in law.curve]
    *parts, model = rows
    text, memory, reach = (0, 0), (0, 0), 0.0
    if law.python:
        text, model = strings.add(law.python.reference()), PYTHON
        if not outline:
            made = law.python.make()
            memory, reach = (made.tangents, made.numbers), made.reach
    return LAW.pack(*strings.add(law.name), *parts, first, len(law.curve), model, *memory, 0, *text, reach, *numbers)


def _check_names(spec: Spec) -> None:
    tables.name("scene.name", spec.name)
    tables.choice(VOLUMES)("scene.volume", spec.volume)
    _unique("body", "", [body.name for body in spec.bodies])
    _unique("law", "", [law.name for law in spec.laws])
    _unique("element", "", [element.name for element in spec.elements])
    for body in spec.bodies:
        _check_node(body, f"body '{body.name}'", set())
    kinds = (("body", spec.bodies), ("law", spec.laws), ("element", spec.elements))
    owners: dict[str, str] = {}
    for kind, part in kinds:
        for name in sorted(x.name for x in part):
            if owners.setdefault(name, kind) != kind:
                a, b = (f"{'an' if x == 'element' else 'a'} {x}" for x in (owners[name], kind))
                raise ValueError(f"'{name}' names {a} and {b}: variables could not tell them apart")
    for name in sorted(owners.keys() & set(RESERVED)):
        raise ValueError(f"the name '{name}' is reserved, as are {', '.join(x for x in RESERVED if x != name)}")


def _unique(what: str, where: str, names: Sequence[str]) -> None:
    counts = Counter(names)
    for name in names:
        tables.name(f"{what}.name", name)
        if counts[name] > 1:
            raise ValueError(f"{what} '{name}'{where} is defined twice: names must be unique")


def _check_node(node: Body | Group, where: str, shapes: set[str]) -> None:
    """Names of shapes are unique within an object, those of groups within their parent."""
    if node.shapes and node.groups:
        raise ValueError(f"{where} has groups and shapes; put the shapes into a group of their own")
    _unique("group", f" of {where}", [group.name for group in node.groups])
    for shape in node.shapes:
        tables.name("shape.name", shape.name)
        if shape.name in shapes:
            raise ValueError(f"shape '{shape.name}' of {where} is defined twice: names must be unique")
        shapes.add(shape.name)
    for group in node.groups:
        tables.choice(VOLUMES)(f"volume of group '{group.name}' of {where}", group.volume)
        _check_node(group, f"group '{group.name}' of {where}", shapes)
        if group.volume != "auto" and _has_plane(group):
            raise ValueError(f"a plane is in group '{group.name}' of {where}: it fits in no {group.volume}, "
                             f"leave its volume \"auto\"")


def _has_plane(node: Group) -> bool:
    return any(shape.shape.kind == "plane" for shape in node.shapes) or any(
        _has_plane(group) for group in node.groups if not group.movable)
