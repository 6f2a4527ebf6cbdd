"""The meaning of the statements of a .pcm file: laws, and the pairs of surfaces and objects that use them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from contactlib.common import tables
from contactlib.common.files import SceneFolder
from contactlib.common.options import LAW_PARTS, RESERVED
from contactlib.common.tables import Table
from contactlib.model.pairs import is_pattern, matcher
from contactlib.model.parts import Law, Pair
from contactlib.model.toml import law_part
from contactlib.model.user_law_source import read
from contactlib.pcm.diagnostics import Source, quoted
from contactlib.pcm.models import COMMON, Key, Model, absent, models, part_of, row_keys, rows_with
from contactlib.pcm.syntax import Assignment, ContactType, File, Name, Parameter

if TYPE_CHECKING:
    from contactlib.model.spec import Spec



@dataclass(frozen=True)
class Contacts:
    """The laws and pairs of a valid .pcm file.

    laws : every contact type as a Law with its pairs of surfaces; surfaces are materials.
    pairs : for every pair of objects the name of its contact type.
    unused : contact types that no pair uses; `applied_to` omits them.
    file : the statements with their places.
    """

    laws: tuple[Law, ...]
    pairs: tuple[Pair, ...]
    unused: tuple[str, ...]
    file: File

    def applied_to(self, spec: Spec) -> Spec:
        """Return the scene with its own laws and pairs and those of this file.

        PcmError if a surface or an object is not in the scene, or if the scene already has a law for a pair of this
        file.
        """
        check_against(self.file, spec)
        laws = tuple(law for law in self.laws if law.name not in self.unused)
        of = {frozenset(pair.bodies): pair for pair in self.pairs}
        known = {frozenset(pair.bodies) for pair in spec.pairs}
        pairs = [replace(pair, law=named.law) if (named := of.get(frozenset(pair.bodies))) else pair
                 for pair in spec.pairs]
        patterns = [pair for pair in spec.pairs if any(map(is_pattern, pair.bodies))]
        pairs += [_as_the_pattern(pair, patterns) for pair in self.pairs if frozenset(pair.bodies) not in known]
        return replace(spec, laws=(*spec.laws, *laws), pairs=tuple(pairs))


def _as_the_pattern(pair: Pair, patterns: Sequence[Pair]) -> Pair:
    """Return a pair that ignores what the first pattern of the scene ignores that stands for it."""
    one, other = pair.bodies
    for pattern in patterns:
        a, b = map(matcher, pattern.bodies)
        if (a(one) and b(other)) or (a(other) and b(one)):
            return replace(pair, ignore=pattern.ignore)
    return pair


def contacts_of(file: File, place: SceneFolder | None = None, scene: Spec | None = None) -> Contacts:
    """Return the laws and pairs of a file. PcmError lists all mistakes of its statements and its syntax.

    `place` is the folder with the modules of contact models in Python, which are run if the folder is trusted. Without
    `place` the file may not name such models. With a scene, the error also lists what does not fit this scene.
    """
    source = file.source
    types = [statement for statement in file.statements if isinstance(statement, ContactType)]
    assignments = [statement for statement in file.statements if isinstance(statement, Assignment)]
    known: dict[str, ContactType] = {}
    laws: dict[str, Law] = {}
    table = models()
    for contact in types:
        if source.full:
            break
        name = contact.name
        if name.text in known:
            source.report(name.at, f"contact type {quoted(name.text)} is defined twice, first in line "
                                  f"{source.line(known[name.text].at)}")
            continue
        if name.text in RESERVED:
            source.report(name.at, f"the name {quoted(name.text)} is reserved, as are "
                                  f"{', '.join(word for word in RESERVED if word != name.text)}")
        known[name.text] = contact
        python = ":" in contact.model.text
        law = _python_law(contact, place, source) if python else _law(contact, table, source)
        if law is not None:
            laws[name.text] = law
    used = _check_assignments(assignments, {*known, *file.broken}, source)
    if scene is not None:
        _report_conflicts(file, scene)
    source.check()
    materials: dict[str, list[tuple[str, str]]] = {name: [] for name in laws}
    for assignment in assignments:
        if assignment.kind == "surface":
            materials[assignment.contact.text].append(_pair(assignment))
    return Contacts(
        tuple(replace(law, materials=tuple(materials[name])) for name, law in laws.items()),
        tuple(Pair(_pair(a), law=a.contact.text) for a in assignments if a.kind == "object"),
        tuple(name for name in laws if name not in used), file)


def _pair(assignment: Assignment) -> tuple[str, str]:
    one, other = assignment.names
    return one.text, other.text


def _check_assignments(assignments: Iterable[Assignment], known: set[str], source: Source) -> set[str]:
    """Return the contact types in use. Report contact types that do not exist and pairs that are named twice."""
    first: dict[tuple[str, frozenset[str]], Assignment] = {}
    for assignment in assignments:
        if source.full:
            break
        one, other = _pair(assignment)
        contact = assignment.contact
        if contact.text not in known:
            source.report(contact.at, f"there is no contact type {quoted(contact.text)}; {_hint(contact.text, known)}")
        if assignment.kind == "object" and one == other:
            source.report(assignment.names[1].at, f"{quoted(one)} is named twice: a pair needs two different objects")
        key = assignment.kind, frozenset((one, other))
        if key in first:
            source.report(assignment.at, f"the {assignment.kind}s {quoted(one)} and {quoted(other)} have a contact "
                                        f"already, in line {source.line(first[key].at)}")
        else:
            first[key] = assignment
    return {assignment.contact.text for assignment in assignments}


def _hint(name: str, known: Iterable[str]) -> str:
    """Return the nearest known name as a question, or all known names if they are few."""
    names = sorted(known)
    text = tables.hint(name[:99], names)
    return text if len(names) <= 20 or text.startswith("did") else f"there are {len(names)} others"


def _law(contact: ContactType, table: dict[str, Model], source: Source) -> Law | None:
    """Return the law of a contact type, without materials; None after a mistake, which is reported."""
    name = contact.model
    model = table.get(name.text)
    if model is None:
        source.report(name.at, _no_model(name.text, table))
        return None
    before = source.count
    values = _values(contact, model, source)
    if source.count > before:
        return None
    common = {key.name: values.pop(key.name) for key in COMMON}
    law = _built(contact, model.flat(values), source)
    try:
        return law and replace(law, **_common(common))
    except ValueError as error:
        source.report(next(p.value.at for p in contact.parameters if p.name.text == "Sharpness"), str(error))
        return None


def _no_model(name: str, table: dict[str, Model]) -> str:
    part, missing = part_of(name), absent(name)
    if missing:
        return f"{quoted(name)} is not in this build's law table: it has no {missing}"
    if part:
        return f"{quoted(name)} is a row of the {part} laws, not a model: write {part}=\"{name}\" into the block of one"
    return f"there is no model {quoted(name)}; {_hint(name, table)}"


def _given(contact: ContactType, source: Source) -> dict[str, Parameter]:
    """Return the parameters by name; report each parameter that is given twice."""
    given: dict[str, Parameter] = {}
    for parameter in contact.parameters:
        name = parameter.name
        if name.text in given:
            source.report(name.at, f"{quoted(name.text)} is given twice, first in line "
                                  f"{source.line(given[name.text].name.at)}")
        given.setdefault(name.text, parameter)
    return given


def _values(contact: ContactType, model: Model, source: Source) -> dict[str, Any]:
    """Return the values of a model's keys with defaults; report missing, unknown, repeated and wrong parameters."""
    given = _given(contact, source)
    values: dict[str, Any] = {}
    keys = [*model.keys, *COMMON]
    _read_keys(keys, given, values, contact, source)
    more = list(model.added({key.name: values[key.name] for key in keys if values.get(key.name) is not None}))
    _read_keys(more, given, values, contact, source)
    known = [key.name for key in (*keys, *more)]
    # if a row is unknown, its parameters are unknown too
    lost = {key.name for key in keys if key.choice and values.get(key.name) is None}
    for text, parameter in given.items():
        if text not in known and lost.isdisjoint(rows_with(text)):
            source.report(parameter.name.at, _unknown(parameter.name, model, known))
    return values


