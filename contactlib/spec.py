"""Spec: a scene as a person writes it, frozen dataclasses one to one with scene.toml (docs/scenes.md)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib import tables
from contactlib._core import engine
from contactlib.options import FRAMES, INTEGRATORS, MOTIONS, RIM_METHODS, WRENCH_OUTPUTS
from contactlib.shapes import SHAPES, MassProperties, Shape, check_shape
from contactlib.tables import Table

if TYPE_CHECKING:
    from contactlib.model import Model

SCENES = Path(__file__).parent / "scenes"


@dataclass(frozen=True)
class BodyShape:
    """A shape on a body: pose (r in m, q scalar first) in the body, material, and density (kg/m3) if it gives mass."""

    name: str
    shape: Shape
    material: str
    r: tuple[float, ...] = (0.0, 0.0, 0.0)
    q: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    density: float | None = None

    def mass_properties(self) -> MassProperties | None:
        if self.density is None:
            return None
        return self.shape.mass_properties(self.density).moved(rotation(self.q), np.array(self.r))


@dataclass(frozen=True)
class Body:
    """A rigid body. `state` is where it starts: r, q, v, w (13 numbers, w in world axes)."""

    name: str
    motion: str = "external"
    shapes: tuple[BodyShape, ...] = ()
    mass: float | None = None
    com: tuple[float, ...] | None = None
    inertia: tuple[tuple[float, ...], ...] | None = None
    state: tuple[float, ...] = (0.0,) * 3 + (1.0,) + (0.0,) * 9

    def mass_properties(self) -> MassProperties | None:
        """As given, or else the sum over the shapes that have a density; None if there is neither."""
        if self.mass is not None and self.inertia is not None:
            return MassProperties(self.mass, np.array(self.com or (0.0,) * 3), np.array(self.inertia))
        total: MassProperties | None = None
        for shape in self.shapes:
            part = shape.mass_properties()
            if part is not None:
                total = part if total is None else total + part
        return total


@dataclass(frozen=True)
class Law:
    """How two materials push and rub: rows of the law tables with their parameters."""

    name: str
    materials: tuple[str, ...]
    normal: str
    normal_parameters: tuple[float, ...]
    friction: str = "none"
    friction_parameters: tuple[float, ...] = ()


@dataclass(frozen=True)
class Pair:
    """Two bodies that may touch; `ignore` names kinds of shape pairs ("box-socket") that are left out."""

    bodies: tuple[str, ...]
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spec:
    """A whole scene. Make one with `from_toml` or `from_dict`; nothing changes it, `replace` makes others."""

    name: str
    description: str = ""
    bodies: tuple[Body, ...] = ()
    laws: tuple[Law, ...] = ()
    pairs: tuple[Pair, ...] = ()
    gravity: tuple[float, ...] = (0.0, 0.0, 0.0)
    step_size: float = 1e-3
    duration: float = 1.0
    resolve_in: str = "world"
    integrator: str = "semi_implicit_euler"
    wrench_output: str = "end"
    source: Path | None = field(default=None, compare=False)

    @classmethod
    def from_toml(cls, path: str | Path) -> Spec:
        """Read a scene file.

        Raises ValueError with the key's path, the value and what is allowed, and OSError if there is no such file.

        >>> import contactlib
        >>> contactlib.load("peg_in_hole").name
        'peg_in_hole'
        """
        path = Path(path)
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}: not a TOML file: {error}") from None
        try:
            return replace(cls.from_dict(values), source=path)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Spec:
        """A scene from the tables that its TOML would give."""
        top = Table(values, "")
        scene = top.table("scene")
        spec = cls(
            name=scene.take("name", tables.name),
            description=scene.take("description", tables.text, ""),
            gravity=scene.take("gravity", tables.vector(3), (0.0, 0.0, 0.0)),
            step_size=scene.take("step_size", tables.number(0.0, above=True), 1e-3),
            duration=scene.take("duration", tables.number(0.0, above=True), 1.0),
            resolve_in=scene.take("resolve_in", tables.choice(FRAMES), "world"),
            integrator=scene.take("integrator", tables.choice(INTEGRATORS), "semi_implicit_euler"),
            wrench_output=scene.take("wrench_output", tables.choice(WRENCH_OUTPUTS), "end"),
            bodies=tuple(_body(table) for table in top.tables("body")),
            laws=tuple(_law(table) for table in top.tables("law")),
            pairs=tuple(_pair(table) for table in top.tables("pair")),
        )
        scene.finish()
        top.finish()
        return spec

    def body(self, name: str) -> Body:
        """The body of that name; ValueError with the nearest name if there is none."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise ValueError(f"there is no body '{name}'; {tables.hint(name, (b.name for b in self.bodies))}")

    def with_motion(self, motion: str, *names: str) -> Spec:
        """The same scene with these bodies moved otherwise, e.g. `spec.with_motion("free", "interface")`."""
        if motion not in MOTIONS:
            raise ValueError(f"motion = {motion!r}: must be one of {', '.join(MOTIONS)}")
        for name in names:
            self.body(name)
        bodies = tuple(replace(b, motion=motion) if b.name in names else b for b in self.bodies)
        return replace(self, bodies=bodies)

    def compile(self) -> Model:
        """Check what belongs together and make the constant, flat form."""
        from contactlib.model import Model

        return Model.from_spec(self)


