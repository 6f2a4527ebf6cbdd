"""A page for each shipped scene, from its scene file, its README and the validation cases: no page is committed."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import Any

import contactlib
from contactlib._core import engine
from contactlib.common.options import LAW_PARTS
from contactlib.fmu.package.picture import scene_picture
from contactlib.model.model import Model
from contactlib.model.spec import SCENES
from contactlib.shapes.shapes import Shape
from docs.scene_films import FILMS, Film
from docs.website.staging import ROOT, Stage
from docs.website.tables import moved_links, table

TITLES = {"input": "Inputs", "output": "Outputs", "parameter": "Parameters"}
#: more rows of a table than this are folded
FOLD = 30


def names() -> list[str]:
    """The shipped scenes."""
    return sorted(path.parent.name for path in SCENES.glob("*/scene.toml"))


def write(stage: Stage, live: Mapping[str, str]) -> None:
    """Write all pages with their pictures, and the page that lists them; `live` has links to live pages."""
    specs = {name: contactlib.load(name) for name in names()}
    for name, spec in specs.items():
        model = spec.compile()
        stage.write(f"scenes/{name}.svg", scene_picture(model))
        stage.write(f"scenes/{name}.md", page(spec, model, live.get(name, "")))
    stage.write("scenes/index.md", index(specs))


def index(specs: dict[str, contactlib.Spec]) -> str:
    """The page with a picture of each scene."""
    tiles = [f'<a href="{name}.html"><span class="shot"><img src="../_images/{name}.png" alt="{name}"/></span>'
             f'<span class="what"><strong>{name}</strong><br/>{spec.description}</span></a>'
             for name, spec in specs.items()]
    return "\n".join([
        "# Scenes\n",
        "These scenes ship with contactlib. `contactlib run NAME` runs one, `contactlib show NAME` lists its content,",
        "and `contactlib fmu export NAME -o NAME.fmu` writes its FMU. Each page has a film of a run. The pages are",
        "generated from the scene files.\n",
        "```{raw} html", '<div class="tiles">', *tiles, "</div>", "```\n",
        "```{toctree}", ":hidden:\n", *specs, "```\n"])


def page(spec: contactlib.Spec, model: Model, live: str = "") -> str:
    """The page of one scene; `live` is the link to its live page."""
    name = spec.name
    folder = f"contactlib/scenes/{name}"
    readme = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    title, _, about = readme.partition("\n")
    return "\n".join([
        f"{title}\n", f"{spec.description}.\n", film(name, FILMS[name]), f"![{name} at its start]({name}.svg)\n",
        *([f"{live}\n"] if live else []),
        moved_links(about, f"{folder}/README.md", f"scenes/{name}.md"),
        "## Bodies\n", table(("body", "motion", "mass", "content"), _bodies(spec)),
        "## Shapes\n", folded(table(("body", "shapes", "kind", "sizes", "material"), _shapes(spec))),
        "## Laws\n", *_laws(spec, model),
        "## Pairs of shapes\n", table(("pair", "number", "contacts of each, at most"), _pairs(spec, model)),
        "## Elements\n", table(("element", "kind", "content"), ((f"`{e.name}`", e.kind, e.summary())
                                                               for e in spec.elements)),
        "## FMU\n", f"`contactlib fmu export {name} -o {name}.fmu` writes the FMU. Vectors stand on one line.\n",
        *_variables(model),
        "## Validation\n", *_validation(spec, model)])


def film(name: str, about: Film) -> str:
    """The picture and the film of a scene, and where they differ from the scene."""
    shown = f"../docs/images/scenes/{name}"
    starts = [f"`{body}` starts with {', '.join(f'{part} = ({_row(value)})' for part, value in state.items())}"
              for body, state in about.states.items()]
    lines = [f"| at {about.still:g} s | from {about.begin:g} s to {about.end:g} s |", "|---|---|",
             f"| ![{name}]({shown}.png) | ![Film of {name}]({shown}.webp) |\n",
             "Arrows are contact forces." + (f" In the film, {' and '.join(starts)}." if starts else "")]
    if about.props:
        lines.append(f"Only the drawing has the parts that join the shapes of {_names(about.props)}.")
    return "\n".join([*lines, f"`python -m docs.draw_scenes {name}` draws both.\n"])


def _names(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def folded(text: str, title: str = "All rows") -> str:
    """A long table behind a line that opens it."""
    number = text.count("\n") - 2
    if number <= FOLD:
        return text
    return f"<details>\n<summary>{title}: {number}</summary>\n\n{text}\n</details>\n"


def _bodies(spec: contactlib.Spec) -> Iterator[tuple[str, ...]]:
    for body in spec.rigid_bodies:
        mass = body.mass_properties()
        weight = "not given" if mass is None else (
            f"{mass.mass:g} kg; centre of mass ({_row(mass.com)}) m; inertia ({_row(mass.inertia.diagonal())}) kg m2")
        counts = Counter(shape.shape.kind for shape in body.shapes)
        shapes = ", ".join(f"{n} x {kind}" if n > 1 else kind for kind, n in counts.items())
        yield f"`{body.name}`", body.motion, weight, shapes or "no shape"


def _shapes(spec: contactlib.Spec) -> Iterator[tuple[str, ...]]:
    for body in spec.rigid_bodies:
        for (shape, material), group in groupby(body.shapes, lambda s: (s.shape, s.material)):
            alike = [item.name for item in group]
            listed = f"`{alike[0]}`" if len(alike) == 1 else f"`{alike[0]}` to `{alike[-1]}`: {len(alike)}"
            yield f"`{body.name}`", listed, shape.kind, sizes(shape), f"`{material}`"


def sizes(shape: Shape) -> str:
    """The sizes of a shape, in m."""
    parts = [f"{name.replace('_', ' ')} {_row(value if isinstance(value, tuple) else (value,), ' x ')} m"
             for name in ("size", "semi_axes", "radius", "length", "rounding") if (value := getattr(shape, name, None))]
    for name in ("corners", "triangles"):
        if (rows := getattr(shape, name, None)) is not None:
            parts.append(f"{len(rows)} {name}")
    return ", ".join(parts)


def _row(values: Iterable[float], between: str = ", ") -> str:
    return between.join(f"{value:g}" for value in values)


def _laws(spec: contactlib.Spec, model: Model) -> Iterator[str]:
    """Yield the materials, the parts and the parameters of each law; parameters are variables of the FMU."""
    for law in spec.laws:
        uses = [f"`{a}` on `{b}`" for a, b in law.materials]
        uses += [f"the bodies `{pair.bodies[0]}` and `{pair.bodies[1]}`" for pair in spec.pairs if pair.law == law.name]
        parts = [f"{part} `{getattr(law, part)}`" for part in LAW_PARTS if getattr(law, part) != "none"]
        yield f"**{law.name}**, for {', '.join(uses) or 'no pair'}: {', '.join(parts)}.\n"
        rows = [variable for variable in model.variables if variable.name.rpartition(".")[0] == law.name
                and variable.causality == "parameter"]
        if rows:
            yield table(("parameter", "unit", "value", "meaning"),
                        ((f"`{row.name}`", row.unit, f"{row.start:g}", row.description) for row in rows))
    if not spec.laws:
        yield "None.\n"


def _pairs(spec: contactlib.Spec, model: Model) -> Iterator[tuple[str, ...]]:
    for (a, b), number in sorted(pair_counts(spec, model).items()):
        most = engine.pair_table()[a, b]
        kinds = engine.shape_kinds()
        yield f"{kinds[a]}-{kinds[b]}", str(number), "any number" if most == engine.MANY else str(most)


def pair_counts(spec: contactlib.Spec, model: Model) -> Counter[tuple[int, int]]:
    """How many pairs of shapes of each two kinds may be in contact."""
    kinds = list(engine.shape_kinds())
    shapes = [Counter(kinds.index(shape.shape.kind) for shape in body.shapes) for body in spec.rigid_bodies]
    counts: Counter[tuple[int, int]] = Counter()
    for one, other, ignored in model.core.pairs:
        for kind_a, number_a in shapes[one].items():
            for kind_b, number_b in shapes[other].items():
                a, b = sorted((kind_a, kind_b))
                if a * len(kinds) + b not in ignored:
                    counts[a, b] += number_a * number_b
    return counts


def _variables(model: Model) -> Iterator[str]:
    for causality, title in TITLES.items():
        rows = [variable for variable in model.variables if variable.causality == causality]
        groups = [list(group) for _, group in groupby(rows, lambda row: row.name.partition("[")[0])]
        content = table(("name", "unit", "meaning"), (_vector(group) for group in groups))
        yield f"### {title}\n"
        yield folded(content)


def _vector(group: list[contactlib.Variable]) -> tuple[str, str, str]:
    """The row of a variable, or of all elements of a vector."""
    first = group[0]
    name = first.name if len(group) == 1 else f"{first.name.partition('[')[0]}[1..{len(group)}]"
    text = first.description
    if len(group) > 1:
        text = text.replace(", scalar part,", "")
        text = re.sub(r"\b(position|velocity|rate|force|torque|component|angular velocity) [xw]\b", r"\1", text)
    return f"`{name}`", " \\| ".join(first.items).replace("\\|", "or") if first.items else first.unit, text


@cache
def cases() -> dict[str, dict[str, Any]]:
    """The validation cases: what their case.toml says."""
    files = sorted((ROOT / "validation_data").glob("*/case.toml"))
    return {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in files}


def _validation(spec: contactlib.Spec, model: Model) -> Iterator[str]:
    """Yield the cases that run the scene, and those that test its laws, elements and pairs of shapes."""
    kinds = engine.shape_kinds()
    parts = {f"{part.partition('_')[0]} {getattr(law, part)}" for law in spec.laws for part in LAW_PARTS}
    parts = {f"{'model' if part.startswith('model') else 'law'} {part.partition(' ')[2]}" for part in parts}
    parts |= {f"element {element.kind}" for element in spec.elements}
    parts |= {f"pair {kinds[a]}-{kinds[b]}" for a, b in pair_counts(spec, model)}
    parts |= {f"integrator {spec.integrator}"}
    own, of_parts = [], []
    for case, about in cases().items():
        covers = set(about["covers"])
        row = (f"[{case}](../validation_data/{case}/README.md)", str(about["title"]), str(about["kind"]))
        if spec.name in (about.get("scene"), about.get("example")) or f"scene {spec.name}" in covers:
            own.append((*row, str(about["source"])))
        elif shared := sorted(covers & parts):
            of_parts.append((*row, ", ".join(shared[:4]) + (f" and {len(shared) - 4} more" if shared[4:] else "")))
    yield "Cases that run this scene:\n"
    yield table(("case", "title", "kind of truth", "source"), own)
    yield "Cases of its parts:\n"
    yield folded(table(("case", "title", "kind of truth", "tests"), of_parts), "Cases")
