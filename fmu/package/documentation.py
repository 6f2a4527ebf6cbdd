"""Writes documentation/index.html of an FMU from its model: picture, bodies, laws, elements, coupling, variables."""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from contactlib._core import engine
from contactlib.common.options import LAW_PARTS
from contactlib.fmu.package.dependencies import pair_laws, rule_laws
from contactlib.fmu.package.metadata import Metadata, tool_version
from contactlib.fmu.package.picture import scene_picture
from contactlib.fmu.package.quantities import QUANTITIES
from contactlib.model.model_file import read_section

if TYPE_CHECKING:
    from contactlib.model.model import Model, Variable

FOLDER = Path(__file__).parent
#: numbers of sections in core/model/format.hpp
BODIES, LAWS = 1, 4
SMALLEST = 1e-300  # a minimum below this is that of a value that must be greater than 0
CAUSALITIES = {"input": "Inputs", "output": "Outputs", "parameter": "Parameters"}


def documentation(model: Model, names: Sequence[str], metadata: Metadata | None = None) -> str:
    """Return the page documentation/index.html, which needs no other file.

    Parameters
    ----------
    model : the compiled scene.
    names : names of all variables in the FMU, in the order of the variable table; they may be flat.
    metadata : description, author, version and licence.

    Examples
    --------
    >>> import contactlib
    >>> model = contactlib.load("tripod").compile()
    >>> "Coupling guide" in documentation(model, [variable.name for variable in model.variables])
    True
    """
    about = metadata or Metadata()
    page = Template((FOLDER / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        name=html.escape(model.name),
        description=html.escape(about.description or f"Contact wrenches of the scene {model.name}"),
        picture=scene_picture(model),
        facts=_facts(model, about),
        bodies=_table(("body", "motion", "mass in kg", "shapes"), _bodies(model)),
        pairs=_table(("body", "body", "laws"), _pairs(model)) if model.core.pairs else "<p>None.</p>",
        laws="\n".join(_laws(model, names)) or "<p>None.</p>",
        elements=_elements(model),
        step_size=f"{model.step_size:g}",
        variables="\n".join(_variables(model, names)),
        version=html.escape(tool_version()),
    )


def license_text() -> bytes:
    """Return the licence of the binaries and of what is linked into them."""
    return (FOLDER / "license.txt").read_bytes()


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells that look like numbers are aligned to the right."""
    lines = ["<table>", "<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def _cell(text: str) -> str:
    try:
        float(text)
    except ValueError:
        return f"<td>{html.escape(text)}</td>"
    return f'<td class="number">{html.escape(text)}</td>'


def _facts(model: Model, about: Metadata) -> str:
    rows = [
        ("author", about.author),
        ("version", about.version),
        ("licence", about.license),
        ("copyright", about.copyright),
        ("GUID", model.guid),
        ("longest step of the core", f"{model.step_size:g} s"),
        ("usual duration of a run", f"{model.duration:g} s"),
    ]
    return _table(("", ""), [row for row in rows if row[1]])


def _bodies(model: Model) -> Iterator[tuple[str, ...]]:
    kinds = engine.shape_kinds()
    records = read_section(model.to_bytes(), BODIES, "body")
    of_body: dict[int, Counter[str]] = defaultdict(Counter)
    for body, kind in model.core.shapes:
        of_body[body][kinds[kind]] += 1
    for index, (name, motion, record) in enumerate(zip(model.body_names, model.motions, records, strict=True)):
        counts = of_body[index]
        shapes = ", ".join(f"{count} x {kind}" if count > 1 else kind for kind, count in counts.items())
        mass = float(record["mass"])
        yield name, motion, f"{mass:g}" if mass > 0.0 else "not given", shapes or "none"


def _pairs(model: Model) -> Iterator[tuple[str, ...]]:
    for one, other, laws in pair_laws(model):
        named = ", ".join(model.law_names[law] for law in sorted(laws))
        yield model.body_names[one], model.body_names[other], named or "none: no contact"
    for of_a, of_b, laws in rule_laws(model):
        named = ", ".join(model.law_names[law] for law in sorted(laws))
        yield _some(model, of_a), _some(model, of_b), named or "none: no contact"


def _some(model: Model, bodies: Sequence[int]) -> str:
    """Return the names of a few bodies, or the first and the last of many and their number."""
    names = [model.body_names[body] for body in bodies]
    return ", ".join(names) if len(names) <= 4 else f"{names[0]} .. {names[-1]}: any of {len(names)} bodies"


def _laws(model: Model, names: Sequence[str]) -> Iterator[str]:
    """Yield a heading, the kinds of the parts, and the parameters of each law."""
    tables = engine.law_tables()
    records = read_section(model.to_bytes(), LAWS, "law")
    for law, record in zip(model.law_names, records, strict=True):
        user = int(record["model"]) < 0
        parts = {part: tables[part][max(int(record[part]), 0)][0] for part in LAW_PARTS}
        kinds = ", ".join(f"{part}: {kind}" for part, kind in parts.items() if kind != "none")
        yield f"<h3>{html.escape(law)}</h3>\n<p>{'a contact model in Python' if user else html.escape(kinds)}</p>"
        rows = [
            _row(variable, name)
            for variable, name in zip(model.variables, names, strict=True)
            if variable.causality == "parameter" and variable.name.rpartition(".")[0] == law
        ]
        if rows:
            yield _table(HEAD, rows)


def _elements(model: Model) -> str:
    def body(index: int) -> str:
        return "the world" if index < 0 else model.body_names[index]

    rows = [(name, kind, ", ".join(dict.fromkeys(map(body, bodies)))) for name, kind, _, bodies in model.core.elements]
    return _table(("element", "kind", "bodies"), rows) if rows else "<p>None.</p>"


HEAD = ("name", "unit", "shown in", "start", "minimum", "description")


def _variables(model: Model, names: Sequence[str]) -> Iterator[str]:
    for causality, title in CAUSALITIES.items():
        rows = [
            _row(variable, name)
            for variable, name in zip(model.variables, names, strict=True)
            if variable.causality == causality
        ]
        if rows:
            yield f"<h3>{title}</h3>\n{_table(HEAD, rows)}"


def _row(variable: Variable, name: str) -> tuple[str, ...]:
    quantity = QUANTITIES.get(variable.unit)
    shown = quantity.display if quantity and variable.type == "real" else ""
    start = "" if variable.causality == "output" else f"{variable.start:g}"
    if variable.items:
        start = variable.items[int(variable.start) - 1]
    minimum = "" if variable.minimum == float("-inf") else f"{variable.minimum:g}"
    if 0.0 < variable.minimum < SMALLEST:
        minimum = "above 0"
    text = variable.description
    if variable.causality == "parameter" and not variable.tunable:
        text += " (fixed: set before the run)"
    return name, " | ".join(variable.items) or variable.unit, shown, start, minimum, text