def _read_keys(keys: Iterable[Key], given: dict[str, Parameter], values: dict[str, Any], contact: ContactType,
          source: Source) -> None:
    for key in keys:
        parameter = given.get(key.name)
        if parameter is not None:
            values[key.name] = _value(key, parameter, source)
        elif key.default is not None:
            values[key.name] = key.default
        else:
            source.report(contact.model.at, f"{contact.model.text} needs {key.name}, {key.kind}: {key.meaning}")


def _value(key: Key, parameter: Parameter, source: Source) -> Any:
    """Return the value of a key; None after a mistake, which is reported."""
    value, unit = parameter.value, parameter.value.unit
    if unit is not None and unit.text != key.unit:
        right = "has no unit" if key.unit == "1" else f"is in {key.unit}"
        source.report(unit.at, f"wrong unit {quoted(unit.text)}: {key.name} {right}")
        return None
    text, listed = isinstance(value.value, str), isinstance(value.value, tuple)
    if text is not bool(key.choice or key.file) or (not text and listed is not (key.length is not None)):
        source.report(value.at, f"{key.name} = {value.written[:60]}: must be {key.kind}")
        return None
    try:
        return key.read(value.value)
    except ValueError as error:
        source.report(value.at, str(error))
        return None


def _unknown(name: Name, model: Model, known: list[str]) -> str:
    others = [f'{part}="{kind}"' for part, kinds in rows_with(name.text).items() if part in known for kind in kinds]
    if others:
        return f"{quoted(name.text)} is a parameter of {' or '.join(others)}, which this contact type does not have"
    return f"{model.name} has no parameter {quoted(name.text)}; {_hint(name.text, known)}"


