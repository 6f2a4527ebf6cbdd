"""The standard layout of .pcm files, for formatting a file and for writing a scene's laws."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from contactlib._core import engine
from contactlib.common.options import LAW_PARTS
from contactlib.model.foundation import sharpness_of
from contactlib.model.pairs import is_pattern
from contactlib.model.parts import Law
from contactlib.pcm.models import ADDED, ALONE, COMMON, FIRST, row_keys
from contactlib.pcm.syntax import Assignment, ContactType, File, Name, Parameter, Statement, Value

if TYPE_CHECKING:
    from contactlib.model.spec import Spec


#: columns of a keyword with its spaces, as in RiSE's example, and of the longest line with a block
KEYWORD, WIDE = 14, 110
Comment = tuple[int, str]
Values = dict[str, float | tuple[float, ...] | str]


def laid_out(file: File) -> str:
    """Write a file in the standard layout, with its statements and comments and at most one empty line in a row.

    Each statement has its own line. A block that is too long for one line has one parameter per line.
    """
    text = file.source.text
    lines: list[str] = []
    end = 0
    for at, until, piece in _pieces(file):
        gap = text[end:at].count("\n")
        if gap == 0 and until > at and piece.startswith("#") and lines and not lines[-1].startswith("#"):
            lines[-1] += f"  {piece}"  # a comment on the line of its statement
        else:
            lines += ["", piece] if lines and gap > 1 else [piece]
        end = until
    return "".join(f"{line}\n" for line in lines)


def _pieces(file: File) -> Iterator[tuple[int, int, str]]:
    """Yield comments and statements in their order: begin, end, and new text of each.

    A comment between the words of a statement moves in front of the statement, with length zero.
    """
    comments = list(file.comments)[::-1]
    for statement in file.statements:
        inside = []
        while comments and comments[-1][0] < statement.end:
            at, comment = comments.pop()
            if at < statement.at:
                yield at, at + len(comment), comment.rstrip()
            elif isinstance(statement, ContactType) and 0 <= statement.opened < at:
                inside.append((at, comment.rstrip()))
            else:
                yield statement.at, statement.at, comment.rstrip()
        yield statement.at, statement.end, _statement(statement, inside, file.source.text)
    for at, comment in reversed(comments):
        yield at, at + len(comment), comment.rstrip()


def _statement(statement: Statement, comments: Sequence[Comment] = (), text: str = "") -> str:
    if isinstance(statement, Assignment):
        keyword = "SurfacePair" if statement.kind == "surface" else "ObjectPair"
        one, other = statement.names
        return f"{keyword:<{KEYWORD}}{one.text} * {other.text} -> {statement.contact.text};"
    head = f"{'ContactType':<{KEYWORD}}{statement.name.text} = {statement.model.text}"
    parameters = [_parameter(parameter) for parameter in statement.parameters]
    if not parameters and not comments:
        return f"{head};"
    line = f"{head} [{{ {' '.join(parameters)} }}];"
    if len(line) <= WIDE and not comments:
        return line
    return "\n".join([f"{head} [{{", *_block(statement, parameters, comments, text), "}];"])


def _block(statement: ContactType, parameters: Sequence[str], comments: Sequence[Comment], text: str) -> list[str]:
    """Write one parameter per line, with comments in their places: after a parameter, or on lines of their own."""
    waiting = list(comments)[::-1]
    lines: list[str] = []
    end = statement.opened
    for parameter, written in zip(statement.parameters, parameters, strict=True):
        while waiting and waiting[-1][0] < parameter.end:
            end = _add_comment(lines, waiting.pop(), end, text)
        lines.append(f"    {written}")
        end = parameter.end
    while waiting:
        end = _add_comment(lines, waiting.pop(), end, text)
    return lines


def _add_comment(lines: list[str], comment: Comment, end: int, text: str) -> int:
    at, written = comment
    if lines and not lines[-1].lstrip().startswith("#") and "\n" not in text[end:at] and "#" not in lines[-1]:
        lines[-1] += f"  {written}"
    else:
        lines.append(f"    {written}")
    return at + len(written)


def _parameter(parameter: Parameter) -> str:
    value = parameter.value
    return f"{parameter.name.text}={value.written}{f' {value.unit.text}' if value.unit else ''};"


def written(spec: Spec) -> str:
    """Write the laws of a scene as a .pcm file: contact types named after their normal laws, then all pairs.

    Reading the file into the scene without its laws restores the scene. ValueError if an argument of a Python contact
    model cannot be written, or if a pair with a law names a movable group.
    """
    for pair in spec.pairs:
        if pair.law is not None and any("." in name or is_pattern(name) for name in pair.bodies):
            what = "names a movable group" if any("." in name for name in pair.bodies) else "is a pattern"
            raise ValueError(f"pair {list(pair.bodies)}: has a law and {what}: an ObjectPair of a .pcm "
                             "file must name whole objects: keep this pair in the scene file")
    statements: list[Statement] = [_contact_type(law) for law in spec.laws]
    pairs = [("surface", pair, law.name) for law in spec.laws for pair in law.materials]
    pairs += [("object", pair.bodies, pair.law) for pair in spec.pairs if pair.law is not None]
    statements += [Assignment(kind, (Name(one), Name(other)), Name(law)) for kind, (one, other), law in pairs]
    groups = [list(group) for _, group in groupby(statements, type)]
    return "\n".join("".join(f"{_statement(statement)}\n" for statement in group) for group in groups)


def _contact_type(law: Law) -> ContactType:
    values = _arguments(law) if law.python else _parameters(law)
    log, interval, sharpness = COMMON
    if law.log:
        values[log.name] = law.log
    if law.log_interval:
        values[interval.name] = law.log_interval
    if law.sharpness != sharpness_of(law.name, law.normal, sharpness.default):
        values[sharpness.name] = law.sharpness
    rows = (kind for part in ALONE if (kind := getattr(law, part)) != "none")
    model = law.python.kind if law.python else next(rows, "none")
    return ContactType(Name(law.name), Name(model),
                       tuple(Parameter(Name(name), Value(value, _value(value))) for name, value in values.items()))


def _arguments(law: Law) -> Values:
    """Return the arguments of a contact model in Python. ValueError if a .pcm file cannot express one of them."""
    values: Values = {}
    given = json.loads(law.python.arguments) if law.python else {}
    for name, value in given.items():
        items = value if isinstance(value, list) else [value]
        numbers = bool(items) and all(isinstance(x, int | float) and not isinstance(x, bool) for x in items)
        if not numbers and not (isinstance(value, str) and not set('"\n\r') & set(value)):
            raise ValueError(f"law '{law.name}': the argument {name} = {value!r} cannot be written to a .pcm file: it "
                             "must be a number, a list of numbers, or a text without line breaks and quotes")
        values[name] = tuple(value) if isinstance(value, list) else value
    return values


def _parameters(law: Law) -> Values:
    values: Values = {}
    for part in LAW_PARTS:
        kind = getattr(law, part)
        if part in ADDED and kind != "none":
            values[part] = kind
        numbers = iter(getattr(law, f"{part}_parameters"))
        if part == FIRST and engine.needs_curve(kind):
            values |= {"depth": tuple(x for x, _ in law.curve), "force": tuple(f for _, f in law.curve)}
        for key in row_keys(part, kind):
            if key.name not in values:
                length = key.length
                values[key.name] = next(numbers) if length is None else tuple(next(numbers) for _ in range(length))
    return values


def _value(value: float | tuple[float, ...] | str) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return _number(value) if not isinstance(value, tuple) else f"({', '.join(map(_number, value))})"


def _number(value: float) -> str:
    return repr(value) if type(value) is int else repr(float(value))