def load(scene: str | Path) -> Spec:
    """A scene by its file, or by the name of one that ships with contactlib."""
    shipped = {path.parent.name: path for path in sorted(SCENES.glob("*/scene.toml"))}
    if str(scene) in shipped:
        return Spec.from_toml(shipped[str(scene)])
    path = Path(scene)
    if path.is_dir():
        path = path / "scene.toml"
    if not path.exists():
        raise ValueError(f"scene = '{scene}': no such file and no shipped scene; {tables.hint(str(scene), shipped)}")
    return Spec.from_toml(path)


def rotation(q: tuple[float, ...]) -> NDArray[np.float64]:
    """Rotation matrix of a unit quaternion, scalar first."""
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def _size(path: str, value: Any) -> tuple[float, float, float]:
    a, b, c = tables.vector(3, tables.number(0.0, above=True))(path, value)
    return a, b, c


#: how the keys of shapes are read, by name
_SHAPE_KEYS: dict[str, tables.Reader[Any]] = {
    "radius": tables.number(0.0, above=True),
    "length": tables.number(0.0),
    "size": _size,
    "rim": tables.choice(RIM_METHODS),
    "rim_levels": tables.integer(1, 64),
}


def _shape(table: Table) -> BodyShape:
    kind = SHAPES[table.take("kind", tables.choice(SHAPES))]
    arguments: dict[str, Any] = {}
    for key, info in kind.__dataclass_fields__.items():
        if key in _SHAPE_KEYS:
            optional = {"default": info.default} if key.startswith("rim") else {}
            arguments[key] = table.take(key, _SHAPE_KEYS[key], **optional)
    shape = kind(**arguments)
    try:
        check_shape(shape)
    except ValueError as error:
        raise ValueError(f"{table.path}: {error}") from None
    result = BodyShape(
        name=table.take("name", tables.name),
        shape=shape,
        material=table.take("material", tables.name),
        r=table.take("r", tables.vector(3), (0.0, 0.0, 0.0)),
        q=table.take("q", tables.quaternion, (1.0, 0.0, 0.0, 0.0)),
        density=table.take("density", tables.number(0.0, above=True), None),
    )
    table.finish()
    return result


def _inertia(path: str, value: Any) -> tuple[tuple[float, ...], ...]:
    """Three principal moments, or the symmetric 3 x 3 matrix."""
    if isinstance(value, list | tuple) and len(value) == 3 and not any(isinstance(v, list | tuple) for v in value):
        moments = tables.vector(3)(path, value)
        value = [[moments[i] if i == j else 0.0 for j in range(3)] for i in range(3)]
    rows = tables.listing(tables.vector(3), 3)(path, value)
    matrix = np.array(rows)
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0):
        tables.fail(path, value, "must be symmetric")
    if np.linalg.eigvalsh(matrix)[0] <= 0:
        tables.fail(path, value, "must be positive definite")
    return rows


def _body(table: Table) -> Body:
    state = table.table("state")
    zero: tuple[float, ...] = (0.0, 0.0, 0.0)
    unit: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    start = (
        *state.take("r", tables.vector(3), zero),
        *state.take("q", tables.quaternion, unit),
        *state.take("v", tables.vector(3), zero),
        *state.take("w", tables.vector(3), zero),
    )
    state.finish()
    body = Body(
        name=table.take("name", tables.name),
        motion=table.take("motion", tables.choice(MOTIONS), "external"),
        mass=table.take("mass", tables.number(0.0, above=True), None),
        com=table.take("com", tables.vector(3), None),
        inertia=table.take("inertia", _inertia, None),
        shapes=tuple(_shape(row) for row in table.tables("shape")),
        state=start,
    )
    if (body.mass is None) != (body.inertia is None):
        raise ValueError(f"{table.path}: mass and inertia must be given together, or neither (then densities count)")
    table.finish()
    return body


def _law_part(table: Table, key: str, rows: list[Any], default: str | None) -> tuple[str, tuple[float, ...]]:
    """A row of a law table with its parameters, as `{ kind = ..., parameter = ... }`."""
    part = table.table(key)
    if default is not None and not part.values:
        return default, ()
    known = dict(rows)
    kind = part.take("kind", tables.choice(known))
    values = tuple(
        part.take(name, tables.number(minimum, above=above)) for name, _unit, minimum, above, _meaning in known[kind]
    )
    part.finish()
    given = dict(zip((row[0] for row in known[kind]), values, strict=True))
    if given.get("mu_kinetic", 0.0) > given.get("mu_static", np.inf):
        tables.fail(part.at("mu_kinetic"), given["mu_kinetic"], f"must not exceed mu_static = {given['mu_static']:g}")
    return kind, values


def _law(table: Table) -> Law:
    normal, normal_parameters = _law_part(table, "normal", engine.normal_law_table(), None)
    friction, friction_parameters = _law_part(table, "friction", engine.friction_law_table(), "none")
    law = Law(table.take("name", tables.name), table.take("materials", tables.listing(tables.name, 2)),
              normal, normal_parameters, friction, friction_parameters)
    table.finish()
    return law


def _pair(table: Table) -> Pair:
    pair = Pair(table.take("bodies", tables.listing(tables.name, 2)),
                table.take("ignore", tables.listing(tables.text), ()))
    table.finish()
    return pair
