"""The .pcm reader under random files: each is read, or refused with sentences that say where; never anything else.

CONTACTLIB_SOAK multiplies the number of random cases.
"""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from contactlib import pcm
from contactlib._core import engine
from contactlib.model.parts import Law, Pair
from contactlib.model.spec import Spec
from contactlib.pcm.models import ADDED, COMMON, FIRST, WHOLE, row_keys
from contactlib.pcm.syntax import Assignment, ContactType, File, Name, Parameter, Value

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
FILES = {path.stem: path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.pcm"))
         if path.stat().st_size < 4000}
soaked = settings(max_examples=150 * SOAK, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read(content):
    """Read a text and check the contacts or the error."""
    try:
        file = pcm.parse(content)
    except pcm.PcmError as error:
        return clear(error, content)
    once = pcm.format_text(content)
    assert pcm.parse(once) == file and pcm.format_text(once) == once
    assert len(pcm.parse(once).comments) == len(file.comments)
    try:
        return pcm.loads(content)
    except pcm.PcmError as error:
        return clear(error, content)


def clear(error, content):
    """Check the diagnostics of an error: places within the text, and no control characters."""
    lines = re.split(b"\r\n|\r|\n", content)
    assert 0 < len(error.diagnostics) <= 50
    for diagnostic in error.diagnostics:
        assert 1 <= diagnostic.line <= len(lines) and 1 <= diagnostic.column <= len(lines[diagnostic.line - 1]) + 1
        assert 10 < len(diagnostic.sentence) < 400 and diagnostic.sentence.isprintable(), diagnostic
        assert f"<text>:{diagnostic.line}:{diagnostic.column}: {diagnostic.sentence}\n" in str(error)
    assert all(letter.isprintable() or letter in "\n\t" for letter in str(error))
    return error


# ---- files out of nothing, and files that were changed -----------------------------------------------

PIECES = [b"ContactType", b"SurfacePair", b"ObjectPair", b" C0 ", b" A ", b"DefaultContact", b"kelvin_voigt",
          b"stiffness", b"damping", b"friction", b'"bristle"', b"[{", b"}]", b"=", b"*", b"->", b";", b"(", b")", b",",
          b"1e-3", b".5", b"a:B", b"-", b'"', b"#", b"\n", b"\r\n", b"\t", b" N/m", b"LogFile", b'"log"', b"\xc3\xa9",
          b"\xff", b"\0",
          b"1e999"]
pieces = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=3)), max_size=40).map(b"".join)


@soaked
@given(st.one_of(st.binary(max_size=200), pieces, pieces.map(lambda piece: b" ".join([piece, piece]))))
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
@example(b"\xed\xa0\x80")
@example(b"[\n{")
def test_files_out_of_nothing(content):
    read(content)


@soaked
@given(st.sampled_from(sorted(FILES)), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), pieces), max_size=3))
def test_changed_files(name, changes):
    content = FILES[name]
    for where, length, piece in changes:
        at = int(where * len(content))
        content = content[:at] + piece + content[at + length:]
    read(content)