def _built(contact: ContactType, flat: dict[str, Any], source: Source) -> Law | None:
    """Build the law from checked values; report values that are valid alone but not together."""
    parts: dict[str, Any] = {}
    try:
        for part in LAW_PARTS:
            kind = flat.get(part, "none")
            given = {"kind": kind, **{key.name: flat[key.name] for key in row_keys(part, kind)}}
            table = Table({} if kind == "none" else {part: given}, "")
            parts[part], parts[f"{part}_parameters"], curve = law_part(table, part, False)
            parts["curve"] = curve or parts.get("curve", ())
    except ValueError as error:
        sentence = str(error).removeprefix(f"{part}.")
        name = re.match(r"\w*", sentence)
        at = next((p.value.at for p in contact.parameters if name and p.name.text == name[0]), contact.model.at)
        source.report(at, sentence)
        return None
    return Law(contact.name.text, (), **parts)


def _common(values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a law that the keys of every contact type set."""
    return {"log": values["LogFile"], "log_interval": values["Resolution"], "sharpness": values["Sharpness"]}


def _python_law(contact: ContactType, place: SceneFolder | None, source: Source) -> Law | None:
    """Return the law of a contact model in Python: all keys except the common ones are arguments of its class."""
    kind, before = contact.model, source.count
    given = _given(contact, source)
    common: dict[str, Any] = {}
    _read_keys(COMMON, given, common, contact, source)
    arguments = {name: parameter.value for name, parameter in given.items() if name not in common}
    for value in arguments.values():
        if value.unit is not None:
            source.report(value.unit.at, f"wrong unit {quoted(value.unit.text)}: arguments of a class have no unit")
    if place is None:
        source.report(kind.at, f"{quoted(kind.text)} is a class in a module, and a text has no folder of modules: "
                               f"read a "
                              f"file, or give the folder")
    if place is None or source.count > before:
        return None
    try:
        python = read("model", kind.text, {name: value.plain() for name, value in arguments.items()}, place)
    except ValueError as error:
        source.report(kind.at, str(error))
        return None
    return Law(contact.name.text, (), "none", (), python=python, **_common(common))


def check_against(file: File, spec: Spec) -> None:
    """Raise PcmError if the scene lacks a name of the file, or already has a law for a pair of the file."""
    _report_conflicts(file, spec)
    file.source.check()


def _report_conflicts(file: File, spec: Spec) -> None:
    source = file.source
    surfaces = {shape.material for body in spec.rigid_bodies for shape in body.shapes}
    objects = {body.name for body in spec.bodies}
    owners = {"surface": ("law '{}'", {frozenset(pair): law.name for law in spec.laws for pair in law.materials}),
              "object": ("pair with the law '{}'", {frozenset(p.bodies): p.law for p in spec.pairs if p.law})}
    taken = {name: kind for kind, part in (("a body", spec.bodies), ("a law", spec.laws), ("an element", spec.elements))
             for name in (x.name for x in part)}
    for statement in file.statements:
        if source.full:
            break
        if isinstance(statement, ContactType):
            if statement.name.text in taken:
                source.report(statement.name.at, f"the scene has {taken[statement.name.text]} of the name "
                                                f"{quoted(statement.name.text)}: names must be unique")
            continue
        known = surfaces if statement.kind == "surface" else objects
        for name in statement.names:
            if name.text not in known:
                none = "no shape is made of" if statement.kind == "surface" else "there is no object"
                source.report(name.at, f"{none} {quoted(name.text)} in the scene; {_hint(name.text, known)}")
        what, own = owners[statement.kind]
        law = own.get(frozenset(_pair(statement)))
        if law is not None:
            source.report(statement.at, f"the scene has a {what.format(law)} for these two {statement.kind}s: "
                                       "assign a law in the scene or in this file, not in both")
