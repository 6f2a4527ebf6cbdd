"""Model: the compiled, constant form of a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contactlib._core import engine
from contactlib.common.options import CHOICES
from contactlib.model.groups import flat_bodies
from contactlib.model.model_file import write_model
from contactlib.model.pair_counts import count_pairs
from contactlib.model.user_law_source import PythonModel, from_reference

if TYPE_CHECKING:
    from contactlib.model.spec import Spec

__all__ = ["Model", "Variable"]


@dataclass(frozen=True)
class Variable:
    """A row of the variable table: what a simulation shows to the outside by name, in the FMU and here.

    `causality` is input, output or parameter; `type` real or integer; options are
    integers from 1, with names in `items`.
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
        return CHOICES.get(self.name, ())


class Model:
    """A compiled scene: constant, shared by any number of simulations, the same bytes in Python and in an FMU.

    Make one with `Spec.compile` or `Model.from_bytes`.

    >>> import contactlib
    >>> model = contactlib.load("peg_in_hole").compile()
    >>> contactlib.Model.from_bytes(model.to_bytes()).hash == model.hash
    True
    """

    def __init__(self, core: engine.Model, python_models: Sequence[tuple[int, str, PythonModel]] = (),
                 shape_names: Sequence[str] = ()) -> None:
        self.core = core
        #: contact models written in Python: number and name of their law, and what they are made of
        self.python_models = tuple(python_models)
        self.shape_names = tuple(shape_names)

    @classmethod
    def from_spec(cls, spec: Spec, *, outline: bool = False) -> Model:
        """Compile; ValueError if names, materials, masses or pairs do not belong together, or a mesh is inside out.

        A mesh that is open, flat or crosses itself causes a `contactlib.MeshWarning`.
        An `outline` has contact models in Python without running their modules, so without their memory: it can be
        inspected, not simulated.
        """
        bodies = flat_bodies(spec)
        core = engine.Model(write_model(spec, bodies, outline))
        models = [(i, law.name, law.python) for i, law in enumerate(spec.laws) if law.python and not outline]
        return cls(core, models, [f"{body.name}.{s.name}" for body in bodies for s in body.shapes])

    @classmethod
    def from_bytes(cls, content: bytes, *, modules: Mapping[str, str] | Path | str | None = None) -> Model:
        """Read what `to_bytes` gave; ValueError if it is truncated, damaged or out of range.

        modules : of contact models in Python, the folder of their files or their sources by name. They must be those of
            the compilation, and are run; without them such a model can be inspected, not simulated.
        """
        core = engine.Model(bytes(content))
        if modules is None:
            return cls(core)
        return cls(core, [(law, name, from_reference(text, modules)) for law, name, text, *_ in core.user_laws])

    @property
    def modules(self) -> dict[str, str]:
        """The sources of contact models in Python, by the names of their modules."""
        return {found.module: found.source for _, _, found in self.python_models}

    def to_bytes(self) -> bytes:
        return self.core.to_bytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.core, self.python_models, self.shape_names)

    def __copy__(self) -> Model:
        return self  # it is constant

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self

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

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        return self.core.body_names

    @cached_property
    def law_names(self) -> tuple[str, ...]:
        return self.core.law_names

    @property
    def element_names(self) -> tuple[str, ...]:
        return tuple(name for name, *_ in self.core.elements)

    @property
    def element_outputs(self) -> dict[int, str]:
        """Outputs of elements: names by their places in the variable table."""
        names = self.element_names
        return {} if not names else {i: v.name for i, v in enumerate(self.variables)
                if v.causality == "output" and v.name.rpartition(".")[0] in names}

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
    def auto_step(self) -> bool:
        """Whether the core chooses the lengths of its steps: `step_size = "auto"`."""
        return self.core.auto_step

    @property
    def duration(self) -> float:
        """How long a run of the scene usually is, s."""
        return self.core.duration

    def __repr__(self) -> str:
        return f"<contactlib.Model '{self.name}' {self.hash[:12]}: {len(self.body_names)} bodies, " \
               f"{count_pairs(self.core)[0]} pairs of bodies>"
