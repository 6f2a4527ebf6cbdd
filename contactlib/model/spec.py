"""Spec: a scene as a person writes it, frozen dataclasses one to one with scene.toml (docs/scenes.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from contactlib.common import tables
from contactlib.common.files import SceneFolder, read_toml
from contactlib.common.options import AUTO, MOTIONS
from contactlib.model import toml
from contactlib.model.groups import FlatBody, flat_bodies
from contactlib.model.law_parameters import with_parameters
from contactlib.model.model import Model
from contactlib.model.parts import Body, Group, Law, Pair
from contactlib.model.step_size import STEP_SIZE, longest
from contactlib.shapes.shapes import Shape

if TYPE_CHECKING:
    from contactlib.elements.base import Element

SCENES = Path(__file__).parent.parent / "scenes"
Node = TypeVar("Node", "Body", "Group")


@dataclass(frozen=True)
class Spec:
    """A whole scene. Make one with `from_toml` or `from_dict`; nothing changes it, `replace` makes others."""

    name: str
    description: str = ""
    bodies: tuple[Body, ...] = ()
    laws: tuple[Law, ...] = ()
    pairs: tuple[Pair, ...] = ()
    elements: tuple[Element, ...] = ()
    gravity: tuple[float, ...] = (0.0, 0.0, 0.0)
    step_size: float | str = STEP_SIZE
    max_step_size: float | None = None
    duration: float = 1.0
    resolve_in: str = "world"
    integrator: str = "semi_implicit_euler"
    wrench_output: str = "end"
    coupling: str = "none"
    mass_tolerance: float = 1.0
    max_contacts: int = 0
    volume: str = "auto"
    source: Path | None = field(default=None, compare=False)
    contacts: Path | None = field(default=None, compare=False)

    @classmethod
    def from_toml(cls, path: str | Path, *, trust: bool | None = False, outside: bool = False) -> Spec:
        """Read a scene file.

        Parameters
        ----------
        path : the scene file.
        trust : True runs the Python modules that the scene, or its .pcm file, names for contact models; False refuses
            such a scene; None reads it without running them: it can be shown, and not compiled.
        outside : True lets the scene name files that lie outside its folder.

        Raises
        ------
        ValueError : with the key's path, the value and what is allowed.
        OSError : there is no such file.

        Examples
        --------
        >>> import contactlib
        >>> contactlib.load("peg_in_hole").name
        'peg_in_hole'
        """
        path = Path(path)
        values = read_toml(path)
        try:
            return replace(cls.from_dict(values, folder=path.parent, trust=trust, outside=outside), source=path)
        except ValueError as error:
            from contactlib.pcm.diagnostics import PcmError  # needed here only, see contactlib/__init__.py

            if isinstance(error, PcmError):  # names its own file
                raise
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: str | Path = ".", trust: bool | None = False,
                  outside: bool = False) -> Spec:
        """A scene from the tables that its TOML would give; files that it names are sought from `folder`.

        `trust`, `outside` and errors are those of `from_toml`.
        """
        place = SceneFolder.of(folder, trust=trust, outside=outside)
        fields, contacts = toml.read(values, place)
        spec = cls(**fields)
        return spec if contacts is None else _with_contacts(spec, place, contacts)

    def body(self, name: str) -> Body:
        """The body of that name; ValueError with the nearest name if there is none."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise ValueError(f"there is no body '{name}'; {tables.hint(name, (b.name for b in self.bodies))}")

    @property
    def longest_step(self) -> float:
        """The longest step of the core, s: `step_size`, or `max_step_size` if `step_size` is "auto"."""
        return abs(longest(self.step_size, self.max_step_size, bool(self.elements)))

    @property
    def step_text(self) -> str:
        """The step in words, such as "0.001 s" or "auto, at most 0.01 s"."""
        return f"{'auto, at most ' if self.step_size == AUTO else ''}{self.longest_step:g} s"

    def with_longest_step(self, step: float) -> Spec:
        """The same scene with another longest step of the core, s; `step_size` stays "auto" if it is."""
        return replace(self, max_step_size=step) if self.step_size == AUTO else replace(self, step_size=step)

    @property
    def rigid_bodies(self) -> tuple[FlatBody, ...]:
        """Every rigid body of the scene: the objects and their movable groups, these named "object.group"."""
        return flat_bodies(self)

    def with_motion(self, motion: str, *names: str) -> Spec:
        """The same scene with these bodies moved otherwise, e.g. `spec.with_motion("free", "interface")`."""
        if motion not in MOTIONS:
            raise ValueError(f"motion = {motion!r}: must be one of {', '.join(MOTIONS)}")
        known = [body.name for body in self.rigid_bodies]
        for name in names:
            if name not in known:
                raise ValueError(f"there is no body '{name}'; {tables.hint(name, known)}")
        return replace(self, bodies=tuple(_moved(body, body.name, motion, names) for body in self.bodies))

    def with_contacts(self, path: str | Path, *, trust: bool | None = False) -> Spec:
        """The same scene with the laws and pairs of a .pcm file besides its own (docs/pcm.md).

        Modules of contact models in Python are run with `trust=True` only, as in `from_toml`. Raises PcmError with
        line, column and sentence for all that is wrong with the file, or that does not fit the scene: surfaces are
        materials, objects are bodies by name.
        """
        from contactlib import pcm  # most scenes name no .pcm file

        return replace(pcm.load(path, self, trust=trust).applied_to(self), contacts=Path(path))

    def with_shape(self, name: str, shape: Shape) -> Spec:
        """The same scene with another shape in the place of one, e.g. `spec.with_shape("rock.surface", Mesh(...))`.

        `name` is "body.shape", with the names of the groups between them. Mass and inertia stay what they are, unless
        they come from a density. ValueError if there is no such shape, with the nearest name.
        """
        known = [path for body in self.bodies for path in _shape_names(body, body.name)]
        if name not in known:
            raise ValueError(f"there is no shape '{name}'; {tables.hint(name, known)}")
        return replace(self, bodies=tuple(_reshaped(body, body.name, name, shape) for body in self.bodies))

    def with_law(self, name: str, law: Law | None = None, /, **parameters: float | Sequence[float]) -> Spec:
        """The same scene with other parameters of a law, or with another law in its place.

        `spec.with_law("metal", stiffness=5e4, mu_kinetic=0.1)` has the names of the scene file; a direction is a list
        of three numbers. `spec.with_law("metal", Law(...))` puts a whole law there, under the old name. ValueError if
        there is no such law or parameter, with the nearest name, or a value is not allowed.

        >>> import contactlib
        >>> spec = contactlib.load("peg_in_hole").with_law("pin_hole", stiffness=2e4)
        >>> contactlib.Simulation(spec.compile()).get("pin_hole.stiffness")
        20000.0
        """
        known = {each.name: each for each in self.laws}
        if name not in known:
            raise ValueError(f"there is no law '{name}'; {tables.hint(name, known)}")
        changed = with_parameters(replace(law or known[name], name=name), parameters)
        return replace(self, laws=tuple(changed if each.name == name else each for each in self.laws))

    def with_state(self, name: str, state: Sequence[float] | None = None, /, *, r: Sequence[float] | None = None,
                   q: Sequence[float] | None = None, v: Sequence[float] | None = None,
                   w: Sequence[float] | None = None) -> Spec:
        """The same scene with another start of a body: 13 numbers, or some of r (m), q, v (m/s), w (rad/s, world axes).

        Parts left out stay as they are. `name` is that of an object, or of a movable group as "object.group". Movable
        groups without a state of their own start where their parent then holds them. ValueError if there is no such
        body, with the nearest name, or a value is not allowed.

        >>> import contactlib
        >>> spec = contactlib.load("peg_in_hole").with_state("interface", v=(0.0, 0.0, -0.05))
        >>> spec.body("interface").state[7:10]
        (0.0, 0.0, -0.05)
        """
        known = {body.name: body.state for body in self.rigid_bodies}
        if name not in known:
            raise ValueError(f"there is no body '{name}'; {tables.hint(name, known)}")
        numbers = tables.vector(13)(f"{name}.state", list(known[name] if state is None else state))
        parts = {"r": numbers[:3], "q": numbers[3:7], "v": numbers[7:10], "w": numbers[10:]}
        for part, value in {"r": r, "q": q, "v": v, "w": w}.items():
            if value is not None:
                parts[part] = tables.vector(len(parts[part]))(f"{name}.{part}", list(value))
        parts["q"] = tables.quaternion(f"{name}.q", parts["q"])
        start = tuple(float(x) for part in parts.values() for x in part)
        return replace(self, bodies=tuple(_started(body, body.name, name, start) for body in self.bodies))

    def compile(self) -> Model:
        """Check what belongs together and make the constant, flat form.

        Raises ValueError for what does not, and warns of meshes by `contactlib.MeshWarning` (docs/meshes.md).
        """
        return Model.from_spec(self)


