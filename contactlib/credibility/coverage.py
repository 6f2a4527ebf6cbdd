"""Which validation cases concern a scene: those of the scene as a whole, and those of its laws, pairs and elements."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contactlib.common.files import read_text
from contactlib.common.options import LAW_PARTS
from contactlib.model.material_pairs import KINDS as SHAPES
from contactlib.model.pairs import pairs_of
from contactlib.model.spec import Spec
from contactlib.validation.cases import Case


@dataclass(frozen=True)
class Coverage:
    """The cases of a scene.

    Parameters
    ----------
    whole : cases that run the scene.
    parts : for each law, pair of shapes, element and integrator of the scene the cases with outside truth that cover
        it; none for one that no case covers.
    """

    whole: tuple[Case, ...]
    parts: Mapping[str, tuple[Case, ...]]

    @property
    def evidence(self) -> tuple[Case, ...]:
        """The cases of the whole scene with outside truth."""
        return tuple(case for case in self.whole if case.is_evidence)

    @property
    def uncovered(self) -> list[str]:
        """The parts that no case with outside truth covers."""
        return [part for part, cases in self.parts.items() if not cases]


def coverage(spec: Spec, cases: Sequence[Case]) -> Coverage:
    """Find the cases of a scene.

    Parameters
    ----------
    spec : the scene; its integrator counts as it is.
    cases : all cases, from `contactlib.validation.find_cases`.
    """
    return Coverage(
        tuple(case for case in cases if spec.name in case.scenes),
        {part: tuple(case for case in cases if case.is_evidence and part in case.covers) for part in parts_of(spec)})


def parts_of(spec: Spec) -> list[str]:
    """Return the laws, pairs of shapes, elements and the integrator of a scene, as cases name them.

    Examples
    --------
    >>> import contactlib
    >>> parts_of(contactlib.load("tripod"))
    ['law kelvin_voigt', 'law bristle', 'pair point-plane', 'integrator semi_implicit_euler']
    """
    laws, pairs = [], []
    for law, pair in _touching(spec):
        laws += [f"{'model' if part == 'model' else 'law'} {kind}" for part in LAW_PARTS
                 if (kind := getattr(spec.laws[law], part)) != "none"]
        pairs.append(f"pair {pair}")
    elements = [f"element {element.row}" for element in spec.elements]
    return list(dict.fromkeys((*laws, *pairs, *elements, f"integrator {spec.integrator}")))


def _touching(spec: Spec) -> Iterator[tuple[int, str]]:
    """Yield the number of the law and the kinds of the shapes for each pair of shapes that may touch."""
    bodies = spec.rigid_bodies
    by_materials = {frozenset(pair): i for i, law in enumerate(spec.laws) for pair in law.materials}
    pairs = pairs_of(spec, bodies)
    first = {number: i for i, number in reversed([*enumerate(pairs.classes)])}  # a body of each class
    touching = [(p.a, p.b, p.law, p.ignored) for p in pairs.pairs]
    touching += [(first[r.a], first[r.b], r.law, r.ignored) for r in pairs.rules]
    for a, b, named, ignored in touching:
        for s, _, material_s in bodies[a].sorts():
            for t, _, material_t in bodies[b].sorts():
                i, j = sorted((SHAPES.index(s), SHAPES.index(t)))
                if i * len(SHAPES) + j not in ignored:
                    law = named if named >= 0 else by_materials[frozenset((material_s, material_t))]
                    yield law, f"{SHAPES[i]}-{SHAPES[j]}"


def read_verdicts(path: Path) -> dict[str, str]:
    """Return the verdict of each case from a file that `contactlib validate --json` wrote."""
    try:
        return {name: str(case["verdict"]) for name, case in json.loads(read_text(path))["cases"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: is no file of `contactlib validate --json`: {error}") from None