@pytest.mark.parametrize("name", sorted(FILES))
def test_truncated_files(name):
    for length in range(0, len(FILES[name]), max(1, 7 // SOAK)):
        read(FILES[name][:length])


# ---- statements and laws there and back ----------------------------------------------------------------

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in ("ContactType", "SurfacePair", "ObjectPair")).map(Name)
numbers = st.floats(allow_nan=False, allow_infinity=False)
units = st.none() | st.sampled_from(["m", "N/m", "N.s/m", "N/m^n", "Pa"]).map(Name)
texts = st.text(st.characters(exclude_characters='"\n\r', exclude_categories=["Cs"]), max_size=8)
values = st.one_of(
    st.builds(lambda x, unit: Value(x, repr(x), unit), numbers, units),
    st.builds(lambda xs, unit: Value(tuple(xs), f"({', '.join(map(repr, xs))})", unit),
              st.lists(numbers, min_size=1, max_size=4), units),
    texts.map(lambda text: Value(text, f'"{text}"')),
)
types = st.builds(ContactType, names, names, st.lists(st.builds(Parameter, names, values), max_size=4).map(tuple))
assignments = st.builds(Assignment, st.sampled_from(["surface", "object"]), st.tuples(names, names), names)
statements = st.lists(st.one_of(types, assignments), max_size=6).map(tuple)
gaps = st.sampled_from([" ", "\n", "\t", "\r\n", "  \n\n", " # a remark\n", "\r"])


def words(statement):
    """A statement as words that may stand apart."""
    if isinstance(statement, Assignment):
        one, other = statement.names
        keyword = {"surface": "SurfacePair", "object": "ObjectPair"}[statement.kind]
        return [keyword, one.text, "*", other.text, "->", statement.contact.text, ";"]
    block = [word for parameter in statement.parameters for word in (
        parameter.name.text, "=", parameter.value.written,
        *([parameter.value.unit.text] if parameter.value.unit else []), ";")]
    return ["ContactType", statement.name.text, "=", statement.model.text,
            *(["[{", *block, "}]"] if block else []), ";"]


@soaked
@given(statements, st.data())
def test_statements_there_and_back(given, data):
    text = "".join(word + data.draw(gaps) for statement in given for word in words(statement))
    read_again = pcm.parse(text)
    assert read_again == File(given)
    once = pcm.format_text(text)
    assert pcm.parse(once) == File(given) and pcm.format_text(once) == once


positive = st.floats(1e-9, 1e9)


@st.composite
def laws(draw):
    """A law of any rows, with parameters that they take."""
    tables = engine.law_tables()
    parts = {"normal": "none", "normal_parameters": ()}
    for part in draw(st.sampled_from([(FIRST, *ADDED), (WHOLE,)])):
        kinds = [kind for kind, _ in tables[part] if part in ADDED or kind != "none"]
        parts[part] = kind = draw(st.sampled_from(kinds))
        values = [max(draw(positive), row[2]) for row in dict(tables[part])[kind]]
        names = [row[0] for row in dict(tables[part])[kind]]
        if "mu_kinetic" in names:
            i, k = names.index("mu_static"), names.index("mu_kinetic")
            values[i], values[k] = max(values[i], values[k]), min(values[i], values[k])
        parts[f"{part}_parameters"] = tuple(values)
        if part == FIRST and engine.needs_curve(kind):
            depths = sorted(draw(st.sets(positive, min_size=1, max_size=4)))
            parts["curve"] = tuple(zip(depths, sorted(draw(positive) for _ in depths), strict=True))
    log = draw(st.sampled_from(["", "log", "a-b_c.d"]))
    return Law("", (), **parts, log=log, log_interval=draw(st.sampled_from([0.0, 1e-3])))


@soaked
@given(st.lists(laws(), min_size=1, max_size=3), st.data())
def test_laws_there_and_back(some, data):
    surfaces = [(a, b) for a in "abcd" for b in "abcd" if a <= b]
    share = data.draw(st.permutations(surfaces))
    whole = tuple(replace(law, name=f"law_{i}", materials=tuple(share[3 * i:3 * i + 2])) for i, law in enumerate(some))
    pairs = tuple(Pair((f"o{i}", "wall"), law=law.name) for i, law in enumerate(whole))
    text = pcm.written(Spec("test", laws=whole, pairs=pairs))
    contacts = pcm.loads(text)
    assert (contacts.laws, contacts.pairs, contacts.unused) == (whole, pairs, ())
    assert pcm.format_text(text) == text


def test_what_every_contact_takes_is_in_no_row():
    own = {key.name for key in COMMON}
    assert all(own.isdisjoint(key.name for key in row_keys(part, kind))
               for part, rows in engine.law_tables().items() for kind, _ in rows)