def _with_contacts(spec: Spec, place: SceneFolder, file: str) -> Spec:
    """The scene with the .pcm file that its own file names."""
    try:
        path = place.file(file)
    except ValueError as error:
        tables.fail("scene.contacts", file, str(error))
    try:
        return spec.with_contacts(path, trust=place.trust)
    except OSError as error:
        tables.fail("scene.contacts", file, f"cannot be read: {error.strerror}")


def _moved(node: Node, path: str, motion: str, names: tuple[str, ...]) -> Node:
    """A body or group with the motion of those below it that are named changed."""
    groups = tuple(_moved(group, f"{path}.{group.name}", motion, names) for group in node.groups)
    return replace(node, groups=groups, motion=motion if path in names else node.motion)


def _started(node: Node, path: str, name: str, state: tuple[float, ...]) -> Node:
    """A body or group with the start of the one below it that is named replaced."""
    groups = tuple(_started(group, f"{path}.{group.name}", name, state) for group in node.groups)
    return replace(node, groups=groups, state=state if path == name else node.state)


def _shape_names(node: Node, path: str) -> list[str]:
    return [*(f"{path}.{shape.name}" for shape in node.shapes),
            *(name for group in node.groups for name in _shape_names(group, f"{path}.{group.name}"))]


def _reshaped(node: Node, path: str, name: str, shape: Shape) -> Node:
    """A body or group with the shape of those below it that is named replaced."""
    groups = tuple(_reshaped(group, f"{path}.{group.name}", name, shape) for group in node.groups)
    shapes = tuple(replace(old, shape=shape) if f"{path}.{old.name}" == name else old for old in node.shapes)
    return replace(node, groups=groups, shapes=shapes)


def load(scene: str | Path, *, trust: bool | None = False, outside: bool = False) -> Spec:
    """A scene by its file, or by the name of one that ships with contactlib.

    `trust`, `outside` and errors are those of `Spec.from_toml`: `trust=True` runs the scene's Python modules.
    """
    shipped = {path.parent.name: path for path in sorted(SCENES.glob("*/scene.toml"))}
    if str(scene) in shipped:
        return Spec.from_toml(shipped[str(scene)], trust=trust, outside=outside)
    path = Path(scene)
    if path.is_dir():
        path = path / "scene.toml"
    if not path.exists():
        raise ValueError(f"scene = '{scene}': no such file and no shipped scene; {tables.hint(str(scene), shipped)}")
    return Spec.from_toml(path, trust=trust, outside=outside)
